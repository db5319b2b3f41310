"""What every form of smoothness matrix promises, checked against the same matrix in fractions.

To put a new form under this contract, add named cases to `CASES`.
"""

import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator
from soundness.reals import Rows, gram_of, rows_of, within

from rpttheory import datasets
from rpttheory.problem.blocks import Blocks
from rpttheory.problem.smoothness import (
    OperatorSmoothness,
    RowBlocks,
    Smoothness,
    as_smoothness,
    diagonal,
    gram,
    gram_from_files,
)

U = 2.0**-53
TINY = 2.0**-1060


@dataclass(frozen=True)
class Case:
    """A way to make the form afresh, the matrix it stands for, and the size its roundings are
    relative to.
    """

    make: Callable[[], Smoothness]
    truth: Callable[[], Rows]
    size: np.ndarray
    input_matrix: np.ndarray | None = None

    @property
    def dimension(self) -> int:
        return len(self.size)

    @cached_property
    def exact(self) -> Rows:
        """Not before a test asks: every process collects these cases, and few of them run them."""
        return self.truth()

    @cached_property
    def dense(self) -> np.ndarray:
        """Rounded correctly, where it is not the matrix that was given."""
        if self.input_matrix is not None:
            return self.input_matrix
        return np.array([[float(value) for value in row] for row in self.exact])


def plain(make: Callable[[np.ndarray], object], matrix: np.ndarray) -> Case:
    return Case(
        lambda: as_smoothness(make(matrix)), lambda: rows_of(matrix), np.abs(matrix), matrix
    )


def thirds(matrix: np.ndarray) -> Case:
    """Entries that are no doubles."""
    exact = [[Fraction(round(9 * value), 3) for value in row] for row in matrix.tolist()]
    entries = np.array(exact, dtype=object)
    return Case(lambda: as_smoothness(entries), lambda: exact, np.abs(entries.astype(float)))


def gram_case(
    data: np.ndarray, scale: float, shift: float, make: Callable[[np.ndarray], object] = np.asarray
) -> Case:
    size = scale * (np.abs(data).T @ np.abs(data)) + shift * np.eye(data.shape[1])
    return Case(lambda: gram(make(data), scale, shift), lambda: gram_of(data, scale, shift), size)


_FOLDER = tempfile.TemporaryDirectory(prefix="rows-")


def rows_case(name: str, data: np.ndarray, scale: float, shift: float) -> Case:
    """Chunks of three rows in files, every other one sparse."""
    folder = Path(_FOLDER.name) / name

    def make() -> Smoothness:
        if not folder.exists():
            folder.mkdir()
            for k, start in enumerate(range(0, len(data), 3)):
                if k % 2:
                    sp.save_npz(folder / f"{k:03}.npz", sp.csr_array(data[start : start + 3]))
                else:
                    np.save(folder / f"{k:03}.npy", data[start : start + 3])
        return gram_from_files(folder, scale, shift)

    return replace(gram_case(data, scale, shift), make=make)


def reals(rows: int, columns: int, seed: int) -> np.ndarray:
    """Numbers with full mantissas, about a third of them zero, no zero column."""
    rng = np.random.default_rng(seed)
    data = rng.standard_normal((rows, columns)) * (rng.random((rows, columns)) < 0.7)
    data[rng.integers(0, rows, columns), np.arange(columns)] = rng.standard_normal(columns) + 3
    return data


def psd(dimension: int, seed: int) -> np.ndarray:
    """A symmetric matrix whose top eigenvalue stands apart from the others."""
    data = reals(dimension + 2, dimension, seed)
    product = data.T @ data + 2.0
    return (product + product.T) / 2


def banded(dimension: int, seed: int) -> np.ndarray:
    matrix = psd(dimension, seed)
    far = np.abs(np.subtract.outer(np.arange(dimension), np.arange(dimension))) > 2
    matrix[far] = 0.0
    matrix[0, 0] += 100.0
    return matrix


def operator(matrix: np.ndarray) -> object:
    return aslinearoperator(matrix)


def coordinates_twice(matrix: np.ndarray) -> sp.coo_array:
    """Every entry as two halves at the same place, in shuffled order."""
    rows, columns = np.nonzero(matrix)
    order = np.random.default_rng(5).permutation(2 * rows.size)
    halves = np.tile(matrix[rows, columns] / 2, 2)[order]
    return sp.coo_array(
        (halves, (np.tile(rows, 2)[order], np.tile(columns, 2)[order])), shape=matrix.shape
    )


ONE = np.array([[2.5]])
VALUES = np.array([0.0, 3.0, 0.1, 1e-9, 7.3, 7.3, 0.25, 2.0])

CASES: dict[str, Case] = {
    "dense": plain(np.asarray, psd(7, 1)),
    "dense-40": plain(np.asarray, psd(40, 4)),
    "dense-400": plain(np.asarray, psd(400, 15)),
    "dense-indefinite": plain(np.asarray, psd(7, 5) - 40 * np.eye(7)),
    "dense-one": plain(np.asarray, ONE),
    "dense-huge": plain(np.asarray, psd(7, 6) * 1e300),
    "dense-minute": plain(np.asarray, psd(7, 6) * 1e-300),
    "dense-thirds": thirds(psd(7, 14)),
    "sparse": plain(sp.csr_array, banded(9, 7)),
    "sparse-twice": plain(coordinates_twice, banded(9, 9)),
    "sparse-40": plain(sp.csr_array, banded(40, 11)),
    "sparse-400": plain(sp.csr_array, banded(400, 12)),
    "sparse-huge": plain(sp.csr_array, banded(40, 13) * 1e300),
    "sparse-minute": plain(sp.csr_array, banded(40, 13) * 1e-300),
    "diagonal": plain(lambda m: diagonal(m.diagonal()), np.diag(VALUES)),
    "diagonal-huge": plain(lambda m: diagonal(m.diagonal()), np.diag(VALUES * 1e300)),
    "diagonal-minute": plain(lambda m: diagonal(m.diagonal()), np.diag(VALUES * 1e-300)),
    "gram-wide": gram_case(reals(3, 9, 21), 1.0, 0.0),
    "gram-shifted": gram_case(reals(12, 8, 22), 2 / 12, 0.2),
    "gram-wide-shifted": gram_case(reals(2, 9, 23), 1.0, 0.3),
    "gram-graded": gram_case(reals(5, 7, 24) * 10.0 ** -np.arange(0, 42, 6), 0.7, 1e-20),
    "gram-sparse-wide": gram_case(reals(3, 9, 27), 1.0, 0.5, sp.coo_array),
    "gram-whole-numbers": gram_case(
        np.rint(5 * reals(6, 5, 28)), 1.0, 0.0, lambda a: a.astype(np.int32)
    ),
    "gram-one": gram_case(np.array([[1.5], [0.1]]), 0.3, 0.7),
    "gram-zero-shifted": gram_case(np.zeros((4, 6)), 1.0, 0.25),
    "gram-huge": gram_case(reals(9, 6, 30) * 1e150, 1.0, 0.0),
    "gram-minute": gram_case(reals(9, 6, 30) * 1e-150, 1.0, 0.0),
    "rows": rows_case("signed", reals(30, 7, 50), 1.0, 0.0),
    "rows-wide": rows_case("wide", reals(2, 9, 51), 2 / 3, 0.3),
    "rows-positive": rows_case("positive", np.abs(reals(20, 8, 52)), 2 / 20, 0.1),
    "rows-graded": rows_case("graded", reals(5, 7, 53) * 10.0 ** -np.arange(0, 42, 6), 0.7, 1e-20),
    "rows-zero": rows_case("zero", np.zeros((4, 6)), 1.0, 0.25),
    "operator-40": plain(operator, psd(40, 41)),
    "operator-400": plain(operator, banded(400, 42)),
    "operator-zero": plain(operator, np.zeros((40, 40))),
    "operator-huge": plain(operator, psd(40, 44) * 1e300),
    "operator-minute": plain(operator, psd(40, 44) * 1e-300),
}

every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
small_cases = pytest.mark.parametrize(
    "case",
    [c for c in CASES.values() if c.dimension <= 12],
    ids=[n for n, c in CASES.items() if c.dimension <= 12],
)


def partitions(dimension: int) -> list[Blocks]:
    uneven = [1, 2, dimension - 3] if dimension > 3 else [dimension]
    return [Blocks(uneven), Blocks(uneven[::-1]), Blocks([dimension]), Blocks.singletons(dimension)]


def close(found: np.ndarray, wanted: np.ndarray, size: np.ndarray, roundings: int) -> bool:
    return bool((np.abs(found - wanted) <= roundings * U * size + TINY).all())


# -- products -------------------------------------------------------------------------------------


@every_case
def test_products_equal_the_dense_ones_and_each_column_counts(case: Case) -> None:
    form = case.make()
    d = case.dimension
    assert (form.dimension, form.shape) == (d, (d, d))
    x = np.random.default_rng(3).integers(-4, 5, (d, 5)).astype(np.float64)
    before = form.products
    product = form.matmat(x)
    assert form.products == before + 5 and product.shape == (d, 5)
    expected = case.dense @ x
    if d <= 12:
        by_row = [
            [sum(v * int(t) for v, t in zip(row, column, strict=True)) for column in x.T]
            for row in case.exact
        ]
        expected = np.array([[float(value) for value in row] for row in by_row])
    assert close(product, expected, case.size @ np.abs(x), 4 * d + 100)
    single = form.matmat(x[:, 0].copy())  # one vector gives one vector and counts once
    assert form.products == before + 6 and single.shape == (d,)
    assert close(single, expected[:, 0], case.size @ np.abs(x[:, 0]), 4 * d + 100)


# -- parts ----------------------------------------------------------------------------------------


@every_case
def test_diagonal_and_trace(case: Case) -> None:
    form = case.make()
    expected = case.dense.diagonal()
    size = case.size.diagonal()
    assert form.diagonal().shape == (case.dimension,) and close(
        form.diagonal(), expected, size, 100
    )
    assert (
        abs(form.trace() - math.fsum(expected))
        <= (case.dimension + 100) * U * float(size.sum()) + TINY
    )
    before = form.diagonal()  # a copy
    form.diagonal()[:] = -5.0
    np.testing.assert_array_equal(form.diagonal(), before)


@every_case
def test_diagonal_blocks_and_restrictions(case: Case) -> None:
    form = case.make()
    for rows in partitions(case.dimension)[0].slices:
        expected = case.dense[rows, rows]
        size = case.size[rows, rows]
        part = form.restrict(rows)
        assert part.dimension == rows.stop - rows.start
        assert close(part.diagonal(), expected.diagonal(), size.diagonal(), 100)
        before = form.products
        assert close(part.matmat(np.eye(part.dimension)), expected, size, 100)
        assert form.products == before + part.dimension, (
            "a product with a block is a product with L"
        )
    order = np.random.default_rng(4).permutation(case.dimension)
    moved = form.restrict(order)
    assert close(
        moved.matmat(np.eye(case.dimension)),
        case.dense[np.ix_(order, order)],
        case.size[np.ix_(order, order)],
        100,
    )
    if case.dimension < 60:
        entries = form.rational()
        assert moved.rational() == (
            None if entries is None else [[entries[i][j] for j in order] for i in order]
        )


# -- the top pair ---------------------------------------------------------------------------------


def weights_for(dimension: int) -> dict[str, np.ndarray | None]:
    rng = np.random.default_rng(9)
    return {
        "none": None,
        "ones": np.ones(dimension),
        "ordinary": rng.random(dimension) * 0.9 + 0.1,
        "graded": 10.0 ** -rng.uniform(0, 5, dimension),
    }


@every_case
def test_top_pair(case: Case) -> None:
    unit = float(np.abs(case.dense).max()) or 1.0
    for kind, weights in weights_for(case.dimension).items():
        pair = case.make().leading_eigenpair(weights)
        root = np.ones(case.dimension) if weights is None else 1 / np.sqrt(weights)
        scaled = (case.dense / unit) * root[:, None] * root[None, :]
        norm = float(np.linalg.norm(scaled))
        truth = float(np.linalg.eigvalsh(scaled)[-1])
        rounding = 1e-13 * case.dimension * norm
        assert abs(pair.value / unit - truth) <= rounding + TINY / unit, kind
        y = pair.vector / root
        y = y / np.linalg.norm(y)
        residual = float(np.linalg.norm(scaled @ y - pair.value / unit * y))
        assert residual <= 1e-7 * norm, kind
        assert abs(pair.residual / unit - residual) <= rounding + TINY / unit, (
            "the residual of the pair returned"
        )


# -- the entries ----------------------------------------------------------------------------------


@small_cases
def test_explicit_encloses_the_matrix(case: Case) -> None:
    """-Diag(slack) <= L - matrix <= Diag(slack), in fractions."""
    form = case.make()
    explicit = form.explicit()
    if isinstance(form, OperatorSmoothness):
        assert explicit is None
        return
    assert explicit is not None and explicit.dimension == case.dimension
    matrix = (
        explicit.matrix if isinstance(explicit.matrix, np.ndarray) else explicit.matrix.toarray()
    )
    np.testing.assert_array_equal(matrix, matrix.T)
    error = [
        [a - b for a, b in zip(*rows, strict=True)]
        for rows in zip(case.exact, rows_of(matrix), strict=True)
    ]
    if explicit.slack is None:
        assert not any(any(row) for row in error)
        return
    assert within(error, [Fraction(value) for value in explicit.slack.tolist()])
    # A slack that were no smaller than L would enclose anything.
    assert (explicit.slack <= 200 * case.dimension * U * case.size.diagonal() + 2 * TINY).all()


@small_cases
def test_rational_is_the_matrix_itself(case: Case) -> None:
    form = case.make()
    if isinstance(form, OperatorSmoothness | RowBlocks):
        assert form.rational() is None
    else:
        assert form.rational() == case.exact


def test_decimals_of_a_sparse_matrix_are_kept_in_any_dimension_and_order() -> None:
    L = as_smoothness(datasets.load("494_bus").values)
    entries = L.rational()
    assert entries is not None and L.dimension == 494
    lines = (
        (Path(datasets.__file__).parent / "494_bus.mtx").read_text(encoding="utf-8").splitlines()
    )
    listed = [line.split() for line in lines if not line.startswith("%")][1:]
    assert len(listed) == 1080
    for i, j, text in listed:
        assert entries[int(i) - 1][int(j) - 1] == entries[int(j) - 1][int(i) - 1] == Fraction(text)
    order = np.random.default_rng(0).permutation(494)
    mixed = L.restrict(order).rational()
    assert mixed is not None
    assert all(
        mixed[a][b] == entries[order[a]][order[b]] for a in range(494) for b in range(0, 494, 7)
    )
