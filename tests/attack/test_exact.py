"""The arithmetic behind the attacks, against routes that know nothing of it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rpttheory import NestedSampling, Verdict
from rpttheory.attack.instance import Function, Instance
from rpttheory.attack.target import targets
from rpttheory.eigen.exact import definiteness
from rpttheory.methods.expectation import exact_moments
from rpttheory.statements import runs
from rpttheory.statements.piecewise import Piecewise, Shape
from rpttheory.statements.sharp_factor import theta, theta_bounds
from rpttheory.statements.table import ComputedStatement, StepLimit
from rpttheory.statements.walk import sketches, walk


def vector(values: Any) -> tuple[Fraction, ...]:
    return tuple(Fraction(value) for value in np.asarray(values).tolist())


def quadratic(steps: int = 2, seed: int = 0, stepsize: Fraction = Fraction(1, 64)) -> Instance:
    """A quadratic on blocks (1, 2, 1) with a 3-cycle for the order of its probabilities, and no
    certain block.
    """
    rng = np.random.default_rng(seed)
    rows = rng.integers(-3, 4, (5, 4))
    function = Function(tuple(map(vector, rows)), (None,) * 5, Fraction(0), "huber")
    return Instance(
        (1, 2, 1),
        tuple(map(vector, rows.T @ rows)),
        (Fraction(1, 2), Fraction(1, 8), Fraction(3, 8)),
        "nested",
        (Fraction(1, 4), Fraction(3, 4), Fraction(1, 2)),
        vector(rng.integers(1, 4, 4)),
        function,
        stepsize,
        steps,
    )


def line(stepsize: Fraction | None = None, steps: int = 0) -> Instance:
    """L = 4 and p = 1/4: L_P = L_M = 16 and f(x) = 2 x^2, at x = 1."""
    function = Function(((Fraction(2),),), (None,), Fraction(0), "huber")
    unit = (Fraction(1),)
    distribution = (Fraction(1, 4),)
    return Instance(
        (1,), ((Fraction(4),),), unit, "nested", distribution, unit, function, stepsize, steps
    )


def test_walks_agree_with_the_recursion_of_moments() -> None:
    instance = quadratic()
    assert (
        instance.x is not None
        and instance.stepsize is not None
        and instance.distribution is not None
    )
    moments = exact_moments(
        [list(row) for row in instance.L],
        NestedSampling(list(instance.distribution)),
        instance.exact.blocks,
        instance.stepsize,
        list(instance.x),
        2,
    )
    for t, (state, expected) in enumerate(zip(walk(instance.exact, 2), moments, strict=True)):
        assert sum(state.weights[0]) == 1
        mean = np.einsum("s,si,sj->ij", state.weights[0], state.x[0], state.x[0])
        assert (mean == expected.iterate).all()
        averages = state.total[0] / (t + 1)
        mean = np.einsum("s,si,sj->ij", state.weights[0], averages, averages)
        assert (mean == expected.average).all()


def test_the_least_gradient_is_kept_along_each_path() -> None:
    first, second = walk(quadratic(seed=1).exact, 1)
    norms = (second.gradient * second.gradient).sum(axis=2)
    assert (second.least == np.minimum(norms, first.least)).all()


def test_sketches_are_those_of_the_nested_sampling() -> None:
    batch = quadratic().exact
    probabilities, diagonals = (values[0] for values in sketches(batch))
    support = batch.problem.sampling.support()
    expected = {
        tuple(outcome.active.tolist()): outcome.probability
        for outcome in support
        if outcome.probability
    }
    outcomes = {
        tuple(bool(d[rows.start]) for rows in batch.blocks.slices): probability
        for probability, d in zip(probabilities, diagonals, strict=True)
        if probability
    }
    assert outcomes == expected
    assert (sum(p * d for p, d in zip(probabilities, diagonals, strict=True)) == 1).all()


@pytest.mark.parametrize("shape", ["huber", "tent"])
def test_functions_have_the_derivatives_smoothness_and_convexity_they_should(shape: Shape) -> None:
    rows = np.array([[1.0, 2.0], [0.5, -1.0]])
    mu = 0.5
    f = Piecewise(rows[None], np.array([[1.0, 0.25]]), np.array([mu]), shape)
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-2, 2, (2, 1, 500, 2))
    # Piecewise quadratic: central differences are exact where no piece ends in between.
    h = 2.0**-20
    for axis in range(2):
        step = h * np.eye(2)[axis]
        slope = (f.value(x + step) - f.value(x - step)) / (2 * h)
        assert (np.abs(slope - f.gradient(x)[:, :, axis]) < 1e-5).all()
    assert (f.value(x) >= 0).all() and f.value(x * 0).max() == 0
    L = rows.T @ rows + mu * np.eye(2)
    excess = f.value(y) - f.value(x) - (f.gradient(x) * (y - x)).sum(axis=2)
    upper = np.einsum("nsi,ij,nsj->ns", y - x, L, y - x) / 2
    assert (excess <= upper + 1e-12).all()
    strongly = excess - mu / 2 * ((y - x) ** 2).sum(axis=2)
    assert (strongly >= -1e-12).all() == (shape == "huber")


def scaled(statement: ComputedStatement, factor: Fraction) -> ComputedStatement:
    def sides(batch: Any) -> Any:
        left, right = statement.sides(batch)
        return left, right * factor

    return replace(statement, sides=sides)


def by_definiteness(instance: Instance, level: Fraction) -> Verdict:
    """Decide level <= L_P: it fails exactly where level P - L is positive definite."""
    batch = instance.exact
    sign = definiteness((np.diag(batch.per_coordinate[0] * level) - batch.L[0]).tolist())
    return Verdict.REFUTED if sign == 1 else Verdict.PROVED


def largest_constant(name: str, instance: Instance, factor: Fraction) -> Fraction | None:
    """Return the L_P at which left = factor right, without eigenvalues; None if left is larger
    for every L_P.
    """
    batch = instance.exact
    if name == "lem:secondMoment":
        left = runs.sketched_gradient(batch)[0][0]
        return Fraction(left / (2 * factor * runs.start_value(batch)[0]))
    left = runs.like_descent(batch)[0][0]
    bound = factor * runs.squared_distance(batch)[0]
    room = bound - 4 * instance.steps * batch.step[0] * left
    return Fraction(2 * left / room) if room > 0 else None


@pytest.mark.parametrize("name", ["lem:secondMoment", "our:lastIterateOne"])
@pytest.mark.parametrize("seed", range(4))
def test_brackets_decide_as_definiteness_does(name: str, seed: int) -> None:
    """Also at factors next to the one at which both sides are equal."""
    target = targets(name)[-1]
    statement = target.statement
    assert isinstance(statement, ComputedStatement)
    instance = quadratic(1, seed)
    left, right = statement.brackets(instance.exact)
    tie = Fraction(left.exact_lower) / Fraction(right.exact_lower)
    for factor in (Fraction(1), tie, tie * Fraction(99, 100), tie * Fraction(101, 100)):
        for nudge in (-1, 1):
            nudged = factor * (1 + Fraction(nudge, 10**30))
            level = largest_constant(name, instance, nudged)
            expected = Verdict.REFUTED if level is None else by_definiteness(instance, level)
            changed = replace(target, statement=scaled(statement, nudged))
            assert changed.decide(instance).verdict is expected


def test_rational_ties_are_proved() -> None:
    instance = line()
    for statement in runs.RUN_STATEMENTS[:2]:
        left, right = statement.brackets(instance.exact)
        assert left.exact == right.exact == 64
        for factor, verdict in ((Fraction(999, 1000), Verdict.REFUTED), (1, Verdict.PROVED)):
            changed = scaled(statement, Fraction(factor))
            assert (
                replace(targets(statement)[0], statement=changed).decide(instance).verdict
                is verdict
            )


@pytest.mark.parametrize(
    ("limit", "largest"),
    [
        (runs.FULL, Fraction(1, 16)),
        (runs.LONG, Fraction(3, 32)),
        (runs.HALF, Fraction(1, 32)),
        (runs.QUARTER, Fraction(1, 64)),
        (runs.MOMENT, Fraction(1, 16)),
        (runs.GENERIC, Fraction(1, 16)),  # 1/sqrt(L L_P T) at T = 4
    ],
)
def test_stepsizes_are_allowed_up_to_the_limit_and_not_beyond(
    limit: StepLimit, largest: Fraction
) -> None:
    assert limit.largest(line(steps=4).floats())[0] == pytest.approx(float(largest), rel=1e-15)
    assert limit.allows(line(largest, 4).exact)
    assert not limit.allows(line(largest * (1 + Fraction(1, 10**30)), 4).exact)


@pytest.mark.parametrize("limit", [runs.FULL, runs.MOMENT])
@pytest.mark.parametrize("seed", range(3))
def test_limits_agree_with_definiteness(limit: StepLimit, seed: int) -> None:
    (largest,) = limit.largest(quadratic(seed=seed).floats())
    for factor in (1 - 1e-12, 1 + 1e-12):
        instance = quadratic(seed=seed, stepsize=Fraction(largest * factor))
        batch = instance.exact
        matrix = batch.L[0] if limit is runs.FULL else batch.clc[0]
        weights = batch.per_coordinate[0] if limit is runs.FULL else np.array([Fraction(1)] * 4)
        sign = definiteness((np.diag(weights / batch.step[0]) - matrix).tolist())
        assert limit.allows(batch) == (sign is not None and sign >= 0)


def test_the_sharp_rate_is_undecided_within_the_enclosure_of_theta(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # |x|^2 = 1 and f = mu x^2 / 2 with p = 1, gamma = 1: a step takes off 2 s - s^2, and theta =
    # s^2.
    unit = (Fraction(1),)
    zero = (Fraction(0),)
    function = Function((zero,), (None,), Fraction(1, 2), "huber")
    instance = Instance((1,), (unit,), unit, "nested", unit, unit, function, Fraction(1), 1)
    (target,) = targets("our:stronglyConvexSharp")
    assert target.decide(instance).verdict is Verdict.PROVED
    quarter = Fraction(1, 4)
    small = Fraction(1, 100)
    for bounds, verdict in (
        ((quarter - small, quarter + small), Verdict.UNDECIDED),
        ((quarter, quarter + small), Verdict.PROVED),
        ((quarter - 2 * small, quarter - small), Verdict.REFUTED),
    ):
        monkeypatch.setattr(runs, "theta_bounds", lambda *_, bounds=bounds: bounds)
        assert target.decide(instance).verdict is verdict


def test_theta_in_floats_agrees_with_its_bounds() -> None:
    rng = np.random.default_rng(0)
    p = rng.uniform(0.01, 1, (50, 3))
    s = p.min(axis=1) * rng.uniform(0.01, 1, 50)
    for value, row, part in zip(theta(p, s), p, s, strict=True):
        low, _ = theta_bounds(*map(Fraction, (part, row.min(), row.max())))
        assert value == pytest.approx(float(low), rel=1e-9)


def test_a_small_counterexample_to_the_conjecture() -> None:
    # L = P = diag(1, 1/4), mu = 1/8, H = mu I + aa' with a = (1/2, 1/4), x = (-1, 3): 521/640 >
    # 13/16.
    p = (Fraction(1), Fraction(1, 4))
    L = ((p[0], Fraction(0)), (Fraction(0), p[1]))
    function = Function(((Fraction(1, 2), p[1]),), (None,), Fraction(1, 8), "huber")
    x = (Fraction(-1), Fraction(3))
    half = (Fraction(1, 2),) * 2
    instance = Instance((1, 1), L, half, "nested", p, x, function, Fraction(1), 1)
    for name, verdict in (("Conjecture", Verdict.REFUTED), ("Sharp", Verdict.PROVED)):
        (target,) = targets(f"our:stronglyConvex{name}")
        assert target.decide(instance).verdict is verdict
    promised, decrease = runs.strongly_convex_conjecture(instance.exact)
    assert 1 - decrease[0] / 10 == Fraction(521, 640)
    assert 1 - promised[0] / 10 == Fraction(13, 16)
