"""Convergence theorems of SkGD: the paper's three theorems, sharper ones of ours, and two generic
comparators.

Each function takes the constants of a theorem, as Brackets or exact numbers, and gives a `Rate`:
the largest stepsize, the right-hand side after T steps, and the number of steps that brings it down
to a given accuracy, all Brackets.

T counts the steps: the iterates are x_0, ..., x_T. The generic comparators speak of x_0, ...,
x_{T-1} only.
"""

from .paper import convex, generic_convex, generic_nonconvex, nonconvex, strongly_convex
from .rate import Rate
from .sharp import (
    convex_sharp,
    generic_nonconvex_sharp,
    last_iterate,
    noisy_convex,
    noisy_nonconvex,
    noisy_strongly_convex,
    polyak_lojasiewicz,
    strongly_convex_sharp,
)

__all__ = [
    "Rate",
    "convex",
    "convex_sharp",
    "generic_convex",
    "generic_nonconvex",
    "generic_nonconvex_sharp",
    "last_iterate",
    "noisy_convex",
    "noisy_nonconvex",
    "noisy_strongly_convex",
    "nonconvex",
    "polyak_lojasiewicz",
    "strongly_convex",
    "strongly_convex_sharp",
]
