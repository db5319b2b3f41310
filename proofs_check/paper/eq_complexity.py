"""eq:complexity: the problem whose solution is the best sketch. As printed it mixes the two readings of sigma."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import islice, permutations

from rpttheory import weighted_smoothness
from rpttheory.certify import Bracket

from ..checks.optima import Solved, never_contradicted
from ..checks.symbolic import formula
from ..checks.witness import refuted_by
from ..engine.entry import Entry, Erratum, Status, Step
from ..ours.forced_order import only_moves_forward, pools


def least_for_an_order(A: Sequence[int], C: Sequence[int]) -> Fraction:
    """A lower bound of sum A_i / p_i sum p_i C_i over p_1 >= ... >= p_B > 0, by pooling (our:pooledClosedForm)."""
    found = pools(A, C)
    if not all(only_moves_forward(A, C, pool) for pool in found):
        raise ArithmeticError("not a pooling")
    roots = [math.isqrt(sum(A[i] for i in pool) * sum(C[i] for i in pool) * 10**12) for pool in found]
    return Fraction(sum(roots), 10**6) ** 2


def printed_minimum_breaks_the_corollary(w: Sequence[int], b: Sequence[int], excess: Fraction) -> bool:
    """Whether c(P) with P of def:PTsketch exceeds the bound of the Corollary for every sigma and every p.

    L = ww' + (excess - 1) Diag(w)^2, so L_k = excess w_k^2, with blocks of size one; c_k = b_k^2 (not normalised). For
    each sigma L_P is at least sum_k w_k^2 / p_{sigma_k}, while the printed cost is sum_i p_i c_{sigma_i}.
    """
    bound = excess * sum(x * y for x, y in zip(w, b, strict=True)) ** 2
    blocks = range(len(w))
    values = []
    for sigma in permutations(blocks):
        A = [w[sigma.index(rank)] ** 2 for rank in blocks]
        C = [b[sigma[rank]] ** 2 for rank in blocks]
        values.append(least_for_an_order(A, C))
    return excess > 1 and min(values) > bound


def two_minima(problem: Solved, factor: float = 1.0) -> list[tuple[float, float]]:
    """The minimum over all p > 0 per block, certified, against L_P sum_i p_i c_{sigma_i} over orders and falling p.

    P = Diag(p_{sigma^-1(k)}). For every sigma one value with falling p is not below it; at the p of the minimum, put
    in its own order and scaled to p_1 = 1, the two are the same.
    """
    found, count = problem.found, problem.blocks.count

    def ordered(order: Sequence[int], p: Sequence[float]) -> Bracket:
        per_block = [p[list(order).index(k)] for k in range(count)]
        expected = sum(a * problem.costs[k] for a, k in zip(p, order, strict=True))
        return weighted_smoothness(problem.L, problem.blocks, probabilities=per_block) * Bracket.point(float(expected))

    own = sorted(range(count), key=lambda k: -found.probabilities[k])
    best = ordered(own, [float(found.probabilities[k] / max(found.probabilities)) for k in own])
    room = 1 + 1e-9
    falling = [0.75**i for i in range(count)]
    others = [ordered(order, falling) for order in islice(permutations(range(count)), 24)]
    above = [(factor * found.lower, value.upper * room) for value in others]
    return [*above, (factor * found.lower, best.upper * room), (best.lower, found.upper * room)]


CLAIM = Entry(
    label="eq:complexity",
    title="The best sketch minimises c(P)",
    latex=r"\mathbb{E}[\mathrm{cost}(T)] \propto c(P) = L_P \sum_i p_i c_{\sigma_i}, \quad "
    r"\min_\sigma \min_{1 = p_1 \geq \ldots \geq p_B > 0} L_P \sum_{i=1}^B p_i c_{\sigma_i}",
    text="L_P is taken from P = Diag(p_{sigma_1}, ...), which reads sigma as block to rank, and the cost reads it as "
    "rank to "
    "block. The printed problem is then another one, whose minimum can exceed the bound of the Corollary. Per block, "
    "minimising L_P sum_k p_k c_k over p > 0 is meant; sigma is the order of p. The minimum is attained because L is "
    "definite (our:sdp).",
    assumptions=("L is positive definite", "all c_k are positive"),
    statement=Status.CORRECTED,
    proof=Status.DEFINITIONAL,
    see=("our:logConvex",),
    needs=("text:LP", "text:expectedCost", "text:sigma", "as:normalized"),
    proof_needs=("our:sdp",),
    checks=(
        refuted_by(
            lambda: printed_minimum_breaks_the_corollary((1, 3, 2), (3, 1, 2), Fraction(121, 100)),
            "L = ww' + 21/100 Diag(1, 9, 4) with w = (1, 3, 2), c = (9, 1, 4)/14: for all six sigma and all p the "
            "printed "
            "value is above (sum sqrt(L_k c_k))^2 = 121/14; read per block the minimum is below it",
        ),
    ),
    corrected=(
        formula(
            "p_B - 0 = p_B; (p_i - p_{i+1}) + p_{i+1} = p_i; p_i p_{i+1} p_B > 0",
            "rank j, so any number of blocks",
            words="the block of rank j is updated by the outcomes i >= j",
        ),
        never_contradicted(two_minima, 30),
    ),
    errata=(
        Erratum(
            r"L_P \sum_i p_i c_{\sigma_i}, \quad P = \mathrm{Diag}((p_{\sigma_1})_{d_1}, \ldots)",
            r"L_P \sum_i p_i c_{\sigma_i}, \quad P = \mathrm{Diag}((p_{\sigma^{-1}(1)})_{d_1}, \ldots)",
        ),
        Erratum(
            "regardless of the regime",
            "up to factors free of P; in the nonconvex regime L_M may replace L_P, and then c(P) is not what to "
            "minimise",
        ),
        Erratum(
            "finding the global minimum of c(P) is in general a challenging task",
            "it is a convex semidefinite program in B variables (our:sdp), and c is convex in log p (our:logConvex)",
        ),
    ),
    steps=(
        Step(
            latex=r"T \propto L_P",
            text="In all three regimes, at the largest stepsize; the other factors do not depend on P.",
            check=formula(
                "full := 1/L_P; R/(1/(2*L_P)*eps) = L_P*(2*R/eps); "
                "2*delta/(full*eps) = L_P*(2*delta/eps); "
                "log(R/eps)/(full*mu) = L_P*(log(R/eps)/mu); L_P R delta eps mu > 0",
                "all values",
                words="N iterations: R / (gamma N), 2 delta / (gamma N) and exp(-gamma mu N) R are eps",
            ),
        ),
    ),
)
