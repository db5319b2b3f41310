"""The inequalities that speak of a matrix, probabilities and costs alone."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rpttheory import Bracket, Rigour, Verdict
from rpttheory.certify.exact import bracket_exactly
from rpttheory.reals import FloatArray
from rpttheory.theory import bounds

from .case import Case
from .inequality import Inequality
from .problems import PARTITIONS, Problems, layouts
from .ridge import Numbers
from .stack import Stack
from .stepsize import instance_of

Sides = tuple[FloatArray, FloatArray]
Brackets = tuple[Bracket, Bracket]

# With one block every statement here is an equality.
_LAYOUTS = layouts(partitions=tuple(sizes for sizes in PARTITIONS if len(sizes) > 1))
MATRICES = Problems(_LAYOUTS)
WITH_POINT = Problems(_LAYOUTS, point=True)


@dataclass(frozen=True)
class ByBrackets:
    """A decision from rigorous enclosures of both sides."""

    brackets: Callable[[Case], Brackets]

    def __call__(self, case: Case) -> Verdict:
        left, right = self.brackets(case)
        return left <= right


def dual_value(case: Case, traces: Numbers | None = None) -> Bracket:
    """v'Lv for v_k = sqrt(t_k) x_k / |x_k|; with the costs for t, a lower bound on c(P) for every P."""
    exact, slices = case.exact, case.blocks.slices
    x, L, costs = exact.x[0], exact.L[0], exact.costs[0] if traces is None else traces
    squares = [sum(x[rows] * x[rows], Fraction(0)) for rows in slices]
    terms = []
    for k, rows in enumerate(slices):
        for m, columns in enumerate(slices):
            value = Fraction(x[rows] @ L[rows, columns] @ x[columns])
            if value:
                terms.append(Bracket.of_fraction(costs[k] * costs[m] / (squares[k] * squares[m])).sqrt() * value)
    return Bracket.sum(terms)


def closed_cost(case: Case) -> Bracket:
    """c(P) at the closed-form probabilities themselves, not at the floats beside them.

    In fractions where they are fractions; else c(P) changes by at most the spread of the quotients between the two.
    """
    instance = instance_of(case)
    if any(L.low <= 0 for L in instance.block_L):
        return Bracket.everything()
    roots = [(L / c).sqrt() for L, c in zip(instance.block_L, instance.costs.fractions(), strict=True)]
    exact = [root.exact for root in roots if root.exact is not None]
    if len(exact) == len(roots):
        weights = [exact[k] for k in case.blocks.labels.tolist()]
        cost = sum((r * c for r, c in zip(exact, instance.costs.fractions(), strict=True)), Fraction(0))
        # Between 0 and the trace, because L is positive semidefinite.
        trace = sum((a / w for a, w in zip(np.diag(case.exact.L[0]), weights, strict=True)), Fraction(0))
        return bracket_exactly(case.exact.L[0].tolist(), weights, Bracket(Fraction(0), trace)) * cost
    floats = instance.closed_form.probabilities.tolist()
    quotients = [root / Bracket.point(q) for root, q in zip(roots, floats, strict=True)]
    low, high = min(Fraction(q.low) for q in quotients), max(Fraction(q.high) for q in quotients)
    return instance.c_closed * Bracket(low / high, high / low, Rigour.EXACT)


def _with_overhead(stack: Stack) -> Numbers:
    """The traces c_k + s_k for an overhead of 1, which goes to the block with the largest probability."""
    return np.asarray(stack.costs + (np.arange(stack.blocks.count) == stack.p.argmax(axis=1)[:, None]))


def _moved_back(stack: Stack) -> Numbers:
    """The costs with half of the first block's moved to the second: falling q weigh them less."""
    traces = stack.costs.copy()
    traces[:, 0] = traces[:, 0] / 2
    traces[:, 1] = traces[:, 1] + traces[:, 0]
    return np.asarray(traces)


def _overhead(case: Case) -> Brackets:
    p, costs = case.exact.p[0], case.exact.costs[0]
    right = instance_of(case).L_P * Fraction(p.max() + (p * costs).sum())
    return dual_value(case, _with_overhead(case.exact)[0]), right


def _forced(case: Case) -> Brackets:
    falling = np.sort(case.exact.p[0])[::-1]
    return dual_value(case, _moved_back(case.exact)[0]), instance_of(case, falling).c_P


def _forced_cost(stack: Stack) -> FloatArray:
    falling = np.sort(stack.p, axis=1)[:, ::-1]
    return np.asarray(stack.weighted(falling) * (falling * stack.costs).sum(axis=1))


def _log_convex(case: Case) -> Brackets:
    ends = instance_of(case, case.exact.p[0] ** 2).c_P + instance_of(case).gradient_descent
    return instance_of(case).c_P, ends * Fraction(1, 2)


def _closed_form_factor(case: Case) -> Brackets:
    root = Bracket.of_fraction(Fraction(case.blocks.count)).sqrt()
    return closed_cost(case), instance_of(case).c_P * (root + 1) * Fraction(1, 2)


def _corollary(case: Case) -> Verdict:
    """The optimum lies between a dual value and the better of two points at hand."""
    instance = instance_of(case)
    right = Bracket.smallest((instance.gradient_descent, instance.closed))
    if (dual_value(case) <= right) is Verdict.REFUTED:
        return Verdict.REFUTED
    at_hand = (instance.gradient_descent <= right, closed_cost(case) <= right)
    return Verdict.PROVED if Verdict.PROVED in at_hand else Verdict.UNDECIDED


def _total(stack: Stack) -> FloatArray:
    return np.asarray(stack.lmax * stack.costs.sum(axis=1))


def _product(stack: Stack) -> FloatArray:
    return np.asarray((stack.block_L / stack.p).sum(axis=1) * stack.cost)


MATRIX_STATEMENTS = (
    Inequality(
        "lem:key_quantity",
        "L_M <= L_P",
        "block-diagonal L, or equal probabilities",
        MATRICES,
        lambda s: (s.L_M, s.L_P),
        lambda case: bounds.key_quantity(instance_of(case))[0].verdict,
        part="left",
    ),
    Inequality(
        "lem:key_quantity",
        "L_P <= lambda_max(L) / p_min",
        "equal probabilities, or a top eigenvector within the rarest block",
        MATRICES,
        lambda s: (s.L_P, s.lmax / s.p.min(axis=1)),
        lambda case: bounds.key_quantity(instance_of(case))[1].verdict,
        part="right",
    ),
    Inequality(
        "lem:twoBounds",
        "max L_k <= lambda_max(L)",
        "block-diagonal L",
        MATRICES,
        lambda s: (s.block_L.max(axis=1), s.lmax),
        lambda case: bounds.two_bounds(instance_of(case))[0].verdict,
        part="lower",
    ),
    Inequality(
        "lem:twoBounds",
        "lambda_max(L) <= sum L_k",
        "rank one, and the construction of prop:reachable_upper_bound with eps = 0",
        MATRICES,
        lambda s: (s.lmax, s.block_L.sum(axis=1)),
        lambda case: bounds.two_bounds(instance_of(case))[1].verdict,
        part="upper",
    ),
    Inequality(
        "text:productBound",
        "c(P) <= sum(L_k / p_k) sum(p_k c_k)",
        "rank one",
        MATRICES,
        lambda s: (s.L_P * s.cost, _product(s)),
        lambda case: bounds.upper_bound(instance_of(case))[0].verdict,
    ),
    Inequality(
        "lem:upperBound",
        "(sum sqrt(L_k c_k))^2 <= sum(L_k / p_k) sum(p_k c_k)",
        "p_k proportional to sqrt(L_k / c_k)",
        MATRICES,
        lambda s: (s.closed, _product(s)),
        lambda case: bounds.upper_bound(instance_of(case))[1].verdict,
    ),
    Inequality(
        "text:corollary",
        "min c(P) <= min(lambda_max(L), (sum sqrt(L_k c_k))^2); left is bounded below by a dual point",
        "rank one",
        WITH_POINT,
        lambda s: (s.dual, np.minimum(_total(s), s.closed)),
        _corollary,
    ),
    Inequality(
        "our:sandwich",
        "sum c_k L_k <= c(P)",
        "block-diagonal L with p_k proportional to L_k",
        MATRICES,
        lambda s: (s.sumcL, s.L_P * s.cost),
        lambda case: bounds.sandwich(instance_of(case))[0].verdict,
        part="lower",
    ),
    Inequality(
        "our:sandwich",
        "v'Lv <= c(P_closed) for |v_k|^2 = c_k, whose maximum is min c(P)",
        "rank one",
        WITH_POINT,
        lambda s: (s.dual, s.c_closed),
        ByBrackets(lambda case: (dual_value(case), closed_cost(case))),
        part="optimum",
    ),
    Inequality(
        "our:sandwich",
        "v'Lv <= lambda_max(L) sum c_k for |v_k|^2 = c_k",
        "a top eigenvector with block norms proportional to sqrt(c_k)",
        WITH_POINT,
        lambda s: (s.dual, _total(s)),
        ByBrackets(lambda case: (dual_value(case), instance_of(case).gradient_descent)),
        part="gradient descent",
    ),
    Inequality(
        "our:sandwich",
        "c(P_closed) <= (sum sqrt(c_k L_k))^2",
        "rank one",
        MATRICES,
        lambda s: (s.c_closed, s.closed),
        ByBrackets(lambda case: (closed_cost(case), instance_of(case).closed)),
        part="closed form",
    ),
    Inequality(
        "our:sandwich",
        "(sum sqrt(c_k L_k))^2 <= B sum c_k L_k",
        "c_k L_k all equal",
        MATRICES,
        lambda s: (s.closed, s.blocks.count * s.sumcL),
        lambda case: bounds.sandwich(instance_of(case))[1].verdict,
        part="factor",
    ),
    Inequality(
        "our:LPgeqL",
        "lambda_max(L) <= L_P",
        "p = 1",
        MATRICES,
        lambda s: (s.lmax, s.L_P),
        ByBrackets(lambda case: (instance_of(case).lmax, instance_of(case).L_P)),
    ),
    Inequality(
        "our:closedFormFactor",
        "c(P_closed) <= (1 + sqrt(B)) / 2 c(P), for every P",
        "block-diagonal L with sqrt(c_k L_k) = (1 + sqrt(B), 1, ..., 1), and p_k proportional to L_k",
        MATRICES,
        lambda s: (s.c_closed, (1 + s.blocks.count**0.5) / 2 * s.L_P * s.cost),
        ByBrackets(_closed_form_factor),
    ),
    Inequality(
        "our:logConvex",
        "c(P) <= (c(P^2) + c(I)) / 2: P is the geometric mean of the other two",
        "equal probabilities",
        MATRICES,
        lambda s: (s.L_P * s.cost, (s.weighted(s.p**2) * (s.p**2 * s.costs).sum(axis=1) + _total(s)) / 2),
        ByBrackets(_log_convex),
    ),
    Inequality(
        "our:overhead",
        "v'Lv <= L_P (c_0 max p + sum p_k c_k) with c_0 = 1, |v_k|^2 = c_k, for the block of the largest p_k c_k + 1",
        "p = 1 and v a top eigenvector",
        WITH_POINT,
        lambda s: (s.dual_of(_with_overhead(s)), s.L_P * (s.p.max(axis=1) + s.cost)),
        ByBrackets(_overhead),
    ),
    Inequality(
        "our:forcedOrder",
        "v'Lv <= L_P sum_i (p_i - p_{i+1}) K_i for falling p, |v_1|^2 = c_1 / 2, |v_2|^2 = c_2 + c_1 / 2",
        "p = 1 and v a top eigenvector",
        WITH_POINT,
        lambda s: (s.dual_of(_moved_back(s)), _forced_cost(s)),
        ByBrackets(_forced),
    ),
)
