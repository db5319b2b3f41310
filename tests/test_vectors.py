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

from rpttheory.numbers import Bracket, Rigor
from rpttheory.problem.blocks import Blocks
from rpttheory.problem.problem import Problem
from rpttheory.problem.quantities import (
    L_M,
    L_P,
    block_L,
    c_P,
    closed_form,
    cost,
    lmax,
)
from rpttheory.problem.sampling import NestedSampling

# Keys of the oracle, and names of the quantities.
NAMES = {
    "L_max": "lmax",
    "block_L": "block_L",
    "L_P": "L_P",
    "L_M": "L_M",
    "expected_cost": "cost",
    "c_P": "c_P",
    "closed_form_bound": "closed",
}


def printed(text: str) -> tuple[Fraction, Fraction]:
    """The numbers that round to the text: half a unit of its last digit on either side."""
    exponent = Decimal(text).as_tuple().exponent
    assert isinstance(exponent, int)
    half = Fraction(10) ** exponent / 2
    return Fraction(text) - half, Fraction(text) + half


def agrees(bracket: Bracket, text: str) -> bool:
    low, high = printed(text)
    return bracket.exact_lower <= high and low <= bracket.exact_upper


def pairs(vector: dict[str, Any], found: dict[str, Any]) -> Iterator[tuple[str, Bracket, str]]:
    for key, name in NAMES.items():
        if name == "block_L":
            for bracket, text in zip(found[name], vector[key], strict=True):
                yield name, bracket, text
        else:
            yield name, found[name], vector[key]


def instance_of(vector: dict[str, Any]) -> Problem:
    return Problem(
        np.array(vector["L"]),
        Blocks(vector["blocks"]),
        costs=vector["costs"],
        probabilities=vector["probabilities"],
    )


def assert_agreement(vector: dict[str, Any], found: dict[str, Any], width: Fraction) -> None:
    for name, bracket, text in pairs(vector, found):
        assert agrees(bracket, text), f"{name} = {text} is not in {bracket}"
        assert bracket.rigor is not Rigor.NUMERICAL
        assert bracket.exact_upper - bracket.exact_lower <= abs(Fraction(text)) * width, name


@pytest.mark.parametrize("effort", ["fast", "sharp", "exact"])
def test_every_value_lies_in_its_narrow_bracket(vectors: list[dict[str, Any]], effort: Any) -> None:
    width = Fraction(1, 10**38 if effort == "exact" else 10**12)
    for vector in vectors:
        instance = instance_of(vector).with_effort(effort)
        assert_agreement(vector, {name: getattr(instance, name) for name in NAMES.values()}, width)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_functions_give_the_same_values(vectors: list[dict[str, Any]], form: Any) -> None:
    for vector in vectors:
        L = form(np.array(vector["L"]))
        blocks = Blocks(vector["blocks"])
        p = vector["probabilities"]
        costs = vector["costs"]
        result = {
            "lmax": lmax(L),
            "block_L": block_L(L, blocks),
            "L_P": L_P(L, blocks, p),
            "L_M": L_M(L, blocks, sampling=NestedSampling(p)),
            "cost": cost(p, costs),
            "c_P": c_P(L, blocks, p, costs),
            "closed": closed_form(L, blocks, costs).bound,
        }
        assert_agreement(vector, result, Fraction(1, 10**12))


def test_the_optimum_lies_between_the_bounds(vectors: list[dict[str, Any]]) -> None:
    """sum c_k L_k <= c* <= min(c(P_closed), lambda_max sum c_k), against the oracle's certified
    optimum.
    """
    for vector in vectors:
        instance = instance_of(vector)
        low = Fraction(vector["optimum_lower"])
        high = Fraction(vector["optimum_upper"])
        room = high * Fraction(1, 10**9)
        assert instance.one_block_cost.exact_lower <= high + room
        for above in (instance.c_rounded, instance.gradient_descent, instance.c_P, instance.closed):
            assert above.exact_upper >= low - room


def test_the_comparison_can_fail() -> None:
    assert agrees(Bracket.point(0.5), "0.5000")
    assert agrees(Bracket.of_fraction(Fraction(50004, 100000)), "0.5000")
    assert not agrees(Bracket.of_fraction(Fraction(50006, 100000)), "0.5000")
    assert not agrees(Bracket(0.6, 0.7), "0.5000")
