"""The batch evaluator: claims on many problems at once in plain floats, which decide nothing.

A search maximizes these ratios. Where one seems to exceed 1, the claim is decided in brackets.
"""

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..numbers import Bracket
from ..numbers.exact_array import FloatArray, exact_array
from ..problem.blocks import Blocks
from ..problem.problem import Problem
from ..vocabulary import PER_BLOCK
from .at_point import dual_value
from .claim import Claim
from .expression import Call, Evaluator, Expression, Name, Number, Power
from .piecewise import Numbers, Piecewise

# Values of the barrier parameter relative to lambda_max with the Newton decrement asked for there,
# and the most Newton steps per value.
_PATH = (*((8.0**-k, 1.0) for k in range(6)), (8.0**-6, 1e-3), (8.0**-7, 1e-3))
_NEWTON_STEPS = 20


@dataclass(frozen=True, eq=False)
class Batch:
    """n problems with the same blocks.

    Attributes
    ----------
    L : array of shape (n, d, d)
    p, costs : arrays of shape (n, B)
    x : array of shape (n, d), optional
        The point of the quantities `g`, `xLx` and `dual`.
    pairs : array of shape (n, B, B), optional
        p_kl / (p_k p_l); of the nested sampling by default.
    max_blocks : array of shape (n,), optional
        The largest number of blocks in a step; all of them by default.
    weights : array of shape (n, 2^B), optional
        The probabilities of all sets of blocks, in the order of `subsets`; of the nested sampling
        by default. Statements about iterates read them.
    f : Piecewise, optional
        L-smooth functions.
    stepsize : array of shape (n,), optional
    steps : int
    """

    blocks: Blocks
    L: Numbers
    p: Numbers
    costs: Numbers
    x: Numbers | None = None
    pairs: FloatArray | None = field(default=None, kw_only=True)
    max_blocks: FloatArray | None = field(default=None, kw_only=True)
    weights: Numbers | None = field(default=None, kw_only=True)
    f: Piecewise | None = field(default=None, kw_only=True)
    stepsize: Numbers | None = field(default=None, kw_only=True)
    steps: int = field(default=0, kw_only=True)

    @property
    def per_coordinate(self) -> Numbers:
        """p along the coordinates."""
        return self.p[:, self.blocks.labels]

    @cached_property
    def block_L(self) -> FloatArray:
        """L_k."""
        return block_constants(self.L, self.blocks)

    @cached_property
    def lmax(self) -> FloatArray:
        """lambda_max(L)."""
        return top(self.L)

    @cached_property
    def L_P(self) -> FloatArray:
        """lambda_max(P^-1/2 L P^-1/2)."""
        return self.weighted(self.p)

    def weighted(self, p: FloatArray) -> FloatArray:
        """L_P at other probabilities."""
        root = np.sqrt(p[:, self.blocks.labels])
        return top(self.L / (root[:, :, None] * root[:, None, :]))

    @cached_property
    def clc(self) -> Numbers:
        """E[CLC]: block (k, l) of L times p_kl / (p_k p_l), which for the nested sampling is 1 /
        max(p_k, p_l).
        """
        if self.pairs is not None:
            labels = self.blocks.labels
            return np.asarray(self.L * self.pairs[:, labels[:, None], labels[None, :]])
        p = self.per_coordinate
        return np.asarray(self.L / np.maximum(p[:, :, None], p[:, None, :]))

    @cached_property
    def L_M(self) -> FloatArray:
        """lambda_max(E[CLC])."""
        return top(self.clc)

    @property
    def tau(self) -> FloatArray:
        """The largest number of blocks that a step updates."""
        every_block = np.full(len(self.L), float(self.blocks.count))
        return every_block if self.max_blocks is None else self.max_blocks

    @property
    def cost(self) -> FloatArray:
        """sum p_k c_k."""
        return np.asarray((self.p * self.costs).sum(axis=1))

    @cached_property
    def c_closed(self) -> FloatArray:
        """c(P) at the closed-form probabilities, nan where a block of L vanishes."""
        with np.errstate(invalid="ignore", divide="ignore"):
            p = closed_form(self.block_L, self.costs)
            return np.asarray(self.weighted(p) * (p * self.costs).sum(axis=1))

    @cached_property
    def mu(self) -> FloatArray:
        """lambda_min(L)."""
        return -top(-self.L)

    @cached_property
    def optimum(self) -> FloatArray:
        """The least c(P), to about eight digits: Newton steps along the central path of its
        semidefinite program.

        Minimize <c, q> - m log det(Diag(q) - L) over q for falling m. The minimum exceeds the
        optimum by a multiple of m, up to O(m^2), so two of them extrapolate to m = 0.
        """
        n, d = self.L.shape[:2]
        starts = self.blocks.starts
        labels = self.blocks.labels
        scale = np.maximum(self.lmax, 1e-300)
        L = self.L / scale[:, None, None]
        costs = self.costs / self.costs.sum(axis=1, keepdims=True)
        q = np.full((n, self.blocks.count), 2.0)
        values = []
        for m, centered in _PATH:
            for _ in range(_NEWTON_STEPS):
                inverse = np.linalg.inv(np.eye(d) * q[:, labels, None] - L)
                slope = costs / m - np.add.reduceat(np.einsum("nii->ni", inverse), starts, axis=1)
                bend = np.add.reduceat(
                    np.add.reduceat(inverse * inverse, starts, axis=1), starts, axis=2
                )
                step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
                decrement = np.sqrt(np.maximum((slope * step).sum(axis=1), 0.0))
                q = q - step / (1 + decrement)[:, None]
                if decrement.max() < centered:
                    break
            values.append((costs * q).sum(axis=1))
        before, last = values[-2:]
        m, _ = _PATH[-1]
        least = last - (before - last) * m / (_PATH[-2][0] - m)
        return np.where(self.lmax > 0, least * scale * self.costs.sum(axis=1), 0.0)

    @property
    def point(self) -> Numbers:
        """The points x of statements that speak of one."""
        assert self.x is not None
        return self.x

    @property
    def function(self) -> Piecewise:
        """The functions of statements that speak of some."""
        assert self.f is not None
        return self.f

    @property
    def step(self) -> Numbers:
        """The stepsizes of statements that speak of steps."""
        assert self.stepsize is not None
        return self.stepsize

    @cached_property
    def gradient_squares(self) -> FloatArray:
        """|(Lx)_k|^2."""
        gradient = np.einsum("nij,nj->ni", self.L, self.point)
        return np.add.reduceat(gradient * gradient, self.blocks.starts, axis=1)

    @cached_property
    def xLx(self) -> FloatArray:
        """x'Lx."""
        return np.asarray(np.einsum("ni,nij,nj->n", self.point, self.L, self.point, optimize=False))

    @cached_property
    def dual(self) -> FloatArray:
        """v'Lv for v_k = sqrt(c_k) x_k / |x_k|, at most c(P) for every P by weak duality."""
        return self.dual_at(self.costs)

    def dual_at(self, traces: FloatArray) -> FloatArray:
        """v'Lv where v_k is x_k scaled to the length sqrt(t_k)."""
        squares = np.add.reduceat(self.point * self.point, self.blocks.starts, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            v = self.point * np.sqrt(traces / squares)[:, self.blocks.labels]
        return np.asarray(np.einsum("ni,nij,nj->n", v, self.L, v, optimize=False))


@dataclass(frozen=True, eq=False)
class ExactBatch(Batch):
    """One problem in fractions, whose eigenvalues are brackets of `problem`."""

    problem: Problem = field(kw_only=True)

    @cached_property
    def lmax(self) -> Numbers:
        """lambda_max(L)."""
        return _single(self.problem.lmax)

    @cached_property
    def L_M(self) -> Numbers:
        """lambda_max(E[CLC])."""
        return _single(self.problem.L_M)

    def weighted(self, p: Numbers) -> Numbers:
        """L_P at other probabilities."""
        return _single(self.problem.weighted(exact_array(p[0].tolist(), "p")))

    def dual_at(self, traces: Numbers) -> Numbers:
        """v'Lv where v_k is x_k scaled to the length sqrt(t_k)."""
        scaled = Problem(self.problem.smoothness, self.blocks, traces[0].tolist())
        return _single(dual_value(scaled, self.point[0]))


def _single(value: Bracket) -> Numbers:
    return np.array([value], dtype=object)


def subsets(count: int) -> list[tuple[bool, ...]]:
    """Return all sets of blocks as masks, the empty one first and the whole one last."""
    return list(itertools.product((False, True), repeat=count))


def top(matrices: Numbers) -> FloatArray:
    """The largest eigenvalue of each of a stack; NaN where an entry is NaN."""
    if matrices.shape[-1] == 1:
        return np.asarray(matrices[:, 0, 0])
    usable = np.asarray(np.isfinite(matrices).all(axis=(1, 2)))
    if usable.all():
        return np.asarray(np.linalg.eigvalsh(matrices)[:, -1])
    return np.where(
        usable, np.linalg.eigvalsh(np.where(usable[:, None, None], matrices, 0.0))[:, -1], np.nan
    )


def block_constants(L: Numbers, blocks: Blocks) -> FloatArray:
    """Return L_k of shape (n, B)."""
    return np.stack([top(L[:, rows, rows]) for rows in blocks.slices], axis=1)


def closed_form(block_L: FloatArray, costs: FloatArray) -> FloatArray:
    """p_k proportional to sqrt(L_k / c_k), the largest 1."""
    p = np.sqrt(np.maximum(block_L, 0.0) / costs)
    return np.asarray(p / p.max(axis=1, keepdims=True))


# Names that a batch has under another attribute.
_ATTRIBUTES: dict[str, Callable[[Batch], FloatArray]] = {
    "d": lambda batch: np.full(len(batch.L), float(batch.blocks.dimension)),
    "B": lambda batch: np.full(len(batch.L), float(batch.blocks.count)),
    "L": lambda batch: batch.block_L,
    "c": lambda batch: batch.costs,
    "q": lambda batch: batch.p,
    "g": lambda batch: batch.gradient_squares,
    "closed": lambda batch: np.sqrt(np.maximum(batch.block_L * batch.costs, 0.0)).sum(axis=1) ** 2,
    "c_P": lambda batch: batch.L_P * batch.cost,
    "c_M": lambda batch: batch.L_M * batch.cost,
    "c_rounded": lambda batch: batch.c_closed,
}
_FUNCTIONS: dict[str, np.ufunc] = {
    "sqrt": np.sqrt,
    "abs": np.absolute,
    "sum": np.add,
    "min": np.minimum,
    "max": np.maximum,
}
_HIGHEST_RATIO = 1e9
# A value, and the size of the terms that it is the sum of: one column, or one for each block.
Sized = tuple[FloatArray, FloatArray]


class BatchEvaluator(Evaluator[Sized]):
    """Evaluates expressions on a batch, with the size of the terms that were added up."""

    def __init__(self, batch: Batch) -> None:
        super().__init__()
        self._batch = batch

    def number(self, node: Number) -> Sized:
        """Return the nearest float."""
        return _sized(np.full((1, 1), Bracket.of_fraction(node.value).midpoint))

    def name(self, node: Name) -> Sized:
        """Return one column, or one per block."""
        read = _ATTRIBUTES.get(node.name)
        value = np.asarray(read(self._batch) if read else getattr(self._batch, node.name))
        return _sized(value if node.name in PER_BLOCK else value[:, None])

    def power(self, node: Power, base: Sized) -> Sized:
        """Return the power."""
        return _sized(base[0] ** float(node.exponent))

    def call(self, node: Call, arguments: list[Sized]) -> Sized:
        """Return a function of columns, or over the blocks."""
        values = [value for value, _ in arguments]
        function = _FUNCTIONS[node.function]
        if node.over_blocks:
            return _sized(function.reduce(values[0], axis=1, keepdims=True))
        return _sized(functools.reduce(function, values) if len(values) > 1 else function(*values))

    def combine(self, symbol: str, left: Sized, right: Sized, operand: Expression) -> Sized:
        """Return the operation; a product or quotient counts as one term."""
        match symbol:
            case "+":
                return left[0] + right[0], left[1] + right[1]
            case "-":
                return left[0] - right[0], left[1] + right[1]
            case "*":
                return _sized(left[0] * right[0])
        return _sized(left[0] / right[0])


def _sized(value: FloatArray) -> Sized:
    return value, np.abs(value)


def ratios(claim: Claim, batch: Batch) -> FloatArray:
    """Return left / right of `left <= right`, after subtracted terms have moved to the other side.

    For `c_P - optimum >= 0` that is optimum / c_P. The ratio is NaN where a side is not a number.
    """
    evaluator = BatchEvaluator(batch)
    with np.errstate(all="ignore"):
        left, left_size = evaluator.evaluate(claim.left)
        right, right_size = evaluator.evaluate(claim.right)
        excess = (left - right)[:, 0]
        size = (left_size + right_size)[:, 0]
        if claim.relation in (">=", ">"):
            excess = -excess
        elif claim.relation == "==":
            excess = np.abs(excess)
        smaller = np.maximum(size - excess, size / _HIGHEST_RATIO)
        ratio = np.minimum((size + excess) / smaller, _HIGHEST_RATIO)
    # With nothing on either side, only a strict claim fails.
    nothing = 1.0 if claim.relation in ("<", ">") else 0.0
    return np.broadcast_to(np.where(size == 0, nothing, ratio), len(batch.L))
