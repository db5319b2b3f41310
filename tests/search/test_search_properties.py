"""Laws that the optimum obeys, checked between certified brackets: a false end of one shows as a
gap between two.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rpttheory.matrices.tight import tight_matrix
from rpttheory.numbers import Bracket, Verdict
from rpttheory.problem.blocks import BlockOrder, Blocks
from rpttheory.problem.quantities import (
    L_P,
    block_L,
    c_P,
    lmax,
)
from rpttheory.search import SearchResult, optimal_probabilities

from .problems import sdp

TOL = 1e-7
EXTRAS = ((), ("overhead",), ("order",), ("overhead", "order"))
# Every example solves two or more problems, so fewer of them; the deep profile still searches long.
few = settings(max_examples=max(1, settings.default.max_examples // 5))


@dataclass(frozen=True)
class Case:
    """Integer data: L is an exact Gram matrix."""

    L: np.ndarray
    blocks: Blocks
    costs: list[float]
    extras: dict[str, Any]

    def solve(self, **changes: Any) -> SearchResult:
        given = {"L": self.L, "blocks": self.blocks, "costs": self.costs, **self.extras, **changes}
        L = given.pop("L")
        blocks = given.pop("blocks")
        costs = given.pop("costs")
        return optimal_probabilities(
            L, blocks, costs, **{"tol": TOL, "method": "interior-point", **given}
        )


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    extras: tuple[tuple[str, ...], ...] = ((),),
    least: int = 1,
    most: int = 4,
    zeros: bool = True,
) -> Case:
    count = draw(st.integers(least, most))
    sizes = draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
    d = sum(sizes)
    rows = draw(st.integers(1, d + 1))
    A = draw(hnp.arrays(np.float64, (rows, d), elements=st.integers(-3, 3).map(float)))
    # Without zeros every block has L_k >= 1, so that no probability tends to 0.
    L = A.T @ A + (0.0 if zeros else 1.0) * np.eye(d)
    costs = [float(c) for c in draw(st.lists(st.integers(1, 50), min_size=count, max_size=count))]
    chosen = draw(st.sampled_from(extras))
    given_extras: dict[str, Any] = {}
    if "overhead" in chosen:
        given_extras["overhead"] = float(draw(st.integers(1, 100)))
    if "order" in chosen:
        given_extras["order"] = BlockOrder(draw(st.permutations(range(count))))
    return Case(L, Blocks(sizes), costs, given_extras)


def overlap(
    one: SearchResult, other: SearchResult, factor: Fraction | float = 1, room: float = 0.0
) -> None:
    """The optimum of `other` may be `factor` times that of `one`; `room` is for data that were
    rounded.
    """
    low = Fraction(one.lower) * Fraction(factor)
    high = Fraction(one.upper) * Fraction(factor)
    assert low * Fraction(1 - room) <= Fraction(other.upper)
    assert Fraction(other.lower) <= high * Fraction(1 + room)
    for found in (one, other):
        assert found.gap <= TOL


def at_most(one: Bracket, other: Bracket) -> None:
    assert (one <= other) is not Verdict.REFUTED, (str(one), str(other))


@few
@given(cases(extras=EXTRAS))
def test_the_stated_probabilities_cost_what_the_bracket_says(case: Case) -> None:
    found = case.solve()
    p = found.probabilities
    assert p.max() == 1 and (p > 0).all() and not p.flags.writeable
    exact = L_P(case.L, case.blocks, p, effort="exact")
    cost = exact * sdp(case.L, case.blocks, case.costs, **case.extras).expected_cost(p)
    assert found.lower <= cost.exact_upper and cost.exact_lower <= found.upper
    assert (
        found.order.rank_to_block
        == case.extras.get("order", BlockOrder.from_probabilities(p)).rank_to_block
    )
    assert (np.diff(found.order.by_rank(p)) <= 0).all()
    if not case.extras:
        at_most(Bracket.point(found.lower), c_P(case.L, case.blocks, p, case.costs))


@few
@given(cases(extras=EXTRAS))
def test_strong_duality(case: Case) -> None:
    """The dual factor alone, rescaled in plain floats, reproduces the lower end: no gap between the
    two sides.
    """
    found = case.solve()
    V = found.dual
    traces = np.add.reduceat((V**2).sum(axis=1), case.blocks.starts)
    excess = (
        sdp(case.L, case.blocks, case.costs, **case.extras).trace_excess(traces) if V.any() else 1.0
    )
    value = float(np.vdot(V, case.L @ V)) / excess
    assert found.lower == pytest.approx(value, rel=1e-10)
    assert found.upper == pytest.approx(value, rel=2 * TOL)


@few
@given(cases(extras=EXTRAS), st.integers(-400, 400), st.integers(-40, 40), st.sampled_from([1, 3]))
def test_scaling(case: Case, power: int, price: int, digit: int) -> None:
    cost = digit * 2.0**price
    changed: dict[str, Any] = {"costs": [c * cost for c in case.costs]}
    if "overhead" in case.extras:
        changed["overhead"] = case.extras["overhead"] * cost
    factor = Fraction(digit) ** 2 * Fraction(2) ** (power + price)
    overlap(case.solve(), case.solve(L=case.L * digit * 2.0**power, **changed), factor)


@few
@given(cases(extras=EXTRAS, zeros=False), st.data())
def test_permutation_of_the_blocks(case: Case, data: st.DataObject) -> None:
    count = case.blocks.count
    shuffled = data.draw(st.permutations(range(count)))
    coordinates = np.concatenate(
        [np.arange(case.blocks.dimension)[case.blocks.slices[k]] for k in shuffled]
    )
    changed: dict[str, Any] = {
        "L": case.L[np.ix_(coordinates, coordinates)],
        "blocks": Blocks([case.blocks.sizes[k] for k in shuffled]),
        "costs": [case.costs[k] for k in shuffled],
    }
    if "order" in case.extras:
        changed["order"] = BlockOrder(
            [shuffled.index(k) for k in case.extras["order"].rank_to_block]
        )
    overlap(case.solve(), case.solve(**changed))


@few
@given(cases(extras=((), ("overhead",))), st.integers(1, 50))
def test_a_useless_block_costs_nothing(case: Case, cost: int) -> None:
    """A block of zeros: its probability tends to 0, is kept above, and hardly shows in the cost."""
    padded = np.pad(case.L, ((0, 1), (0, 1)))
    blocks = Blocks((*case.blocks.sizes, 1))
    overlap(case.solve(), case.solve(L=padded, blocks=blocks, costs=[*case.costs, float(cost)]))


@few
@given(cases(extras=EXTRAS), st.data())
def test_a_larger_matrix_costs_more(case: Case, data: st.DataObject) -> None:
    """In the Loewner order: L + vv' >= L."""
    d = case.blocks.dimension
    v = data.draw(hnp.arrays(np.float64, (d,), elements=st.integers(-3, 3).map(float)))
    more = case.solve(L=case.L + np.outer(v, v))
    assert case.solve().lower <= more.upper
    # And never by more than that rank-one matrix costs on its own.
    alone = case.solve(L=np.outer(v, v))
    assert more.lower <= (case.solve().upper + alone.upper) * (1 + 1e-14)


@few
@given(
    st.lists(st.tuples(st.integers(1, 3), st.integers(1, 30)), min_size=1, max_size=5), st.data()
)
def test_optimum_of_the_tight_construction(
    parts: list[tuple[int, int]], data: st.DataObject
) -> None:
    """Its optimum is the closed form's bound (sum sqrt(c_k L_k))^2: there the paper's choice is
    optimal.
    """
    diagonal_blocks = []
    for size, _ in parts:
        A = data.draw(hnp.arrays(np.float64, (size, size), elements=st.integers(-3, 3).map(float)))
        diagonal_blocks.append(A.T @ A + np.eye(size))
    costs = [float(cost) for _, cost in parts]
    tops = [float(np.linalg.eigvalsh(block)[-1]) for block in diagonal_blocks]
    blocks = Blocks([size for size, _ in parts])
    found = optimal_probabilities(
        tight_matrix(diagonal_blocks), blocks, costs, tol=TOL, method="interior-point"
    )
    truth = float(np.sqrt(np.multiply(costs, tops)).sum() ** 2)
    assert (
        found.lower <= truth * (1 + 1e-12)
        and truth * (1 - 1e-12) <= found.upper
        and found.gap <= TOL
    )


@few
@given(cases(extras=(("overhead",),)))
def test_an_overhead_lies_between_its_two_extremes(case: Case) -> None:
    """c* + c_0 max_k L_k <= optimum <= (sum c + c_0) lambda_max, and optimum <= c* + c_0 times its
    largest q.
    """
    overhead = case.extras["overhead"]
    found = case.solve()
    plain = case.solve(overhead=0.0)
    largest = Bracket.largest(block_L(case.L, case.blocks))
    at_most(plain.bracket + largest * overhead, found.bracket)
    at_most(found.bracket, lmax(case.L) * (sum(case.costs) + overhead))
    q = L_P(case.L, case.blocks, plain.probabilities)
    at_most(found.bracket, Bracket.point(plain.upper) + q * overhead)
    assert case.solve(overhead=2 * overhead).upper >= found.lower


@few
@given(cases(extras=((), ("overhead",)), zeros=False))
def test_forcing_the_optimal_order_changes_nothing(case: Case) -> None:
    found = case.solve()
    overlap(found, case.solve(order=found.order), room=2 * TOL)


@few
@given(cases(zeros=False, most=3))
def test_the_best_forced_order_is_the_optimum(case: Case) -> None:
    """Over all orders the least forced optimum is the free one: no order is lost, none is won."""
    found = case.solve()
    forced = [
        case.solve(order=BlockOrder(order)) for order in permutations(range(case.blocks.count))
    ]
    assert min(result.lower for result in forced) <= found.upper
    assert found.lower <= min(result.upper for result in forced) <= found.upper * (1 + 2 * TOL)
