"""def:PTsketch. The law adds up to one, and the sketch is unbiased, for every permutation."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

from ..checks.instances import Tries, tried
from ..checks.symbolic import formula
from ..engine.entry import Entry, Formal, Status, Trial

Law = list[tuple[Fraction, list[Fraction]]]


def printed_sketch(p: Sequence[Fraction], sigma: Sequence[int]) -> Law:
    """The outcomes of the PT-sketch letter by letter: the probability of C_i, and its value on each
    block.
    """
    after = (*p[1:], Fraction(0))
    return [
        (here - later, [1 / p[j - 1] if j <= i else Fraction(0) for j in sigma])
        for i, (here, later) in enumerate(zip(p, after, strict=True), start=1)
    ]


def random_ranks(trial: Trial, count: int) -> list[Fraction]:
    """Probabilities 1 = p_1 >= ... >= p_B > 0, as fractions."""
    draws = sorted(trial.rng.integers(1, 40, count).tolist(), reverse=True)
    return [Fraction(value, draws[0]) for value in draws]


TAILS = formula(
    "p_B - 0 = p_B; (p_j - p_{j+1}) + p_{j+1} = p_j; p_B p_j p_{j+1} > 0",
    "all B and p, by induction",
    words="by induction from j = B down; j = 1 gives the sum of the whole law",
)


MOMENTS_OF_A_BLOCK = formula(
    "p_j*(1/p_j) = 1; p_j*(1/p_j)^2 = 1/p_j; p_j > 0",
    "a block of rank j, so all B, p and sigma",
    words="1/p_j with probability p_j, else 0: first and second moment",
)


def every_permutation(trial: Trial, power: int = 2) -> Tries:
    """A check of the law and both moments on the printed matrices, for all permutations of up to
    five blocks.
    """
    for count in range(1, 6):
        for sigma in permutations(range(1, count + 1)):
            for _ in range(trial.instances(2)):
                p = random_ranks(trial, count)
                law = printed_sketch(p, sigma)
                holds = (
                    min(weight for weight, _ in law) >= 0 and sum(weight for weight, _ in law) == 1
                )
                for block, rank in enumerate(sigma):
                    mean = sum(weight * c[block] for weight, c in law)
                    square = sum(weight * c[block] ** power for weight, c in law)
                    holds = holds and mean == 1 and square == 1 / p[rank - 1]
                yield holds, f"p = {p}, sigma = {sigma}"


CLAIM = Entry(
    label="def:PTsketch",
    title="The PT-sketch",
    latex=r"C = C_i \text{ with probability } p_i - p_{i+1}, \quad "
    r"C_i = \mathrm{Diag}((\xi^i_{\sigma_1})_{d_1}, \ldots, (\xi^i_{\sigma_B})_{d_B}), \quad "
    r"\xi^i_j = 1/p_j \text{ if } j \leq i, \text{ else } 0",
    text=(
        "With 1 = p_1 >= ... >= p_B > 0 = p_{B+1}. Read letter by letter, block k has rank sigma_k"
        " and is updated with probability p_{sigma_k}. The probabilities add up to 1, E[C] = I and"
        " E[C^2] = P^-1; this holds for either reading of sigma, since it holds whatever the ranks"
        " of the blocks are; text:sigma has the erratum."
    ),
    proof=Status.NONE,
    see=("text:sigma",),
    needs=("text:SkGD",),
    checks=(
        TAILS,
        MOMENTS_OF_A_BLOCK,
        tried(every_permutation, "{} sketches, all permutations of up to 5 blocks"),
    ),
    formal=Formal(
        "chance_sum nested_probabilities nested_unbiased nested_square nested_pair",
        "the PT-sketch is a sampling: E[C] = I, E[C^2] = P^-1, whatever the ranks of the blocks",
        no_instance=(
            "it has no hypotheses but 1 = p_1 >= ... >= p_B > 0, which p = (1, t) meets (Definition"
            " two)"
        ),
    ),
)
