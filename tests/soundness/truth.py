"""The numbers of the paper in exact arithmetic, for what the user wrote."""

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from operator import mul

from .reals import (
    Multiple,
    Pair,
    Real,
    Rows,
    Top,
    negative,
    product,
    rational,
    root,
    square_of_sum_of_roots,
    total,
)


class Truth:
    """The numbers of the paper for the matrix, the sampling and the costs that the user wrote.

    `p_near` holds the probabilities that the package calls the closed form, which are rounded.
    `points` and `dual_bound` enclose the optimum where no formula gives it.
    """

    def __init__(
        self, matrix: Rows, sizes: Sequence[int], pairs: Rows, costs: Sequence[Fraction]
    ) -> None:
        self.matrix = matrix
        self.sizes = sizes
        self.pairs = pairs
        self.costs = costs
        self.label = [k for k, size in enumerate(sizes) for _ in range(size)]
        self.p = [pairs[k][k] for k in range(len(sizes))]
        self.tau = rational(Fraction(1 if self.alone else len(sizes)))
        self.p_near: Sequence[Fraction] | None = None
        self.overhead = Fraction(0)
        self.order: Sequence[int] | None = None
        self.x: list[Fraction] = []
        self.points: list[list[Fraction]] = []
        self.dual_bound = Fraction(0)

    @cached_property
    def alone(self) -> bool:
        """True if no step updates two blocks."""
        return not any(p for k, row in enumerate(self.pairs) for m, p in enumerate(row) if k != m)

    # Where two of these are the same number for every matrix they are the same Top: see `tied`.

    @cached_property
    def split(self) -> bool:
        """True if there is nothing between the blocks."""
        entries = ((i, j, x) for i, row in enumerate(self.matrix) for j, x in enumerate(row))
        return not any(x for i, j, x in entries if self.label[i] != self.label[j])

    @cached_property
    def block_L(self) -> list[Top]:
        if len(self.sizes) == 1:
            return [self.lmax]
        coordinates = range(len(self.label))
        blocks = [[i for i in coordinates if self.label[i] == k] for k in range(len(self.sizes))]
        return [Top([[self.matrix[i][j] for j in block] for i in block]) for block in blocks]

    @cached_property
    def lmax(self) -> Top:
        return Top(self.matrix)

    @cached_property
    def mu(self) -> Real:
        return negative(Top([[-entry for entry in row] for row in self.matrix]))

    @cached_property
    def L_P(self) -> Top | Multiple:
        return self.weighted(self.p)

    def weighted(self, p: Sequence[Fraction]) -> Top | Multiple:
        if len(set(p)) == 1:
            return Multiple(self.lmax, 1 / p[0])
        return Top(self.matrix, [p[k] for k in self.label])

    @cached_property
    def L_M(self) -> Top | Multiple:
        if self.split or set(self.p) == {1}:
            return self.L_P
        p = self.p
        n = range(len(self.sizes))
        ratio = [[self.pairs[k][m] / (p[k] * p[m]) for m in n] for k in n]
        return Top(
            [
                [
                    entry * ratio[self.label[i]][self.label[j]] if entry else entry
                    for j, entry in enumerate(row)
                ]
                for i, row in enumerate(self.matrix)
            ]
        )

    @cached_property
    def maxL(self) -> Top:
        if self.split:
            return self.lmax
        same = self.label
        rows = enumerate(self.matrix)
        return Top(
            [
                [x if same[i] == same[j] else Fraction(0) for j, x in enumerate(row)]
                for i, row in rows
            ]
        )

    def cost_of_step(self, p: Sequence[Fraction]) -> Fraction:
        return sum(map(mul, p, self.costs), self.overhead)

    def complexity(self, p: Sequence[Fraction]) -> Multiple:
        """c(P)."""
        return Multiple(self.weighted(p), self.cost_of_step(p))

    def nested_complexity(self, p: Sequence[Fraction]) -> Multiple:
        """c_M of the nested sampling."""
        nested = [[min(a, b) for b in p] for a in p]
        L_M = Truth(self.matrix, self.sizes, nested, self.costs).L_M
        return Multiple(L_M, self.cost_of_step(p))

    @cached_property
    def cost(self) -> Real:
        return rational(self.cost_of_step(self.p))

    @cached_property
    def pmin(self) -> Real:
        return rational(min(self.p))

    @cached_property
    def c_P(self) -> Multiple:
        return self.complexity(self.p)

    @cached_property
    def c_rounded(self) -> Multiple | None:
        return None if self.p_near is None else self.complexity(self.p_near)

    @cached_property
    def c_closed(self) -> Real:
        """c(P) at r_k = sqrt(L_k / c_k); where p_k <= r_k <= b p_k, within the factor b of c(P)."""
        roots = [
            root(product(L, rational(1 / c))) for L, c in zip(self.block_L, self.costs, strict=True)
        ]

        def enclose(bits: int) -> Pair | None:
            pairs = [number(bits + 20) for number in roots]
            positive = [pair for pair in pairs if pair is not None and pair[0] > 0]
            if len(positive) < len(pairs):
                return None
            low, high = self.complexity([pair[0] for pair in positive])(bits)
            spread = max(upper / lower for lower, upper in positive)
            return low / spread, high * spread

        return enclose

    @cached_property
    def optimum(self) -> Real | None:
        """The least c(P) where a formula gives it, else None."""
        return self.least(nonconvex=False)

    def least(self, *, nonconvex: bool) -> Real | None:
        """The least c(P), or c_M of nested samplings; None where no formula gives it.

        There are formulas for one block, for no entries between blocks and for rank one.
        """
        if self.overhead or self.order is not None:
            return None
        if len(self.sizes) == 1:
            return Multiple(self.lmax, self.costs[0])
        if self.split and all(L.sign(Fraction(0)) >= 0 for L in self.block_L):
            return self.sumcL
        return None if nonconvex else self._rank_one_optimum()

    @cached_property
    def best(self) -> Real:
        """The optimum by a formula; else between a dual bound and the costs at the points."""
        if self.optimum is not None:
            return self.optimum
        costs = [self.complexity(p) for p in self.points]
        return lambda bits: (self.dual_bound, min(cost(bits)[1] for cost in costs))

    @cached_property
    def image(self) -> list[Fraction]:
        """Lx."""
        return [sum(map(mul, row, self.x), Fraction(0)) for row in self.matrix]

    @cached_property
    def squares(self) -> list[Fraction]:
        """The sum of squares of Lx in each block."""
        squares = [Fraction(0)] * len(self.sizes)
        for k, number in zip(self.label, self.image, strict=True):
            squares[k] += number * number
        return squares

    def _rank_one_optimum(self) -> Real | None:
        """(sum sqrt(c_k) |v_k|)^2 for L = v v'."""
        m = self.matrix
        n = range(len(self.matrix))
        pivot = next((i for i in n if m[i][i]), None)
        if pivot is None or any(
            m[i][j] * m[pivot][pivot] != m[i][pivot] * m[pivot][j] for i in n for j in n
        ):
            return None
        priced = [Fraction(0)] * len(self.sizes)
        for i, k in enumerate(self.label):
            priced[k] += self.costs[k] * m[i][i]
        return square_of_sum_of_roots([rational(trace) for trace in priced])

    @cached_property
    def c_M(self) -> Multiple:
        return Multiple(self.L_M, self.cost_of_step(self.p))

    @cached_property
    def total_cost(self) -> Real:
        return rational(self.overhead + sum(self.costs))

    @cached_property
    def gradient_descent(self) -> Multiple:
        return Multiple(self.lmax, self.overhead + sum(self.costs))

    @cached_property
    def _priced(self) -> list[Real]:
        return [Multiple(L, c) for L, c in zip(self.block_L, self.costs, strict=True)]

    @cached_property
    def closed(self) -> Real:
        return self._priced[0] if len(self.sizes) == 1 else square_of_sum_of_roots(self._priced)

    @cached_property
    def sumL(self) -> Real:
        return self.block_L[0] if len(self.sizes) == 1 else total(self.block_L)

    @cached_property
    def sumcL(self) -> Real:
        return self._priced[0] if len(self.sizes) == 1 else total(self._priced)

    def tied(self, left: Real, right: Real) -> bool:
        """True if two expressions agree whatever the eigenvalues in them are.

        They are compared for ten random values of each.
        """
        numbers = [self.lmax, self.L_P, self.L_M, self.maxL, *self.block_L]
        numbers += [] if self.c_rounded is None else [self.c_rounded.top]
        tops = {number.top if isinstance(number, Multiple) else number for number in numbers}
        unknown = [top for top in tops if isinstance(top, Top) and top.exact is None]
        rng = random.Random(0)
        try:
            for _ in range(10):
                for top in unknown:
                    top.exact = Fraction(rng.randint(1, 10**6), rng.randint(1, 10**6))
                a = left(200)
                b = right(200)
                if a is None or b is None:
                    return False
                ends = *a, *b
                if max(ends) - min(ends) > (1 + max(map(abs, ends))) / 2**100:
                    return False  # apart, or one of them is known too roughly to tell
        finally:
            for top in unknown:
                top.exact = None
        return True

    @cached_property
    def d(self) -> Real:
        return rational(len(self.matrix))

    @cached_property
    def B(self) -> Real:
        return rational(len(self.sizes))
