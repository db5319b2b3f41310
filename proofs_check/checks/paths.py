"""Functions made of pieces of quadratics, with every path of a few steps enumerated in
fractions.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rpttheory.problem.blocks import Blocks
from rpttheory.problem.sampling import IndependentSampling, NestedSampling, Sampling

from ..engine.entry import Check, Evidence, Trial
from .exact import Matrix, diag, dot, is_semidefinite, plus
from .quadratics import Comparisons, Measured, Quadratic, ordered

Point = tuple[Fraction, ...]
Path = tuple[Fraction, tuple[Point, ...]]


def huber(u: Fraction) -> tuple[Fraction, Fraction]:
    """u^2 / 2 up to 1, then linear: convex, 1-smooth; the value and the slope."""
    return (
        (u * u / 2, u) if abs(u) <= 1 else (abs(u) - Fraction(1, 2), Fraction(1 if u > 0 else -1))
    )


def saturating(u: Fraction) -> tuple[Fraction, Fraction]:
    """u^2 / 2 up to 1, then levelling off at 1 beyond 2: not convex, 1-smooth; the value and the
    slope.
    """
    size = abs(u)
    sign = 1 if u > 0 else -1
    if size <= 1:
        return u * u / 2, u
    return (1 - (2 - size) ** 2 / 2, sign * (2 - size)) if size <= 2 else (Fraction(1), Fraction(0))


@dataclass(frozen=True)
class Pieces:
    """f(x) = sum_i shape(<a_i, x>) + mu |x|^2 / 2, with its least value 0 at 0.

    It is L-smooth with L = sum_i a_i a_i' + mu I; `smoothness` is at least L_P, decided exactly.
    """

    rows: tuple[tuple[int, ...], ...]
    shape: Callable[[Fraction], tuple[Fraction, Fraction]]
    mu: Fraction
    sampling: Sampling
    blocks: Blocks
    smoothness: Fraction
    x0: Point

    def value(self, x: Sequence[Fraction]) -> Fraction:
        """f(x)."""
        return sum((self.shape(dot(a, x))[0] for a in self.rows), self.mu * dot(x, x) / 2)

    def gradient(self, x: Sequence[Fraction]) -> Point:
        """The gradient at x."""
        slopes = [self.shape(dot(a, x))[1] for a in self.rows]
        return tuple(self.mu * v + dot(slopes, [a[i] for a in self.rows]) for i, v in enumerate(x))

    def squared_gradient(self, x: Sequence[Fraction]) -> Fraction:
        """|grad f(x)|^2."""
        g = self.gradient(x)
        return dot(g, g)

    def paths(self, gamma: Fraction, steps: int, noise: Sequence[Fraction] = ()) -> Iterator[Path]:
        """Every path x_0, ..., x_steps with its probability; a coin decides the sign of `noise` in
        the gradient.
        """
        shifts = (
            [[s * e for e in noise] for s in (1, -1)] if noise else [[Fraction(0)] * len(self.x0)]
        )
        outcomes = [
            (o.probability / len(shifts), self._sketch(o.active.tolist()), shift)
            for o in self.sampling.support()
            for shift in shifts
        ]
        yield from _continued(Fraction(1), (self.x0,), steps, outcomes, gamma, self.gradient)

    @property
    def squared_distance(self) -> Fraction:
        """|x0 - x*|^2."""
        return dot(self.x0, self.x0)

    def run(self, measured: Measured, gamma: Fraction, steps: int) -> Iterator[Fraction]:
        """What is measured after 0, ..., `steps` steps, in expectation over all paths."""
        of: dict[Measured, Callable[[tuple[Point, ...]], Fraction]] = {
            "gap of the mean": lambda path: self.value(mean(path)),
            "gap": lambda path: self.value(path[-1]),
            "distance": lambda path: dot(path[-1], path[-1]),
        }
        for T in range(steps + 1):
            yield sum((w * of[measured](path) for w, path in self.paths(gamma, T)), Fraction(0))

    def _sketch(self, active: Sequence[bool]) -> Point:
        inverse = [
            1 / self.sampling.pair_fraction(k, k) if on else Fraction(0)
            for k, on in enumerate(active)
        ]
        return tuple(inverse[k] for k in self.blocks.labels.tolist())

    def describe(self) -> str:
        """The problem in words."""
        p = [str(Fraction(v)) for v in self.sampling.probabilities.tolist()]
        return (
            f"a_i = {self.rows}, {self.shape.__name__}, mu = {self.mu}, p = {p}, x0 ="
            f" {[str(v) for v in self.x0]}"
        )


def _continued(
    weight: Fraction,
    path: tuple[Point, ...],
    steps: int,
    outcomes: Sequence[tuple[Fraction, Point, Sequence[Fraction]]],
    gamma: Fraction,
    gradient: Callable[[Point], Point],
) -> Iterator[Path]:
    if steps == 0:
        yield weight, path
        return
    x = path[-1]
    g = gradient(x)
    for probability, sketch, shift in outcomes:
        following = tuple(
            v - gamma * c * (w + e) for v, c, w, e in zip(x, sketch, g, shift, strict=True)
        )
        yield from _continued(
            weight * probability, (*path, following), steps - 1, outcomes, gamma, gradient
        )


def runs(
    problem: Quadratic | Pieces, measured: Measured, shares: Sequence[Fraction], steps: range
) -> Iterator[tuple[int, Fraction, Fraction]]:
    """T, gamma and what is measured after T steps of gamma, for these numbers of steps and these
    shares of 1/L_P.

    Paths are many, so that functions that are no quadratics are run at the first share only.
    """
    for share in shares if isinstance(problem, Quadratic) else shares[:1]:
        gamma = share / problem.smoothness
        for T, found in enumerate(problem.run(measured, gamma, steps[-1])):
            if T in steps:
                yield T, gamma, found


def mean(path: Sequence[Point]) -> Point:
    """The mean of the points of a path."""
    return tuple(sum(column, Fraction(0)) / len(path) for column in zip(*path, strict=True))


def on_paths(
    compare: Callable[[Pieces], Comparisons],
    shape: Callable[[Fraction], tuple[Fraction, Fraction]],
    count: int = 40,
    mu: Fraction | int = 0,
) -> Check:
    """A check that left <= right in every comparison, with expectations summed over all paths
    exactly.
    """
    kind = "functions made of pieces of quadratics"
    return ordered(
        compare,
        lambda trial: _problems(trial, count, shape, Fraction(mu)),
        Evidence.ENUMERATED,
        kind,
    )


def _problems(
    trial: Trial, count: int, shape: Callable[[Fraction], tuple[Fraction, Fraction]], mu: Fraction
) -> Iterator[Pieces]:
    """Random ones, after two that are tight.

    The first has one coordinate, always updated, and starts where the quadratic part ends. The
    second is mu |x|^2 / 2 with equal probabilities below 1, so that what the sketch does counts.
    """
    rng = trial.rng
    yield Pieces(((1,),), shape, mu, NestedSampling([1.0]), Blocks((1,)), 1 + mu, (Fraction(1),))
    half = NestedSampling([0.5, 0.5])
    yield Pieces(
        ((0, 0),),
        shape,
        mu,
        half,
        Blocks((1, 1)),
        2 * mu or Fraction(1),
        (Fraction(1), Fraction(2)),
    )
    for _ in range(trial.instances(count) - 2):
        blocks = Blocks([(1,), (1, 1), (2, 1)][int(rng.integers(3))])
        rows = tuple(tuple(int(v) for v in rng.integers(-2, 3, blocks.dimension)) for _ in range(2))
        p = 0.5 ** rng.integers(0, 3, blocks.count)
        sampling = NestedSampling(p) if rng.integers(2) else IndependentSampling(p)
        # Some start far out, where the pieces are straight.
        x0 = tuple(
            Fraction(int(v), 2) for v in rng.integers(-6, 7, blocks.dimension) * rng.choice([1, 32])
        )
        yield Pieces(
            rows, shape, mu, sampling, blocks, _weighted_bound(rows, mu, sampling, blocks), x0
        )


def _weighted_bound(
    rows: Sequence[Sequence[int]], mu: Fraction, sampling: Sampling, blocks: Blocks
) -> Fraction:
    """A multiple of 1/16 that is at least L_P and positive, and the least such."""
    p = [sampling.pair_fraction(k, k) for k in blocks.labels.tolist()]
    L: Matrix = diag([mu] * len(p))
    for a in rows:
        L = plus(L, [[Fraction(u * v) for v in a] for u in a])
    low = 0
    high = 16 * (1 + sum(int(L[i][i] / p[i]) + 1 for i in range(len(p))))
    while high - low > 1:
        middle = (low + high) // 2
        enough = is_semidefinite(plus(diag([Fraction(middle, 16) * v for v in p]), L, -1))
        low, high = (low, middle) if enough else (middle, high)
    return Fraction(high, 16)
