"""Families of symmetric matrices on which floating-point arithmetic goes wrong, in fractions."""

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction

from .reals import Rows, gram_of


def mirrored(d: int, entry: Callable[[int, int], Fraction | float | int]) -> Rows:
    upper = {(i, j): Fraction(entry(i, j)) for i in range(d) for j in range(i, d)}
    return [[upper[min(i, j), max(i, j)] for j in range(d)] for i in range(d)]


def _rank_one(rng: random.Random, d: int) -> Rows:
    v = [Fraction(rng.randint(-9, 9), rng.choice((1, 1, 3, 10))) for _ in range(d)]
    return mirrored(d, lambda i, j: v[i] * v[j])


def _integer_gram(rng: random.Random, d: int) -> Rows:
    unit = Fraction(1, rng.choice((1, 1, 3, 10, 100)))
    factor = [[rng.randint(-5, 5) for _ in range(d)] for _ in range(rng.randint(1, d + 1))]
    return gram_of(factor, unit)


def _wishart(rng: random.Random, d: int) -> Rows:
    return gram_of([[rng.gauss(0, 1) for _ in range(d)] for _ in range(d + 1)])


def _ones(rng: random.Random, d: int) -> Rows:
    unit = rng.choice(
        (Fraction(1), Fraction(1, 10), Fraction(1, 3), Fraction(2**53 - 1), Fraction(math.pi))
    )
    extra = rng.choice((0, 0, 0, 1, Fraction(1, 10), Fraction(1, 2**52)))
    return mirrored(d, lambda i, j: unit * (1 + (extra if i == j else 0)))


def _path(rng: random.Random, d: int) -> Rows:
    unit = rng.choice((Fraction(1), Fraction(1, 10)))
    return mirrored(d, lambda i, j: unit * (2 - (i in (0, d - 1)) if i == j else -(j == i + 1)))


def _hilbert(rng: random.Random, d: int) -> Rows:
    return mirrored(d, lambda i, j: Fraction(1, i + j + 1))


def _graded(rng: random.Random, d: int) -> Rows:
    step = Fraction(10) ** -rng.choice((1, 4, 40 if d < 8 else 10))
    return mirrored(d, lambda i, j: step ** (i + j) * (1 + (i == j)))


def _cluster(rng: random.Random, d: int) -> Rows:
    tiny = rng.choice(
        (Fraction(1, 10**15), Fraction(1, 2**52), Fraction(1, 2**30), Fraction(1, 10**30))
    )
    return mirrored(d, lambda i, j: (i == j) + tiny * rng.choice((-1, 0, 1)))


def _large_integers(rng: random.Random, d: int) -> Rows:
    bits = rng.choice((45, 51, 53, 58, 80))
    return mirrored(
        d,
        lambda i, j: (
            d * 2**bits + rng.randint(0, 9) if i == j else rng.randint(-(2**bits), 2**bits)
        ),
    )


def _diagonal(rng: random.Random, d: int) -> Rows:
    values = [
        Fraction(rng.choice((0, 1, 1, rng.randint(1, 99))), rng.choice((1, 3, 10)))
        for _ in range(d)
    ]
    if rng.random() < 0.35:
        values[-1] = Fraction(-1, 10**11) * max(values)
    return mirrored(d, lambda i, j: values[i] if i == j else 0)


def _mixed_scales(rng: random.Random, d: int) -> Rows:
    unit = [Fraction(10) ** rng.randint(-80, 80) for _ in range(d)]
    core = _integer_gram(rng, d)
    return mirrored(d, lambda i, j: core[i][j] * unit[i] * unit[j])


def _extreme(rng: random.Random, d: int) -> Rows:
    core = _integer_gram(rng, d)
    return scaled(core, Fraction(10) ** rng.choice((-300, -305, -320, 300, 305)) / 10)


def _zero_blocks(rng: random.Random, d: int) -> Rows:
    is_zero = [rng.random() < 0.4 for _ in range(d)]
    core = _integer_gram(rng, d)
    return mirrored(d, lambda i, j: 0 if is_zero[i] or is_zero[j] else core[i][j])


def _decimals(rng: random.Random, d: int) -> Rows:
    return mirrored(
        d,
        lambda i, j: Fraction(rng.randint(30 * d, 60 * d) if i == j else rng.randint(-30, 30), 100),
    )


def _laplacian(rng: random.Random, d: int) -> Rows:
    """Of a sparse graph, with weights of one size or of very different ones."""
    spread = rng.choice((0, 0, 6, 40, 300))
    weight = {
        (i, j): Fraction(rng.randint(1, 9)) * Fraction(10) ** -rng.randint(0, spread)
        for i in range(d)
        for j in range(i + 1, d)
        if j == i + 1 or rng.random() < 0.2
    }
    at = [sum((w for edge, w in weight.items() if i in edge), Fraction(0)) for i in range(d)]
    return mirrored(d, lambda i, j: at[i] if i == j else -weight.get((i, j), Fraction(0)))


SEMIDEFINITE: tuple[Callable[[random.Random, int], Rows], ...] = (
    _rank_one,
    _integer_gram,
    _wishart,
    _ones,
    _path,
    _hilbert,
    _graded,
    _cluster,
    _large_integers,
    _diagonal,
    _mixed_scales,
    _extreme,
    _zero_blocks,
    _decimals,
    _laplacian,
)


def _bipartite(rng: random.Random, d: int) -> Rows:
    return mirrored(d, lambda i, j: int((i - j) % 2))


def _indefinite(rng: random.Random, d: int) -> Rows:
    return mirrored(d, lambda i, j: Fraction(rng.randint(-20, 20), 10))


def _negated(rng: random.Random, d: int) -> Rows:
    return scaled(rng.choice(SEMIDEFINITE)(rng, d), Fraction(-1))


def _short_of_dominance(rng: random.Random, d: int) -> Rows:
    """A Laplacian less a little in one place, so that its least eigenvalue is below 0."""
    graph = _laplacian(rng, d)
    place = rng.randrange(d)
    graph[place][place] -= Fraction(1, 2 ** rng.choice((20, 50, 60, 100)))
    return graph


OTHERS = (_bipartite, _indefinite, _negated, _short_of_dominance)


def scaled(matrix: Rows, unit: Fraction) -> Rows:
    return [[entry * unit for entry in row] for row in matrix]


def dimension(rng: random.Random) -> int:
    return (
        rng.choice((1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8))
        if rng.random() < 0.99
        else rng.randint(9, 20)
    )


def diagonal_rows(values: Sequence[Fraction]) -> Rows:
    return [
        [x if i == j else Fraction(0) for j in range(len(values))] for i, x in enumerate(values)
    ]
