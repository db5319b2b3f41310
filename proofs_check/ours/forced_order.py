"""A forced order of the blocks, with measured costs per outcome: linear constraints more, and a
pooled closed form.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from rpttheory import BlockOrder, optimal_probabilities

from ..checks.instances import Tries, tried
from ..checks.statements import describe, is_minimum, problem_at, random_problems
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Evidence, Formal, Step, Trial


def pools(A: Sequence[Fraction | int], C: Sequence[Fraction | int]) -> list[list[int]]:
    """Adjacent ranks pooled until A / C falls from pool to pool."""
    result: list[list[int]] = []
    for rank in range(len(A)):
        result.append([rank])
        while len(result) > 1 and _ratio(A, C, result[-2]) <= _ratio(A, C, result[-1]):
            result[-2:] = [result[-2] + result[-1]]
    return result


def _ratio(
    A: Sequence[Fraction | int], C: Sequence[Fraction | int], pool: Sequence[int]
) -> Fraction:
    return sum((Fraction(A[i]) for i in pool), Fraction(0)) / sum(
        (Fraction(C[i]) for i in pool), Fraction(0)
    )


def only_moves_forward(
    A: Sequence[Fraction | int], C: Sequence[Fraction | int], pool: Sequence[int]
) -> bool:
    """Return whether spreading A over the pool in proportion to C moves amounts to earlier ranks
    only, by sums from the front.
    """
    rate = _ratio(A, C, pool)
    excess = Fraction(0)
    for i in pool:
        excess += rate * C[i] - A[i]
        if excess < 0:
            return False
    return excess == 0


def pooling(trial: Trial, strict: bool = False) -> Tries:
    """A check that pools move amounts forward only and have falling ratios (and needs no pool at
    all if `strict`).
    """
    for _ in range(trial.instances(500)):
        blocks = int(trial.rng.integers(1, 8))
        A, C = (trial.rng.integers(1, 40, blocks).tolist() for _ in range(2))
        result = pools(A, C)
        rates = [_ratio(A, C, pool) for pool in result]
        falling = all(a > b for a, b in pairwise(rates)) and not (strict and len(result) < len(A))
        forward = all(only_moves_forward(A, C, pool) for pool in result)
        yield falling and forward, f"A = {A}, C = {C}: pools {result}"


def both_programs(trial: Trial, factor: float = 1.0) -> Tries:
    """The certified minimum over q is not above L_P sum_i (p_i - p_{i+1}) K_i at falling p, and is
    attained at its own p.

    The order is that in which the blocks are numbered, and K_i the sum of the costs up to block i,
    so that the sum is that of p_i c_i.
    """
    for problem in random_problems(trial, 48):
        falling = [0.5**k for k in range(problem.blocks.count)]
        order = BlockOrder(tuple(range(len(falling))))
        result = optimal_probabilities(
            problem.smoothness, problem.blocks, problem.costs, order=order, tol=1e-6
        )
        points = ([1.0] * len(falling), falling, result.probabilities)
        values = [problem_at(problem, p).c_P for p in points]
        sorted_p = all(a >= b for a, b in pairwise(result.probabilities))
        yield sorted_p and is_minimum(result, values, factor), describe(problem)


CLAIMS = (
    Entry(
        label="our:forcedOrder",
        title="A forced order adds linear constraints only",
        latex=(
            r"\inf_{1 = p_1 \geq \ldots \geq p_B > 0} L_P \sum_i (p_i - p_{i+1}) K_i = \min \left\{"
            r" \sum_i q_i (K_i "
            r"- K_{i-1}) :\mathrm{Diag}(q) \succeq L,\ q_1 \geq \ldots \geq q_B \right\}"
        ),
        text=(
            "Layers from the output inwards, say, where outcome i costs a measured amount K_i (K_0"
            " = 0, p_{B+1} = 0, blocks numbered along the order): the expected cost is linear in p."
            " The infimum over p is attained if all L_k > 0; for L = diag(1, 0) and K = (1, 2) it"
            " is not."
        ),
        assumptions=("L is positive semidefinite", "K_1 <= ... <= K_B, K_1 > 0"),
        bound=Bound.EQUALITY,
        needs=("def:PTsketch",),
        proof_needs=("our:sdp",),
        checks=(tried(both_programs, "{} problems, certified within 1e-6", Evidence.RIGOROUS),),
        steps=(
            Step(
                latex=r"\sum_i (p_i - p_{i+1}) K_i = \sum_i p_i (K_i - K_{i-1})",
                text="Abel summation: linear in p, with the increments as costs.",
                check=formula(
                    "S - p_m*K_{m-1} + (p_m - p_{m+1})*K_m = (S + p_m*(K_m - K_{m-1})) -"
                    " p_{m+1}*K_m; S - 0*K_B = S",
                    "all B and K, by induction",
                    words="S is the sum of p_i (K_i - K_{i-1}) before m; then p_{B+1} = 0 = K_0",
                ),
            ),
            Step(
                latex=r"p_{i+1} \leq p_i \iff t p_{i+1} \leq t p_i",
                text=(
                    "The maps q = L_P p and p = q / q_1 of our:sdp keep the order, and so does q +"
                    " eps for a q with zeros."
                ),
                check=formula(
                    "t*p_{i+1} <= t*(p_{i+1} + w), by t*w; t p_{i+1} > 0, w >= 0",
                    "neighbors i and i + 1, so any number of blocks",
                    words="p_i = p_{i+1} + w",
                ),
            ),
            Step(
                latex=r"K_1 q_1 \leq \sum_i q_i (K_i - K_{i-1})",
                text=(
                    "No term is negative, and q_1 is the largest: sublevel sets are closed and"
                    " bounded, and the minimum over q is attained even where increments vanish."
                ),
                check=formula(
                    "K_1*q_1 <= K_1*q_1 + q_i*((K_{i-1} + w) - K_{i-1}), by q_i*w; K_1 K_{i-1} > 0,"
                    " q_1 q_i w >= 0",
                    "term i, so any number of blocks",
                    words="K_i = K_{i-1} + w",
                ),
            ),
        ),
        formal=Formal(
            "forced_order_cost forced_order_from_p forced_order_from_q forced_order_shift"
            " forced_order_instance",
            "with a forced order: the expected cost is linear in p, both directions",
            "that the minimum is attained",
            instance="forced_order_instance",
        ),
    ),
    Entry(
        label="our:pooledClosedForm",
        title="The closed form for a forced order, by pooling",
        latex=r"\min_{p_1 \geq \ldots \geq p_B > 0} \sum_i \frac{A_i}{p_i} \sum_i p_i C_i ="
        r"\Big(\sum_S \sqrt{A_S C_S}\Big)^2, \quad p_i = \sqrt{A_S / C_S}\ (i \in S)",
        text=(
            "Adjacent ranks are pooled until the ratios A_S / C_S of the pools' sums fall. For the"
            " bound of text:productBound A_i and C_i are the L_k and c_k along the order."
        ),
        assumptions=("all A_i and C_i are positive",),
        see=("text:productBound",),
        bound=Bound.EQUALITY,
        proof_needs=("lem:upperBound",),
        checks=(tried(pooling, "{} sequences of up to 7 blocks, exactly"),),
        steps=(
            Step(
                latex=(
                    r"A_X / C_X \leq A_S / C_S \quad \text{for every prefix } X \text{ of a"
                    r" pool } S"
                ),
                text=(
                    "By induction over the merges: a pool is one rank, or a pool merged with a"
                    " later one of a ratio that is not smaller."
                ),
                check=formula(
                    "r_T := r_S + w; r_S*C_X - e <= (r_S*C_S + r_T*C_T)/(C_S + C_T)*C_X, by"
                    " w*C_T*C_X/(C_S + C_T) + e; r_S*C_S + r_T*C_Y - e <= (r_S*C_S + r_T*(C_Y +"
                    " C_R))/(C_S + (C_Y + C_R))*(C_S + C_Y), by w*C_S*C_R/(C_S + C_Y + C_R) + e;"
                    " C_S C_T C_X C_Y C_R r_S > 0, e w >= 0",
                    "all pools, by induction",
                    words=(
                        "pools S and T of ratios r_S <= r_T = r_S + w are merged, whose prefixes X"
                        " and Y have A_X = r_S C_X - e and A_Y = r_T C_Y - e; those of the merged"
                        " pool are the X, and S with a Y; R is the rest of T after Y"
                    ),
                ),
            ),
            Step(
                latex=(
                    r"A'_j = C_j \frac{A_S}{C_S} = A_j + E_j - E_{j-1}, \quad E_j = \sum_{i \leq j}"
                    r" (A'_i - A_i) "
                    r"\geq 0"
                ),
                text=(
                    "Spreading A over the pool in proportion to C is moving E_j from rank j + 1 to"
                    " rank j for all j; E_j is not negative by the step before, and 0 at the end of"
                    " the pool."
                ),
                check=formula(
                    "A_j + (E + S_j - A_j) - E = S_j",
                    "rank j, so any number of blocks",
                    words="S_j stands for A'_j, and E for E_{j-1}",
                ),
            ),
            Step(
                latex=(
                    r"\frac{A_i + s}{p_i} + \frac{A_j - s}{p_j} \leq \frac{A_i}{p_i} +"
                    r" \frac{A_j}{p_j} \quad (p_i "
                    r"\geq p_j)"
                ),
                text=(
                    "Moving amounts of A to earlier ranks does not raise the sum, so A' has one"
                    " that is not larger."
                ),
                check=formula(
                    "p_i := p_j + w; (A_i + s)/p_i + (A_j - s)/p_j <= A_i/p_i + A_j/p_j, by"
                    " s*w/(p_j*p_i); p_j > 0, s w >= 0",
                    "ranks i < j, so any number of blocks",
                ),
            ),
            Step(
                latex=(
                    r"\sum_i \frac{A'_i}{p_i} \sum_i p_i C_i \geq \Big(\sum_i \sqrt{A'_i"
                    r" C_i}\Big)^2 ="
                    r"\Big(\sum_S \sqrt{A_S C_S}\Big)^2"
                ),
                text="Cauchy and Schwarz as in lem:upperBound.",
                check=formula(
                    "sqrt((C_j*A/C)*C_j) = C_j*sqrt(A/C); C*sqrt(A/C) = sqrt(A*C); A C C_j > 0",
                    "member j of a pool, so any number of blocks",
                ),
            ),
            Step(
                latex=r"p = \sqrt{A_S / C_S}: \quad A_S / p = p\, C_S = \sqrt{A_S C_S}",
                text="Attained, and admissible since the ratios fall from pool to pool.",
                check=formula(
                    "p := sqrt(A/C); A/p = sqrt(A*C); p*C = sqrt(A*C); A C > 0",
                    "pool S, so any number of blocks",
                ),
            ),
        ),
    ),
)
