"""Cauchy and Schwarz, by Lagrange's identity."""

from collections.abc import Iterator

import numpy as np

from ..checks.randomised import on_instances
from ..checks.symbolic import Pairs, Triples, identity, inequality, letters
from ..engine.entry import Bound, Entry, Status, Step


def pair_of_terms(sign: int = -1) -> Triples:
    """The terms (i, j) and (j, i) of (sum a_i b_i)^2 <= sum a_i^2 sum b_j^2, which differ by a square."""
    a_i, a_j, b_i, b_j = letters("a_i a_j b_i b_j")
    return [(2 * a_i * b_i * a_j * b_j, a_i**2 * b_j**2 + a_j**2 * b_i**2, (a_i * b_j + sign * a_j * b_i) ** 2)]


def term_on_the_diagonal(power: int = 2) -> Pairs:
    """The term (i, i) is the same on both sides."""
    a, b = letters("a_i b_i")
    return [((a * b) ** 2, a**2 * b**power)]


def on_vectors(rng: np.random.Generator, less: int = 0) -> Iterator[tuple[bool, str]]:
    """Integer vectors, of which the second pair is proportional."""
    a, b = rng.integers(-9, 10, (2, int(rng.integers(1, 6))))
    for other in (b, 2 * a):
        yield int(a @ other) ** 2 <= int(a @ a) * int(other @ other) - less, f"a = {a.tolist()}, b = {other.tolist()}"


CLAIM = Entry(
    label="fact:cauchySchwarz",
    title="The inequality of Cauchy and Schwarz",
    latex=r"\Big(\sum_i a_i b_i\Big)^2 \leq \sum_i a_i^2 \sum_i b_i^2, \quad \langle a, b\rangle \leq \|a\| \|b\|",
    text="(sum a_i b_i)^2 <= sum a_i^2 sum b_i^2, with equality exactly when a and b are proportional.",
    statement=Status.ARGUED,
    proof=Status.ARGUED,
    bound=Bound.UPPER,
    tight=True,
    tightness="b proportional to a, where every square in the proof vanishes",
    source="Lagrange's identity; Horn and Johnson, Matrix Analysis, section 0.6",
    checks=(on_instances(on_vectors),),
    steps=(
        Step(
            latex=r"a_i^2 b_j^2 + a_j^2 b_i^2 - 2 a_i b_i a_j b_j = (a_i b_j - a_j b_i)^2 \geq 0",
            text="Both sides as double sums: each pair i < j differs by a square.",
            check=inequality(pair_of_terms, "pair (i, j), so all dimensions"),
        ),
        Step(
            latex=r"(a_i b_i)^2 = a_i^2 b_i^2",
            text="The terms with i = j agree.",
            check=identity(term_on_the_diagonal, "term i, so all dimensions"),
        ),
    ),
)
