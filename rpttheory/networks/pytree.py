"""Blocks of a parameter pytree: which block each array belongs to, in which order the blocks come.

A parameter is known by its path ("Dense_0/kernel"), so the same labels serve a tree of parameters,
of gradients, and the trees with holes that `optax.partition` hands to its parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..problem.blocks import BlockOrder, Blocks

PyTree = Any
Leaf = Any


@dataclass(frozen=True, eq=False)
class Labels:
    """Every parameter array of a tree assigned to one block. Made by `label_blocks`.

    Attributes
    ----------
    names : tuple of str
        The blocks, from the input of the network to its output.
    paths : tuple of str
        The arrays, in the order in which JAX flattens the tree.
    leaf_blocks, leaf_shapes : tuple
        The number of the block and the shape of each array.
    tree : pytree of str
        The parameters' tree with the name of its block in place of each array, as `optax.partition`
        wants it.
    """

    names: tuple[str, ...]
    paths: tuple[str, ...]
    leaf_blocks: tuple[int, ...]
    leaf_shapes: tuple[tuple[int, ...], ...]
    tree: PyTree = field(repr=False)

    @property
    def count(self) -> int:
        """Number of blocks, B."""
        return len(self.names)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of scalars in each block."""
        sizes = [0] * self.count
        for block, shape in zip(self.leaf_blocks, self.leaf_shapes, strict=True):
            sizes[block] += int(np.prod(shape, dtype=np.int64))
        return tuple(sizes)

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks of the flat vector that `flatten` makes."""
        return Blocks(self.sizes)

    @property
    def input_first(self) -> BlockOrder:
        """The order of progressive training: from the input to the output."""
        return BlockOrder(range(self.count))

    @property
    def output_first(self) -> BlockOrder:
        """From the output to the input: backpropagation can stop at the last active block."""
        return BlockOrder(range(self.count)[::-1])

    @cached_property
    def _block_of_path(self) -> dict[str, int]:
        return dict(zip(self.paths, self.leaf_blocks, strict=True))

    def mask(self, active: Iterable[Any]) -> NDArray[np.bool_]:
        """A set of blocks as one bool per block; given so, or by names, or by numbers from 0."""
        given = list(active) if isinstance(active, Iterable) else [active]
        if given and all(isinstance(entry, (bool, np.bool_)) for entry in given):
            if len(given) != self.count:
                raise InvalidInput(
                    f"must have one entry per block, {self.count} in all",
                    f"{len(given)} entries",
                    "a mask",
                    argument="active",
                )
            return np.array(given, dtype=np.bool_)
        chosen = np.zeros(self.count, dtype=np.bool_)
        for entry in given:
            if isinstance(entry, str) and entry in self.names:
                chosen[self.names.index(entry)] = True
            elif (
                isinstance(entry, (int, np.integer))
                and not isinstance(entry, bool)
                and 0 <= entry < self.count
            ):
                chosen[entry] = True
            else:
                raise InvalidInput(
                    "must list blocks",
                    repr(entry),
                    "names such as " + ", ".join(self.names[:3]),
                    argument="active",
                )
        return chosen

    def match(self, tree: PyTree) -> tuple[list[Leaf], list[int], Any]:
        """The arrays of a tree, the block of each, and the tree's structure.

        Holes (`optax.MaskedNode`) are left as they are. A parameter without a label, or a labelled
        one that is neither there nor a hole, is an error.
        """
        leaves, structure = jax.tree_util.tree_flatten(tree)
        known = self._known.get(structure)
        if known is None:
            known = self._known[structure] = self._matched(tree)
        return leaves, known, structure

    @cached_property
    def _known(self) -> dict[Any, list[int]]:
        """Blocks of the structures met so far: reading paths takes far longer than a small
        network's step.
        """
        return {}

    def _matched(self, tree: PyTree) -> list[int]:
        """The block of each array."""
        present = [path_name(keys) for keys, _ in jax.tree_util.tree_flatten_with_path(tree)[0]]
        for path in present:
            if path not in self._block_of_path:
                raise InvalidInput(
                    "labels miss a parameter",
                    f"parameter {path!r} has no block",
                    "label_blocks(params)",
                )
        if len(present) < len(self.paths):
            holes = {path_name(keys) for keys, _ in _flatten_with_holes(tree)}.difference(present)
            # A hole may stand for a whole branch, and all that lies below it is missing with good
            # reason.
            for path in self.paths:
                if path not in present and not any(
                    path == hole or path.startswith(hole + "/") for hole in holes
                ):
                    raise InvalidInput(
                        "labels name a parameter that the tree does not have",
                        f"parameter {path!r}",
                        "labels of this tree",
                    )
        return [self._block_of_path[path] for path in present]

    def require_shapes(self, tree: PyTree) -> None:
        """Raise where an array has another shape than the labelled one."""
        leaves, _, _ = self.match(tree)
        paths = [path_name(keys) for keys, _ in jax.tree_util.tree_flatten_with_path(tree)[0]]
        shapes = dict(zip(self.paths, self.leaf_shapes, strict=True))
        for path, leaf in zip(paths, leaves, strict=True):
            if jnp.shape(leaf) != shapes[path]:
                raise InvalidInput(
                    f"parameter {path!r} has another shape than when it was labelled",
                    f"{jnp.shape(leaf)} beside {shapes[path]}",
                    "label_blocks(params) for these parameters",
                )

    def only(self, tree: PyTree, block: int) -> PyTree:
        """The tree with holes in place of every other block."""
        leaves, blocks, structure = self.match(tree)
        kept = [
            leaf if own == block else optax.MaskedNode()
            for leaf, own in zip(leaves, blocks, strict=True)
        ]
        return jax.tree_util.tree_unflatten(structure, kept)


def label_blocks(
    params: PyTree,
    labels: Callable[[str], str | int] | PyTree,
    *,
    names: Sequence[str | int] | None = None,
) -> Labels:
    """Assign every array of `params` to a block.

    Parameters
    ----------
    params : pytree
        Floating-point arrays: nested dicts, flax linen `params`, an nnx `State`, ...
    labels : callable or pytree
        A function from the path of a parameter ("Dense_0/kernel") to the name of its block, or a
        tree of names shaped like `params`.
    names : sequence, optional
        The blocks from the input of the network to its output. By default the names found, sorted
        with numbers as numbers, so that "Dense_2" comes before "Dense_10".

    Examples
    --------
    >>> params = {"b": {"w": jnp.ones((2, 3))}, "a": {"w": jnp.ones(4)}}
    >>> label_blocks(params, lambda path: path.split("/")[0], names=["b", "a"]).sizes
    (6, 4)
    """
    found, structure = jax.tree_util.tree_flatten_with_path(params)
    if not found:
        raise InvalidInput(
            "params must hold at least one array", "an empty tree", "the parameters of the model"
        )
    if names is not None and (isinstance(names, str) or not isinstance(names, Iterable)):
        raise InvalidInput(
            "must list the blocks", repr(names)[:80], "such as ['stem', 'dense']", argument="names"
        )
    paths = tuple(path_name(keys) for keys, _ in found)
    _require_no_statistics(params, paths)
    for path, (_, leaf) in zip(paths, found, strict=True):
        if not (hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jnp.floating)):
            kind = getattr(leaf, "dtype", type(leaf).__name__)
            raise InvalidInput(
                f"parameter {path!r} must be a floating-point array",
                str(kind),
                "trainable arrays only",
            )
        if leaf.size == 0:
            raise InvalidInput(
                f"parameter {path!r} must not be empty", f"shape {leaf.shape}", "leave it out"
            )
    if len(set(paths)) < len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        raise InvalidInput(
            "every parameter needs a path of its own", f"two named {twice!r}", "keys without '/'"
        )
    chosen = (
        [_name_of(path, _called(labels, path)) for path in paths]
        if callable(labels)
        else _from_tree(paths, labels)
    )
    ordered = sorted(set(chosen), key=_natural) if names is None else [str(name) for name in names]
    if len(set(ordered)) != len(ordered):
        raise InvalidInput(
            "must list every block once", repr(ordered)[:80], "each name once", argument="names"
        )
    for path, name in zip(paths, chosen, strict=True):
        if name not in ordered:
            raise InvalidInput(
                f"parameter {path!r} is labelled with an unknown block",
                repr(name),
                "one of " + ", ".join(ordered[:8]),
            )
    for name in ordered:
        if name not in chosen:
            raise InvalidInput(
                "every block must hold a parameter",
                f"block {name!r} has none",
                "leave the block out",
            )
    return Labels(
        names=tuple(ordered),
        paths=paths,
        leaf_blocks=tuple(ordered.index(name) for name in chosen),
        leaf_shapes=tuple(tuple(leaf.shape) for _, leaf in found),
        tree=jax.tree_util.tree_unflatten(structure, chosen),
    )


def require_labels(labels: Any) -> None:
    """Raise for a function or a tree in place of `Labels`."""
    if not isinstance(labels, Labels):
        raise InvalidInput(
            "must come from label_blocks",
            type(labels).__name__,
            "label_blocks(params, fn)",
            argument="labels",
        )


def path_name(keys: tuple[Any, ...]) -> str:
    """The path of a leaf as text; the `.value` of an nnx variable is no name of its own."""
    if (
        len(keys) > 1
        and isinstance(keys[-1], jax.tree_util.GetAttrKey)
        and keys[-1].name == "value"
    ):
        keys = keys[:-1]
    return str(jax.tree_util.keystr(keys, simple=True, separator="/"))


def described(error: BaseException) -> str:
    """An error in a user's function, in one line."""
    return f"{type(error).__name__}: {error}".replace("\n", " ")[:200]


def _flatten_with_holes(tree: PyTree) -> list[tuple[tuple[Any, ...], Leaf]]:
    leaves = jax.tree_util.tree_flatten_with_path(
        tree, is_leaf=lambda node: isinstance(node, optax.MaskedNode)
    )[0]
    return list(leaves)


def _require_no_statistics(params: PyTree, paths: tuple[str, ...]) -> None:
    """Refuse running statistics, which no gradient may move: a collection of linen, variables of
    nnx.
    """
    kinds = jax.tree_util.tree_flatten_with_path(params, is_leaf=_is_statistic)[0]
    found = [path_name(keys) for keys, leaf in kinds if _is_statistic(leaf)]
    found += [path for path in paths if path.split("/")[0] == "batch_stats"]
    if found:
        raise InvalidInput(
            "running statistics are no parameters",
            f"{found[0]!r}",
            "variables['params'] of linen or nnx.split(model, nnx.Param, ...); return the"
            " statistics with has_aux, and hold_statistics keeps those of inactive blocks",
        )


def _is_statistic(node: Any) -> bool:
    return type(node).__name__ == "BatchStat"


def _from_tree(paths: tuple[str, ...], labels: PyTree) -> list[str]:
    """Names from a tree of names, matched by path."""
    given = {
        path_name(keys): leaf for keys, leaf in jax.tree_util.tree_flatten_with_path(labels)[0]
    }
    for path in given:
        if path not in paths:
            raise InvalidInput(
                "labels name a parameter that params do not have", f"{path!r}", "a tree like params"
            )
    return [_name_of(path, given.get(path)) for path in paths]


def _called(labels: Callable[[str], Any], path: str) -> Any:
    try:
        return labels(path)
    except Exception as error:
        raise InvalidInput(
            f"labels failed for parameter {path!r}", described(error), "the name of a block"
        ) from error


def _name_of(path: str, name: Any) -> str:
    if isinstance(name, bool) or not isinstance(name, (str, int, np.integer)):
        raise InvalidInput(
            "labels miss a parameter", f"parameter {path!r} got {name!r}", "the name of a block"
        )
    return str(name)


def _natural(name: str) -> list[tuple[int, int, str]]:
    """A sorting key that compares runs of digits as numbers."""
    return [
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in re.findall(r"\d+|\D+", name)
    ]
