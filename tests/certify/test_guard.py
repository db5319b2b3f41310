"""The guard against changed floating-point modes, tested by really changing them (restored at once)."""

from __future__ import annotations

import ctypes
import platform
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rpttheory import (
    Blocks,
    NestedSampling,
    block_smoothness,
    closed_form,
    compare,
    complexity,
    diagonal,
    expected_cost,
    gram,
    lambda_max,
    optimal_probabilities,
    second_moment_complexity,
    second_moment_smoothness,
    verify,
    weighted_smoothness,
)
from rpttheory.certify import (
    Explicit,
    Rigour,
    Verdict,
    arithmetic_is_sound,
    arithmetic_problem,
    bracket_top,
    guard,
    prove_upper,
)
from rpttheory.smoothness import as_smoothness

# glibc on x86-64: FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, and the bits of the MXCSR register.
ROUNDING = {"downward": 0x400, "upward": 0x800, "towards zero": 0xC00}
FLUSHING = {"flush to zero": 0x8000, "denormals are zero": 0x0040, "both": 0x8040}

linux_x86 = pytest.mark.skipif(
    platform.system() != "Linux" or platform.machine() not in ("x86_64", "AMD64") or platform.libc_ver()[0] != "glibc",
    reason="the modes are set through glibc's fenv on x86-64",
)


@contextmanager
def rounding(mode: int) -> Iterator[None]:
    libm = ctypes.CDLL("libm.so.6")
    before = libm.fegetround()
    assert libm.fesetround(mode) == 0
    try:
        yield
    finally:
        libm.fesetround(before)


@contextmanager
def mxcsr(bits: int) -> Iterator[None]:
    libm = ctypes.CDLL("libm.so.6")
    before, changed = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
    assert libm.fegetenv(before) == 0
    ctypes.memmove(changed, before, 32)
    (register,) = struct.unpack_from("<I", changed, 28)
    struct.pack_into("<I", changed, 28, register | bits)
    libm.fesetenv(changed)
    try:
        yield
    finally:
        libm.fesetenv(before)


@pytest.mark.parametrize("dimension", [1, 63, 64, 5000])
def test_ordinary_arithmetic_is_accepted(dimension: int) -> None:
    assert arithmetic_problem(dimension) == "" and arithmetic_is_sound()


MODES = {
    **{name: partial(rounding, mode) for name, mode in ROUNDING.items()},
    **{name: partial(mxcsr, bits) for name, bits in FLUSHING.items()},
}


@linux_x86
@pytest.mark.parametrize("mode", MODES.values(), ids=list(MODES))
def test_changed_modes_are_seen(mode: Any) -> None:
    L = Explicit(np.ones((3, 3)))
    with mode():
        sound, problem = arithmetic_is_sound(), arithmetic_problem()
        verdict, bracket = prove_upper(L, np.ones(3), 4.0), bracket_top(L, None, np.ones(3))
    assert not sound and ("round" in problem or "subnormal" in problem)
    assert verdict is Verdict.UNDECIDED and bracket.rigour is Rigour.NUMERICAL


TINY = np.array([1.5e-323, 3.5e-323])
FORM: Any = as_smoothness([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 1.0]])


def public_answers() -> dict[str, Any]:
    """Every public function that returns brackets or verdicts, on matrices that flushing would change."""
    dense, two, p = FORM.matrix, Blocks((1, 2)), [1.0, 0.5]
    small, ones = diagonal(TINY), Blocks((1, 1))
    sampling = NestedSampling(p)
    return {
        "lambda_max": lambda_max(dense),
        "lambda_max exact": lambda_max(dense, effort="exact"),
        "lambda_max of a diagonal": lambda_max(small),
        "lambda_max of one number": lambda_max(TINY[:1, None]),
        "lambda_max of a Gram matrix": lambda_max(gram(dense, Fraction(2, 3))),
        "L_P": weighted_smoothness(dense, p, two),
        "L_P of a diagonal": weighted_smoothness(small, p, ones),
        "L_k": block_smoothness(dense, two),
        "L_k of singletons": block_smoothness(np.diag(TINY), ones),
        "L_M": second_moment_smoothness(dense, sampling, two),
        "L_M of a diagonal": second_moment_smoothness(small, sampling, ones),
        "cost": expected_cost(p, [1.0, 2.0]),
        "c(P)": complexity(dense, p, [1.0, 2.0], two),
        "c_M": second_moment_complexity(dense, sampling, [1.0, 2.0], two),
        "closed form": closed_form(dense, [1.0, 2.0], two).bound,
        "optimum": optimal_probabilities(dense, two).bracket,
        "optimum of a diagonal": optimal_probabilities(small, ones).bracket,
        "optimum over orders": optimal_probabilities(FORM, two, regime="nonconvex").bracket,
        "comparison": compare(dense, two).gradient_descent,
        "verify": [claim.verdict for claim in verify(dense, two, claims=["lmax > 0", "d == 3"]).claims],
    }


def strongest(answer: Any) -> Rigour:
    if isinstance(answer, list | tuple):
        return max(map(strongest, answer))
    if isinstance(answer, Verdict):
        return Rigour.NUMERICAL if answer is Verdict.UNDECIDED else Rigour.ROUNDED
    return answer.rigour


def test_ordinary_arithmetic_proves_all_of_it() -> None:
    assert {name for name, answer in public_answers().items() if strongest(answer) is Rigour.NUMERICAL} == set()
    assert lambda_max(diagonal(TINY)).exact == Fraction(TINY[1])


@linux_x86
@pytest.mark.parametrize("mode", MODES.values(), ids=list(MODES))
def test_no_public_function_proves_anything_in_another_mode(mode: Any) -> None:
    with mode():
        answers = public_answers()
    assert {name for name, answer in answers.items() if strongest(answer) is not Rigour.NUMERICAL} == set()


@linux_x86
@pytest.mark.parametrize("mode", MODES.values(), ids=list(MODES))
def test_what_was_taken_in_or_formed_in_another_mode_is_not_trusted_later(mode: Any) -> None:
    A = np.array([[3e-162, 1e-162], [1e-162, 2e-162]])
    before = gram(A)
    with mode():
        taken_in = gram(A), diagonal(TINY), as_smoothness(A), as_smoothness(sp.csr_array(A))
        lambda_max(before)
    assert {lambda_max(form).rigour for form in taken_in} == {Rigour.NUMERICAL}
    assert lambda_max(before, effort="exact").exact == lambda_max(gram(A), effort="exact").exact
    later, anew = before.explicit(), gram(A).explicit()
    np.testing.assert_array_equal(later.matrix, anew.matrix)


@linux_x86
def test_the_modes_were_restored() -> None:
    for mode in ROUNDING.values():
        with rounding(mode):
            pass
    for bits in FLUSHING.values():
        with mxcsr(bits):
            pass
    assert arithmetic_problem(200) == ""
    assert prove_upper(Explicit(np.ones((3, 3))), np.ones(3), 4.0) is Verdict.PROVED


@linux_x86
@pytest.mark.parametrize("mode", ROUNDING.values(), ids=list(ROUNDING))
def test_the_probe_of_matrix_products_sees_rounding_modes(mode: int) -> None:
    with rounding(mode):
        problem = guard._blas_problem()
    assert "round" in problem
    assert guard._blas_problem() == ""


@linux_x86
def test_the_probe_of_matrix_products_sees_flushing() -> None:
    with mxcsr(FLUSHING["flush to zero"]):
        problem = guard._blas_problem()
    assert "flush" in problem


def test_matrix_products_are_probed_where_threads_may_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker thread's state differs from the caller's, so the scalar probe alone would miss it."""
    monkeypatch.setattr(guard, "_blas_problem", lambda: "a worker thread flushes")
    assert arithmetic_problem(guard.THREADED_SIZE - 1) == ""
    assert "worker thread" in arithmetic_problem(guard.THREADED_SIZE)
    for size, rigour in ((guard.THREADED_SIZE - 1, Rigour.ROUNDED), (guard.THREADED_SIZE, Rigour.NUMERICAL)):
        assert lambda_max(np.ones((size, size))).rigour is rigour
        optimum = optimal_probabilities(np.ones((size, size)) + np.eye(size), Blocks((size // 2, size - size // 2)))
        assert optimum.rigour is rigour
