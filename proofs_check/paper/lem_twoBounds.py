"""lem:twoBounds. The printed proof shows the first inequality and cites the second."""

import numpy as np
import sympy

from rpttheory.reals import FloatArray

from ..checks.instances import Batch
from ..checks.randomised import Brackets, on_random_matrices
from ..checks.stacked import top_brackets
from ..checks.symbolic import Pairs, Triples, identity, inequality, letters
from ..engine.entry import Bound, Entry, Erratum, Status, Step


def block_tops(batch: Batch) -> Brackets:
    """Bounds on the largest eigenvalue of each diagonal block, of shape (n, B)."""
    found = [
        top_brackets(batch.L[:, where, where], np.ones((len(batch.L), where.stop - where.start)))
        for where in batch.blocks.slices
    ]
    return np.stack([low for low, _ in found], axis=1), np.stack([high for _, high in found], axis=1)


def widened(low: FloatArray, high: FloatArray, roundings: int) -> Brackets:
    """Both ends moved outwards by more than `roundings` relative rounding errors."""
    room = (roundings + 2) * 2.0**-52
    return low - room * np.abs(low), high + room * np.abs(high)


def lower_sides(batch: Batch, factor: float = 1.0) -> tuple[Brackets, Brackets]:
    """factor times the largest of the block constants, and lambda_max."""
    low, high = block_tops(batch)
    left = widened(factor * low.max(axis=1), factor * high.max(axis=1), 1)
    return left, top_brackets(batch.L, np.ones(batch.L.shape[:2]))


def upper_sides(batch: Batch, factor: float = 1.0) -> tuple[Brackets, Brackets]:
    """lambda_max, and factor times the sum of the block constants."""
    low, high = block_tops(batch)
    right = widened(factor * low.sum(axis=1), factor * high.sum(axis=1), batch.blocks.count)
    return top_brackets(batch.L, np.ones(batch.L.shape[:2])), right


def restricted_form(power: int = 1) -> Pairs:
    """The terms of x'Mx for x = (y, 0): (i, j) inside the block, (i, l) and (l, m) with l and m outside; then |x|^2."""
    y_i, y_j, m_ij, m_il, m_lm = letters("y_i y_j M_ij M_il M_lm")
    zero = sympy.Integer(0)
    return [
        (y_i * m_ij * y_j, y_i**power * m_ij * y_j),
        (y_i * m_il * zero, zero),
        (zero * m_lm * zero, zero),
        (y_i**2 + zero**2, y_i**2),
    ]


def term_in_the_eigenbasis(sign: int = 1) -> Triples:
    """lambda_i z_i^2 <= M z_i^2, so that a supremum over unit vectors is at most M = lambda_max."""
    top, z, distance = letters("M z_i, delta_i >= 0")
    return [((top - distance) * z**2, top * z**2, sign * distance * z**2)]


def attained_at_the_eigenvector(second: int = 0) -> Pairs:
    """In the eigenbasis of the block the vector (1, 0, ..., 0) has norm one and the value lambda_max."""
    top, other = letters("M_1 lambda_j")
    one, rest = sympy.Integer(1), sympy.Integer(second)
    return [(top * one**2 + other * rest**2, top), (one**2 + rest**2, one)]


CLAIM = Entry(
    label="lem:twoBounds",
    title="lambda_max between the largest and the sum of the block constants",
    latex=r"\max_i M_i \leq M \leq \sum_{i=1}^B M_i, \quad M_i = \lambda_{\max}(M_{ii}),\ M = \lambda_{\max}(M)",
    text="For M positive semidefinite with diagonal blocks M_ii. The first inequality is proved and holds for every "
    "symmetric M; the second is cited, and needs M semidefinite (our:indefinite). our:twoBounds proves it.",
    assumptions=("M is positive semidefinite",),
    proof=Status.CITED,
    see=("our:indefinite", "our:tightness"),
    bound=Bound.UPPER,
    tight=True,
    tightness="lower: any block-diagonal M; upper: [[4, 6], [6, 9]], and for any blocks our:tightness",
    proof_needs=("fact:rayleigh", "our:twoBounds"),
    repaired_by="our:twoBounds",
    checks=(on_random_matrices(lower_sides), on_random_matrices(upper_sides)),
    errata=(
        Erratum(
            r"\max_i L_i = L_1, \quad L_1 = \sup x^\top L_1 x \leq \sup x^\top L x",
            "the proof speaks of L where the lemma has M",
        ),
        Erratum(
            "the appendix argues that these bounds are tight",
            "it treats the second bound, for two blocks; block-diagonal matrices attain the first",
        ),
    ),
    steps=(
        Step(
            latex=r"L_1 = \sup_{x \in \mathbb{R}^{d_1}, \|x\|=1} x^\top L_1 x",
            text="Rayleigh's bound, attained at the top eigenvector (read M for L).",
            check=identity(attained_at_the_eigenvector, "in the eigenbasis of the block, so all dimensions"),
        ),
        Step(
            latex=r"= \sup_{x \in S, \|x\|=1} x^\top L x, \quad S = \mathrm{span}(e_1, \ldots, e_{d_1})",
            text="Padding with zeros changes neither the form nor the norm.",
            check=identity(restricted_form, "terms (i, j), (i, l), (l, m), so all dimensions"),
        ),
        Step(
            latex=r"\leq \sup_{x \in \mathbb{R}^d, \|x\|=1} x^\top L x = \lambda_{\max}(L)",
            text="S is a subspace, and lambda_max bounds the form at each of its unit vectors.",
            check=inequality(term_in_the_eigenbasis, "term i in the eigenbasis, so all dimensions"),
        ),
    ),
)
