"""Blocks of a parameter pytree: the block of each array, and the order of the blocks.

A parameter is identified by its path ("Dense_0/kernel"), so the same labels serve a tree of
parameters, a tree of gradients, and the trees with holes that `optax.partition` hands to its parts.
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

from ..errors import InvalidInput, one_line
from ..problem.blocks import Blocks

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
        takes it.
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
        counts = [int(np.prod(shape, dtype=np.int64)) for shape in self.leaf_shapes]
        return tuple(np.bincount(self.leaf_blocks, counts).astype(int).tolist())

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks of the flat vector of all parameters, block by block."""
        return Blocks(self.sizes)

    def mask(self, active: Iterable[Any]) -> NDArray[np.bool_]:
        """Return one bool per block for a set of names or numbers, or for a list of bools."""
        entries = list(active) if isinstance(active, Iterable) else [active]
        if len(entries) == self.count and all(isinstance(e, (bool, np.bool_)) for e in entries):
            return np.array(entries, dtype=np.bool_)
        mask = np.zeros(self.count, dtype=np.bool_)
        for entry in entries:
            number = self.names.index(entry) if entry in self.names else entry
            whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
            if not (whole and 0 <= number < self.count):
                raise InvalidInput(
                    "must list blocks, or have one bool per block",
                    repr(entry),
                    "names such as " + ", ".join(self.names[:3]),
                    argument="active",
                )
            mask[number] = True
        return mask

    def match(self, tree: PyTree) -> tuple[list[Leaf], list[int], Any]:
        """Return the arrays of a tree, the block of each, and the tree's structure.

        Holes (`optax.MaskedNode`) are left as they are. A parameter without a label, or a labeled
        one that is neither present nor a hole, is an error.
        """
        leaves, structure = jax.tree_util.tree_flatten(tree)
        if structure not in self._matched:
            self._matched[structure] = self._blocks_of(tree)
        return leaves, self._matched[structure], structure

    @cached_property
    def _matched(self) -> dict[Any, list[int]]:
        """Blocks of the structures met so far: reading paths takes longer than a small step."""
        return {}

    def _blocks_of(self, tree: PyTree) -> list[int]:
        """The block of each array."""
        block_of_path = dict(zip(self.paths, self.leaf_blocks, strict=True))
        present = paths_of(tree)
        for path in present:
            if path not in block_of_path:
                raise InvalidInput(
                    "must give every parameter a block",
                    f"none for {path!r}",
                    "label_blocks(params)",
                    argument="labels",
                )
        # A hole may stand for a whole branch.
        holes = set(paths_of(tree, _is_hole)).difference(present)
        for path in set(self.paths).difference(present):
            if not any(f"{path}/".startswith(f"{hole}/") for hole in holes):
                raise InvalidInput(
                    "must belong to this tree",
                    f"parameter {path!r}, which the tree does not have",
                    "label_blocks(params) for these parameters",
                    argument="labels",
                )
        return [block_of_path[path] for path in present]

    def require_shapes(self, tree: PyTree) -> None:
        """Raise if an array has another shape than the labeled one."""
        leaves, _, _ = self.match(tree)
        shapes = dict(zip(self.paths, self.leaf_shapes, strict=True))
        for path, leaf in zip(paths_of(tree), leaves, strict=True):
            if jnp.shape(leaf) != shapes[path]:
                raise InvalidInput(
                    "must be those of the labels",
                    f"{path!r} of shape {jnp.shape(leaf)}, labeled {shapes[path]}",
                    "label_blocks(params) for these parameters",
                    argument="params",
                )

    def split(self, tree: PyTree, mask: Sequence[Any] | NDArray[np.bool_]) -> tuple[PyTree, PyTree]:
        """Return the active blocks and the others, each with holes in place of the other."""
        leaves, blocks, structure = self.match(tree)
        active = [leaf if mask[k] else _HOLE for leaf, k in zip(leaves, blocks, strict=True)]
        frozen = [_HOLE if mask[k] else leaf for leaf, k in zip(leaves, blocks, strict=True)]
        unflatten = jax.tree_util.tree_unflatten
        return unflatten(structure, active), unflatten(structure, frozen)

    def only(self, tree: PyTree, block: int) -> PyTree:
        """Return the tree with holes in place of every other block."""
        return self.split(tree, [k == block for k in range(self.count)])[0]


_HOLE = optax.MaskedNode()


def _is_hole(node: Any) -> bool:
    return isinstance(node, optax.MaskedNode)


def fill(tree: PyTree, source: PyTree) -> PyTree:
    """Return `tree` with its holes filled from `source`."""
    return jax.tree.map(lambda a, b: b if _is_hole(a) else a, tree, source, is_leaf=_is_hole)


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
        The blocks from the input of the network to its output. By default the names are sorted
        with numbers as numbers, so that "Dense_2" comes before "Dense_10".

    Examples
    --------
    >>> params = {"b": {"w": jnp.ones((2, 3))}, "a": {"w": jnp.ones(4)}}
    >>> label_blocks(params, lambda path: path.split("/")[0], names=["b", "a"]).sizes
    (6, 4)
    """
    leaves, structure = jax.tree_util.tree_flatten(params)
    paths = paths_of(params)
    _check_parameters(params, paths, leaves)
    if callable(labels):
        block_names = [_name_of(path, _call(labels, path)) for path in paths]
    else:
        by_path = dict(zip(paths_of(labels), jax.tree.leaves(labels), strict=True))
        for path in set(by_path).difference(paths):
            raise InvalidInput(
                "must be a tree like params", f"{path!r} beside it", "names", argument="labels"
            )
        block_names = [_name_of(path, by_path.get(path)) for path in paths]
    used = sorted(set(block_names), key=_natural)
    if names is None:
        names = used
    listed = [str(name) for name in names] if not isinstance(names, str) else []
    if sorted(listed, key=_natural) != used:
        raise InvalidInput(
            "must list every block once", repr(names)[:80], f"names={used}"[:80], argument="names"
        )
    return Labels(
        names=tuple(listed),
        paths=tuple(paths),
        leaf_blocks=tuple(listed.index(name) for name in block_names),
        leaf_shapes=tuple(tuple(leaf.shape) for leaf in leaves),
        tree=jax.tree_util.tree_unflatten(structure, block_names),
    )


def _check_parameters(params: PyTree, paths: list[str], leaves: list[Leaf]) -> None:
    """Raise unless the leaves are non-empty floating-point arrays with paths of their own."""
    faults = {"an empty tree": not paths}
    for path, leaf in zip(paths, leaves, strict=True):
        if not (hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jnp.floating)):
            faults[f"{path!r} of {getattr(leaf, 'dtype', type(leaf).__name__)}"] = True
        elif leaf.size == 0 or paths.count(path) > 1:
            faults[f"{path!r}, which is empty or there twice"] = True
    for fault, present in faults.items():
        if present:
            raise InvalidInput(
                "must hold floating-point arrays, each under a path without '/' in its keys",
                fault,
                "the trainable arrays of the model",
                argument="params",
            )
    # Running statistics, which no gradient may move: a collection of linen, variables of nnx.
    kinds = jax.tree_util.tree_leaves(params, is_leaf=_is_statistic)
    if any(map(_is_statistic, kinds)) or any(p.split("/")[0] == "batch_stats" for p in paths):
        raise InvalidInput(
            "must not hold running statistics",
            "those of a batch normalization",
            "variables['params'] of linen or nnx.split(model, nnx.Param, ...); return the"
            " statistics with has_aux, and hold_statistics keeps those of inactive blocks",
            argument="params",
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


def paths_of(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> list[str]:
    """The paths of the leaves as text; the `.value` of an nnx variable is not part of its path."""
    names = []
    for keys, _ in jax.tree_util.tree_flatten_with_path(tree, is_leaf=is_leaf)[0]:
        last = keys[-1] if len(keys) > 1 else None
        if isinstance(last, jax.tree_util.GetAttrKey) and last.name == "value":
            keys = keys[:-1]
        names.append(str(jax.tree_util.keystr(keys, simple=True, separator="/")))
    return names


def _is_statistic(node: Any) -> bool:
    return type(node).__name__ == "BatchStat"


def _call(labels: Callable[[str], Any], path: str) -> Any:
    try:
        return labels(path)
    except Exception as error:
        raise InvalidInput(
            f"fails for parameter {path!r}",
            one_line(error),
            "the name of a block",
            argument="labels",
        ) from error


def _name_of(path: str, name: Any) -> str:
    if isinstance(name, bool) or not isinstance(name, (str, int, np.integer)):
        raise InvalidInput(
            "must give every parameter a block",
            f"{name!r} for {path!r}",
            "the name of a block",
            argument="labels",
        )
    return str(name)


def _natural(name: str) -> list[tuple[int, int, str]]:
    """A sorting key that compares runs of digits as numbers."""
    return [
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in re.findall(r"\d+|\D+", name)
    ]


def hold_statistics(labels: Labels, active: Any, new: PyTree, old: PyTree) -> PyTree:
    """Return running statistics after a step: new for active blocks, old for the others.

    Parameters
    ----------
    active : array
        One bool per block, such as `state.rpt.active`; inside `jax.jit` as well.
    new, old : pytree
        Statistics by paths like those of the parameters: "bn/mean" goes with "bn/scale", and where
        a layer has no parameters, with the layers around it.

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
    mask = jnp.asarray(active)
    leaves, structure = jax.tree_util.tree_flatten(new)
    held = [
        jnp.where(mask[_block_around(labels, path)], after, before)
        for path, after, before in zip(paths_of(new), leaves, jax.tree.leaves(old), strict=True)
    ]
    return jax.tree_util.tree_unflatten(structure, held)


def _block_around(labels: Labels, path: str) -> int:
    """The block of the parameters nearest to a statistic."""
    prefix = path
    nearest: set[int] = set()
    while prefix and not nearest:
        prefix = prefix.rpartition("/")[0]
        start = f"{prefix}/" if prefix else ""
        pairs = zip(labels.paths, labels.leaf_blocks, strict=True)
        nearest = {block for own_path, block in pairs if own_path.startswith(start)}
    if len(nearest) != 1:
        raise InvalidInput(
            "must belong to one block each",
            f"{path!r}, with no parameter of a single block beside it",
            "paths that begin like those of params",
            argument="statistics",
        )
    return nearest.pop()
