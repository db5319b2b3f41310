"""lem:twoBounds. The printed proof shows the first inequality and cites the second."""

import numpy as np

from rpttheory.eigen.batch import lambda_max_batch
from rpttheory.numbers.exact_array import FloatArray

from ..checks.instances import Batch
from ..checks.randomised import Brackets, on_random_matrices
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Erratum, Severity, Status, Step


def block_tops(batch: Batch) -> Brackets:
    """Bounds on the largest eigenvalue of each diagonal block, of shape (n, B)."""
    found = [
        lambda_max_batch(
            batch.L[:, where, where], np.ones((len(batch.L), where.stop - where.start))
        )
        for where in batch.blocks.slices
    ]
    return np.stack([low for low, _ in found], axis=1), np.stack(
        [high for _, high in found], axis=1
    )


def widened(low: FloatArray, high: FloatArray, roundings: int) -> Brackets:
    """Both ends moved outwards by more than `roundings` relative rounding errors."""
    room = (roundings + 2) * 2.0**-52
    return low - room * np.abs(low), high + room * np.abs(high)


def lower_sides(batch: Batch, factor: float = 1.0) -> tuple[Brackets, Brackets]:
    """factor times the largest of the block constants, and lambda_max."""
    low, high = block_tops(batch)
    left = widened(factor * low.max(axis=1), factor * high.max(axis=1), 1)
    return left, lambda_max_batch(batch.L, np.ones(batch.L.shape[:2]))


def upper_sides(batch: Batch, factor: float = 1.0) -> tuple[Brackets, Brackets]:
    """lambda_max, and factor times the sum of the block constants."""
    low, high = block_tops(batch)
    right = widened(factor * low.sum(axis=1), factor * high.sum(axis=1), batch.blocks.count)
    return lambda_max_batch(batch.L, np.ones(batch.L.shape[:2])), right


CLAIM = Entry(
    label="lem:twoBounds",
    title="lambda_max between the largest and the sum of the block constants",
    latex=r"\max_i M_i \leq M \leq \sum_{i=1}^B M_i, \quad "
    r"M_i = \lambda_{\max}(\mathbf{M}_i), \quad M = \lambda_{\max}(\mathbf{M})",
    text=(
        "For M positive semidefinite with diagonal blocks, whose largest eigenvalues are M_i. The"
        " first inequality is proved and holds for every symmetric M; the second is cited, and"
        " needs M semidefinite (our:indefinite). our:twoBounds proves it."
    ),
    assumptions=("M is positive semidefinite",),
    proof=Status.CITED,
    see=("our:indefinite", "our:tightness"),
    bound=Bound.UPPER,
    tight=True,
    tightness=(
        "lower: any block-diagonal M; upper: [[4, 6], [6, 9]], and for any blocks our:tightness"
    ),
    proof_needs=("fact:rayleigh", "our:twoBounds"),
    repaired_by="our:twoBounds",
    checks=(on_random_matrices(lower_sides), on_random_matrices(upper_sides)),
    errata=(
        Erratum(
            r"\max_i L_i = L_1, \quad L_1 = \sup x^\top L_1 x \leq \sup x^\top L x",
            "the proof speaks of L where the lemma has M",
            Severity.TYPO,
        ),
        Erratum(
            "the appendix argues that these bounds are tight",
            "it treats the second bound, for two blocks; block-diagonal matrices attain the first",
            Severity.GAP,
        ),
    ),
    steps=(
        Step(
            latex=r"L_1 = \sup_{x \in \mathbb{R}^{d_1}, \|x\|=1} x^\top L_1 x",
            text="Rayleigh's bound, attained at the top eigenvector (read M for L).",
            check=formula(
                "M_1*1^2 + lambda_j*0^2 = M_1; 1^2 + 0^2 = 1",
                "in the eigenbasis of the block, so all dimensions",
                words="the vector x = (1, 0, ..., 0) has norm one and the value lambda_max",
            ),
        ),
        Step(
            latex=(
                r"= \sup_{x \in S, \|x\|=1} x^\top L x, \quad S = \mathrm{Span}(e_1, \ldots,"
                r" e_{d_1})"
            ),
            text="Padding with zeros changes neither the form nor the norm.",
            check=formula(
                "y_i*M_ij*y_j = y_i*M_ij*y_j; y_i*M_il*0 = 0; 0*M_lm*0 = 0; y_i^2 + 0^2 = y_i^2",
                "terms (i, j), (i, l), (l, m), so all dimensions",
                words=(
                    "x = (y, 0): (i, j) inside the block, (i, l) and (l, m) with l and m outside;"
                    " then |x|^2"
                ),
            ),
        ),
        Step(
            latex=r"\leq \sup_{x \in \mathbb{R}^d, \|x\|=1} x^\top L x",
            text="S is a subspace, and lambda_max bounds the form at each of its unit vectors.",
            check=formula(
                "(M - delta_i)*z_i^2 <= M*z_i^2, by delta_i*z_i^2; delta_i >= 0",
                "term i in the eigenbasis, so all dimensions",
                words="delta_i = M - lambda_i, and z is x in the eigenbasis",
            ),
        ),
    ),
)
