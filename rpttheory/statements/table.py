"""Every statement about a matrix, probabilities and costs, written once in the claim language.

`verify` decides these texts in brackets, `attack` searches for counterexamples in batches of
floats, certificates write them as trees of integers, and the documentation prints them as LaTeX.
The statements assume that L is positive semidefinite. The problem has neither overhead nor forced
order; a statement about one of these writes it into its formula.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from ..numbers import Bracket, Verdict
from ..numbers.exact_array import FloatArray
from .batch import Batch, ExactBatch
from .claim import Claim
from .parser import parse
from .piecewise import Numbers

Sides: TypeAlias = tuple[Numbers, Numbers]
# Blocks on which statements without a formula are attacked by default.
PARTITIONS = ((1, 1), (2, 1), (1, 1, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1))


@dataclass(frozen=True)
class LabeledStatement:
    """One inequality or equation of the paper, or of ours.

    Attributes
    ----------
    label, part : str
        The label in the ledger, and which of its statements this is where there are several.
    text : str
        The statement, as a formula or in words.
    tight : str
        The problems on which equality holds or is approached.
    """

    label: str
    text: str
    part: str = field(default="", kw_only=True)
    tight: str = field(default="", kw_only=True)

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The label, with the part where there are several."""
        return f"{self.label}/{self.part}" if self.part else self.label


@dataclass(frozen=True)
class Statement(LabeledStatement):
    """A statement whose text is a formula of the claim language.

    Attributes
    ----------
    decided_by : str
        A claim that implies the statement. Where it is given, brackets decide it instead.
    sampling : str
        The name of the sampling that the statement is about; every sampling by default.
    in_verify : bool
        False for statements that `verify` leaves out.
    """

    decided_by: str = field(default="", kw_only=True)
    sampling: str = field(default="", kw_only=True)
    in_verify: bool = field(default=True, kw_only=True)

    @cached_property
    def claim(self) -> Claim:
        """The statement, parsed."""
        return parse(self.text)

    @cached_property
    def deciding_claim(self) -> Claim:
        """The claim that brackets decide: the statement, or one that implies it."""
        return parse(self.decided_by) if self.decided_by else self.claim


@dataclass(frozen=True)
class StepLimit:
    """The condition gamma^power * bound <= 1 on a stepsize gamma."""

    text: str
    bound: Callable[[Batch], Numbers]
    power: int = 1

    def largest(self, batch: Batch) -> FloatArray:
        """Return the largest stepsize in floats."""
        return np.asarray(self.bound(batch) ** (-1 / self.power))

    def allows(self, batch: ExactBatch) -> bool:
        """Return True if the stepsize of the batch is proved to meet the condition."""
        (product,) = batch.step**self.power * self.bound(batch)
        return (product <= 1) is Verdict.PROVED


@dataclass(frozen=True)
class ComputedStatement(LabeledStatement):
    """An inequality left <= right that the claim language cannot express; its text is only
    printed.

    Attributes
    ----------
    sides : callable
        Maps a batch to the arrays (left, right). Written for floats and fractions alike.
    functions : {"", "any", "convex", "strongly convex"}
        The functions it is about, none by default.
    limit : StepLimit, optional
        The stepsizes; with `largest_step` only the largest one.
    steps : tuple of int
        The numbers of steps.
    loose : str
        The reason why no problem attains equality.
    partitions : tuple of block sizes
        The blocks on which it is attacked.
    """

    claim: ClassVar[None] = None
    sides: Callable[[Batch], Sides]
    functions: Literal["", "any", "convex", "strongly convex"] = ""
    limit: StepLimit | None = None
    steps: tuple[int, ...] = (0,)
    loose: str = field(default="", kw_only=True)
    partitions: tuple[tuple[int, ...], ...] = field(default=PARTITIONS, kw_only=True)
    largest_step: bool = field(default=False, kw_only=True)

    def brackets(self, batch: ExactBatch) -> tuple[Bracket, Bracket]:
        """Return both sides on one problem."""
        left, right = (_as_bracket(side[0]) for side in self.sides(batch))
        return left, right


def _as_bracket(value: Any) -> Bracket:
    return value if isinstance(value, Bracket) else Bracket.of_fraction(Fraction(value))


def _log_convex(batch: Batch) -> Sides:
    squared = batch.weighted(batch.p**2) * (batch.p**2 * batch.costs).sum(axis=1)
    return batch.L_P * batch.cost, (squared + batch.lmax * batch.costs.sum(axis=1)) / 2


def _overhead(batch: Batch) -> Sides:
    """The traces are c_k, and one more for the block with the largest probability."""
    most_frequent = np.arange(batch.blocks.count) == batch.p.argmax(axis=1)[:, None]
    right = batch.L_P * (batch.p.max(axis=1) + batch.cost)
    return batch.dual_at(batch.costs + most_frequent), right


def _forced_order(batch: Batch) -> Sides:
    """The traces are the costs, with half of the first one moved to the second."""
    traces = batch.costs.copy()
    traces[:, 0] = traces[:, 0] / 2
    traces[:, 1] = traces[:, 1] + traces[:, 0]
    falling = np.sort(batch.p, axis=1)[:, ::-1]
    return batch.dual_at(traces), batch.weighted(falling) * (falling * batch.costs).sum(axis=1)


COMPUTED_STATEMENTS: tuple[ComputedStatement, ...] = (
    ComputedStatement(
        "our:logConvex",
        "c(P) <= (c(P^2) + c(I)) / 2: P is the geometric mean of the other two",
        _log_convex,
        tight="equal probabilities",
    ),
    ComputedStatement(
        "our:overhead",
        "v'Lv <= L_P (c_0 max p + sum p_k c_k) with c_0 = 1, |v_k|^2 = c_k + 1 for the block with"
        " the largest p_k, and |v_k|^2 = c_k for the others",
        _overhead,
        tight="p = 1 and v a leading eigenvector",
    ),
    ComputedStatement(
        "our:forcedOrder",
        "v'Lv <= L_P sum_i (p_i - p_{i+1}) K_i for falling p, |v_1|^2 = c_1 / 2, |v_2|^2 = c_2 +"
        " c_1 / 2",
        _forced_order,
        tight="p = 1 and v a leading eigenvector",
    ),
)

_SAME_COEFFICIENTS = "max(abs(q/p^2 - 1/p)) == 0"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "lem:key_quantity",
        "L_M <= L_P",
        part="left",
        tight="block-diagonal L, or nested sampling with equal probabilities",
    ),
    Statement(
        "lem:key_quantity",
        "L_P <= lmax / min(p)",
        part="right",
        tight="equal probabilities, or a leading eigenvector within the rarest block",
    ),
    # f(x) = x'Lx/2 has the gradient Lx and f(x) - f* = x'Lx/2; g_k is |(Lx)_k|^2.
    Statement(
        "lem:generalizedSmoothness",
        "sum(g/p) <= L_P*xLx",
        tight="x = P^-1/2 u, u a leading eigenvector of P^-1/2 L P^-1/2",
    ),
    # q_k / p_k^2 is E[C^2] on block k, with q summed over the outcomes of the sampling.
    Statement(
        "lem:secondMoment",
        "sum(q*g/p^2) == sum(g/p)",
        part="equality",
        tight="an equality",
        decided_by=_SAME_COEFFICIENTS,
    ),
    Statement(
        "lem:secondMoment",
        "sum(q*g/p^2) <= L_P*xLx",
        part="upper",
        tight="x = P^-1/2 u, u a leading eigenvector of P^-1/2 L P^-1/2",
    ),
    Statement("text:expectedCost", "sum(q*c) == sum(p*c)", tight="an equality"),
    Statement("lem:twoBounds", "max(L) <= lmax", part="lower", tight="block-diagonal L"),
    Statement(
        "lem:twoBounds",
        "lmax <= sum(L)",
        part="upper",
        tight="rank one, and the construction of prop:reachable_upper_bound with eps = 0",
    ),
    Statement("text:productBound", "c_P <= sum(L/p)*sum(p*c)", tight="rank one"),
    Statement(
        "lem:upperBound",
        "sum(sqrt(c*L))^2 <= sum(L/p)*sum(p*c)",
        tight="p_k proportional to sqrt(L_k / c_k)",
    ),
    Statement(
        "text:corollary",
        "optimum <= min(lmax*sum(c), sum(sqrt(c*L))^2)",
        tight="rank one",
        decided_by="min(c_rounded, lmax*sum(c)) <= min(lmax*sum(c), sum(sqrt(c*L))^2)",
    ),
    # The value of every dual point is a lower bound on the optimum.
    Statement(
        "text:corollary",
        "dual <= min(lmax*sum(c), sum(sqrt(c*L))^2)",
        part="dual point",
        tight="L = uu' with every u_k a positive multiple of x_k",
        in_verify=False,
    ),
    Statement(
        "our:sandwich",
        "sum(c*L) <= c_P",
        part="lower",
        tight="block-diagonal L with p_k proportional to L_k",
    ),
    Statement(
        "our:sandwich",
        "dual <= c_closed",
        part="optimum",
        tight="L = uu' with every u_k a positive multiple of x_k",
        in_verify=False,
    ),
    Statement(
        "our:sandwich",
        "dual <= lmax*sum(c)",
        part="gradient descent",
        tight="a leading eigenvector with block norms proportional to sqrt(c_k)",
        in_verify=False,
    ),
    Statement(
        "our:sandwich",
        "c_closed <= sum(sqrt(c*L))^2",
        part="closed form",
        tight="rank one",
        in_verify=False,
    ),
    Statement(
        "our:sandwich",
        "sum(sqrt(c*L))^2 <= B*sum(c*L)",
        part="factor",
        tight="c_k L_k all equal",
    ),
    Statement("our:LPgeqL", "lmax <= L_P", tight="p = 1"),
    Statement("our:anySampling", "lmax <= L_M", part="matrix", tight="p = 1"),
    Statement("our:anySampling", "max(L/p) <= L_M", part="blocks", tight="one block at a time"),
    Statement(
        "our:anySampling",
        "sum(c*L) <= c_M",
        part="cost",
        tight="one block at a time, p_k proportional to L_k",
        decided_by="max(L/p) <= L_M",
    ),
    Statement(
        "our:anySampling",
        "sum(c)*lmax + sum(c*L) <= L_M*(sum(c) + cost)",
        part="overhead",
        tight="p = 1 and block-diagonal L with equal L_k",
        decided_by="max(lmax, max(L/p)) <= L_M",
    ),
    Statement(
        "our:blockBudget",
        "sum(L) <= tau*L_M",
        part="lower",
        tight="one block at a time, p_k proportional to L_k",
        decided_by="max(L/p) <= L_M",
    ),
    Statement(
        "our:blockBudget",
        "L_M <= (1 - 1/tau)*lmax + max(L/p)",
        part="groups",
        sampling="groups",
        tight="L = 11' with groups of the same size and equal probabilities",
    ),
    Statement(
        "our:singleBlockOptimal",
        "L_M == max(L/p)",
        sampling="single",
        tight="an equality",
    ),
    Statement(
        "our:independentFactor",
        "L_M <= lmax + max(L/p - L)",
        sampling="independent",
        tight="equal probabilities and L = I",
    ),
    Statement(
        "our:closedFormFactor",
        "c_closed <= (1 + sqrt(B))/2*c_P",
        tight=(
            "block-diagonal L with sqrt(c_k L_k) = (1 + sqrt(B), 1, ..., 1), and p proportional"
            " to L"
        ),
        in_verify=False,
    ),
)


def statements(label: str) -> tuple[Statement, ...]:
    """Return the statements under a label, or the one named "label/part".

    Parameters
    ----------
    label : str
        Such as "lem:twoBounds" or "lem:twoBounds/upper".

    Returns
    -------
    tuple of Statement

    Examples
    --------
    >>> [statement.text for statement in statements("lem:key_quantity")]
    ['L_M <= L_P', 'L_P <= lmax / min(p)']
    """
    return tuple(
        statement for statement in STATEMENTS if label in (statement.label, statement.name)
    )
