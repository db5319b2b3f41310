"""Exact expectations of SkGD on a quadratic: the second moments obey a linear recursion.

For f(x) = x'Hx / 2 (the minimizer at 0) a step is x <- (I - gamma C H) x with an independent C, so
that S_t = E[x_t x_t'] follows S_{t+1} = sum_i prob_i (I - gamma C_i H) S_t (I - gamma C_i H)', and
every left-hand side of the theorems is a linear function of such moments. Given fractions,
everything is computed without rounding.

For averages let X_t = x_0 + ... + x_t and M = E[I - gamma C H] = I - gamma H. Then
R_t = E[X_t x_t'] obeys R_{t+1} = R_t M' + S_{t+1}, and Q_t = E[X_t X_t'] obeys
Q_{t+1} = Q_t + R_t M' + M R_t' + S_{t+1}.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..problem.blocks import Blocks
from ..problem.sampling import Sampling

Matrix = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Moments:
    """Second moments after t steps, as matrices of floats or of fractions.

    Attributes
    ----------
    iterate : array
        S_t = E[x_t x_t'].
    average : array
        E[x_bar x_bar'] for the mean x_bar of x_0, ..., x_t.
    """

    iterate: Matrix
    average: Matrix


def exact_moments(
    H: Any,
    sampling: Sampling,
    blocks: Blocks,
    stepsize: float | Fraction,
    x0: Sequence[Any] | Matrix,
    steps: int,
) -> Iterator[Moments]:
    """E[x_t x_t'] and its analog for averages, t = 0, ..., steps, of x <- x - gamma C H x.

    Parameters
    ----------
    H : (d, d) array
        Symmetric: floats, or fractions (an array of objects, or lists of `Fraction`).
    sampling : Sampling
        Its outcomes are enumerated.
    blocks : Blocks
    stepsize : float or Fraction
    x0 : (d,) array
    steps : int

    Yields
    ------
    Moments
        With exact fractions if the stepsize is a `Fraction` (H and x0 are then converted exactly),
        else with floats.

    Examples
    --------
    >>> from rpttheory import NestedSampling
    >>> sequence = exact_moments([[2]], NestedSampling([0.5]), Blocks([1]), Fraction(1, 4), [1], 2)
    >>> [str(moments.iterate[0, 0]) for moments in sequence]
    ['1', '1/2', '1/4']
    """
    exact = isinstance(stepsize, Fraction)
    matrix = _entries(H, exact)
    start = _entries(x0, exact)
    blocks.require_dimension(matrix.shape[0])
    if matrix.shape != (start.size, start.size):
        shapes = f"shapes {matrix.shape} and {start.shape}"
        raise InvalidInput("must be square and x0 as long", shapes, "matching H, x0", argument="H")
    identity = _entries(np.eye(start.size), exact)
    factors = []
    for probability, diagonal in _sketches(sampling, blocks, exact):
        factors.append((probability, identity - stepsize * diagonal[:, None] * matrix))
    mean = identity - stepsize * matrix
    S = R = Q = np.outer(start, start)
    yield Moments(S, Q)
    for t in range(1, steps + 1):
        S = sum(probability * (factor @ S @ factor.T) for probability, factor in factors)
        cross = R @ mean.T
        R = cross + S
        Q = Q + cross + cross.T + S
        yield Moments(S, Q / _entries((t + 1) ** 2, exact)[()])


def _sketches(sampling: Sampling, blocks: Blocks, exact: bool) -> Iterator[tuple[Any, Matrix]]:
    """Each outcome with the diagonal of C: 1/p on the active blocks, p the exact marginals."""
    inverses = [1 / sampling.pair_fraction(k, k) for k in range(blocks.count)]
    labels = blocks.labels.tolist()
    for outcome in sampling.support():
        active = outcome.active.tolist()
        diagonal = [inverses[k] if active[k] else Fraction(0) for k in labels]
        probability = outcome.probability if exact else float(outcome.probability)
        yield probability, _entries(diagonal, exact)


def _entries(values: Any, exact: bool) -> Matrix:
    """Floats, or the same numbers as fractions."""
    if not exact:
        return np.asarray(values, dtype=np.float64)
    objects = np.asarray(values, dtype=object)
    return np.asarray(np.vectorize(_fraction, otypes=[object])(objects), dtype=object)


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value) if isinstance(value, np.integer) else value)
