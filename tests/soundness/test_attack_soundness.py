"""A small, seeded part of the attack; `benchmarks/attack_soundness.py` runs any amount of it."""

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import rpttheory
from rpttheory import Bracket, Rigor, SearchResult, Verdict

from .attacks import run
from .reals import Top, inside, order, rational, rows_of, semidefinite, simplest_between
from .trial import Tally
from .truth import Truth

AMOUNTS = {"brackets": 600, "optima": 60, "claims": 300}


def attack(kind: str, amount: int, **replaced: Any) -> Tally:
    return run(kind, amount, (f"{kind} 0 {index}" for index in itertools.count()), **replaced)


@cache
def attacked(kind: str) -> Tally:
    """The attack on the package as it is."""
    return attack(kind, AMOUNTS[kind])


def complaint(tally: Tally) -> str:
    return f"{len(tally.findings)} findings, such as\n" + "\n".join(map(str, tally.findings[:3]))


@pytest.mark.parametrize("kind", AMOUNTS)
def test_nothing_is_found(kind: str) -> None:
    tally = attacked(kind)
    assert not tally.findings, complaint(tally)
    assert tally.counts[f"{kind}, not judged"] <= AMOUNTS[kind] / 50
    assert tally.counts["claims, UNDECIDED beyond the gap of the search"] <= AMOUNTS["claims"] / 10


def bare_eigenvalue(L: Any, *, effort: str = "fast") -> Bracket:
    """lambda_max as numpy gives it."""
    good = rpttheory.lmax(L, effort=effort)  # type: ignore[arg-type]
    return Bracket(good.midpoint, good.midpoint, good.rigor)


def float_costs(p: Any, c: Any) -> Bracket:
    """The expected cost in floating point."""
    value = float(np.asarray(p, dtype=float) @ np.asarray(c, dtype=float))
    return Bracket(value, value, Rigor.EXACT)


def narrower(L: Any, blocks: Any, **options: Any) -> tuple[Bracket, ...]:
    """L_k with the upper ends a unit in the last place too low."""
    good = rpttheory.block_L(L, blocks, **options)
    return tuple(
        Bracket(
            min(b.exact_lower, b.exact_lower * (1 - Fraction(1, 2**60))), b.exact_lower, b.rigor
        )
        for b in good
    )


def optimistic(*problem: Any, **options: Any) -> SearchResult:
    """An upper end that the probabilities do not attain, by one part in 10^15."""
    good = rpttheory.optimal_probabilities(*problem, **options)
    return replace(good, upper=good.lower)


def pessimistic(*problem: Any, **options: Any) -> SearchResult:
    """A lower end at the upper one, which the dual point does not prove."""
    good = rpttheory.optimal_probabilities(*problem, **options)
    return replace(good, lower=good.upper)


def tolerant(*problem: Any, **options: Any) -> Any:
    """Claims decided as if differences of one part in 10^12 were none."""
    good = rpttheory.verify(*problem, **options)

    def with_tolerance(claim: Any) -> Any:
        is_close = math.isclose(claim.left.midpoint, claim.right.midpoint, rel_tol=1e-12)
        strict = (
            "<=" not in claim.statement
            and ">=" not in claim.statement
            and "==" not in claim.statement
        )
        return (
            replace(claim, verdict=Verdict.REFUTED if strict else Verdict.PROVED)
            if is_close
            else claim
        )

    return replace(good, claims=tuple(map(with_tolerance, good.claims)))


@pytest.mark.parametrize(
    ("kind", "name", "wrong"),
    [
        ("brackets", "lmax", bare_eigenvalue),
        ("brackets", "cost", float_costs),
        ("brackets", "block_L", narrower),
        ("optima", "optimal_probabilities", optimistic),
        ("optima", "optimal_probabilities", pessimistic),
        ("claims", "verify", tolerant),
    ],
)
def test_wrong_answers_are_found(kind: str, name: str, wrong: Callable[..., Any]) -> None:
    """The attack finds in them what it does not find in the answers of the package."""
    before = {(finding.origin, finding.what) for finding in attacked(kind).findings}
    after = {
        (finding.origin, finding.what)
        for finding in attack(kind, AMOUNTS[kind] // 5, **{name: wrong}).findings
    }
    assert after - before


def test_the_judge_knows_eigenvalues() -> None:
    golden = Top(rows_of([[1, 1], [1, 0]]))
    low, high = golden(100)
    assert low * low - low - 1 < 0 < high * high - high - 1 and high - low < low / 2**99
    assert golden.sign(low) == 1 and golden.sign(high) == -1
    ones = Top(rows_of([[1] * 4] * 4))
    assert ones(64)[0] == ones(64)[1] == 4
    assert Top(rows_of([[1] * 4] * 4), [Fraction(1, 3)] * 4).sign(Fraction(12)) == 0
    assert Top(rows_of([[-2, 1], [1, -2]]))(64)[0] == -1
    low, high = Top(rows_of([[-1, 1], [1, -2]]))(64)  # (-3 + sqrt 5) / 2
    assert -1 < low < high < 0 and (2 * high + 3) ** 2 > 5 > (2 * low + 3) ** 2
    for d in (2, 5, 9):
        matrix = np.random.default_rng(d).integers(-9, 10, (d, d))
        symmetric = matrix + matrix.T
        low, high = Top(rows_of(symmetric))(64)
        assert math.isclose(low, np.linalg.eigvalsh(symmetric)[-1], rel_tol=1e-12)


def test_the_judge_knows_definiteness() -> None:
    assert semidefinite(rows_of([[1, 1], [1, 1]]))
    assert semidefinite(rows_of([[0, 0, 0], [0, 1, -1], [0, -1, 1]]))
    assert not semidefinite(rows_of([[1, 2], [2, 1]])) and not semidefinite(
        rows_of([[0, 1], [1, 9]])
    )
    tiny = Fraction(1, 10**300)
    assert not semidefinite([[Fraction(1), Fraction(1)], [Fraction(1), 1 - tiny]])


def test_the_judge_compares() -> None:
    truth = Truth(
        rows_of([[2, 0], [0, 2]]), [1, 1], rows_of([[1, 1], [1, 1]]), [Fraction(1), Fraction(1)]
    )
    assert order(truth.closed, rational(8)) == 0  # (sqrt 2 + sqrt 2)^2
    assert inside(Fraction(8), Fraction(8), truth.closed) is True
    assert inside(Fraction(0), Fraction(79, 10), truth.closed) is False
    below = Truth(
        rows_of([[2, 0], [0, -1]]), [1, 1], rows_of([[1, 1], [1, 1]]), [Fraction(1), Fraction(1)]
    )
    assert below.closed(64) is None and inside(0, 9, below.closed) is None
    with pytest.raises(ArithmeticError):
        order(below.closed, rational(1))
    mixed = Truth(
        rows_of([[2, 1], [1, 5]]), [1, 1], [[Fraction(1, 3)] * 2] * 2, [Fraction(1), Fraction(2)]
    )
    assert order(mixed.c_P, mixed.gradient_descent) is None  # equal, and irrational
    assert mixed.tied(mixed.c_P, mixed.gradient_descent) and not mixed.tied(mixed.c_P, mixed.lmax)
    assert mixed.lmax.exact is None
    assert simplest_between(Fraction(314, 100), Fraction(315, 100)) == Fraction(22, 7)
