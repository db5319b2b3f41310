"""Curvature operators against dense matrices, and the core's search on them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("jax", reason="needs the extra jax")
pytest.importorskip("flax", reason="needs the extra examples")

import jax
import jax.numpy as jnp
import numpy as np

from rpttheory import block_L, optimal_probabilities
from rpttheory.networks import Task, label_blocks, measure_curvature
from rpttheory.networks.curvature import curvature_operator
from rpttheory.numbers import Rigor
from tests.refusals import refuses

from .nets import criterion, net

pytestmark = pytest.mark.networks


def task_of(form: str) -> Task:
    tree = net(form)
    return Task(tree.loss, tree.params, tree.batch, tree.labels, tree.model, criterion)


def dense_matrices(task: Task) -> dict[str, np.ndarray[Any, Any]]:
    """Hessian and Gauss-Newton matrix, entry by entry, block by block."""
    flat, restore = jax.flatten_util.ravel_pytree(task.params)
    model = lambda x: task.model(restore(x), task.batch)  # type: ignore[misc] # noqa: E731
    hessian = jax.hessian(lambda x: criterion(model(x), task.batch))(flat)
    J = jax.jacobian(model)(flat).reshape(-1, flat.size)
    outputs = model(flat)
    H = jax.hessian(lambda z: criterion(z.reshape(outputs.shape), task.batch))(outputs.ravel())
    sizes = [int(np.prod(shape)) for shape in task.labels.leaf_shapes]
    block_of_entry = np.repeat(task.labels.leaf_blocks, sizes)
    order = np.argsort(block_of_entry, kind="stable")
    matrices = {"hessian": hessian, "ggn": J.T @ H @ J}
    return {
        kind: np.asarray(matrix, float)[np.ix_(order, order)] for kind, matrix in matrices.items()
    }


@pytest.mark.parametrize("form", ["dict", "nnx"])
def test_products_and_eigenvalues_are_those_of_the_dense_matrix(form: str) -> None:
    task = task_of(form)
    # Named backwards, so that the coordinates of the operator are not in the order of the tree.
    labels = label_blocks(
        task.params, lambda path: path.rsplit("/", 1)[0], names=task.labels.names[::-1]
    )
    task = replace(task, labels=labels)
    for kind, matrix in dense_matrices(task).items():
        operator = curvature_operator(task, kind)  # type: ignore[arg-type]
        d = operator.dimension
        scale = np.abs(matrix).max()
        assert np.abs(operator.matmat(np.eye(d)) - matrix).max() <= 1e-5 * scale
        huge = 1e60 * np.arange(d, dtype=float)
        assert operator.matmat(huge) == pytest.approx(matrix @ huge, rel=1e-3, abs=1e55 * d * scale)
        tops = [top.midpoint for top in block_L(operator, labels.blocks)]
        expected = [np.linalg.eigvalsh(matrix[rows, rows])[-1] for rows in labels.blocks.slices]
        assert tops == pytest.approx(expected, rel=1e-3)
        assert len({round(top / scale, 3) for top in expected}) == 4, "blocks must differ"


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

    def loss(p: Any, batch: Any) -> Any:
        return criterion(model(p, batch), batch)

    task = Task(loss, params, data, lambda path: path, model, criterion)
    matrix = dense_matrices(task)["ggn"]
    expected = [np.linalg.eigvalsh(matrix[rows, rows])[-1] for rows in task.labels.blocks.slices]
    curvature = measure_curvature(task)
    assert curvature.kind == "ggn" and curvature.operator.products < 1000
    tops = [top.midpoint for top in curvature.block_lambda_max]
    assert tops == pytest.approx(expected, rel=1e-3)
    top = np.linalg.eigvalsh(matrix)[-1]
    assert curvature.lambda_max.midpoint == pytest.approx(top, rel=1e-3)


def test_the_search_runs_on_a_network_and_agrees_with_the_dense_matrix() -> None:
    task = task_of("dict")
    labels = task.labels
    curvature = measure_curvature(task)
    tops = (curvature.lambda_max, *curvature.block_lambda_max)
    assert {top.rigor for top in tops} == {Rigor.NUMERICAL}
    matrix = dense_matrices(task)["ggn"]
    matrix = (matrix + matrix.T) / 2 + 1e-7 * np.eye(matrix.shape[0])
    for order in (range(4), range(4)[::-1]):
        options: dict[str, Any] = {"overhead": 0.1, "order": order, "tol": 1e-4}
        costs = [0.4, 0.3, 0.2, 0.1]
        numerical = optimal_probabilities(curvature.operator, labels.blocks, costs, **options)
        exact = optimal_probabilities(matrix, labels.blocks, costs, **options)
        assert numerical.upper == pytest.approx(exact.upper, rel=1e-3)
        assert numerical.lower == pytest.approx(exact.lower, rel=1e-3)
        assert numerical.rigor is Rigor.NUMERICAL


@pytest.mark.parametrize("sizes", [(2, 3), (200, 300)])
def test_negative_curvature_is_outweighed_by_a_shift(sizes: tuple[int, int]) -> None:
    """Small Hessians are formed, larger ones met by an iteration that stops on the safe side."""
    params = {"a": jnp.zeros(sizes[0]), "b": jnp.zeros(sizes[1])}

    def of(loss: Any) -> Any:
        return measure_curvature(Task(loss, params, None, lambda path: path))

    saddle = of(lambda p, batch: 2.0 * jnp.sum(p["a"] ** 2) - 0.5 * jnp.sum(p["b"] ** 2))
    assert saddle.kind == "hessian" and 1.0 - 1e-6 <= saddle.shift <= 1.001
    assert saddle.lambda_max.midpoint == pytest.approx(4 + saddle.shift, rel=1e-3)
    tops = [top.midpoint for top in saddle.block_lambda_max]
    assert tops == pytest.approx([4 + saddle.shift, saddle.shift - 1], rel=1e-3, abs=1e-6)
    assert of(lambda p, batch: jnp.sum(p["a"] ** 2) + 0.5 * jnp.sum(p["b"] ** 2)).shift == 0
    with refuses("curvature"):
        of(lambda p, batch: jnp.sum(p["a"]))


def test_curvature_lost_in_rounding_is_refused() -> None:
    """A criterion so saturated that float32 retains nothing of its curvature."""
    rng = np.random.default_rng(0)
    data = (
        jnp.asarray(1 + 0.1 * rng.standard_normal((64, 40)), jnp.float32),
        jnp.asarray(rng.integers(0, 10, 64)),
    )

    def model(p: Any, batch: Any) -> Any:
        return batch[0] @ p["w"]

    def noise(margin: float) -> float:
        params = {"w": jnp.zeros((40, 10)).at[:, 0].set(margin / 40)}
        task = Task(lambda p, b: criterion(model(p, b), b), params, data, lambda path: path)
        return measure_curvature(replace(task, model=model, criterion=criterion)).noise

    assert 0 < noise(1.0) < 1e-5
    with refuses("curvature"):
        noise(16.0)


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
    task = Task(
        lambda p, b: jnp.sum(p["a"] ** 2) + 2 * jnp.sum(p["b"] ** 2),
        params,
        None,
        lambda path: path,
    )
    operator = curvature_operator(task, "hessian")
    assert np.array_equal(operator.matmat(np.eye(3)), np.diag([2.0, 2.0, 4.0]))
