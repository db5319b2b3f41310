"""as:normalized, called no loss of generality, and the expected cost of steps and of the whole run
(no label).
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from rpttheory.problem.blocks import BlockOrder, Reading

from ..checks.statements import holds_on_matrices
from ..checks.symbolic import formula
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Formal, Severity, Status, Step

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
    formal=Formal(
        "relative_cost closed_form_scales closed_form_unchanged normalized_instance",
        "the scale of the costs changes neither the cost relative to a full step nor the "
        "probabilities of lem:upperBound",
        instance="normalized_instance",
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
    """Return whether c_1 + ... + c_i is not the cost of outcome i in either reading of sigma."""
    printed = sum(costs[:outcome], Fraction(0))
    readings: tuple[Reading, Reading] = ("block->rank", "rank->block")
    return all(
        sum((costs[k] for k in active_blocks(sigma, outcome, r)), Fraction(0)) != printed
        for r in readings
    )


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
    checks=(holds_on_matrices("text:expectedCost"),),
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
            mended=formula(
                "(K + c_i) - K = c_i",
                "all B and sigma, by induction over the outcomes",
                words="K is the cost of outcome i - 1, and outcome i adds the block sigma_i",
            ),
            mends=(_COST,),
        ),
        Step(
            latex=(
                r"\mathbb{E} \sum_{t=1}^T \mathrm{cost}_t = T \sum_{i=1}^B (p_i - p_{i+1})"
                r" \sum_{j=1}^i c_{\sigma_j}"
            ),
            text="Linearity of the expectation and the law of the sketch.",
            check=formula(
                "T*((p_i - p_{i+1})*K_i) + (p_i - p_{i+1})*K_i = (T + 1)*((p_i - p_{i+1})*K_i)",
                "outcome i, so all B and T, by induction",
            ),
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
    formal=Formal(
        "abel expected_cost expected_cost_per_block expected_cost_readings expected_cost_steps",
        "the expected cost is sum_i p_i c_{sigma_i}, in both readings of sigma, and T times that"
        " for T steps",
        no_instance=(
            "its only hypothesis is that sigma and rho are inverse to each other, as the identity"
            " is to itself"
        ),
    ),
)

CLAIMS = (NORMALIZED, EXPECTED_COST)
