"""Convergence theorems that the paper does not have: as sharp as they can be."""

from __future__ import annotations

from fractions import Fraction

from .arithmetic import positive
from .rate import Rate
from .shapes import Harmonic


def convex_sharp(L_P: float) -> Rate:
    """E[f(x_bar_T) - f*] <= ||x_0 - x*||^2 / (2 gamma (T + 1)) for gamma <= 1/L_P; the paper does not have it.

    With g the gradient at x, convexity and L-smoothness give <g, x - x*> >= f(x) - f* + ||g||^2_{L^-1} / 2 (with the
    pseudo-inverse if L is singular), and L <= L_P P gives ||g||^2_{L^-1} >= ||g||^2_{P^-1} / L_P. Hence
    E||x_+ - x*||^2 <= ||x - x*||^2 - 2 gamma (f(x) - f*) - gamma (1/L_P - gamma) ||g||^2_{P^-1}; sum over the steps. At
    gamma = 1/L_P the bound is attained for every T: by a Huber function of one coordinate that is always updated.
    """
    return Harmonic(
        "convex, sharp",
        "E[f(x_bar_T) - f*]",
        ("squared_distance",),
        0,
        largest=1 / positive(L_P, "L_P"),
        weights=(Fraction(1, 2), 0, 0),
    )
