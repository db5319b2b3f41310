"""as:normalized, called no loss of generality, and the expected cost of steps and of the whole run
(no label).
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import sympy

from rpttheory.problem.blocks import BlockOrder, Reading

from ..checks.instances import Tries, tried
from ..checks.symbolic import Pairs, formula, identity, letters
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Severity, Status, Step, Trial
from .def_PTsketch import random_ranks

NORMALIZED = Entry(
    label="as:normalized",
    title="The costs add up to one",
    latex=r"\sum_{i=1}^B c_i = 1",
    text=(
        "No loss of generality: neither the cost relative to gradient descent nor the probabilities"
        " of lem:upperBound change when all costs are multiplied by one positive number."
    ),
    assumptions=("all c_i are positive",),
    statement=Status.DEFINITIONAL,
    proof=Status.NONE,
    see=("lem:upperBound",),
    checks=(
        formula(
            "(s*a)/(s*b) = a/b; sqrt(L_k/(s*c_k))/sqrt(L_j/(s*c_j)) = sqrt(L_k/c_k)/sqrt(L_j/c_j);"
            " s a b L_k c_k L_j c_j > 0",
            "all costs, block constants and scales",
            words=(
                "all costs times s; a = sum p_k c_k and b = sum c_k, then a ratio of lem:upperBound"
            ),
        ),
    ),
    errata=(
        Erratum(
            r"\sum_i c_i = 1 \text{ alone}",
            "all c_i must be positive: for B = 2 and c = (1, 0), which add up to one,"
            " lem:upperBound divides by zero",
            Severity.UNSTATED,
        ),
    ),
)


def active_blocks(sigma: Sequence[int], outcome: int, reading: Reading) -> list[int]:
    """The blocks (counting from 0) that outcome i = 1, ..., B updates: those of the first i
    ranks.
    """
    return [
        k
        for k, rank in enumerate(BlockOrder.from_sigma(sigma, reading).block_to_rank)
        if rank < outcome
    ]


def printed_cost_fails(sigma: Sequence[int], costs: Sequence[Fraction], outcome: int) -> bool:
    """Whether c_1 + ... + c_i is not the cost of outcome i, under either reading of sigma."""
    printed = sum(costs[:outcome], Fraction(0))
    readings: tuple[Reading, Reading] = ("block->rank", "rank->block")
    return all(
        sum((costs[k] for k in active_blocks(sigma, outcome, r)), Fraction(0)) != printed
        for r in readings
    )


def enumerated(trial: Trial, reading: Reading = "rank->block") -> Tries:
    """A check of the identity outcome by outcome, with sigma read as stated."""
    for _ in range(trial.instances(600)):
        blocks = int(trial.rng.integers(1, 7))
        p = random_ranks(trial, blocks)
        sigma = (trial.rng.permutation(blocks) + 1).tolist()
        costs = [Fraction(value) for value in trial.rng.integers(1, 20, blocks).tolist()]
        weights = [here - later for here, later in zip(p, (*p[1:], Fraction(0)), strict=True)]
        expected = sum(
            weight * sum(costs[k] for k in active_blocks(sigma, outcome, reading))
            for outcome, weight in enumerate(weights, start=1)
        )
        right = sum(value * costs[block - 1] for value, block in zip(p, sigma, strict=True))
        yield expected == right, f"p = {p}, sigma = {sigma}, c = {costs}"


def blocks_of_the_first_ranks(shift: int = 0) -> Pairs:
    """The cost of outcome i, by induction: outcome 0 updates nothing, outcome i adds the block of
    rank i, sigma_i.
    """
    i = letters("i > 0 whole")
    cost, c, sigma = sympy.symbols("K c sigma", cls=sympy.Function)
    added = c(sigma(i))
    return [((cost(i - 1) + added) - cost(i - 1), c(sigma(i + shift)))]


def sum_over_iterations(power: int = 1) -> Pairs:
    """T iterations with the same law, outcome i."""
    t, T, p_i, p_next, K_i = letters("t T > 0 whole, p_i p_{i+1} K_i")
    return [(sympy.Sum((p_i - p_next) * K_i, (t, 1, T)).doit(), T**power * ((p_i - p_next) * K_i))]


_COST = Erratum(
    r"\mathrm{cost}_t = \sum_{j=1}^i c_j \text{ if } C^t = C_i",
    "the cost of outcome i is that of the blocks sigma_1, ..., sigma_i, not of the blocks 1,"
    " ..., i",
    Severity.FALSE,
)

EXPECTED_COST = Entry(
    label="text:expectedCost",
    title="The expected cost of a run",
    latex=r"\mathbb{E}[\mathrm{cost}(T)] = \mathbb{E}[\sum_{t=1}^T \mathrm{cost}_t]"
    r"= T \sum_{i=1}^B (p_i - p_{i+1}) \sum_{j=1}^i c_{\sigma_j}"
    r"= T \sum_{i=1}^B p_i c_{\sigma_i}",
    text=(
        "With sigma_i the block of rank i; with def:PTsketch as printed it would be the sum of"
        " p_{sigma_k} c_k (text:sigma). The sentence that defines the cost of an iteration leaves"
        " sigma out."
    ),
    assumptions=("sigma is read as rank to block",),
    proof=Status.CORRECTED,
    bound=Bound.EQUALITY,
    needs=("def:PTsketch", "text:sigma", "as:normalized"),
    checks=(tried(enumerated, "{} sketches with costs, up to 6 blocks"),),
    errata=(_COST,),
    steps=(
        Step(
            latex=r"\mathrm{cost}_t = \sum_{j=1}^i c_j \text{ if } C^t = C_i",
            text="Outcome i updates the blocks of the first i ranks, not the first i blocks.",
            check=refuted_by(
                partial(printed_cost_fails, (2, 1), (Fraction(1, 4), Fraction(3, 4)), 1),
                "B = 2, sigma = (2, 1), c = (1/4, 3/4): C_1 updates block 2 at the cost 3/4,"
                " printed 1/4",
            ),
            correction=r"\mathrm{cost}_t = \sum_{j=1}^i c_{\sigma_j}",
            mended=identity(
                blocks_of_the_first_ranks, "all B and sigma, by induction over the outcomes"
            ),
            mends=(_COST,),
        ),
        Step(
            latex=(
                r"\mathbb{E} \sum_{t=1}^T \mathrm{cost}_t = T \sum_{i=1}^B (p_i - p_{i+1})"
                r" \sum_{j=1}^i c_{\sigma_j}"
            ),
            text="Linearity of the expectation and the law of the sketch.",
            check=identity(sum_over_iterations, "outcome i, so all B and T"),
        ),
        Step(
            latex=r"= T \sum_{i=1}^B p_i c_{\sigma_i}",
            text="Abel summation.",
            check=formula(
                "S - p_m*K_{m-1} + (p_m - p_{m+1})*(K_{m-1} + c_m) = (S + p_m*c_m) -"
                " p_{m+1}*(K_{m-1} + c_m); S - 0*K_B = S",
                "all B, p and costs, by induction",
                words=(
                    "K_i is the cost of the first i ranks, S the sum of p_i c_i before m; then"
                    " p_{B+1} = 0"
                ),
            ),
        ),
    ),
)

CLAIMS = (NORMALIZED, EXPECTED_COST)
