"""Running statistics, as of batch normalisation, that stand still with their block."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from ..errors import InvalidInput
from .pytree import Labels, PyTree, path_name, require_labels


def hold_statistics(labels: Labels, active: Any, new: PyTree, old: PyTree) -> PyTree:
    """Running statistics after a step: the new ones of active blocks, the old ones of the others.

    Parameters
    ----------
    active : array
        One bool per block, such as `state.rpt.active`; inside `jax.jit` as well.
    new, old : pytree
        Statistics by paths like those of the parameters: "bn/mean" goes with "bn/scale", and where
        a layer has no parameters of its own, with the layers around it.

    Examples
    --------
    >>> from rpttheory.networks import label_blocks
    >>> params = {"a": {"scale": jnp.ones(2)}, "b": {"scale": jnp.ones(2)}}
    >>> labels = label_blocks(params, lambda path: path[0])
    >>> old = {"a": {"mean": jnp.zeros(2)}, "b": {"mean": jnp.zeros(2)}}
    >>> held = hold_statistics(labels, [True, False], jax.tree.map(jnp.ones_like, old), old)
    >>> held["a"]["mean"].tolist(), held["b"]["mean"].tolist()
    ([1.0, 1.0], [0.0, 0.0])
    """
    require_labels(labels)
    chosen = jnp.asarray(active)
    return jax.tree_util.tree_map_with_path(
        lambda keys, after, before: jnp.where(
            chosen[_block_around(labels, path_name(keys))], after, before
        ),
        new,
        old,
    )


def _block_around(labels: Labels, path: str) -> int:
    """The block of the parameters nearest to a statistic."""
    parts = path.split("/")
    for depth in range(len(parts) - 1, -1, -1):
        prefix = "/".join(parts[:depth])
        near = {
            block
            for own, block in zip(labels.paths, labels.leaf_blocks, strict=True)
            if _below(own, prefix)
        }
        if len(near) == 1:
            return near.pop()
        if near:
            break
    raise InvalidInput(
        f"statistic {path!r} belongs to no single block",
        "no parameter of one block beside it",
        "paths that begin like those of params",
    )


def _below(path: str, prefix: str) -> bool:
    return path.startswith(prefix + "/") if prefix else True
