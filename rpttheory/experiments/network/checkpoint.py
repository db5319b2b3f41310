"""A training run on disk: everything that the next step depends on, under the settings it belongs to."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...errors import InvalidInput
from ...files import read_arrays, write_arrays
from ...networks.pytree import PyTree

_SCHEMA = "rpttheory/training/2"


@dataclass(frozen=True)
class Checkpoint:
    """Where a run is kept.

    Parameters
    ----------
    path : Path
    identity : dict
        JSON-safe: all that decides the run. A file with another identity is refused.
    """

    path: Path
    identity: dict[str, Any]

    def save(self, about: dict[str, Any], tree: PyTree) -> None:
        """Keep numbers and texts (`about`, JSON-safe) and a tree of arrays, whole or not at all."""
        arrays = {f"array{place}": np.asarray(leaf) for place, leaf in enumerate(jax.tree.leaves(tree))}
        write_arrays(self.path, _SCHEMA, {"identity": self.identity, "about": about}, arrays)

    def load(self, like: PyTree) -> tuple[dict[str, Any], PyTree] | None:
        """What was saved, the arrays in a tree like the given one; None if there is no file."""
        stored = read_arrays(self.path, _SCHEMA, "delete this file; the same command then begins this run anew")
        if stored is None:
            return None
        header, by_name = stored
        identity, about = header["identity"], header["about"]
        if identity != json.loads(json.dumps(self.identity)):
            raise InvalidInput(
                f"{self.path}: the checkpoint belongs to other settings",
                self._difference(identity),
                "the settings of that run, or another --out, or remove the file",
            )
        arrays = [by_name[f"array{place}"] for place in range(len(by_name))]
        leaves, structure = jax.tree_util.tree_flatten(like)
        expected = [(leaf.shape, leaf.dtype) for leaf in leaves]
        if [(array.shape, array.dtype) for array in arrays] != expected:
            raise InvalidInput(
                f"{self.path}: the checkpoint holds other arrays",
                f"{len(arrays)} arrays, not the {len(leaves)} of this network and optimiser",
                "remove the file",
            )
        return about, jax.tree_util.tree_unflatten(structure, [jnp.asarray(array) for array in arrays])

    def remove(self) -> None:
        """Forget the run, once its result is safe."""
        self.path.unlink(missing_ok=True)

    def _difference(self, theirs: Any) -> str:
        ours = json.loads(json.dumps(self.identity))
        if not isinstance(theirs, dict):
            return "no settings in it"
        keys = [key for key in {**theirs, **ours} if theirs.get(key) != ours.get(key)]
        shown = [f"{key} {json.dumps(theirs.get(key))} there, {json.dumps(ours.get(key))} now" for key in keys[:3]]
        return "; ".join(shown)[:200] or "another format"
