"""Blocks, costs, probabilities and samplings."""

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .families import diagonal_rows
from .notation import exact_vector, vector
from .reals import Rows


def block_sizes(rng: random.Random, d: int) -> list[int]:
    style = rng.random()
    if style < 0.4:
        return [1] * d
    if style < 0.5:
        return [d]
    cuts = sorted(rng.sample(range(1, d), rng.randint(0, d - 1))) if d > 1 else []
    return [b - a for a, b in itertools.pairwise([0, *cuts, d])]


def costs_per_block(rng: random.Random, sizes: Sequence[int]) -> list[Fraction]:
    style = rng.randrange(6)
    if style == 0:
        return [Fraction(size, sum(sizes)) for size in sizes]
    if style == 1:
        return [Fraction(10) ** rng.randint(-6, 6) * rng.randint(1, 9) for _ in sizes]
    if style == 2:
        return [Fraction(2**53 + rng.randint(-3, 3)) for _ in sizes]
    if style == 3:
        return [Fraction(1, len(sizes))] * len(sizes)
    if style == 4:
        return [Fraction(rng.randint(1, 30), 10) for _ in sizes]
    return [Fraction(rng.random() + 0.01) for _ in sizes]


def probabilities_per_block(rng: random.Random, count: int) -> list[Fraction]:
    style = rng.randrange(7)
    if style == 0:
        return [Fraction(1)] * count
    if style == 1:
        return [Fraction(rng.randint(1, 10), 10)] * count
    if style == 2:
        return [Fraction(rng.randint(1, 10), 10) for _ in range(count)]
    if style == 3:
        return [Fraction(10) ** -rng.randint(0, 12) for _ in range(count)]
    if style == 4:
        return [
            rng.choice((Fraction(1), Fraction(10) ** -rng.choice((20, 150, 300))))
            for _ in range(count)
        ]
    if style == 5:
        return [Fraction(rng.randint(1, 6), 7) for _ in range(count)]
    return [Fraction(rng.random()) + Fraction(1, 2**60) for _ in range(count)]


@dataclass
class Law:
    """Source of what the caller has, `sampling` made of it, and its pair probabilities."""

    lines: list[str]
    make: str
    meaning: Callable[[dict[str, Any]], Rows]
    name: str | None = None  # the name under which it can be asked for, with `p` as its marginals


def pairs(law: str, p: Sequence[Fraction]) -> Rows:
    """p_kl of the nested, the independent and the single-block sampling."""

    def joint(a: Fraction, b: Fraction) -> Fraction:
        return {"nested": min(a, b), "independent": a * b, "single": Fraction(0)}[law]

    return [[a if i == j else joint(a, b) for j, b in enumerate(p)] for i, a in enumerate(p)]


def draw_law(rng: random.Random, count: int) -> Law:
    style = rng.choice(
        ("nested", "nested", "nested", "independent", "single", "explicit", "explicit")
    )
    if style == "explicit":
        return _draw_explicit(rng, count)
    if style == "single":
        dyadic = rng.random() < 0.5
        parts = [rng.randint(1, 9) for _ in range(count)]
        if dyadic:
            parts[-1] = 128 - sum(parts[:-1])
        text = vector(
            rng,
            [Fraction(part, sum(parts)) for part in parts],
            ("float",) if dyadic else ("fraction",),
        )
        return Law(
            [f"p = {text}"],
            "SingleBlockSampling(p)",
            lambda at: diagonal_rows(exact_vector(at["p"])),
            style,
        )
    lines = [f"p = {vector(rng, probabilities_per_block(rng, count))}"]
    kinds = {
        "nested": "NestedSampling",
        "independent": "IndependentSampling",
        "single": "SingleBlockSampling",
    }
    made = f"{kinds[style]}(p)"
    return Law(lines, made, lambda at: pairs(style, exact_vector(at["p"])), style)


def _draw_explicit(rng: random.Random, count: int) -> Law:
    sets = [[rng.randint(0, 1) for _ in range(count)] for _ in range(rng.randint(1, 4))]
    if rng.random() < 0.8 or not all(any(row[k] for row in sets) for k in range(count)):
        sets.append([1] * count)
    some = (*map(Fraction, ("1", "1", "1/3", "1/10", "1e-20")), Fraction(rng.random() + 0.1))
    masses = [rng.choice(some) for _ in sets]
    if rng.random() < 0.3:
        masses = [Fraction(1) if all(row) else Fraction(10) ** -rng.randint(15, 30) for row in sets]
    lines = [f"masses = {vector(rng, masses)}", f"sets = {sets}"]

    def meaning(at: dict[str, Any]) -> Rows:
        weights = exact_vector(at["masses"])
        whole = sum(weights)
        n = range(count)
        chosen = list(zip(at["sets"], weights, strict=True))
        return [
            [sum((w for row, w in chosen if row[k] and row[m]), Fraction(0)) / whole for m in n]
            for k in n
        ]

    return Law(lines, "ExplicitSampling(sets, masses)", meaning)
