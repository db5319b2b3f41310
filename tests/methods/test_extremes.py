"""Functions without curvature, curvature near the ends of the range of floats, and what a run says about itself."""

from typing import Any

import numpy as np
import pytest

from rpttheory import Blocks, InvalidInput, diagonal
from rpttheory.methods import (
    RPT,
    Accelerated,
    CyclicBlockDescent,
    GradientDescent,
    Method,
    ProgressiveTraining,
    RandomBlockDescent,
    Sketched,
    run,
)
from rpttheory.objectives import Logistic, Objective, Quadratic, Ridge, Robust
from rpttheory.problem.sampling import IndependentSampling

from .problems import BLOCKS, DENSE, DIAGONAL, X0, D, data

P = [0.25, 1.0, 0.5]

EVERY_METHOD: list[Method] = [
    GradientDescent(),
    RPT(),
    RPT([0.5, 1e-3]),
    Sketched(IndependentSampling([0.5, 0.5])),
    ProgressiveTraining((3, 50)),
    CyclicBlockDescent(),
    RandomBlockDescent(),
    Accelerated(),
]
PAIR = Blocks((1, 1))
CONSTANT: dict[str, Objective] = {
    "ridge": Ridge(np.zeros((3, 2)), [1.0, 2.0, 3.0], 0.0),
    "logistic": Logistic(np.zeros((3, 2)), [1.0, 1.0, -1.0], 0.0),
    "robust": Robust(np.zeros((3, 2)), [1.0, 2.0, 3.0]),
    "dense": Quadratic(np.zeros((2, 2))),
    "diagonal": Quadratic(diagonal([1e-310, 5e-324])),
}


@pytest.mark.parametrize("f", list(CONSTANT.values()), ids=list(CONSTANT))
@pytest.mark.parametrize("blocks", [PAIR, Blocks((2,))], ids=["two blocks", "one block"])
def test_a_constant_function_stays_where_it_is(f: Objective, blocks: Blocks) -> None:
    # Brackets of a zero have an upper end such as 8e-320, whose inverse is no stepsize.
    methods: list[Method] = [GradientDescent(), RPT(), CyclicBlockDescent(), RandomBlockDescent(), Accelerated()]
    for method in EVERY_METHOD if blocks is PAIR else methods:
        if isinstance(method, Accelerated) and f.strong_convexity is None:
            continue
        result = run(method, f, blocks, x0=[1.0, -2.0], steps=50)
        assert result.status == "budget", result.message
        np.testing.assert_array_equal(result.x, [1.0, -2.0])


def test_flat_blocks_beside_others_are_left_out_by_the_accelerated_method() -> None:
    A = data(9)
    A[:, 3:] = 0.0
    result = run(Accelerated(), Ridge(A, np.arange(9.0), 0.0), BLOCKS, x0=X0, steps=3000)
    np.testing.assert_array_equal(result.x[3:], X0[3:])
    # At the minimum <x - x*, f'(x)> / 2 is a rounding error, of either sign.
    assert abs(result.trace.gap[-1]) < 1e-6 * result.trace.gap[0]


@pytest.mark.parametrize("size", [1e300, 1e304, 1e308, 1.7e308])
@pytest.mark.parametrize(
    "method", EVERY_METHOD, ids=["GD", "RPT", "RPT, given p", "SkGD", "PT", "CBCD", "RBCD", "NU-ACDM"]
)
def test_curvature_near_the_largest_float_is_refused(method: Method, size: float) -> None:
    for A in (diagonal([size, size]), np.array([[size, size / 4], [size / 4, size]])):
        with pytest.raises(InvalidInput, match=r"must not exceed|must be finite") as caught:
            run(method, Quadratic(A), PAIR, x0=[1.0, 1.0], steps=5)
        assert "scale" in caught.value.remedy


def test_a_gradient_whose_square_overflows_at_the_start() -> None:
    with pytest.raises(InvalidInput, match="squared gradient at x0 must be finite"):
        run(GradientDescent(), Quadratic(diagonal([1e200, 1.0])), PAIR, x0=[1.0, 1.0], steps=5)


def test_little_strong_convexity_does_not_overflow() -> None:
    result = run(Accelerated(), Quadratic(diagonal([1e10, 1e-300])), PAIR, x0=[1.0, 1.0], steps=200)
    assert result.status == "budget" and result.trace.gap[-1] < 0.1 * result.trace.gap[0]


def descend(method: Method) -> Any:
    return run(method, DENSE, BLOCKS, x0=X0, steps=50)


@pytest.mark.parametrize("kind", [CyclicBlockDescent, RandomBlockDescent])
def test_stepsizes_of_the_user_are_named(kind: Any) -> None:
    assert descend(kind()).theory == "stepsize 1/L_k for block k"
    given = descend(kind(stepsizes=[0.01, 0.02, 0.03])).theory
    assert given == "stepsizes 0.01, 0.02, 0.03 as given, allowed up to 1/L_k for block k"
    f = Quadratic(diagonal(np.ones(20)))
    many = run(kind(stepsizes=[0.5] * 20), f, Blocks.singletons(20), x0=np.ones(20), steps=1).theory
    assert many.count("0.5") == 8 and ", ..." in many


def test_stepsizes_of_stages_are_named() -> None:
    assert descend(ProgressiveTraining((1, 1, 1))).theory == "stepsize 1/lambda_max of L on the active blocks"
    assert (
        "stepsizes 0.01, default, 0.03 as given" in descend(ProgressiveTraining((1, 1, 1), [0.01, None, 0.03])).theory
    )


@pytest.mark.parametrize("bad", [-5.0, 0.0, np.nan, np.inf, "1"])
@pytest.mark.parametrize("kind", [CyclicBlockDescent, RandomBlockDescent])
def test_stepsizes_of_flat_blocks_are_checked_as_well(kind: Any, bad: Any) -> None:
    f = Quadratic(diagonal([1.0, 0.0]), [0.0, 1.0])
    with pytest.raises(InvalidInput, match="stepsize must be positive and finite"):
        run(kind(stepsizes=[1.0, bad]), f, PAIR, x0=[1.0, 1.0], steps=5)


def test_a_stepsize_given_for_a_flat_block_is_used() -> None:
    f = Quadratic(diagonal([1.0, 0.0]), [0.0, 1.0])
    assert run(CyclicBlockDescent(stepsizes=[1.0, 0.25]), f, PAIR, x0=[1.0, 1.0], steps=4).x.tolist() == [0.0, 1.5]
    assert run(CyclicBlockDescent(), f, PAIR, x0=[1.0, 1.0], steps=4).x.tolist() == [0.0, 1.0]


def test_a_start_at_the_minimum_is_called_so() -> None:
    result = run(RPT(P), DIAGONAL, BLOCKS, x0=np.zeros(D), steps=10, target=1e-3)
    assert result.message == "x0 is a minimiser: f - f* = 0 there"
