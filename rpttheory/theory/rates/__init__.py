"""How fast SkGD converges: the paper's three theorems, sharper ones of ours, and two generic comparators.

Each function takes the constants of a theorem and returns a `Rate`: the largest stepsize, the right-hand side after T
steps, and the number of steps that brings it down to a given accuracy. They are worked out exactly from the floats
given: `bound` is the right-hand side rounded up once, `iterations` the smallest T without any rounding.

T counts the steps: the iterates are x_0, ..., x_T. The generic comparators speak of x_0, ..., x_{T-1} only.
"""

from __future__ import annotations

from .noisy import noisy_convex, noisy_nonconvex, noisy_strongly_convex
from .rate import Rate, Start
from .sharp import convex_sharp, generic_nonconvex_sharp, last_iterate, polyak_lojasiewicz, strongly_convex_sharp
from .theorems import convex, generic_convex, generic_nonconvex, nonconvex, strongly_convex

__all__ = [
    "Rate",
    "Start",
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
