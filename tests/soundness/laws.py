"""Blocks, costs, probabilities and samplings."""

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

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
    draw: Callable[[int], Fraction] = rng.choice(
        (
            lambda size: Fraction(size, sum(sizes)),
            lambda size: Fraction(10) ** rng.randint(-6, 6) * rng.randint(1, 9),
            lambda size: Fraction(2**53 + rng.randint(-3, 3)),
            lambda size: Fraction(1, len(sizes)),
            lambda size: Fraction(rng.randint(1, 30), 10),
            lambda size: Fraction(rng.random() + 0.01),
        )
    )
    return [draw(size) for size in sizes]


def probabilities_per_block(rng: random.Random, count: int) -> list[Fraction]:
    common = Fraction(rng.randint(1, 10), 10)
    draw: Callable[[], Fraction] = rng.choice(
        (
            lambda: Fraction(1),
            lambda: common,
            lambda: Fraction(rng.randint(1, 10), 10),
            lambda: Fraction(10) ** -rng.randint(0, 12),
            lambda: Fraction(10) ** -rng.choice((0, 0, 0, 20, 150, 300)),
            lambda: Fraction(rng.randint(1, 6), 7),
            lambda: Fraction(rng.random()) + Fraction(1, 2**60),
        )
    )
    return [draw() for _ in range(count)]


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
        lines = [f"p = {text}"]
    else:
        lines = [f"p = {vector(rng, probabilities_per_block(rng, count))}"]
    names = {
        "nested": "NestedSampling",
        "independent": "IndependentSampling",
        "single": "SingleBlockSampling",
    }
    make = f"{names[style]}(p)"
    return Law(lines, make, lambda at: pairs(style, exact_vector(at["p"])), style)


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
        outcomes = list(zip(at["sets"], weights, strict=True))
        return [
            [sum((w for row, w in outcomes if row[k] and row[m]), Fraction(0)) / whole for m in n]
            for k in n
        ]

    return Law(lines, "ExplicitSampling(sets, masses)", meaning)
