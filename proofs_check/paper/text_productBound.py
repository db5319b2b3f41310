"""The upper bound on c(P) by the block constants (no label)."""

import sympy

from ..checks.instances import Batch
from ..checks.randomised import Brackets, on_random_matrices
from ..checks.stacked import top_brackets
from ..checks.symbolic import Pairs, Triples, identity, inequality, letters
from ..engine.entry import Bound, Entry, Step
from .lem_twoBounds import block_tops, widened


def sides(batch: Batch, factor: float = 1.0) -> tuple[Brackets, Brackets]:
    """c(P) and factor times sum L_k / p_k sum p_k c_k, both over the expected cost; p = 1 / r."""
    low, high = block_tops(batch)
    bound = widened(factor * (low * batch.r).sum(axis=1), factor * (high * batch.r).sum(axis=1), batch.blocks.count + 2)
    return top_brackets(*batch.weighted), bound


def diagonal_block(power: int = 1) -> Pairs:
    """Entry (i, j) of diagonal block k of P^-1/2 L P^-1/2: the block of L over p_k."""
    L_ij, p = letters("L_ij, p_k > 0")
    return [(L_ij / (sympy.sqrt(p) * sympy.sqrt(p)), L_ij / p**power)]


def times_cost(sign: int = 1) -> Triples:
    """L_P <= S implies L_P K <= S K for the expected cost K > 0; w is S - L_P."""
    S, K, w = letters("S K > 0, w >= 0")
    return [((S - w) * K, S * K, sign * w * K)]


CLAIM = Entry(
    label="text:productBound",
    title="c(P) bounded by the block constants",
    latex=r"c(P) \leq \sum_{i=1}^B \frac{L_{\sigma_i}}{p_i} \cdot \sum_{i=1}^B p_i c_{\sigma_i}",
    text="Per block: L_P times the expected cost is at most sum_k L_k / p_k times sum_k p_k c_k. With P as "
    "def:PTsketch "
    "prints it the left side reads sigma the other way, and the bound fails (text:sigma).",
    assumptions=("L is positive semidefinite", "sigma is read as rank to block, in P as well"),
    see=("def:PTsketch", "our:tightness"),
    bound=Bound.UPPER,
    tight=True,
    tightness="one matrix with given block constants attains it for all P at once (our:tightness)",
    needs=("text:LP", "text:sigma", "text:expectedCost"),
    proof_needs=("lem:twoBounds",),
    checks=(on_random_matrices(sides),),
    steps=(
        Step(
            latex=r"(P^{-1/2} L P^{-1/2})_{kk} = L_{kk} / p_k",
            text="The diagonal blocks of the matrix in L_P have the constants L_k / p_k; lem:twoBounds adds them up.",
            check=identity(diagonal_block, "entry (i, j) of block k, so all dimensions"),
        ),
        Step(
            latex=r"L_P \leq \sum_k L_k / p_k \implies c(P) \leq \sum_k L_k / p_k \cdot \sum_k p_k c_k",
            text="Both sides times the expected cost.",
            check=inequality(times_cost, "all values"),
        ),
    ),
)
