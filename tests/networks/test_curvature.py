"""Curvature operators against dense matrices, and the core's search on them."""

from __future__ import annotations

import pytest

pytest.importorskip("jax", reason="needs the extra jax")
pytest.importorskip("flax", reason="needs the extra examples")

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from rpttheory import optimal_probabilities
from rpttheory.networks import ggn_operator, hvp_operator, label_blocks, measure_curvature
from rpttheory.numbers import Rigor
from tests.refusals import refuses

from .nets import criterion, net

pytestmark = pytest.mark.networks


def coordinates(labels: Any) -> np.ndarray[Any, Any]:
    """Where each coordinate of the operator sits in JAX's own flat vector."""
    sizes = [int(np.prod(shape)) for shape in labels.leaf_shapes]
    places = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    return np.concatenate(
        [places[i] for k in range(labels.count) for i, b in enumerate(labels.leaf_blocks) if b == k]
    )


def dense_matrices(given: Any, labels: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Hessian and Gauss-Newton matrix, entry by entry, block by block."""
    flat, restore = jax.flatten_util.ravel_pytree(given.params)
    model = lambda x: given.model(restore(x), given.batch)  # noqa: E731
    hessian = jax.hessian(lambda x: criterion(model(x), given.batch))(flat)
    J = jax.jacobian(model)(flat).reshape(-1, flat.size)
    outputs = model(flat)
    H = jax.hessian(lambda z: criterion(z.reshape(outputs.shape), given.batch))(outputs.ravel())
    order = np.ix_(coordinates(labels), coordinates(labels))
    return {
        "hessian": np.asarray(hessian, float)[order],
        "ggn": np.asarray(J.T @ H @ J, float)[order],
    }


def operators(given: Any, labels: Any) -> dict[str, Any]:
    return {
        "hessian": hvp_operator(given.loss, given.params, given.batch, labels),
        "ggn": ggn_operator(given.model, criterion, given.params, given.batch, labels),
    }


@pytest.mark.parametrize("form", ["dict", "nnx"])
def test_products_and_eigenvalues_are_those_of_the_dense_matrix(form: str) -> None:
    given = net(form)
    # Named backwards, so that the coordinates of the operator are not in the order of the tree.
    labels = label_blocks(
        given.params, lambda path: path.rsplit("/", 1)[0], names=given.labels.names[::-1]
    )
    dense = dense_matrices(given, labels)
    for kind, operator in operators(given, labels).items():
        matrix = dense[kind]
        d = operator.dimension
        assert d == matrix.shape[0] == sum(labels.sizes)
        scale = np.abs(matrix).max()
        assert np.abs(operator.matmat(np.eye(d)) - matrix).max() <= 1e-5 * scale
        huge = 1e60 * np.arange(d, dtype=float)
        assert operator.matmat(huge) == pytest.approx(matrix @ huge, rel=1e-3, abs=1e55 * d * scale)
        tops = operator.block_lambda_max(labels.blocks)
        expected = [np.linalg.eigvalsh(matrix[rows, rows])[-1] for rows in labels.blocks.slices]
        assert tops == pytest.approx(expected, rel=1e-3)
        assert len({round(top / scale, 3) for top in expected}) == 4, (
            "blocks must differ for this to mean much"
        )
        top = np.linalg.eigvalsh(matrix)[-1]
        assert operator.leading_eigenpair().value == pytest.approx(top, rel=1e-3)


def test_larger_blocks_go_through_lanczos() -> None:
    """Blocks of more than 400 numbers: the tiny nets above form their blocks whole."""
    widths = (24, 20, 24, 10)
    rng = np.random.default_rng(0)
    params = {
        f"l{i}": jnp.asarray(
            rng.standard_normal(widths[i : i + 2]) / np.sqrt(widths[i]), jnp.float32
        )
        for i in range(3)
    }
    data = (
        jnp.asarray(rng.standard_normal((24, 24)), jnp.float32),
        jnp.asarray(rng.integers(0, 10, 24)),
    )

    def model(p: Any, batch: Any) -> Any:
        x = batch[0]
        for i in range(3):
            x = jnp.tanh(x @ p[f"l{i}"])
        return x

    labels = label_blocks(params, lambda path: path)
    operator = ggn_operator(model, criterion, params, data, labels)
    flat, restore = jax.flatten_util.ravel_pytree(params)
    J = np.asarray(jax.jacobian(lambda x: model(restore(x), data))(flat), float).reshape(
        -1, flat.size
    )
    z = model(params, data)
    H = np.asarray(jax.hessian(lambda y: criterion(y.reshape(z.shape), data))(z.ravel()), float)
    values, vectors = np.linalg.eigh(H)
    factor = np.sqrt(np.maximum(values, 0))[:, None] * (vectors.T @ J)
    expected = [np.linalg.norm(factor[:, rows], 2) ** 2 for rows in labels.blocks.slices]
    found = measure_curvature(operator, labels, "ggn")
    assert [top.midpoint for top in found.block_lambda_max] == pytest.approx(expected, rel=1e-3)
    assert found.lambda_max.midpoint == pytest.approx(np.linalg.norm(factor, 2) ** 2, rel=1e-3)
    assert operator.products < 1000


def test_the_search_runs_on_a_network_and_agrees_with_the_dense_matrix() -> None:
    given = net("dict")
    labels = given.labels
    curvature = measure_curvature(operators(given, labels)["ggn"], labels, "ggn")
    assert curvature.to_dict()["rigor"] == "NUMERICAL"
    assert {top.rigor for top in (curvature.lambda_max, *curvature.block_lambda_max)} == {
        Rigor.NUMERICAL
    }
    matrix = dense_matrices(given, labels)["ggn"]
    matrix = (matrix + matrix.T) / 2 + 1e-7 * np.eye(matrix.shape[0])
    for order in (labels.input_first, labels.output_first):
        options: dict[str, Any] = {"overhead": 0.1, "order": order, "tol": 1e-4}
        found = optimal_probabilities(
            curvature.operator, labels.blocks, [0.4, 0.3, 0.2, 0.1], **options
        )
        exact = optimal_probabilities(matrix, labels.blocks, [0.4, 0.3, 0.2, 0.1], **options)
        assert found.upper == pytest.approx(exact.upper, rel=1e-3)
        assert found.lower == pytest.approx(exact.lower, rel=1e-3)
        assert found.rigor is Rigor.NUMERICAL


@pytest.mark.parametrize("sizes", [(2, 3), (200, 300)])
def test_negative_curvature_is_outweighed_by_a_shift(sizes: tuple[int, int]) -> None:
    """Small Hessians are formed, larger ones met by an iteration that stops on the safe side."""
    params = {"a": jnp.zeros(sizes[0]), "b": jnp.zeros(sizes[1])}
    labels = label_blocks(params, lambda path: path)

    def saddle(p: Any, batch: Any, sign: float = -1.0) -> Any:
        return 2.0 * jnp.sum(p["a"] ** 2) + sign * 0.5 * jnp.sum(p["b"] ** 2)

    found = measure_curvature(hvp_operator(saddle, params, None, labels), labels, "hessian")
    assert 1.0 - 1e-6 <= found.shift <= 1.02
    assert found.lambda_max.midpoint == pytest.approx(4 + found.shift, rel=1e-3)
    tops = [top.midpoint for top in found.block_lambda_max]
    assert tops == pytest.approx([4 + found.shift, found.shift - 1], rel=1e-3, abs=1e-6)
    bowl = hvp_operator(lambda p, batch: saddle(p, batch, 1.0), params, None, labels)
    assert measure_curvature(bowl, labels, "hessian").shift == 0
    flat = hvp_operator(lambda p, batch: jnp.sum(p["a"]), params, None, labels)
    with refuses("curvature"):
        measure_curvature(flat, labels, "hessian")


def test_curvature_lost_in_rounding_is_refused() -> None:
    """A criterion so saturated that float32 keeps nothing of its curvature."""
    rng = np.random.default_rng(0)
    data = (
        jnp.asarray(1 + 0.1 * rng.standard_normal((64, 40)), jnp.float32),
        jnp.asarray(rng.integers(0, 10, 64)),
    )

    def found(margin: float) -> Any:
        params = {"w": jnp.zeros((40, 10)).at[:, 0].set(margin / 40)}
        labels = label_blocks(params, lambda path: path)
        operator = ggn_operator(lambda p, batch: batch[0] @ p["w"], criterion, params, data, labels)
        return measure_curvature(operator, labels, "ggn")

    assert 0 < found(1.0).noise < 1e-5
    with refuses("curvature"):
        found(16.0)


@pytest.mark.parametrize(
    "dtypes",
    [(np.float64, np.float64), (jnp.bfloat16, jnp.float16)],
    ids=["NumPy's own", "two short floats"],
)
def test_arrays_of_any_precision_are_multiplied(dtypes: tuple[Any, Any]) -> None:
    """Powers of two, so that the shortest float has no excuse; a warning of JAX would be an error
    here.
    """
    params = {"a": np.ones(2, dtypes[0]), "b": np.ones(1, dtypes[1])}
    labels = label_blocks(params, lambda path: path)
    operator = hvp_operator(
        lambda p, b: jnp.sum(p["a"] ** 2) + 2 * jnp.sum(p["b"] ** 2), params, None, labels
    )
    assert np.array_equal(operator.matmat(np.eye(3)), np.diag([2.0, 2.0, 4.0]))


def test_other_parameters_than_the_labeled_ones_are_refused() -> None:
    labels = label_blocks({"a": jnp.ones(3)}, lambda path: path)
    with refuses("params", found="'a'"):
        hvp_operator(lambda p, b: jnp.sum(p["a"]), {"a": jnp.ones(4)}, None, labels)
    with refuses("loss"):
        ggn_operator(lambda p, b: p["a"], lambda z, b: z, {"a": jnp.ones(3)}, None, labels)
