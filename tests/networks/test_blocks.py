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

from rpttheory.networks import hold_statistics, label_blocks, make_rpt_steps
from tests.refusals import refuses

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
    assert labels.names == ("b", "a")
    assert labels.sizes == labels.blocks.sizes == (7, 4)
    assert labels.tree == {"b": {"w": "b", "c": "b"}, "a": {"w": "a"}}
    assert label_blocks(PARAMS, first).names == ("a", "b")
    tree = {"b": {"w": "one", "c": "two"}, "a": {"w": "two"}}
    assert label_blocks(PARAMS, tree, names=["two", "one"]).sizes == (5, 6)
    many = {f"Dense_{i}": jnp.ones(i + 1) for i in range(12)}
    assert label_blocks(many, first).sizes == tuple(range(1, 13)), "numbers sort as numbers"


@pytest.mark.parametrize(
    ("labels", "names", "argument", "found"),
    [
        (lambda path: None if path == "b/c" else "x", None, "labels", "b/c"),
        ({"b": {"w": "x"}, "a": {"w": "x"}}, None, "labels", "b/c"),
        ({"b": {"w": "x", "c": "x"}, "a": {"w": "x", "z": "x"}}, None, "labels", "a/z"),
        (lambda path: {"a/w": "x"}[path], None, "labels", "b/c"),
        (first, ["a"], "names", "a"),
        (first, ["a", "b", "a"], "names", "a"),
        (first, "ab", "names", "ab"),
    ],
    ids=range(7),
)
def test_wrong_labels_are_refused(
    labels: object, names: list[str] | None, argument: str, found: str
) -> None:
    with refuses(argument, found=found):
        label_blocks(PARAMS, labels, names=names)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"a": {"w": jnp.arange(3)}},
        {"a": {"w": np.zeros(0)}},
        {"a": {"w": "text"}},
        {"a": {"w": 1.0}},
        {"a/w": jnp.ones(2), "a": {"w": jnp.ones(3)}},
        {"params": {"bn": {"scale": jnp.ones(2)}}, "batch_stats": {"bn": {"mean": jnp.ones(2)}}},
    ],
    ids=["empty", "integers", "no entry", "text", "number", "one path twice", "statistics"],
)
def test_only_trainable_arrays_are_parameters(params: object) -> None:
    with refuses("params"):
        label_blocks(params, first)


def test_statistics_of_nnx_are_no_parameters() -> None:
    nnx = pytest.importorskip("flax.nnx", reason="needs the extra examples")
    model = nnx.BatchNorm(3, rngs=nnx.Rngs(0))
    with refuses("params"):
        label_blocks(nnx.state(model), lambda path: path)
    assert label_blocks(nnx.state(model, nnx.Param), lambda path: path).count == 2


def test_sets_of_blocks_by_name_number_or_mask() -> None:
    labels = label_blocks(PARAMS, first, names=["b", "a"])
    for active in (["a"], [1], [False, True], np.array([False, True])):
        assert labels.mask(active).tolist() == [False, True]
    assert labels.mask([]).tolist() == [False, False]
    for wrong in (["c"], [2], [-1], [True], [1.0], None, 1.0):
        with refuses("active"):
            labels.mask(wrong)


def test_trees_match_by_path_and_holes_are_left_alone() -> None:
    labels = label_blocks(PARAMS, first, names=["b", "a"])
    leaves, blocks, _ = labels.match(jax.tree.map(lambda x: 2 * x, PARAMS))
    assert blocks == [1, 0, 0] and float(leaves[0][0]) == 2.0
    only = labels.only(PARAMS, 1)
    assert isinstance(only["b"]["w"], optax.MaskedNode) and only["a"]["w"].shape == (4,)
    assert labels.match(only)[1] == [1]
    assert labels.match({"b": optax.MaskedNode(), "a": PARAMS["a"]})[1] == [1]
    with refuses("labels", found="'b/c'"):
        labels.match({"b": {"w": jnp.ones(1)}, "a": PARAMS["a"]})
    with refuses("labels", found="'z'"):
        labels.match({**PARAMS, "z": jnp.ones(1)})
    with refuses("params", found="'a/w'"):
        labels.require_shapes({**PARAMS, "a": {"w": jnp.ones(5)}})


def test_empty_branches_are_left_alone() -> None:
    params = {"a": {}, "b": jnp.ones(2), "c": None, "d": ()}
    labels = label_blocks(params, lambda path: path)
    assert labels.names == ("b",) and labels.match(params)[1] == [0]
    steps = make_rpt_steps(lambda p: jnp.sum(p["b"] ** 2), labels, [1.0], optax.sgd(0.25))
    moved, _, _ = steps(params, steps.init(params))
    assert moved["b"].tolist() == [0.5, 0.5]
    assert (moved["a"], moved["c"], moved["d"]) == ({}, None, ())


def test_statistics_move_with_the_parameters_around_them() -> None:
    """A layer's own, or else those of the layers around it; inside `jax.jit` as well."""
    labels = label_blocks(
        {"a": {"dense": {"w": jnp.ones(1)}}, "b": {"w": jnp.ones(1)}}, lambda path: path[0]
    )
    old = {"a": {"norm": {"mean": jnp.zeros(1)}}, "b": {"mean": jnp.zeros(1)}}
    new = jax.tree.map(jnp.ones_like, old)
    held = jax.jit(lambda *arguments: hold_statistics(labels, *arguments))
    for active in ([False, True], [True, False], [True, True]):
        result = held(jnp.array(active), new, old)
        assert [bool(result["a"]["norm"]["mean"][0]), bool(result["b"]["mean"][0])] == active
    orphan = {"c": {"mean": jnp.ones(1)}}
    with refuses("statistics", found="'c/mean'"):
        hold_statistics(labels, [True, True], orphan, orphan)
