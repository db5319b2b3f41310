"""Every value of vectors.json, from a 40-digit oracle with no code in common, lies in our
Bracket.
"""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rpttheory.numbers import Bracket, Rigour
from rpttheory.problem.blocks import Blocks
from rpttheory.problem.problem import Problem
from rpttheory.problem.quantities import (
    block_smoothness,
    closed_form,
    complexity,
    expected_cost,
    lambda_max,
    second_moment_smoothness,
    weighted_smoothness,
)
from rpttheory.problem.sampling import NestedSampling

EFFORTS = ("fast", "sharp", "exact")
NAMES = ("L_max", "block_L", "L_P", "L_M", "expected_cost", "c_P", "closed_form_bound")


def printed(text: str) -> tuple[Fraction, Fraction]:
    """The numbers that round to the text: half a unit of its last digit on either side."""
    exponent = Decimal(text).as_tuple().exponent
    assert isinstance(exponent, int)
    half = Fraction(10) ** exponent / 2
    return Fraction(text) - half, Fraction(text) + half


def agrees(bracket: Bracket, text: str) -> bool:
    low, high = printed(text)
    return bracket.low <= high and low <= bracket.high


def pairs(vector: dict[str, Any], found: dict[str, Any]) -> Iterator[tuple[str, Bracket, str]]:
    for name in NAMES:
        if name == "block_L":
            for k, (bracket, text) in enumerate(zip(found[name], vector[name], strict=True)):
                yield f"block_L[{k}]", bracket, text
        else:
            yield name, found[name], vector[name]


def by_function(vector: dict[str, Any], effort: Any, form: Any = np.asarray) -> dict[str, Any]:
    L = form(np.array(vector["L"]))
    blocks = Blocks(vector["blocks"])
    p = vector["probabilities"]
    costs = vector["costs"]
    return {
        "L_max": lambda_max(L, effort=effort),
        "block_L": block_smoothness(L, blocks, effort=effort),
        "L_P": weighted_smoothness(L, blocks, probabilities=p, effort=effort),
        "L_M": second_moment_smoothness(L, blocks, sampling=NestedSampling(p), effort=effort),
        "expected_cost": expected_cost(p, costs),
        "c_P": complexity(L, blocks, costs, probabilities=p, effort=effort),
        "closed_form_bound": closed_form(L, blocks, costs).bound,
    }


def by_instance(vector: dict[str, Any], effort: Any) -> dict[str, Any]:
    instance = instance_of(vector).with_effort(effort)
    return {
        "L_max": instance.lmax,
        "block_L": instance.block_L,
        "L_P": instance.L_P,
        "L_M": instance.L_M,
        "expected_cost": instance.cost,
        "c_P": instance.c_P,
        "closed_form_bound": instance.closed,
    }


def instance_of(vector: dict[str, Any]) -> Problem:
    return Problem(
        np.array(vector["L"]),
        Blocks(vector["blocks"]),
        costs=vector["costs"],
        probabilities=vector["probabilities"],
    )


@pytest.mark.parametrize("effort", EFFORTS)
def test_every_value_lies_in_its_bracket(vectors: list[dict[str, Any]], effort: Any) -> None:
    for number, vector in enumerate(vectors):
        for name, bracket, text in pairs(vector, by_function(vector, effort)):
            assert agrees(bracket, text), f"vector {number}: {name} = {text} is not in {bracket}"
            assert bracket.rigour is not Rigour.NUMERICAL


@pytest.fixture(scope="module")
def found(vectors: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The quantities of every instance at every effort."""
    return {effort: [by_instance(vector, effort) for vector in vectors] for effort in EFFORTS}


@pytest.mark.parametrize("effort", EFFORTS)
def test_every_value_lies_in_the_instance_s_bracket(
    vectors: list[dict[str, Any]], found: dict[str, list[dict[str, Any]]], effort: str
) -> None:
    for number, vector in enumerate(vectors):
        for name, bracket, text in pairs(vector, found[effort][number]):
            assert agrees(bracket, text), f"vector {number}: {name} = {text} is not in {bracket}"


def test_every_value_lies_in_the_bracket_of_the_sparse_form(vectors: list[dict[str, Any]]) -> None:
    for number, vector in enumerate(vectors):
        for name, bracket, text in pairs(vector, by_function(vector, "fast", sp.csr_array)):
            assert agrees(bracket, text), f"vector {number}: {name} = {text} is not in {bracket}"


def test_widths(vectors: list[dict[str, Any]], found: dict[str, list[dict[str, Any]]]) -> None:
    """A bracket that held everything would pass the tests above."""
    limits = {
        "fast": Fraction(1, 10**12),
        "sharp": Fraction(1, 10**12),
        "exact": Fraction(1, 10**38),
    }
    for effort, limit in limits.items():
        for number, vector in enumerate(vectors):
            for name, bracket, text in pairs(vector, found[effort][number]):
                width = (
                    (bracket.high - bracket.low) / abs(Fraction(text))
                    if Fraction(text)
                    else bracket.high
                )
                assert width <= limit, (
                    f"vector {number}: {name} at effort {effort} has relative width"
                    f" {float(width):.1e}"
                )


def test_the_optimum_lies_between_the_bounds(vectors: list[dict[str, Any]]) -> None:
    """sum c_k L_k <= c* <= min(c(P_closed), lambda_max sum c_k), against the oracle's certified
    optimum.
    """
    for vector in vectors:
        instance = instance_of(vector)
        low = Fraction(vector["optimum_lower"])
        high = Fraction(vector["optimum_upper"])
        room = high * Fraction(1, 10**9)
        assert instance.one_block_cost.low <= high + room
        for above in (instance.c_rounded, instance.gradient_descent, instance.c_P, instance.closed):
            assert above.high >= low - room


def test_the_comparison_can_fail() -> None:
    assert agrees(Bracket.point(0.5), "0.5000")
    assert agrees(Bracket.of_fraction(Fraction(50004, 100000)), "0.5000")
    assert not agrees(Bracket.of_fraction(Fraction(50006, 100000)), "0.5000")
    assert not agrees(Bracket(0.6, 0.7), "0.5000")
