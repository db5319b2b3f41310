"""as:normalized: the costs add up to one, called no loss of generality."""

import sympy

from ..checks.symbolic import Pairs, identity, letters
from ..engine.entry import Entry, Erratum, Status


def scale_free(power: int = 1) -> Pairs:
    """All costs times s: what the comparison with gradient descent and the closed form see."""
    s, ours, full, L_k, c_k, L_j, c_j = letters("s a b L_k c_k L_j c_j > 0")  # a = sum p_k c_k, b = sum c_k
    rule = sympy.sqrt(L_k / (s * c_k)) / sympy.sqrt(L_j / (s**power * c_j))
    return [((s * ours) / (s * full), ours / full), (rule, sympy.sqrt(L_k / c_k) / sympy.sqrt(L_j / c_j))]


CLAIM = Entry(
    label="as:normalized",
    title="The costs add up to one",
    latex=r"\sum_{i=1}^B c_i = 1",
    text="No loss of generality: neither the cost relative to gradient descent nor the probabilities of lem:upperBound "
    "change when all costs are multiplied by one positive number.",
    assumptions=("all c_i are positive",),
    statement=Status.DEFINITIONAL,
    proof=Status.NONE,
    see=("lem:upperBound",),
    checks=(identity(scale_free, "all costs, block constants and scales"),),
    errata=(
        Erratum(
            r"\sum_i c_i = 1 \text{ alone}",
            "all c_i must be positive: for B = 2 and c = (1, 0), which add up to one, lem:upperBound divides by zero",
        ),
    ),
)
