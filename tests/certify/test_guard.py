"""The guard against changed floating-point modes, tested by really changing them (restored at once)."""

from __future__ import annotations

import ctypes
import platform
import struct
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from rpttheory.certify import Explicit, Verdict, bracket_top, guard, prove_upper, require_safe_arithmetic
from rpttheory.errors import UnsafeArithmetic

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


def outcome(action: object, *arguments: object) -> BaseException | object:
    """The error an action raised, so that pytest's own machinery runs in the normal mode."""
    try:
        return action(*arguments)  # type: ignore[operator]
    except UnsafeArithmetic as error:
        return error


def certificates() -> list[tuple[object, tuple[object, ...]]]:
    L = Explicit(np.ones((3, 3)))
    return [
        (require_safe_arithmetic, ()),
        (require_safe_arithmetic, (200,)),
        (prove_upper, (L, np.ones(3), 4.0)),
        (bracket_top, (L, None, np.ones(3))),
    ]


@pytest.mark.parametrize("dimension", [1, 63, 64, 5000])
def test_ordinary_arithmetic_is_accepted(dimension: int) -> None:
    require_safe_arithmetic(dimension)


@linux_x86
@pytest.mark.parametrize("mode", ROUNDING.values(), ids=list(ROUNDING))
def test_other_rounding_modes_are_refused(mode: int) -> None:
    prepared = certificates()
    with rounding(mode):
        found = [outcome(action, *arguments) for action, arguments in prepared]
    assert all(isinstance(error, UnsafeArithmetic) for error in found), found
    assert "rounding" in str(found[0])


@linux_x86
@pytest.mark.parametrize("bits", FLUSHING.values(), ids=list(FLUSHING))
def test_flushing_subnormals_is_refused(bits: int) -> None:
    prepared = certificates()
    with mxcsr(bits):
        found = [outcome(action, *arguments) for action, arguments in prepared]
    assert all(isinstance(error, UnsafeArithmetic) for error in found), found
    assert "subnormal" in str(found[0])


@linux_x86
def test_the_modes_were_restored() -> None:
    for mode in ROUNDING.values():
        with rounding(mode):
            pass
    for bits in FLUSHING.values():
        with mxcsr(bits):
            pass
    require_safe_arithmetic(200)
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
    require_safe_arithmetic(guard.THREADED_SIZE - 1)
    with pytest.raises(UnsafeArithmetic, match="worker thread"):
        require_safe_arithmetic(guard.THREADED_SIZE)
