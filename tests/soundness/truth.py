"""What the numbers of the paper are, for what the user wrote."""

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

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
    """What the numbers of the paper are for the matrix, the law and the costs that the user
    wrote.
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
        self.chosen: Sequence[Fraction] | None = None
        """The probabilities that the package calls the closed form, which are rounded."""

    # Where two of these are the same number for every matrix they are the same Top: see `tied`.

    @cached_property
    def split(self) -> bool:
        """Whether there is nothing between the blocks."""
        entries = ((i, j, x) for i, row in enumerate(self.matrix) for j, x in enumerate(row))
        return not any(x for i, j, x in entries if self.label[i] != self.label[j])

    @cached_property
    def block_L(self) -> list[Top]:
        if len(self.sizes) == 1:
            return [self.lmax]
        starts = [sum(self.sizes[:k]) for k in range(len(self.sizes))]
        blocks = [
            range(start, start + size) for start, size in zip(starts, self.sizes, strict=True)
        ]
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

    @cached_property
    def mean_cost(self) -> Fraction:
        return sum((a * b for a, b in zip(self.p, self.costs, strict=True)), Fraction(0))

    @cached_property
    def cost(self) -> Real:
        return rational(self.mean_cost)

    @cached_property
    def pmin(self) -> Real:
        return rational(min(self.p))

    @cached_property
    def c_P(self) -> Multiple:
        return Multiple(self.L_P, self.mean_cost)

    @cached_property
    def c_rounded(self) -> Multiple | None:
        if self.chosen is None:
            return None
        mean = sum((a * b for a, b in zip(self.chosen, self.costs, strict=True)), Fraction(0))
        return Multiple(self.weighted(self.chosen), mean)

    @cached_property
    def c_closed(self) -> Real:
        """c(P) at p_k = sqrt(L_k / c_k), by fractions p with a p_k <= sqrt(L_k / c_k) <= b p_k,
        within b/a.
        """
        roots = [
            root(product(L, rational(1 / c))) for L, c in zip(self.block_L, self.costs, strict=True)
        ]

        def enclose(bits: int) -> Pair | None:
            pairs = [one(bits + 20) for one in roots]
            known = [pair for pair in pairs if pair is not None and pair[0] > 0]
            if len(known) < len(pairs):
                return None
            p = [low for low, _ in known]
            mean = sum((a * c for a, c in zip(p, self.costs, strict=True)), Fraction(0))
            value = Multiple(self.weighted(p), mean)(bits)
            spread = max(high / low for low, high in known)
            return None if value is None else (value[0] / spread, value[1] * spread)

        return enclose

    @cached_property
    def optimum(self) -> Real | None:
        """The least c(P) where a formula gives it: one block, no entries between blocks, or rank
        one.
        """
        return self.least(nonconvex=False)

    def least(self, *, nonconvex: bool) -> Real | None:
        """The least c(P), or c_M of nested samplings."""
        if len(self.sizes) == 1:
            return Multiple(self.lmax, self.costs[0])
        if self.split and all(L.sign(Fraction(0)) >= 0 for L in self.block_L):
            return self.sumcL
        return None if nonconvex else self._rank_one_optimum()

    def _rank_one_optimum(self) -> Real | None:
        """(sum sqrt(c_k) |v_k|)^2 for L = v v'."""
        m = self.matrix
        n = range(len(self.matrix))
        pivot = next((i for i in n if m[i][i]), None)
        if pivot is None or any(
            m[i][j] * m[pivot][pivot] != m[i][pivot] * m[pivot][j] for i in n for j in n
        ):
            return None
        traces = [
            sum((m[i][i] for i in n if self.label[i] == k), Fraction(0))
            for k in range(len(self.sizes))
        ]
        return square_of_sum_of_roots(
            [rational(c * t) for c, t in zip(self.costs, traces, strict=True)]
        )

    @cached_property
    def c_M(self) -> Multiple:
        return Multiple(self.L_M, self.mean_cost)

    @cached_property
    def total_cost(self) -> Real:
        return rational(sum(self.costs, Fraction(0)))

    @cached_property
    def gradient_descent(self) -> Multiple:
        return Multiple(self.lmax, sum(self.costs, Fraction(0)))

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
        """Whether two expressions agree whatever the eigenvalues in them are: they do for ten
        random values of each.
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
