"""Every public function under changed floating-point modes, really changed (and restored at
once).
"""

import ctypes
import platform
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from rpttheory import (
    L_M,
    L_P,
    Blocks,
    NestedSampling,
    block_L,
    c_M,
    c_P,
    closed_form,
    compare,
    cost,
    diagonal,
    gram,
    lmax,
    optimal_probabilities,
    verify,
)
from rpttheory.numbers import Rigor, Verdict
from rpttheory.problem.smoothness import as_smoothness

from .trial import Finding, Tally

# glibc on x86-64: FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, and the bits of the MXCSR register.
ROUNDING = {"downward": 0x400, "upward": 0x800, "towards zero": 0xC00}
FLUSHING = {"flush to zero": 0x8000, "denormals are zero": 0x0040, "both": 0x8040}

SETTABLE = (
    platform.system() == "Linux"
    and platform.machine() in ("x86_64", "AMD64")
    and platform.libc_ver()[0] == "glibc"
)
"""The modes are set through glibc on x86-64."""


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
    before = ctypes.create_string_buffer(32)
    changed = ctypes.create_string_buffer(32)
    assert libm.fegetenv(before) == 0
    ctypes.memmove(changed, before, 32)
    (register,) = struct.unpack_from("<I", changed, 28)
    struct.pack_into("<I", changed, 28, register | bits)
    libm.fesetenv(changed)
    try:
        yield
    finally:
        libm.fesetenv(before)


MODES = {
    **{name: partial(rounding, mode) for name, mode in ROUNDING.items()},
    **{name: partial(mxcsr, bits) for name, bits in FLUSHING.items()},
}

TINY = np.array([1.5e-323, 3.5e-323])
FORM: Any = as_smoothness([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 1.0]])


def public_answers() -> dict[str, Any]:
    """Every public function that returns brackets or verdicts, on matrices that flushing would
    change.
    """
    dense = FORM.matrix
    two = Blocks((1, 2))
    p = [1.0, 0.5]
    small = diagonal(TINY)
    ones = Blocks((1, 1))
    sampling = NestedSampling(p)
    return {
        "lambda_max": lmax(dense),
        "lambda_max exact": lmax(dense, effort="exact"),
        "lambda_max of a diagonal": lmax(small),
        "lambda_max of one number": lmax(TINY[:1, None]),
        "lambda_max of a Gram matrix": lmax(gram(dense, Fraction(2, 3))),
        "L_P": L_P(dense, two, p),
        "L_P of a diagonal": L_P(small, ones, p),
        "L_k": block_L(dense, two),
        "L_k of singletons": block_L(np.diag(TINY), ones),
        "L_M": L_M(dense, two, sampling=sampling),
        "L_M of a diagonal": L_M(small, ones, sampling=sampling),
        "cost": cost(p, [1.0, 2.0]),
        "c(P)": c_P(dense, two, p, [1.0, 2.0]),
        "c_M": c_M(dense, two, costs=[1.0, 2.0], sampling=sampling),
        "closed form": closed_form(dense, two, [1.0, 2.0]).bound,
        "optimum": optimal_probabilities(dense, two).bracket,
        "optimum of a diagonal": optimal_probabilities(small, ones).bracket,
        "optimum over orders": optimal_probabilities(FORM, two, objective="c_M").bracket,
        "comparison": compare(dense, two).problem.gradient_descent,
        "verify": [
            claim.verdict for claim in verify(dense, two, claims=["lmax > 0", "d == 3"]).claims
        ],
    }


def strongest(answer: Any) -> Rigor:
    if isinstance(answer, list | tuple):
        return max(map(strongest, answer))
    if isinstance(answer, Verdict):
        return Rigor.NUMERICAL if answer is Verdict.UNDECIDED else Rigor.VERIFIED
    return answer.rigor


def proved_in(mode: Any) -> set[str]:
    """The public functions that claim to prove something in a mode."""
    with mode():
        answers = public_answers()
    return {name for name, answer in answers.items() if strongest(answer) is not Rigor.NUMERICAL}


def attack_modes(tally: Tally) -> None:
    """Nothing is proved in any changed mode."""
    for name, mode in MODES.items() if SETTABLE else ():
        tally.counts["modes"] += 1
        for function in sorted(proved_in(mode)):
            tally.findings.append(
                Finding(
                    function,
                    "a proof",
                    "NUMERICAL",
                    [f"in the mode {name}"],
                    f"modes {name}",
                    name,
                )
            )
