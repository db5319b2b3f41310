"""Quantities at a point x: |(Lx)_k|^2 per block, x'Lx, and the value of a dual point in the
direction of x.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..eigen.eigenpairs import magnitude
from ..eigen.exact import EXACT_DIMENSION
from ..eigen.pencil import UNIT, absolute_product, stored_entries
from ..numbers import Bracket, Rigor, arithmetic_problem
from ..numbers.exact_array import FloatArray
from ..problem.problem import Problem


def trial_point(dimension: int) -> FloatArray:
    """Return a fixed vector of small integers without zeros, so that every coordinate counts."""
    rng = np.random.default_rng(1)
    return np.asarray(rng.integers(1, 9, dimension) * rng.choice([-1.0, 1.0], dimension))


def dual_value(problem: Problem, x: FloatArray) -> Bracket:
    """Return v'Lv for v_k = sqrt(c_k) x_k / |x_k|: by weak duality at most c(P) for every P.

    The whole line where L is too large for exact entries, or where x vanishes on a block.
    """
    entries = problem.smoothness.rational() if x.size <= EXACT_DIMENSION else None
    starts = problem.blocks.starts
    point = _fractions(x)
    squares = np.add.reduceat(point * point, starts)
    if entries is None or 0 in squares:
        return Bracket.everything()
    ratios = problem.costs.fractions() / squares
    products = point[:, None] * np.array(entries, dtype=object) * point
    values = np.add.reduceat(np.add.reduceat(products, starts, axis=0), starts, axis=1)
    return Bracket.sum(
        Bracket.of_fraction(ratios[k] * ratios[m]).sqrt() * value
        for (k, m), value in np.ndenumerate(values)
        if value
    )


def gradient_and_value(problem: Problem, x: FloatArray) -> tuple[list[Bracket], Bracket]:
    """Return |(Lx)_k|^2 per block and x'Lx, rigorously where the entries of L are known."""
    form = problem.smoothness
    starts = problem.blocks.starts
    entries = form.rational() if problem.effort == "exact" and x.size <= EXACT_DIMENSION else None
    if entries is not None:
        point = _fractions(x)
        gradient = np.array(entries, dtype=object) @ point
        sums = np.add.reduceat(gradient * gradient, starts)
        return [*map(Bracket.of_fraction, sums)], Bracket.of_fraction(point @ gradient)
    explicit = form.explicit()
    d = x.size
    # Squares of huge or tiny entries leave the range of floats, so everything is over a power of
    # two.
    if explicit is None:
        gradient = form.matmat(x)
        unit = magnitude(gradient)
        gradient = gradient / unit
        error = np.zeros(d)
        rigor = Rigor.NUMERICAL
        value_error = 0.0
    else:
        matrix = explicit.matrix
        unit = magnitude(stored_entries(matrix))
        matrix = matrix if unit == 1 else matrix / unit
        gradient = np.asarray(matrix @ x)
        rigor = Rigor.VERIFIED
        size_of_terms = absolute_product(matrix, x)
        error = (d + 4) * UNIT * (1 + 2.0**-20) * size_of_terms + np.where(
            size_of_terms > 0, 2.0**-500, 0.0
        )
        value_error = float(np.abs(x) @ error)
        if explicit.slack is not None:
            slack = explicit.slack / unit + 2.0**-1060
            # ||E x||_inf <= ||E|| ||x|| with ||E|| <= max slack.
            error = error + float(slack.max()) * float(np.linalg.norm(x)) * (1 + 2.0**-20)
            value_error += float(slack @ (x * x))
    if arithmetic_problem(d):
        rigor = Rigor.NUMERICAL
    low = np.maximum(np.abs(gradient) - error, 0.0) ** 2
    high = (np.abs(gradient) + error) ** 2
    room = (d + 8) * UNIT
    size = Fraction(unit)
    lows = (np.add.reduceat(low, starts) * (1 - room)).tolist()
    highs = (np.add.reduceat(high, starts) * (1 + room)).tolist()
    squares = [
        Bracket(Fraction(a) * size * size, Fraction(max(a, b)) * size * size, rigor)
        for a, b in zip(lows, highs, strict=True)
    ]
    value = float(x @ gradient)
    margin = (value_error + room * float(np.abs(x) @ np.abs(gradient))) * (1 + 2.0**-10)
    return squares, Bracket(Fraction(value - margin) * size, Fraction(value + margin) * size, rigor)


def _fractions(x: FloatArray) -> NDArray[Any]:
    return np.array([Fraction(value) for value in x.tolist()], dtype=object)
