"""The paper's statements, and ours, as pairs (left, right) on a given problem.

Each function returns its claims; a claim's verdict comes from the brackets of the two sides alone,
and none of them uses the theorem it checks. The one exception is the second part of `upper_bound`,
which is a tie at the paper's own probabilities and is then decided on the difference of its sides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from ..certify import Bracket, Rigour, Verdict, arithmetic_problem
from ..certify.exact import EXACT_DIMENSION, RationalMatrix
from ..certify.pencil import UNIT, absolute_product
from ..certify.spectrum import magnitude
from ..errors import InvalidInput
from ..problem.problem import Problem
from ..problem.sampling import NestedSampling, SingleBlockSampling
from ..reals import FloatArray

# Supports with more outcomes than this are not enumerated.
_ENUMERATED_OUTCOMES = 4096


@dataclass(frozen=True)
class Claim:
    """left <= right (or ==) under a label of the paper, decided.

    Examples
    --------
    >>> from rpttheory import verify
    >>> claim = verify([[4.0, 1.0], [1.0, 2.0]], [1, 1]).claims[0]
    >>> print(claim.label, claim.statement, claim.verdict)
    lem:key_quantity L_M <= L_P PROVED
    """

    label: str
    part: str
    statement: str
    left: Bracket
    right: Bracket
    verdict: Verdict

    def __str__(self) -> str:
        return f"{self.label}: {self.statement}: {self.verdict}, {self.left} and {self.right}"

    def __repr__(self) -> str:
        return f"<Claim {self}>"

    @property
    def rigour(self) -> Rigour:
        """The weaker rigour of the two sides."""
        return min(self.left.rigour, self.right.rigour)

    def to_dict(self) -> dict[str, Any]:
        """The claim as JSON-safe values."""
        return {
            "label": self.label,
            "part": self.part,
            "left": self.left.to_dict(),
            "right": self.right.to_dict(),
            "verdict": self.verdict.value,
            "rigour": self.rigour.name,
        }


def _claim(
    label: str, part: str, statement: str, left: Bracket, right: Bracket, relation: Literal["<=", "=="] = "<="
) -> Claim:
    verdict = left <= right if relation == "<=" else left.equals(right)
    return Claim(label, part, statement, left, right, verdict)


def key_quantity(problem: Problem) -> tuple[Claim, Claim]:
    """L_M <= L_P <= lambda_max(L) / p_min, for any sampling.

    Paper: lem:key_quantity (upper, tight)
    """
    label = "lem:key_quantity"
    return (
        _claim(label, "left", "L_M <= L_P", problem.L_M, problem.L_P),
        _claim(label, "right", "L_P <= lmax / pmin", problem.L_P, problem.lmax / problem.pmin),
    )


def two_bounds(problem: Problem) -> tuple[Claim, Claim]:
    """max_k L_k <= lambda_max(L) <= sum_k L_k; the right half needs L positive semidefinite.

    Paper: lem:twoBounds (upper, tight)
    """
    label = "lem:twoBounds"
    return (
        _claim(label, "lower", "max L_k <= lmax", problem.maxL, problem.lmax),
        _claim(label, "upper", "lmax <= sum L_k", problem.lmax, problem.sumL),
    )


def upper_bound(problem: Problem) -> tuple[Claim, Claim]:
    """c(P) <= sum(L_k / p_k) sum(p_k c_k), and that product is at least (sum sqrt(L_k c_k))^2.

    The closed form attains the second bound, so there its sides differ by less than any bracket of
    them. Where the brackets overlap that part is decided on the difference, which with s_k = sqrt(L_k c_k),
    u_k = p_k c_k and their sums S, U is U sum u_k (s_k / u_k - S / U)^2.

    Paper: lem:upperBound (lower, tight)
    """
    label = "lem:upperBound"
    quotients = [L / q for L, q in zip(problem.block_L, problem.marginals, strict=True)]
    product = Bracket.sum(quotients) * problem.cost
    minimum = _claim(label, "minimum", "(sum sqrt(L_k c_k))^2 <= sum(L_k/p_k) sum(p_k c_k)", problem.closed, product)
    undecided = minimum.verdict is Verdict.UNDECIDED and minimum.rigour is not Rigour.NUMERICAL
    if undecided and problem.plain and all(L.low >= 0 for L in problem.block_L):
        # A sum of squares with positive weights, whatever the s_k are, if only they are real.
        minimum = Claim(label, minimum.part, minimum.statement, minimum.left, minimum.right, Verdict.PROVED)
    return (_claim(label, "product", "c(P) <= sum(L_k/p_k) sum(p_k c_k)", problem.c_P, product), minimum)


def corollary(problem: Problem) -> tuple[Claim]:
    """The optimum of c(P) is at most min(lambda_max, (sum sqrt(L_k c_k))^2).

    The optimum is bracketed by sum c_k L_k and the better of two points at hand, the closed form and
    p = 1. So the claim can be proved here but not refuted.

    Paper: text:corollary (upper, tight)
    """
    best = Bracket.smallest((problem.c_closed, problem.gradient_descent))
    right = Bracket.smallest((problem.gradient_descent, problem.closed))
    if best is not right:
        rigour = min(best.rigour, problem.sumcL.rigour)
        best = Bracket(min(problem.sumcL.low, best.high), best.high, rigour)
    return (_claim("text:corollary", "", "min c(P) <= min(lmax, (sum sqrt(L_k c_k))^2)", best, right),)


def sandwich(problem: Problem) -> tuple[Claim, ...]:
    """sum c_k L_k <= c(P) for every P, and the closed form is within the factor B of that."""
    label, count = "our:sandwich", Bracket.point(float(problem.blocks.count))
    return (
        _claim(label, "lower", "sum c_k L_k <= c(P)", problem.sumcL, problem.c_P),
        _claim(label, "upper", "(sum sqrt(L_k c_k))^2 <= B sum c_k L_k", problem.closed, count * problem.sumcL),
    )


def expected_cost_identity(problem: Problem) -> tuple[Claim, ...]:
    """The expected cost, outcome by outcome, equals sum p_k c_k; in fractions, without rounding.

    For the nested sampling this is the paper's Abel summation under the reading rank -> block.
    """
    p, exact_costs = problem.sampling.marginals.fractions(), problem.costs.fractions()
    if isinstance(problem.sampling, NestedSampling):
        order = problem.sampling.order.rank_to_block
        left = abel_sum([p[k] for k in order], [exact_costs[k] for k in order])
    elif problem.blocks.count <= 12 or isinstance(problem.sampling, SingleBlockSampling):
        left = Fraction(0)
        for outcome in problem.sampling.support():
            paid = sum((exact_costs[k] for k in np.flatnonzero(outcome.active).tolist()), Fraction(0))
            left += outcome.probability * paid
    else:
        return ()
    statement = "sum over outcomes of probability times cost = sum p_k c_k"
    return (_claim("text:expectedCost", "", statement, Bracket.of_fraction(left), problem.cost, "=="),)


def abel_sum(ranked_p: Sequence[Fraction | float], ranked_c: Sequence[Fraction | float]) -> Fraction:
    """sum_i (p_i - p_{i+1}) (c_1 + ... + c_i) for values listed by rank, p_{B+1} = 0."""
    total, paid = Fraction(0), Fraction(0)
    following = [*ranked_p[1:], Fraction(0)]
    for p, after, c in zip(ranked_p, following, ranked_c, strict=True):
        paid += Fraction(c)
        total += (Fraction(p) - Fraction(after)) * paid
    return total


def second_moment(problem: Problem, x: FloatArray | None = None) -> tuple[Claim, ...]:
    """E||Cg||^2 = ||g||^2_{P^-1} <= 2 L_P (f(x) - f*) on the quadratic f = x'Lx/2, at a point x.

    The inequality is `lem:generalizedSmoothness` with W = P^-1. The printed statement lacks the
    square on the norm. The default x is a fixed vector of small integers.

    Paper: lem:generalizedSmoothness (upper, tight)
    Paper: lem:secondMoment (upper, tight)
    """
    x = trial_point(problem.blocks.dimension) if x is None else x
    squares, value = _gradient_and_value(problem, x)
    p = [q.exact for q in problem.marginals]
    weighted = Bracket.sum(n / q for n, q in zip(squares, problem.marginals, strict=True))
    right = problem.L_P * value
    claims = [
        _claim(
            "lem:generalizedSmoothness", "", "||g||^2_W <= 2A(f - f*), W = P^-1, f = x'Lx/2, one x", weighted, right
        ),
    ]
    coefficients = _second_moments_of_sketch(problem)
    if coefficients is not None:
        # The same numbers times the same coefficients are the same sum.
        same = all(q is not None and a == 1 / q for a, q in zip(coefficients, p, strict=True))
        left = (
            weighted
            if same
            else Bracket.sum(n * Bracket.of_fraction(a) for n, a in zip(squares, coefficients, strict=True))
        )
        claims.append(
            _claim("lem:secondMoment", "equality", "E||Cg||^2 = ||g||^2_{P^-1}, g = Lx", left, weighted, "==")
        )
        claims.append(_claim("lem:secondMoment", "upper", "E||Cg||^2 <= 2 L_P (f - f*)", left, right))
    return tuple(claims)


def trial_point(dimension: int) -> FloatArray:
    """A vector without zeros, so that the claim speaks of every coordinate."""
    rng = np.random.default_rng(1)
    return np.asarray(rng.integers(1, 9, dimension) * rng.choice([-1.0, 1.0], dimension))


def _second_moments_of_sketch(problem: Problem) -> list[Fraction] | None:
    """E[C^2] per block by enumeration, or None where the support is too large."""
    count = problem.blocks.count
    outcomes = count + 1 if isinstance(problem.sampling, NestedSampling) else 2 ** min(count, 60)
    if outcomes * count > _ENUMERATED_OUTCOMES * 12:
        return None
    support = list(problem.sampling.support())
    common, masses = math.lcm(*(outcome.probability.denominator for outcome in support)), [0] * count
    for outcome in support:
        unit = int(outcome.probability * common)
        for k in np.flatnonzero(outcome.active).tolist():
            masses[k] += unit
    return [Fraction(mass, common) / problem.sampling.pair_fraction(k, k) ** 2 for k, mass in enumerate(masses)]


def _gradient_and_value(problem: Problem, x: FloatArray) -> tuple[list[Bracket], Bracket]:
    """||(Lx)_k||^2 per block and x'Lx, rigorously where the entries of L are known."""
    form = problem.smoothness
    entries = form.rational() if problem.effort == "exact" and x.size <= EXACT_DIMENSION else None
    if entries is not None:
        return _gradient_and_value_exactly(problem, entries, [Fraction(v) for v in x.tolist()])
    explicit = form.explicit()
    d = x.size
    # Squares of huge or tiny entries leave the range of floats, so everything is over a power of two.
    if explicit is None:
        gradient = form.matmat(x)
        unit = magnitude(gradient)
        gradient, error, rigour = gradient / unit, np.zeros(d), Rigour.NUMERICAL
        value_error = 0.0
    else:
        matrix = explicit.matrix
        unit = magnitude(matrix if isinstance(matrix, np.ndarray) else matrix.data)
        matrix = matrix if unit == 1 else matrix / unit
        gradient, rigour = np.asarray(matrix @ x), Rigour.ROUNDED
        size_of_terms = absolute_product(matrix, x)
        error = (d + 4) * UNIT * (1 + 2.0**-20) * size_of_terms + np.where(size_of_terms > 0, 2.0**-500, 0.0)
        value_error = float(np.abs(x) @ error)
        if explicit.slack is not None:
            slack = explicit.slack / unit + 2.0**-1060
            # ||E x||_inf <= ||E|| ||x|| with ||E|| <= max slack.
            error = error + float(slack.max()) * float(np.linalg.norm(x)) * (1 + 2.0**-20)
            value_error += float(slack @ (x * x))
    if arithmetic_problem(d):
        rigour = Rigour.NUMERICAL
    low, high = np.maximum(np.abs(gradient) - error, 0.0) ** 2, (np.abs(gradient) + error) ** 2
    room = (d + 8) * UNIT
    starts, size = problem.blocks.starts, Fraction(unit)
    lows = (np.add.reduceat(low, starts) * (1 - room)).tolist()
    highs = (np.add.reduceat(high, starts) * (1 + room)).tolist()
    squares = [
        Bracket(Fraction(a) * size * size, Fraction(max(a, b)) * size * size, rigour)
        for a, b in zip(lows, highs, strict=True)
    ]
    value = float(x @ gradient)
    margin = (value_error + room * float(np.abs(x) @ np.abs(gradient))) * (1 + 2.0**-10)
    return squares, Bracket(Fraction(value - margin) * size, Fraction(value + margin) * size, rigour)


def _gradient_and_value_exactly(
    problem: Problem, entries: RationalMatrix, x: list[Fraction]
) -> tuple[list[Bracket], Bracket]:
    gradient = [sum((a * b for a, b in zip(row, x, strict=True)), Fraction(0)) for row in entries]
    squares = [Bracket.of_fraction(sum((g * g for g in gradient[rows]), Fraction(0))) for rows in problem.blocks.slices]
    return squares, Bracket.of_fraction(sum((a * g for a, g in zip(x, gradient, strict=True)), Fraction(0)))


def all_claims(problem: Problem) -> tuple[Claim, ...]:
    """Every statement of the paper that one matrix can confirm or refute, and our sandwich.

    Examples
    --------
    >>> for claim in all_claims(Problem([[4.0, 1.0], [1.0, 2.0]], [1, 1]))[:2]:
    ...     print(claim.label, claim.statement, claim.verdict)
    lem:key_quantity L_M <= L_P PROVED
    lem:key_quantity L_P <= lmax / pmin PROVED
    """
    if not problem.plain:
        found = "an overhead" if problem.overhead else "an order"
        raise InvalidInput("the statements are about problems without overhead and forced order", found, "neither")
    return (
        *key_quantity(problem),
        *second_moment(problem),
        *expected_cost_identity(problem),
        *two_bounds(problem),
        *upper_bound(problem),
        *corollary(problem),
        *sandwich(problem),
    )
