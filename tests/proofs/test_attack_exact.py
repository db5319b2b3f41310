"""The arithmetic behind the attacks, against routes that know nothing of it."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from proofs_check.attack import expectations
from proofs_check.attack.case import Case
from proofs_check.attack.construction import Construction, Constructions, decide
from proofs_check.attack.expectations import (
    against_L_P,
    decide_sharp,
    exactly,
    sketched_gradient,
    weighted_gradient,
)
from proofs_check.attack.ridge import Ridges
from proofs_check.attack.sharp import theta, theta_bounds
from proofs_check.attack.stepsize import FULL, GENERIC, HALF, MOMENT, QUARTER, Limit, instance_of
from proofs_check.attack.walk import sketches, walk
from rpttheory import Blocks, Bracket, NestedSampling, Verdict, tight_matrix
from rpttheory.errors import InvalidInput
from rpttheory.methods.expectation import exact_moments
from rpttheory.statements import parse
from rpttheory.statements.at_point import dual_value
from rpttheory.statements.batch import sides

FloatArray = NDArray[np.float64]


def quadratic(steps: int = 0, seed: int = 0) -> Case:
    """A quadratic on blocks (1, 2, 1) with a 3-cycle for the order of its probabilities, and no
    certain block.
    """
    rng = np.random.default_rng(seed)
    rows = rng.integers(-3, 4, (5, 4)).astype(float)
    return Case(
        Blocks((1, 2, 1)),
        rows.T @ rows,
        np.array([0.25, 0.75, 0.5]),
        np.array([1.0, 0.25, 0.5]),
        rng.integers(1, 4, 4).astype(float),
        rows,
        np.full(5, np.inf),
        stepsize=2.0**-6,
        steps=steps,
    )


def test_walks_agree_with_the_recursion_of_moments() -> None:
    case = quadratic(2)
    exact = case.exact
    moments = exact_moments(
        exact.L[0].tolist(),
        NestedSampling(case.p),
        case.blocks,
        Fraction(case.stepsize or 0),
        exact.x[0].tolist(),
        2,
    )
    for t, (found, known) in enumerate(zip(walk(exact, 2), moments, strict=True)):
        assert sum(found.weights[0]) == 1
        mean = np.einsum("s,si,sj->ij", found.weights[0], found.x[0], found.x[0])
        assert (mean == known.iterate).all()
        averages = found.total[0] / (t + 1)
        assert (
            np.einsum("s,si,sj->ij", found.weights[0], averages, averages) == known.average
        ).all()


def test_fractions_that_are_too_long_leave_it_undecided() -> None:
    tiny = 2.0**-1020
    rows = np.array([[1.0, tiny], [tiny, 1.0]])
    case = Case(
        Blocks((1, 1)),
        2 * np.eye(2),
        np.array([0.5, 0.5]),
        np.ones(2),
        np.array([1.0, 3 * tiny]),
        rows,
        np.full(2, np.inf),
        stepsize=0.25,
    )
    # True for the factor 1 and false for 4: neither may be read off a test that gave no answer.
    for factor in (1, 4):
        assert against_L_P(lambda s, k=factor: k * weighted_gradient(s))(case) is Verdict.UNDECIDED
    directions = np.array([1.0, tiny, 1.0, 3 * tiny])
    built = Construction(Blocks((2, 2)), directions, np.ones(2), np.ones(2), np.full(2, 0.5))
    assert decide(built) is Verdict.UNDECIDED
    with pytest.raises(InvalidInput, match="too long"):
        case.psd(built.exact.matrix[0])


def test_floats_and_fractions_agree() -> None:
    case = quadratic(2, seed=1)
    for floats, exact in zip(walk(case.floats(), 2), walk(case.exact, 2), strict=True):
        for name in ("weights", "x", "gradient", "total", "least"):
            np.testing.assert_allclose(
                getattr(floats, name), getattr(exact, name).astype(float), rtol=1e-9
            )


def test_the_least_gradient_is_kept_along_each_path() -> None:
    first, second = walk(quadratic(1).exact, 1)
    norms = (second.gradient * second.gradient).sum(axis=2)
    assert (second.least == np.minimum(norms, first.least)).all()
    assert (first.least == (first.gradient * first.gradient).sum(axis=2)).all()


def test_sketches_are_those_of_the_nested_sampling() -> None:
    case = quadratic()
    probabilities, diagonals = (values[0] for values in sketches(case.exact))
    sampling = NestedSampling(case.p)
    known = {tuple(o.active.tolist()): o.probability for o in sampling.support() if o.probability}
    found = {
        tuple(bool(d[rows.start]) for rows in case.blocks.slices): probability
        for probability, d in zip(probabilities, diagonals, strict=True)
        if probability
    }
    assert (
        found == known
        and (sum(p * d for p, d in zip(probabilities, diagonals, strict=True)) == 1).all()
    )


@pytest.mark.parametrize("shape", ["huber", "tent"])
def test_gradients_are_derivatives(shape: Any) -> None:
    # Piecewise quadratic: central differences are exact where no piece ends in between.
    f = Ridges(
        np.array([[[1.0, 2.0], [0.5, -1.0]]]),
        np.array([[1.0, 0.25]]),
        np.array([0.5 if shape == "huber" else 0.0]),
        shape,
    )
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, (1, 400, 2))
    h = 2.0**-20
    for axis in range(2):
        step = h * np.eye(2)[axis]
        slope = (f.value(x + step) - f.value(x - step)) / (2 * h)
        close = np.abs(slope - f.gradient(x)[:, :, axis]) < 1e-5
        assert close.all()
    assert (f.value(x) >= 0).all() and f.value(x * 0).max() == 0


@pytest.mark.parametrize("shape", ["huber", "tent"])
def test_functions_are_smooth_and_convex_as_said(shape: Any) -> None:
    rows = np.array([[1.0, 2.0], [0.5, -1.0]])
    mu = 0.5
    f = Ridges(rows[None], np.array([[1.0, 0.25]]), np.array([mu]), shape)
    L = rows.T @ rows + mu * np.eye(2)
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-2, 2, (2, 1, 500, 2))
    excess = f.value(y) - f.value(x) - (f.gradient(x) * (y - x)).sum(axis=2)
    upper = np.einsum("nsi,ij,nsj->ns", y - x, L, y - x) / 2
    assert (excess <= upper + 1e-12).all()
    strongly = excess - mu / 2 * ((y - x) ** 2).sum(axis=2)
    assert (strongly >= -1e-12).all() == (shape == "huber")


def test_float_quantities_lie_in_the_brackets() -> None:
    case = quadratic(seed=2)
    stack = case.floats()
    instance = instance_of(case)
    for found, bracket in (
        (stack.lmax, instance.lmax),
        (stack.L_P, instance.L_P),
        (stack.L_M, instance.L_M),
        (stack.cost, instance.cost),
        (sides(parse("closed <= 1"), stack)[0], instance.closed),
        (stack.c_closed, instance_of(case).c_closed),
        ((stack.costs * stack.block_L).sum(axis=1), instance.one_block_cost),
        (stack.block_L.sum(axis=1), Bracket.sum(instance.block_L)),
        (stack.dual, dual_value(instance_of(case), case.x)),
    ):
        assert abs(found[0] / bracket.midpoint - 1) < 1e-12


def test_the_closed_form_is_exact_where_it_is_rational() -> None:
    # L = ww' with w = (2, 3), c = (1, 1/4): sqrt(L_k / c_k) = 2, 6 and c(P) = (2 + 3/2)^2.
    L = np.array([[4.0, 6.0], [6.0, 9.0]])
    case = Case(Blocks((1, 1)), L, np.ones(2), np.array([1.0, 0.25]), np.array([1.0, 1.0]))
    instance = instance_of(case)
    values = instance.c_closed, dual_value(instance, case.x), instance.closed
    assert {value.exact for value in values} == {Fraction(49, 4)}


def test_second_moments_are_decided_at_the_tie() -> None:
    # One coordinate: |g|^2 / p = L^2 x^2 / p and 2 L_P f = L^2 x^2 / p.
    one = np.ones(1)
    rows = np.array([[2.0]])
    no_limit = np.array([np.inf])
    exact = Case(Blocks((1,)), np.array([[4.0]]), np.array([0.25]), one, one, rows, no_limit)
    assert weighted_gradient(exact.exact)[0] == sketched_gradient(exact.exact)[0] == 64
    assert against_L_P(weighted_gradient)(exact) is Verdict.PROVED
    assert (
        against_L_P(lambda s: weighted_gradient(s) * Fraction(1001, 1000))(exact) is Verdict.REFUTED
    )
    assert (
        against_L_P(lambda s: weighted_gradient(s) * Fraction(999, 1000))(exact) is Verdict.PROVED
    )


def test_ties_of_fractions_hold() -> None:
    one = np.array([Fraction(1, 3)], dtype=object)
    assert exactly(lambda _: (one, one))(quadratic()) is Verdict.PROVED
    assert exactly(lambda _: (one * 2, one))(quadratic()) is Verdict.REFUTED


@pytest.mark.parametrize(
    ("limit", "largest"),
    [(FULL, 2.0**-4), (HALF, 2.0**-5), (QUARTER, 2.0**-6), (MOMENT, 2.0**-4), (GENERIC, 2.0**-4)],
)
def test_stepsizes_are_allowed_up_to_the_limit_and_not_beyond(limit: Limit, largest: float) -> None:
    # L = 4 and p = 1/4: L_P = L_M = 16, and 1/sqrt(L L_P T) = 1/16 at T = 4.
    one = np.ones(1)

    def at(stepsize: float) -> Case:
        return Case(Blocks((1,)), np.array([[4.0]]), one / 4, one, one, stepsize=stepsize, steps=4)

    assert limit.largest(at(1.0).floats())[0] == largest and limit.allowed(at(largest))
    assert not limit.allowed(at(float(np.nextafter(largest, 1.0))))


def test_the_closed_form_is_enclosed_where_it_is_irrational() -> None:
    # Diagonal L: c(P_closed) = max sqrt(L_k c_k) sum sqrt(L_k c_k), in 256 bits.
    L = np.array([3.0, 5.0, 7.0])
    costs = np.array([1.0, 0.5, 0.25])
    case = Case(Blocks((1, 1, 1)), np.diag(L), np.ones(3), costs, np.ones(3))
    roots = [
        (Bracket.point(a) * Bracket.point(c)).sqrt()
        for a, c in zip(L.tolist(), costs.tolist(), strict=True)
    ]
    truth = Bracket.largest(roots) * Bracket.sum(roots)
    found = instance_of(case).c_closed
    assert found.low < truth.low and truth.high < found.high and 0 < found.width < 1e-14


def test_the_sharp_rate_is_undecided_within_the_enclosure_of_theta(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # |x|^2 = 1 and f = mu x^2 / 2 with p = 1, gamma = 1: a step takes off 2 s - s^2, and theta =
    # s^2.
    one = np.ones(1)
    case = Case(
        Blocks((1,)),
        np.array([[1.0]]),
        one,
        one,
        one,
        np.zeros((1, 1)),
        np.zeros(1),
        mu=0.5,
        stepsize=1.0,
        steps=1,
    )
    assert decide_sharp(case) is Verdict.PROVED
    quarter = Fraction(1, 4)
    small = Fraction(1, 100)
    for bounds, verdict in (
        ((quarter - small, quarter + small), Verdict.UNDECIDED),
        ((quarter, quarter + small), Verdict.PROVED),
        ((quarter - 2 * small, quarter - small), Verdict.REFUTED),
    ):
        monkeypatch.setattr(expectations, "theta_bounds", lambda p, s, found=bounds: found)
        assert decide_sharp(case) is verdict


RATES = [
    ((1, Fraction(1, 4)), Fraction(1, 8)),
    ((1, Fraction(1, 2), Fraction(1, 4)), Fraction(1, 10)),
    ((1, 1), 1),
]


@pytest.mark.parametrize(("p", "s"), RATES)
def test_theta_is_enclosed(p: tuple[Any, ...], s: Any) -> None:
    low, high = theta_bounds([Fraction(q) for q in p], Fraction(s))
    assert low <= high <= low + Fraction(1, 10**12)
    found = theta(np.array([p], dtype=float), np.array([float(s)]))[0]
    assert abs(found - float(low)) < 1e-9


def test_theta_by_brute_force() -> None:
    p = np.array([1.0, 0.25])
    s = 0.125
    e = 1 - s / p
    levels = np.linspace(e.max() * (1 + 1e-9), 2 * e.max(), 200_001)[:, None]
    least = (s**2 / p + p * e * (levels - 2 * e) ** 2 / (4 * (levels - e))).max(axis=1).min()
    found = theta(p[None], np.array([s]))[0]
    assert found <= least < found + 1e-7 and abs(1 - 2 * s + found - 0.8179832594) < 1e-9


def test_theta_of_equal_probabilities_is_rational() -> None:
    # 1 - 2 s + s^2 / p: at p = 1/2, s = 1/20 the factor is 0.905.
    low, high = theta_bounds([Fraction(1, 2)] * 2, Fraction(1, 20))
    assert low == high == Fraction(1, 200)
    with pytest.raises(ValueError, match="at most"):
        theta_bounds([Fraction(1, 2)], Fraction(3, 4))


def test_the_sharp_factor_is_the_worst_over_quadratics() -> None:
    # H = mu I + E^1/2 qq' E^1/2 with E = P - mu I: the worst q comes near the bound, and none
    # passes it.
    p = np.array([1.0, 0.25])
    mu = 0.125
    bound = 1 - 2 * mu + theta(p[None], np.array([mu]))[0]
    angles = np.linspace(0, np.pi, 20_001)
    q = np.stack((np.cos(angles), np.sin(angles)), axis=1) * np.sqrt(p - mu)
    H = mu * np.eye(2) + q[:, :, None] * q[:, None, :]
    worst = np.linalg.eigvalsh(np.eye(2) - 2 * H + (H / p) @ H)[:, -1].max()
    assert bound - 1e-8 < worst < bound + 1e-12


def test_the_construction_is_that_of_the_library() -> None:
    rng = np.random.default_rng(0)
    blocks = Blocks((2, 1, 3))
    found = Constructions(
        blocks,
        rng.standard_normal((1, 6)),
        np.array([[2.0, 1.0, 3.0]]),
        np.array([[9.0, 0.5, 0.25]]),
        np.array([[0.5, 1.0, 0.25]]),
    )
    M = found.matrix[0]
    parts = [M[rows, rows] for rows in blocks.slices]
    assert [round(float(np.linalg.eigvalsh(part)[-1]), 9) for part in parts] == [4.0, 1.5, 9.25]
    np.testing.assert_allclose(
        np.abs(M), np.abs(tight_matrix(parts, eps=[0.0, 0.5, 0.25])), atol=1e-9
    )
    np.testing.assert_allclose(
        np.linalg.eigvalsh(M),
        np.linalg.eigvalsh(tight_matrix(parts, eps=[0.0, 0.5, 0.25])),
        atol=1e-9,
    )


def test_constructions_are_decided() -> None:
    case = Construction(
        Blocks((1, 1)), np.ones(2), np.array([2.0, 1.0]), np.array([1.0, 0.5]), np.ones(2)
    )
    assert (
        decide(case) is Verdict.PROVED
        and (case.exact.matrix[0] == [[4, 2], [2, Fraction(3, 2)]]).all()
    )
    # With eps = 0 the sum is reached, but the matrix is singular.
    assert decide(replace(case, eps=np.zeros(2))) is Verdict.REFUTED
