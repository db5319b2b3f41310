"""RPT is an instance of SkGD (no label)."""

from fractions import Fraction
from itertools import permutations

from rpttheory.problem.blocks import Reading

from ..checks.symbolic import identity
from ..engine.entry import Bound, Check, Entry, Erratum, Evidence, Finding, Status, Step, Trial, failed, held
from .def_PTsketch import moments_of_a_block, printed_sketch, random_ranks, tails
from .text_sigma import per_block


def marginals(reading: Reading = "block->rank") -> Check:
    """A check that the blocks of the printed sketch are active with the probabilities on the diagonal of P."""

    def run(trial: Trial) -> Finding:
        total = 0
        for count in range(1, 6):
            for sigma in permutations(range(1, count + 1)):
                p = random_ranks(trial, count)
                law = printed_sketch(p, sigma)
                active = [sum((w for w, c in law if c[k]), Fraction(0)) for k in range(count)]
                values = all(c[k] in (0, 1 / active[k]) for _, c in law for k in range(count))
                if active != per_block(p, sigma, reading) or not values:
                    return failed(f"p = {p}, sigma = {sigma}")
                total += 1
        return held(f"{total} sketches, all permutations of up to 5 blocks")

    return Check(Evidence.EXACT, run)


CLAIM = Entry(
    label="text:RPTisSkGD",
    title="RPT is an instance of SkGD",
    latex=r"P = \mathrm{Diag}((p_{\sigma_1})_{d_1}, \ldots, (p_{\sigma_B})_{d_B})",
    text="The PT-sketch is the sketch of SkGD for the random set of all coordinates of the first i ranks, "
    "so the theorems on SkGD hold for RPT. P as printed fits C_i as printed: both read sigma as block to rank.",
    proof=Status.DEFINITIONAL,
    see=("text:sigma", "lem:upperBound"),
    bound=Bound.EQUALITY,
    needs=("def:PTsketch", "alg:rpt", "text:SkGD"),
    checks=(marginals(),),
    errata=(
        Erratum(
            r"P = \mathrm{Diag}((p_{\sigma_1})_{d_1}, \ldots)",
            "P is right with def:PTsketch, and at odds with the costs and with lem:upperBound (text:sigma)",
        ),
    ),
    steps=(
        Step(
            latex=r"\mathrm{Prob}(C \in \{C_j, \ldots, C_B\}) = p_j",
            text="The block of rank j is active in these outcomes and no others.",
            check=identity(tails, "all B and p, by induction"),
        ),
        Step(
            latex=r"c_j = 1/p_j \text{ if active, else } 0",
            text="So the sketch carries the inverse of the block's own probability, and is unbiased.",
            check=identity(moments_of_a_block, "a block of rank j, so all B, p and sigma"),
        ),
    ),
)
