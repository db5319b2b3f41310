"""prop:reachable_upper_bound for B blocks: any M_k > 0 are the diagonal blocks of an M > 0 of lambda_max near the sum.

With unit top eigenvectors u_k, m_k = lambda_max(M_k), a_k = m_k - eps_k and w = (sqrt(a_k) u_k) stacked,
M = BlockDiag(M_k - a_k u_k u_k') + w w' has the diagonal blocks M_k and lambda_max(M) >= sum a_k.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rpttheory import Verdict, lambda_max, tight_matrix

from .exact import BELOW, Matrix, counterexample, definiteness, dot, matrix_of, pencil, times, vector_of
from .strategies import FloatArray, factors, vectors


@dataclass(frozen=True)
class Construction:
    """m_k, the second eigenvalue of M_k, the root of a_k and the unit vector u_k for every block, all rational."""

    tops: tuple[Fraction, ...]
    seconds: tuple[Fraction, ...]
    roots: tuple[Fraction, ...]
    units: tuple[tuple[Fraction, ...], ...]

    @property
    def eps(self) -> list[Fraction]:
        return [top - root**2 for top, root in zip(self.tops, self.roots, strict=True)]

    @cached_property
    def blocks(self) -> list[Matrix]:
        """M_k = m_k u u' + s_k (I - u u')."""
        return [
            [[(top - s) * u[i] * u[j] + (s if i == j else 0) for j in range(len(u))] for i in range(len(u))]
            for top, s, u in zip(self.tops, self.seconds, self.units, strict=True)
        ]

    @cached_property
    def w(self) -> list[Fraction]:
        return [root * entry for root, u in zip(self.roots, self.units, strict=True) for entry in u]

    @cached_property
    def matrix(self) -> Matrix:
        """The paper's matrix: M_k on the diagonal, sqrt(a_k a_l) u_k u_l' off it."""
        M = [[a * b for b in self.w] for a in self.w]
        start = 0
        for block in self.blocks:
            for i, row in enumerate(block):
                M[start + i][start : start + len(row)] = row
            start += len(block)
        return M

    @property
    def ones(self) -> list[Fraction]:
        return [Fraction(1)] * len(self.w)


@st.composite
def unit_vectors(draw: DrawFn, size: int) -> tuple[Fraction, ...]:
    """A rational point of the sphere: e_1 reflected across an integer vector."""
    v = vector_of(draw(vectors(size, bound=4)))
    return tuple(2 * v[0] * entry / dot(v, v) - (1 if i == 0 else 0) for i, entry in enumerate(v))


SOME = st.builds(Fraction, st.integers(1, 20), st.just(8))
NONE = st.just(Fraction(0))


@st.composite
def constructions(
    draw: DrawFn,
    *,
    least: int = 1,
    eps: st.SearchStrategy[Fraction] = SOME,
) -> Construction:
    """0 < eps_k < m_k, and M_k > 0 (second eigenvalue in (0, m_k])."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=least, max_size=4))
    power = draw(st.lists(st.integers(-10, 10), min_size=len(sizes), max_size=len(sizes)))
    roots = [draw(st.integers(1, 5)) * Fraction(2) ** p for p in power]
    tops = [root**2 + draw(eps) * Fraction(4) ** p for root, p in zip(roots, power, strict=True)]
    seconds = [top * Fraction(draw(st.integers(1, 8)), 8) for top in tops]
    units = tuple(draw(unit_vectors(size)) for size in sizes)
    return Construction(tuple(tops), tuple(seconds), tuple(roots), units)


# -- the statement, in fractions ---------------------------------------------------------------------


@given(constructions())
def test_the_matrix_is_definite_and_reaches_the_sum(example: Construction) -> None:
    M, total = example.matrix, sum((root**2 for root in example.roots), Fraction(0))
    assert definiteness(M) > 0
    # lambda_max >= sum a_k, by the quotient at w itself.
    assert dot(example.w, example.w) == total
    assert dot(example.w, times(M, example.w)) >= total**2
    # lambda_max <= sum m_k (lem:twoBounds), strictly where M is definite and there are several blocks.
    assert definiteness(pencil(sum(example.tops, Fraction(0)), example.ones, M)) >= 0


@given(constructions())
def test_the_given_blocks_have_the_given_eigenvalues(example: Construction) -> None:
    for block, top, unit in zip(example.blocks, example.tops, example.units, strict=True):
        assert dot(unit, unit) == 1
        assert times(block, unit) == [top * entry for entry in unit]
        assert definiteness(pencil(top, [Fraction(1)] * len(unit), block)) == 0
        assert definiteness(block) > 0


@given(constructions(), st.data())
def test_one_eps_may_be_zero(example: Construction, data: st.DataObject) -> None:
    # The paper's matrix of two blocks is the one with eps_1 = 0.
    k = data.draw(st.integers(0, len(example.tops) - 1))
    tops = tuple(
        root**2 if i == k else top for i, (top, root) in enumerate(zip(example.tops, example.roots, strict=True))
    )
    seconds = tuple(min(s, top) for s, top in zip(example.seconds, tops, strict=True))
    exact = Construction(tops, seconds, example.roots, example.units)
    assert exact.eps[k] == 0
    assert definiteness(exact.matrix) > 0


@given(constructions(eps=NONE))
def test_with_no_eps_the_bound_is_attained(example: Construction) -> None:
    M, total = example.matrix, sum(example.tops, Fraction(0))
    assert definiteness(M) == (1 if len(example.tops) == 1 else 0)
    assert definiteness(pencil(total, example.ones, M)) == 0
    assert times(M, example.w) == [total * entry for entry in example.w]


# -- the library's matrix ----------------------------------------------------------------------------


@st.composite
def gram_blocks(draw: DrawFn) -> list[FloatArray]:
    """Gram matrices of small integers plus the identity, of different scales."""
    blocks = []
    for size in draw(st.lists(st.integers(1, 3), min_size=1, max_size=4)):
        A = draw(factors(size))
        blocks.append(np.ldexp(A.T @ A + np.eye(size), draw(st.integers(-20, 20))))
    return blocks


@given(gram_blocks(), st.sampled_from([0.0, 2.0**-40, 2.0**-10, 0.5, 0.999]))
def test_tight_matrix(blocks: list[FloatArray], share: float) -> None:
    tops = [lambda_max(block, effort="exact") for block in blocks]
    eps = [share * top.lower for top in tops]
    M = tight_matrix(blocks, eps=eps)
    assert np.array_equal(M, M.T)
    start = 0
    for block in blocks:
        assert np.array_equal(M[start : start + len(block), start : start + len(block)], block)
        start += len(block)
    total = sum((top.high for top in tops), Fraction(0))
    target = total - sum((Fraction(e) for e in eps), Fraction(0))
    found = lambda_max(M, effort="exact")
    # The entries are rounded, so both sides may be missed by a few units in the last place.
    assert found.high >= target - total / 2**46
    assert found.low <= total * (1 + Fraction(1, 2**46))
    if share >= 2.0**-10:
        assert definiteness(matrix_of(M)) > 0


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), min_size=1, max_size=4), st.data())
def test_tight_matrix_is_exact_for_diagonal_blocks_of_squares(roots: list[list[int]], data: st.DataObject) -> None:
    # Top eigenvectors are coordinate vectors and sqrt(a_k) is an integer: nothing is rounded.
    roots = [[*row, max(row) + 1] for row in roots]
    reached = [data.draw(st.integers(1, max(row))) for row in roots]
    eps = [float(max(row) ** 2 - a**2) for row, a in zip(roots, reached, strict=True)]
    M = tight_matrix([np.diag(np.array(row, dtype=np.float64) ** 2) for row in roots], eps=eps)
    value = lambda_max(M, effort="exact")
    assert (value >= sum(a**2 for a in reached)) is Verdict.PROVED
    assert (value <= sum(max(row) ** 2 for row in roots)) is Verdict.PROVED
    assert definiteness(matrix_of(M)) >= 0
    full = lambda_max(tight_matrix([np.diag(np.array(row, dtype=np.float64) ** 2) for row in roots]), effort="exact")
    assert full.exact == sum(max(row) ** 2 for row in roots)


# -- what is false ----------------------------------------------------------------------------------


@st.composite
def lopsided(draw: DrawFn) -> Construction:
    """One block far above the others and with eps = 0."""
    rest, unit = draw(constructions()), draw(unit_vectors(draw(st.integers(1, 3))))
    root = max(rest.roots) * 2 ** draw(st.integers(0, 10))
    return Construction((root**2, *rest.tops), (root**2, *rest.seconds), (root, *rest.roots), (unit, *rest.units))


def test_no_smaller_share_of_eps_is_lost_in_general() -> None:
    # lambda_max >= sum m_k - 0.999 sum eps_k is false where the losing blocks are small beside another.
    def refutes(example: Construction) -> bool:
        target = sum(example.tops, Fraction(0)) - BELOW * sum(example.eps, Fraction(0))
        return definiteness(pencil(target, example.ones, example.matrix)) > 0

    example = counterexample(lopsided(), refutes)
    assert definiteness(pencil(sum((r**2 for r in example.roots), Fraction(0)), example.ones, example.matrix)) <= 0


def test_the_sum_itself_is_not_reached_with_eps() -> None:
    def refutes(example: Construction) -> bool:
        return definiteness(pencil(sum(example.tops, Fraction(0)), example.ones, example.matrix)) > 0

    counterexample(constructions(least=2), refutes)


def test_without_eps_the_matrix_is_not_definite() -> None:
    example = counterexample(constructions(least=2, eps=NONE), lambda example: definiteness(example.matrix) <= 0)
    assert definiteness(example.matrix) == 0


def test_beyond_the_bound_the_matrix_is_indefinite() -> None:
    # a_k above m_k, that is eps < 0: the diagonal blocks could then be beaten, but M is not semidefinite.
    below = st.just(Fraction(-1, 8))
    counterexample(constructions(least=2, eps=below), lambda example: definiteness(example.matrix) < 0)


def test_another_eigenvector_does_not_reach_the_sum() -> None:
    # The vectors must be top eigenvectors: with second ones lambda_max falls short.
    blocks = [np.diag([4.0, 1.0]), np.diag([9.0, 1.0])]
    assert lambda_max(tight_matrix(blocks), effort="exact").exact == 13
    M = np.zeros((4, 4))
    M[:2, :2], M[2:, 2:] = blocks
    M[1, 3] = M[3, 1] = 1.0
    assert (lambda_max(M, effort="exact") >= 13) is Verdict.REFUTED
