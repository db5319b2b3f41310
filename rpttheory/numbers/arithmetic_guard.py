"""A run-time check that the processor's arithmetic is the one the error bounds assume.

Any shared library compiled for speed can switch a thread to flush-to-zero, and a program can change
the rounding mode. Both void every bound in this package, silently. So a Bracket asks, whenever one
is made, whether the thread's arithmetic is sound, and claims no more than NUMERICAL if it is not;
the routes that use BLAS ask about its threads before they begin.
"""

import numpy as np
from numpy.typing import NDArray

# From this size on BLAS may use its own threads, whose floating-point state is separate.
THREADED_SIZE = 64


# Names rather than literals: constants would be folded when this file is compiled.
_ONE = 1.0
_HALF_UNIT = 2.0**-53
_QUARTER_UNIT = 2.0**-54
_HALF = 0.5
_NORMAL = 2.0**-1022
_SUBNORMAL = 2.0**-1074

# Rows whose products with _FACTORS add up to _ANSWERS: two that flushing or
# reading subnormal numbers as zero changes, and four that see every rounding mode but to nearest.
_FACTORS = np.array([2.0**-537, 2.0**60, 1.0, 1.0])
_QUESTIONS = np.array(
    [
        [2.0**-537, 0, 0, 0],
        [0, 2.0**-1074, 0, 0],
        [0, 0, 1, 2.0**-53],
        [0, 0, 1, -(2.0**-54)],
        [0, 0, -1, -(2.0**-53)],
        [0, 0, -1, 2.0**-54],
    ]
)
_ANSWERS = np.array([2.0**-1074, 2.0**-1014, 1, 1, -1, -1])


def arithmetic_is_sound() -> bool:
    """Return whether this thread's arithmetic rounds to nearest and keeps subnormal numbers.

    It takes a fraction of a microsecond, so that every Bracket can ask.

    Returns
    -------
    bool

    Examples
    --------
    >>> arithmetic_is_sound()
    True
    """
    return (
        _ONE + _HALF_UNIT == _ONE
        and -_ONE - _HALF_UNIT == -_ONE
        and _ONE - _QUARTER_UNIT == _ONE
        and -_ONE + _QUARTER_UNIT == -_ONE
        and _NORMAL * _HALF != 0.0
        and _SUBNORMAL / _NORMAL != 0.0
    )


def arithmetic_problem(dimension: int = 1) -> str:
    """Return what is wrong with this thread's arithmetic, or an empty string.

    From dimension 64 on the threads of BLAS are asked too.

    Parameters
    ----------
    dimension : int
        The size of the matrices to be computed with.

    Returns
    -------
    str

    Examples
    --------
    >>> arithmetic_problem()
    ''
    """
    # Array arithmetic runs the compiled loops that the certificates use.
    problem = _problem((_QUESTIONS * _FACTORS).sum(axis=1)[:, np.newaxis])
    return problem or (_blas_problem() if dimension >= THREADED_SIZE else "")


def _blas_problem() -> str:
    # The questions take turns in one product, so that every thread meets all of them.
    rows = 43 * _ANSWERS.size
    left = np.zeros((rows, THREADED_SIZE))
    right = np.zeros((THREADED_SIZE, rows))
    left[:, : _FACTORS.size] = np.tile(_QUESTIONS, (43, 1))
    right[: _FACTORS.size] = _FACTORS[:, np.newaxis]
    problem = _problem(left @ right)
    return f"matrix products: {problem}" if problem else ""


def _problem(products: NDArray[np.float64]) -> str:
    wrong = (products.reshape(-1, _ANSWERS.size, products.shape[1]) != _ANSWERS[:, np.newaxis]).any(
        axis=(0, 2)
    )
    if wrong[:2].any():
        return "subnormal numbers are flushed to zero"
    return "not rounding to nearest" if wrong.any() else ""
