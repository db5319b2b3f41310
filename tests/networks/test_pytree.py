"""Blocks of a parameter tree: every array in one block, by path, in any kind of tree."""

from __future__ import annotations

from itertools import pairwise

import pytest

pytest.importorskip("jax", reason="needs the extra jax")
pytest.importorskip("flax", reason="needs the extra examples")

import jax
import jax.numpy as jnp
import numpy as np
import optax

from rpttheory.errors import InvalidInput
from rpttheory.networks import label_blocks, make_rpt_steps

from .nets import FORMS, WIDTHS, net

pytestmark = pytest.mark.networks

PARAMS = {"b": {"w": jnp.ones((2, 3)), "c": jnp.ones(1)}, "a": {"w": jnp.ones(4)}}


def first(path: str) -> str:
    return path.split("/")[0]


@pytest.mark.parametrize("form", FORMS)
def test_each_layer_is_a_block_in_every_kind_of_tree(form: str) -> None:
    labels = net(form).labels
    assert labels.sizes == tuple((a + 1) * b for a, b in pairwise(WIDTHS))
    assert [path.rsplit("/", 1)[1] for path in labels.paths[:2]] in (["bias", "kernel"], ["b", "w"])


def test_names_state_the_order_and_sizes_follow() -> None:
    labels = label_blocks(PARAMS, first, names=["b", "a"])
    assert labels.names == ("b", "a") and labels.sizes == (7, 4) and labels.blocks.sizes == (7, 4)
    assert labels.tree == {"b": {"w": "b", "c": "b"}, "a": {"w": "a"}}
    assert labels.input_first.rank_to_block == (0, 1) and labels.output_first.rank_to_block == (
        1,
        0,
    )
    assert label_blocks(PARAMS, first).names == ("a", "b")


def test_numbers_in_names_sort_as_numbers() -> None:
    params = {f"Dense_{i}": jnp.ones(i + 1) for i in range(12)}
    labels = label_blocks(params, first)
    assert labels.sizes == tuple(range(1, 13))


def test_a_tree_of_names_is_as_good_as_a_function() -> None:
    tree = {"b": {"w": "one", "c": "two"}, "a": {"w": "two"}}
    labels = label_blocks(PARAMS, tree, names=["two", "one"])
    assert labels.sizes == (5, 6)


@pytest.mark.parametrize(
    ("labels", "names", "named"),
    [
        (lambda path: None if path == "b/c" else "x", None, "b/c"),
        ({"b": {"w": "x"}, "a": {"w": "x"}}, None, "b/c"),
        ({"b": {"w": "x", "c": "x"}, "a": {"w": "x", "z": "x"}}, None, "a/z"),
        (first, ["a"], "b/c"),
        (first, ["a", "b", "ghost"], "ghost"),
        (first, ["a", "b", "a"], "names"),
        (lambda path: 1.5, None, "a/w"),
        (lambda path: {"a/w": "x"}[path], None, "'b/c'"),
    ],
)
def test_wrong_labels_name_the_parameter(
    labels: object, names: list[str] | None, named: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        label_blocks(PARAMS, labels, names=names)
    assert named in str(caught.value)


@pytest.mark.parametrize("leaf", [jnp.arange(3), np.zeros(0), "text", 1.0])
def test_only_floating_arrays_are_parameters(leaf: object) -> None:
    with pytest.raises(InvalidInput, match="'a/w'"):
        label_blocks({"a": {"w": leaf}}, first)
    with pytest.raises(InvalidInput, match="at least one array"):
        label_blocks({}, first)


def test_sets_of_blocks_by_name_number_or_mask() -> None:
    labels = label_blocks(PARAMS, first, names=["b", "a"])
    for given in (["a"], [1], [False, True], np.array([False, True])):
        assert labels.mask(given).tolist() == [False, True]
    assert labels.mask([]).tolist() == [False, False]
    for wrong in (["c"], [2], [-1], [True], [1.0], None, 1.0):
        with pytest.raises(InvalidInput, match="active"):
            labels.mask(wrong)


def test_trees_match_by_path_and_holes_are_left_alone() -> None:
    labels = label_blocks(PARAMS, first, names=["b", "a"])
    leaves, blocks, _ = labels.match(jax.tree.map(lambda x: 2 * x, PARAMS))
    assert blocks == [1, 0, 0] and float(leaves[0][0]) == 2.0
    only = labels.only(PARAMS, 1)
    assert isinstance(only["b"]["w"], optax.MaskedNode) and only["a"]["w"].shape == (4,)
    assert labels.match(only)[1] == [1]
    assert labels.match({"b": optax.MaskedNode(), "a": PARAMS["a"]})[1] == [1]
    with pytest.raises(InvalidInput, match="'b/c'"):
        labels.match({"b": {"w": jnp.ones(1)}, "a": PARAMS["a"]})
    with pytest.raises(InvalidInput, match="'z'"):
        labels.match({**PARAMS, "z": jnp.ones(1)})
    with pytest.raises(InvalidInput, match=r"'a/w'.*\n.*\(5,\) beside \(4,\)"):
        labels.require_shapes({**PARAMS, "a": {"w": jnp.ones(5)}})


def test_two_parameters_with_one_path_are_refused() -> None:
    """Labels go by path, so one of the two would silently join the other's block."""
    params = {"a/b": jnp.ones(2), "a": {"b": jnp.ones(3)}}
    with pytest.raises(InvalidInput, match="'a/b'"):
        label_blocks(params, {"a/b": "x", "a": {"b": "y"}})


def test_empty_branches_are_left_alone() -> None:
    params = {"a": {}, "b": jnp.ones(2), "c": None, "d": ()}
    labels = label_blocks(params, lambda path: path)
    assert labels.names == ("b",) and labels.match(params)[1] == [0]
    steps = make_rpt_steps(lambda p: jnp.sum(p["b"] ** 2), labels, [1.0], optax.sgd(0.25))
    moved, _, _ = steps(params, steps.init(params))
    assert moved["b"].tolist() == [0.5, 0.5] and (moved["a"], moved["c"], moved["d"]) == (
        {},
        None,
        (),
    )


@pytest.mark.parametrize("names", [3, "ab"])
def test_names_are_a_list(names: object) -> None:
    with pytest.raises(InvalidInput, match="names must list the blocks"):
        label_blocks(PARAMS, first, names=names)  # type: ignore[arg-type]
