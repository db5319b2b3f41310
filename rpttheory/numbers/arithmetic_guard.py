"""A run-time check that the processor's arithmetic is the one the error bounds assume.

Any shared library compiled for speed can switch a thread to flush-to-zero, and a program can change
the rounding mode. Both void every bound in this package, silently. So a Bracket asks, whenever one
is made, whether the thread's arithmetic is sound, and claims no more than NUMERICAL if it is not;
the routes that use BLAS ask about its threads before they begin.
"""

import numpy as np

# From this size on BLAS may use its own threads, whose floating-point state is separate.
THREADED_SIZE = 64


# Names rather than literals: constants would be folded when this file is compiled.
_ONE = 1.0
_HALF_UNIT = 2.0**-53
_QUARTER_UNIT = 2.0**-54
_HALF = 0.5
_NORMAL = 2.0**-1022
_SUBNORMAL = 2.0**-1074

# Rows that, times (2^-537, 1, 1), have these values; they take turns in one product, so that every
# thread meets all.
_QUESTIONS = np.array(
    [
        [2.0**-537, 0, 0],
        [0, 1, 2.0**-53],
        [0, 1, -(2.0**-54)],
        [0, -1, -(2.0**-53)],
        [0, -1, 2.0**-54],
    ]
)
_ANSWERS = np.array([2.0**-1074, 1, 1, -1, -1])


def arithmetic_is_sound() -> bool:
    """Whether this thread's arithmetic rounds to nearest and keeps subnormal numbers; a fraction of
    a microsecond.
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
    """What is wrong with this thread's arithmetic, or from size 64 on with that of BLAS; empty if
    nothing.
    """
    return _scalar_problem() or (_blas_problem() if dimension >= THREADED_SIZE else "")


def _scalar_problem() -> str:
    # Array arithmetic runs the compiled loops that the certificates use.
    smallest_normal = np.array([2.0**-1022])
    if (smallest_normal * 0.5)[0] == 0.0:
        return "subnormal results are flushed to zero"
    if (np.array([2.0**-1074]) * 2.0**60)[0] == 0.0:
        return "subnormal operands are read as zero"
    one = np.array([1.0, -1.0])
    if (one + np.array([2.0**-53, -(2.0**-53)]) != one).any():
        return "rounding away from zero or upwards"
    if (one - np.array([2.0**-54, -(2.0**-54)]) != one).any():
        return "rounding towards zero or downwards"
    return ""


def _blas_problem() -> str:
    left = np.zeros((255, THREADED_SIZE))
    right = np.zeros((THREADED_SIZE, 255))
    left[:, :3] = np.tile(_QUESTIONS, (51, 1))
    right[:3] = [[2.0**-537], [1.0], [1.0]]
    wrong = (left @ right != np.tile(_ANSWERS, 51)[:, None]).any(axis=1)
    if wrong[:: _ANSWERS.size].any():
        return "matrix products flush subnormal results to zero"
    return "matrix products do not round to nearest" if wrong.any() else ""
