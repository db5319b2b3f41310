"""Smooth functions that are not quadratic, evaluated in interval arithmetic.

f(x) = sum_i h(a_i'x) with |h''| <= 1 is A'A-smooth, A having the rows a_i. Values and gradients come as
intervals of 120 bits, so that an inequality between them is decided, not estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import iv
from numpy.typing import NDArray

from .exact import dot, matrix_of

iv.prec = 120


def interval(value: Fraction) -> Any:
    return iv.mpf(value.numerator) / iv.mpf(value.denominator)


@dataclass(frozen=True)
class Ridge:
    """h and h' with |h''| <= 1 and h >= 0; `h(0) = 0` where `attained`, else 0 is only the infimum."""

    name: str
    value: Callable[[Any], Any]
    slope: Callable[[Any], Any]

    def __repr__(self) -> str:
        return self.name


def _log_cosh(t: Any) -> Any:
    return iv.log((iv.exp(t) + iv.exp(-t)) / 2)


def _tanh(t: Any) -> Any:
    return 1 - 2 / (iv.exp(2 * t) + 1)


# Convex with a minimiser; not convex with many; convex with none (its second derivative is at most 1/4, so 4 times it).
LOG_COSH = Ridge("log cosh t", _log_cosh, _tanh)
COSINE = Ridge("1 - cos t", lambda t: 1 - iv.cos(t), lambda t: iv.sin(t))
LOGISTIC = Ridge("4 log(1 + exp(-t))", lambda t: 4 * iv.log(1 + iv.exp(-t)), lambda t: -4 / (1 + iv.exp(t)))
RIDGES = [LOG_COSH, COSINE, LOGISTIC]


def value_and_gradient(ridge: Ridge, A: NDArray[np.float64], x: Sequence[Fraction]) -> tuple[Any, list[Any]]:
    """f(x) - f* (f* = 0, the infimum) and the gradient, as intervals."""
    rows = matrix_of(A)
    at = [interval(dot(row, x)) for row in rows]
    slopes = [ridge.slope(t) for t in at]
    gradient = [
        sum((slope * interval(row[j]) for slope, row in zip(slopes, rows, strict=True)), iv.mpf(0))
        for j in range(len(x))
    ]
    return sum((ridge.value(t) for t in at), iv.mpf(0)), gradient


def surely_at_most(left: Any, right: Any) -> bool:
    """Whether every number of one interval is at most every number of the other."""
    return bool(left.b <= right.a)


def surely_above(left: Any, right: Any) -> bool:
    return bool(left.a > right.b)
