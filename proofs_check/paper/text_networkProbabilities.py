"""The probabilities and the round sizes of the network experiment (no label)."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise

from ..checks.symbolic import formula
from ..checks.witness import decided, refuted_by
from ..engine.entry import Bound, Entry, Erratum, Severity, Status


def decaying(rate: str, last: str, blocks: int = 22) -> list[Fraction]:
    """Return 1, r, r^2, ..., and a last power with another base."""
    powers = [Fraction(rate) ** exponent for exponent in range(blocks - 1)]
    return [*powers, Fraction(last) ** (blocks - 1)]


def are_admissible(p: Sequence[Fraction]) -> bool:
    """Return whether 1 = p_1 >= ... >= p_B > 0, as def:PTsketch wants."""
    return p[0] == 1 and all(a >= b for a, b in pairwise(p)) and p[-1] > 0


def climbs(p: Sequence[Fraction]) -> bool:
    """Return whether the last probability is above 4/5 and the one before below 1/8."""
    return p[-1] > Fraction(4, 5) and p[-2] < Fraction(1, 8) and not are_admissible(p)


_BASE = Erratum(r"0.99^{21}", "the last probability must be 0.9^21", Severity.TYPO)

PROBABILITIES = Entry(
    label="text:networkProbabilities",
    title="The probabilities of the network experiment",
    latex=r"(p_1, \ldots, p_{22}) = (1, 0.9, 0.9^2, \ldots, 0.99^{21})",
    text=(
        "The last one must be 0.9^21 = 0.109. Printed it is 0.81, more than the 21st: the list is"
        " no PT-sketch."
    ),
    statement=Status.COMPUTED,
    proof=Status.NONE,
    needs=("def:PTsketch",),
    checks=(
        refuted_by(
            partial(climbs, decaying("0.9", "0.99")),
            "p_22 = 0.99^21 > 4/5 while p_21 = 0.9^20 < 1/8: the list is not descending",
        ),
    ),
    corrected=(
        decided(partial(are_admissible, decaying("0.9", "0.9")), "the list 1, 0.9, ..., 0.9^21"),
    ),
    mends=(_BASE,),
    errata=(_BASE,),
)

ROUNDS = Entry(
    label="text:roundSizes",
    title="The round sizes of Progressive Training",
    latex=r"T_1 = \ldots = T_{21} = \tfrac{T}{44}, \quad T_{22} = \tfrac{23T}{44}",
    text=(
        "They add up to T, and are the rule T/(2B) for B = 22 blocks with the rest left to the"
        " last."
    ),
    statement=Status.DEFINITIONAL,
    proof=Status.NONE,
    bound=Bound.EQUALITY,
    needs=("alg:MAIN-COMPACT",),
    checks=(
        formula(
            "21*T/44 + 23*T/44 = T; T/(2*22) = T/44; T - (22 - 1)*T/(2*22) = 23*T/44; T > 0",
            "all T",
            words=(
                "twenty-one rounds of T/44 and one of 23T/44; T/(2B) and the rest for B = 22 blocks"
            ),
        ),
    ),
    errata=(
        Erratum(
            r"T/44",
            "alg:MAIN-COMPACT wants whole T_b, so T must be a multiple of 44 or the parts be"
            " rounded",
            Severity.REMARK,
        ),
    ),
)

CLAIMS = (PROBABILITIES, ROUNDS)
