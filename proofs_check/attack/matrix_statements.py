"""The inequalities that speak of a matrix, probabilities and costs alone."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rpttheory import Bracket, Problem, Verdict
from rpttheory.numbers.exact_array import FloatArray
from rpttheory.statements import AT_A_POINT, STATEMENTS, Statement, decide_at_effort
from rpttheory.statements.at_point import dual_value
from rpttheory.statements.batch import sides

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


def _dual(case: Case, traces: Numbers) -> Bracket:
    """Return v'Lv for |v_k|^2 = t_k in the direction of x."""
    return dual_value(Problem(case.L, case.blocks, traces.tolist()), case.x)


def _with_overhead(stack: Stack) -> Numbers:
    """The traces c_k + s_k for an overhead of 1, which goes to the block with the largest
    probability.
    """
    return np.asarray(
        stack.costs + (np.arange(stack.blocks.count) == stack.p.argmax(axis=1)[:, None])
    )


def _moved_back(stack: Stack) -> Numbers:
    """The costs with half of the first block's moved to the second: falling q weigh them less."""
    traces = stack.costs.copy()
    traces[:, 0] = traces[:, 0] / 2
    traces[:, 1] = traces[:, 1] + traces[:, 0]
    return np.asarray(traces)


def _overhead(case: Case) -> Brackets:
    p = case.exact.p[0]
    costs = case.exact.costs[0]
    right = instance_of(case).L_P * Fraction(p.max() + (p * costs).sum())
    return _dual(case, _with_overhead(case.exact)[0]), right


def _forced(case: Case) -> Brackets:
    falling = np.sort(case.exact.p[0])[::-1]
    return _dual(case, _moved_back(case.exact)[0]), instance_of(case, falling).c_P


def _forced_cost(stack: Stack) -> FloatArray:
    falling = np.sort(stack.p, axis=1)[:, ::-1]
    return np.asarray(stack.weighted(falling) * (falling * stack.costs).sum(axis=1))


def _log_convex(case: Case) -> Brackets:
    ends = instance_of(case, case.exact.p[0] ** 2).c_P + instance_of(case).gradient_descent
    return instance_of(case).c_P, ends * Fraction(1, 2)


def _total(stack: Stack) -> FloatArray:
    return np.asarray(stack.lmax * stack.costs.sum(axis=1))


def _from_table(statement: Statement) -> Inequality:
    """Return a statement of the table as an inequality to attack."""
    claim = statement.claim

    def decide(case: Case) -> Verdict:
        return decide_at_effort([statement], instance_of(case), x=case.x)[0].verdict

    return Inequality(
        statement.label,
        statement.text,
        statement.tight,
        WITH_POINT if claim.names() & AT_A_POINT else MATRICES,
        lambda stack: sides(claim, stack),
        decide,
        part=statement.part,
    )


def _is_attacked(statement: Statement) -> bool:
    """Return False for what is attacked with functions instead, and for the optimum itself."""
    return not statement.claim.names() & {"g", "q", "optimum"}


MATRIX_STATEMENTS = (
    *(_from_table(statement) for statement in STATEMENTS if _is_attacked(statement)),
    Inequality(
        "our:logConvex",
        "c(P) <= (c(P^2) + c(I)) / 2: P is the geometric mean of the other two",
        "equal probabilities",
        MATRICES,
        lambda s: (
            s.L_P * s.cost,
            (s.weighted(s.p**2) * (s.p**2 * s.costs).sum(axis=1) + _total(s)) / 2,
        ),
        ByBrackets(_log_convex),
    ),
    Inequality(
        "our:overhead",
        "v'Lv <= L_P (c_0 max p + sum p_k c_k) with c_0 = 1, |v_k|^2 = c_k, for the block of the"
        " largest p_k c_k + 1",
        "p = 1 and v a top eigenvector",
        WITH_POINT,
        lambda s: (s.dual_at(_with_overhead(s)), s.L_P * (s.p.max(axis=1) + s.cost)),
        ByBrackets(_overhead),
    ),
    Inequality(
        "our:forcedOrder",
        "v'Lv <= L_P sum_i (p_i - p_{i+1}) K_i for falling p, |v_1|^2 = c_1 / 2, |v_2|^2 = c_2 +"
        " c_1 / 2",
        "p = 1 and v a top eigenvector",
        WITH_POINT,
        lambda s: (s.dual_at(_moved_back(s)), _forced_cost(s)),
        ByBrackets(_forced),
    ),
)
