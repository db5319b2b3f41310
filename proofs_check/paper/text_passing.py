"""A claim made in passing, without a label: what is said of others' work."""

from fractions import Fraction

import numpy as np

from ..checks.instances import Tries, on_instances
from ..engine.entry import Entry, Erratum, Severity, Status


def known_choice(rng: np.random.Generator, factor: Fraction | int = 1) -> Tries:
    """p_k proportional to sqrt(L_k) for diagonal L and equal costs: c(P) <= (sum sqrt(L_k))^2 /
    B.
    """
    roots = [int(v) for v in rng.integers(1, 9, int(rng.integers(1, 5)))]
    p = [Fraction(r, max(roots)) for r in roots]
    value = max(r * r / q for r, q in zip(roots, p, strict=True)) * sum(p, Fraction(0)) / len(p)
    yield value <= factor * Fraction(sum(roots) ** 2, len(p)), f"L = diag of the squares of {roots}"


CLAIMS = (
    Entry(
        label="text:firstChoice",
        title="The first to take such probabilities without acceleration",
        latex=r"p_i \propto \sqrt{L_i}",
        text=(
            "The choice of lem:upperBound with equal costs is p_i proportional to the root of L_i."
            " To the best of the authors' knowledge no one had it before in a method without"
            " acceleration; who was first is not for a program to decide, which checks the value of"
            " the choice alone."
        ),
        statement=Status.OPEN,
        proof=Status.NONE,
        needs=("lem:upperBound",),
        checks=(on_instances(known_choice),),
        errata=(
            Erratum(
                r"\text{the first one to consider such choice of probabilities in a non-accelerated"
                r" setting}",
                "Nesterov (2012) has p_i proportional to any power of L_i in a method without"
                " acceleration, for one block at a time and equal costs; nested blocks and the"
                " costs are new here",
                Severity.GAP,
            ),
        ),
    ),
)
