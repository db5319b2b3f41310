"""The guard against changed floating-point modes, tested by really changing them (restored at
once).
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rpttheory import Blocks, diagonal, gram, lmax, optimal_probabilities
from rpttheory.eigen import EntrywiseMatrix, bracket_lambda_max, prove_psd
from rpttheory.numbers import (
    Rigor,
    Verdict,
    arithmetic_guard,
    arithmetic_is_sound,
    arithmetic_problem,
)
from rpttheory.problem.smoothness import as_smoothness

from .modes import (
    FLUSHING,
    MODES,
    ROUNDING,
    SETTABLE,
    TINY,
    mxcsr,
    proved_in,
    public_answers,
    rounding,
    strongest,
)

linux_x86 = pytest.mark.skipif(
    not SETTABLE, reason="the modes are set through glibc's fenv on x86-64"
)


@pytest.mark.parametrize("dimension", [1, 63, 64, 5000])
def test_ordinary_arithmetic_is_accepted(dimension: int) -> None:
    assert arithmetic_problem(dimension) == "" and arithmetic_is_sound()


@linux_x86
@pytest.mark.parametrize("mode", MODES.values(), ids=list(MODES))
def test_changed_modes_are_seen(mode: Any) -> None:
    L = EntrywiseMatrix(np.ones((3, 3)))
    with mode():
        sound = arithmetic_is_sound()
        problem = arithmetic_problem()
        verdict = prove_psd(L, np.ones(3), 4.0)
        bracket = bracket_lambda_max(L, None, np.ones(3))
    assert not sound and ("round" in problem or "subnormal" in problem)
    assert verdict is Verdict.UNDECIDED and bracket.rigor is Rigor.NUMERICAL
    assert proved_in(mode) == set(), "no public function proves anything"


def test_ordinary_arithmetic_proves_all_of_it() -> None:
    assert {
        name for name, answer in public_answers().items() if strongest(answer) is Rigor.NUMERICAL
    } == set()
    assert lmax(diagonal(TINY)).exact == Fraction(TINY[1])


@linux_x86
@pytest.mark.parametrize("mode", MODES.values(), ids=list(MODES))
def test_what_was_taken_in_or_formed_in_another_mode_is_not_trusted_later(mode: Any) -> None:
    A = np.array([[3e-162, 1e-162], [1e-162, 2e-162]])
    before = gram(A)
    with mode():
        taken_in = gram(A), diagonal(TINY), as_smoothness(A), as_smoothness(sp.csr_array(A))
        lmax(before)
    assert {lmax(form).rigor for form in taken_in} == {Rigor.NUMERICAL}
    assert lmax(before, effort="exact").exact == lmax(gram(A), effort="exact").exact
    later = before.explicit()
    anew = gram(A).explicit()
    np.testing.assert_array_equal(later.matrix, anew.matrix)


@linux_x86
def test_the_probe_of_matrix_products_sees_rounding_modes_and_flushing() -> None:
    changed = [(rounding(mode), "round") for mode in ROUNDING.values()] + [
        (mxcsr(FLUSHING["flush to zero"]), "flush")
    ]
    for mode, word in changed:
        with mode:
            problem = arithmetic_guard._blas_problem()
        assert word in problem and arithmetic_guard._blas_problem() == ""


def test_matrix_products_are_probed_where_threads_may_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker thread's state differs from the caller's, so the scalar probe alone would miss
    it.
    """
    monkeypatch.setattr(arithmetic_guard, "_blas_problem", lambda: "a worker thread flushes")
    assert arithmetic_guard.THREADED_SIZE**3 <= 4 * 65536, (
        "OpenBLAS multiplies in threads from m n k = 4 * 65536 on"
    )
    assert arithmetic_problem(arithmetic_guard.THREADED_SIZE - 1) == ""
    assert "worker thread" in arithmetic_problem(arithmetic_guard.THREADED_SIZE)
    for size, rigor in (
        (arithmetic_guard.THREADED_SIZE - 1, Rigor.VERIFIED),
        (arithmetic_guard.THREADED_SIZE, Rigor.NUMERICAL),
    ):
        assert lmax(np.ones((size, size))).rigor is rigor
        optimum = optimal_probabilities(
            np.ones((size, size)) + np.eye(size), Blocks((size // 2, size - size // 2))
        )
        assert optimum.rigor is rigor
