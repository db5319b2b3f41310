"""Laws that the optimum obeys, checked between certified brackets: a false end of one shows as a
gap between two.
"""

from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rpttheory import Blocks, optimal_probabilities
from rpttheory.problem.quantities import L_P
from rpttheory.search import SearchResult
from rpttheory.search.block_sdp import BlockSDP
from rpttheory.testing.strategies import vectors

from .problems import programs

TOL = 1e-7
# Every example solves two or more problems, so fewer of them; the deep profile still searches long.
few = settings(max_examples=max(1, settings.default.max_examples // 5))
gram_programs = programs(kind="gram", decades=1)


def solve(program: BlockSDP, **changes: Any) -> SearchResult:
    """The optimum of the program with some of its data changed."""
    data: dict[str, Any] = {
        "L": program.entries("test"),
        "blocks": program.blocks,
        "costs": program.costs,
        "overhead": program.overhead,
        "order": program.order,
        **changes,
    }
    result = optimal_probabilities(**data, tol=TOL, method="interior-point")
    assert result.gap <= TOL
    return result


def agree(
    first: SearchResult, second: SearchResult, factor: Fraction | int = 1, room: float = 0.0
) -> None:
    """The optimum of `second` may be `factor` times that of `first`; `room` is for data that were
    rounded.
    """
    low = Fraction(first.lower) * factor
    high = Fraction(first.upper) * factor
    assert low * Fraction(1 - room) <= Fraction(second.upper)
    assert Fraction(second.lower) <= high * Fraction(1 + room)


@few
@given(gram_programs)
def test_the_stated_probabilities_cost_what_the_bracket_says(program: BlockSDP) -> None:
    result = solve(program)
    p = result.probabilities
    assert p.max() == 1 and (p > 0).all() and not p.flags.writeable
    cost = L_P(program.smoothness, program.blocks, p, effort="exact") * program.expected_cost(p)
    assert result.lower <= cost.exact_upper and cost.exact_lower <= result.upper
    assert (np.diff(result.order.by_rank(p)) <= 0).all()
    assert program.order is None or result.order == program.order


@few
@given(gram_programs, st.integers(-400, 400), st.integers(-40, 40), st.sampled_from([1, 3]))
def test_scaling(program: BlockSDP, power: int, price: int, digit: int) -> None:
    L = program.entries("test") * digit * 2.0**power
    cost = 2.0**price
    scaled = solve(program, L=L, costs=program.costs * cost, overhead=program.overhead * cost)
    agree(solve(program), scaled, digit * Fraction(2) ** (power + price))


@few
@given(programs(kind="tight", decades=1), st.data())
def test_permutation_of_the_blocks(program: BlockSDP, data: st.DataObject) -> None:
    blocks = program.blocks
    shuffled = data.draw(st.permutations(range(blocks.count)))
    rows = np.concatenate([np.arange(blocks.dimension)[blocks.slices[k]] for k in shuffled])
    order = None
    if program.order is not None:
        order = [shuffled.index(k) for k in program.order.rank_to_block]
    permuted = solve(
        program,
        L=program.entries("test")[np.ix_(rows, rows)],
        blocks=Blocks([blocks.sizes[k] for k in shuffled]),
        costs=program.costs[shuffled],
        order=order,
    )
    agree(solve(program), permuted)


@few
@given(gram_programs, st.data())
def test_a_larger_matrix_costs_more(program: BlockSDP, data: st.DataObject) -> None:
    """In the Loewner order: L + vv' >= L, and never by more than vv' costs on its own."""
    v = data.draw(vectors(program.blocks.dimension))
    plain, more, alone = (
        solve(program, L=L)
        for L in (
            program.entries("test"),
            program.entries("test") + np.outer(v, v),
            np.outer(v, v),
        )
    )
    assert plain.lower <= more.upper
    assert more.lower <= (plain.upper + alone.upper) * (1 + 1e-14)


@few
@given(programs(kind="tight", decades=1, largest=4, extras=((), ("overhead",))))
def test_the_best_forced_order_is_the_optimum(program: BlockSDP) -> None:
    """Over all orders the least forced optimum is the free one, and the optimal order attains
    it.
    """
    result = solve(program)
    agree(result, solve(program, order=result.order), room=2 * TOL)
    orders = permutations(range(program.blocks.count))
    forced = [solve(program, order=order) for order in orders]
    assert min(each.lower for each in forced) <= result.upper
    assert result.lower <= min(each.upper for each in forced) <= result.upper * (1 + 2 * TOL)
