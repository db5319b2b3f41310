"""lem:key_quantity. The left half is true; its printed proof is not one."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..checks.exact import Matrix, diag, is_semidefinite, plus, rows
from ..checks.instances import Batch
from ..checks.randomised import Brackets, on_instances, on_random_matrices
from ..checks.stacked import top_brackets
from ..checks.symbolic import formula
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Status, Step
from ..ours.key_quantity import every_sampling


def left_sides(batch: Batch, factor: float = 1.0) -> tuple[Brackets, Brackets]:
    """L_M and factor times L_P."""
    moment = batch.second_moment
    low, high = top_brackets(*batch.weighted)
    return top_brackets(moment, np.ones(moment.shape[:2])), (factor * low, factor * high)


def right_sides(batch: Batch, factor: float = 1.0) -> tuple[Brackets, Brackets]:
    """L_P and factor times lambda_max(L) / p_min; r is an integer, so one rounding outwards is all."""
    low, high = top_brackets(batch.L, np.ones(batch.L.shape[:2]))
    scale = factor * batch.r.max(axis=1)
    return top_brackets(*batch.weighted), (np.nextafter(low * scale, -np.inf), np.nextafter(high * scale, np.inf))


SECOND_MOMENT_OF_A_COORDINATE = formula(
    "p_i*(sqrt(p_i)*x_i/p_i)^2 = x_i^2*p_i/p_i; x_i^2*p_i/p_i = x_i^2; p_i > 0",
    "coordinate i, so all dimensions and samplings",
)


def printed_sum_fails(p: tuple[Fraction, ...], x: tuple[int, ...]) -> bool:
    """Whether E[sum_i x_i^2 / p_i 1{C = C_i}] differs from E|C P^1/2 x|^2 for the nested sampling with these p."""
    weights = [a - b for a, b in zip(p, (*p[1:], Fraction(0)), strict=True)]
    printed = sum((w * v * v / q for w, v, q in zip(weights, x, p, strict=True)), Fraction(0))
    true = sum((Fraction(v * v) for v in x), Fraction(0))
    return printed != true


def inference_fails(P: Sequence[Fraction], L: Matrix, X: Matrix, t: Fraction) -> bool:
    """Whether lambda_max(P^1/2 X P^1/2) <= lambda_max(L) although lambda_max(X) > t >= L_P: the "i.e." step for X.

    With X in place of E[CLC] the premise is X <= lambda_max(L) P^-1. All three are decided without square roots; the
    top of L is read off its diagonal.
    """
    diagonal = [L[i][i] for i in range(len(P))]
    assert rows(L) == diag(diagonal)
    top = max(diagonal)
    premise = is_semidefinite(plus(diag([top / p for p in P]), X, -1))
    bounded = is_semidefinite(plus(diag([t * p for p in P]), L, -1))
    conclusion = is_semidefinite(plus(diag([t] * len(P)), X, -1))
    return is_semidefinite(X) and premise and bounded and not conclusion


NORM_BOUND = formula(
    "(q - s_i)*x_i^2 <= q*x_i^2, by s_i*x_i^2; s_i >= 0, q > 0",
    "term i, so all dimensions",
    words="q = 1 / p_min, and s_i = q - 1 / p_i",
)


EIGENVALUE_BOUNDS = formula(
    "(lambda_max - delta_i)*y_i^2 <= lambda_max*y_i^2, by delta_i*y_i^2; lambda_max delta_i >= 0",
    "term i in the eigenbasis of L, so all dimensions",
    words="delta_i = lambda_max - lambda_i",
)


_P = (Fraction(1), Fraction(1, 4))
_L = ((4, 0), (0, 1))
_X = ((0, 0), (0, 16))

CLAIM = Entry(
    label="lem:key_quantity",
    title="The key quantity L_P",
    latex=r"\lambda_{\max}(\mathbb{E}[C L C]) \leq L_P \leq \lambda_{\max}(L)\, \lambda_{\max}(P^{-1})",
    text="For L positive semidefinite and any unbiased sketch: L_M <= L_P <= lambda_max(L) / p_min.",
    assumptions=("L is positive semidefinite", "all p_i are positive"),
    proof=Status.REFUTED,
    bound=Bound.UPPER,
    tight=True,
    tightness="left: block-diagonal L; right: L = I with equal p",
    needs=("text:SkGD", "text:LP"),
    proof_needs=("our:keyQuantity", "fact:rayleigh", "fact:congruence"),
    repaired_by="our:keyQuantity",
    checks=(
        on_random_matrices(left_sides),
        on_random_matrices(right_sides),
        on_instances(every_sampling),
    ),
    errata=(
        Erratum(
            r"\lambda_{\max}(P^{1/2} \mathbb{E}[CLC] P^{1/2}) \leq \lambda_{\max}(L), \text{ i.e. }"
            r"\lambda_{\max}(\mathbb{E}[CLC]) \leq L_P",
            "the inference is wrong, the conclusion right: Schur's product theorem proves it (our:keyQuantity)",
        ),
        Erratum(
            r"\mathbb{E} \sum_i \tfrac{1}{p_i} x_i^2 \chi_{\{C = C_i\}}",
            "the indicator must be that of coordinate i being active; n is d",
        ),
    ),
    steps=(
        Step(
            latex=r"x^\top P^{1/2} \mathbb{E}[CLC] P^{1/2} x = \mathbb{E} \|L^{1/2} C P^{1/2} x\|^2",
            text="The quadratic form as an expected norm.",
            check=formula(
                "x_i*sqrt(p_i)*(p_ij*R_ki*R_kj/(p_i*p_j))*sqrt(p_j)*x_j "
                "= p_ij*((R_ki/p_i*sqrt(p_i)*x_i)*(R_kj/p_j*sqrt(p_j)*x_j)); p_i p_j p_ij > 0",
                "term (i, j), so all dimensions and samplings",
                words="with L_ij = sum_k R_ki R_kj",
            ),
        ),
        Step(
            latex=r"\leq \lambda_{\max}(L)\, \mathbb{E} \|C P^{1/2} x\|^2",
            text="The largest eigenvalue bounds the form, outcome by outcome.",
            check=EIGENVALUE_BOUNDS,
        ),
        Step(
            latex=r"= \lambda_{\max}(L)\, \mathbb{E} \sum_i \tfrac{1}{p_i} x_i^2 \chi_{\{C = C_i\}}",
            text="The norm written out; the indicator printed is that of the wrong event.",
            check=refuted_by(
                lambda: printed_sum_fails((Fraction(1), Fraction(1, 2)), (1, 0)),
                "nested sampling, p = (1, 1/2), x = (1, 0): E|C P^1/2 x|^2 = 1, printed sum 1/2",
            ),
            correction=r"\mathbb{E} \sum_i \tfrac{1}{p_i} x_i^2 \chi_{\{i \in S\}}",
            mended=SECOND_MOMENT_OF_A_COORDINATE,
        ),
        Step(
            latex=r"= \lambda_{\max}(L) \sum_i x_i^2 \tfrac{1}{p_i} p_i = \lambda_{\max}(L) \|x\|^2",
            text="The expectation of the (right) indicator is p_i.",
            check=SECOND_MOMENT_OF_A_COORDINATE,
        ),
        Step(
            latex=r"\lambda_{\max}(P^{1/2} \mathbb{E}[CLC] P^{1/2}) \leq \lambda_{\max}(L), \text{ i.e. }"
            r"\lambda_{\max}(\mathbb{E}[CLC]) \leq \lambda_{\max}(P^{-1/2} L P^{-1/2})",
            text="The premise does not imply the conclusion.",
            check=refuted_by(
                lambda: inference_fails(_P, _L, _X, Fraction(4)),
                "P = diag(1, 1/4), L = diag(4, 1), X = diag(0, 16) in place of E[CLC]: "
                "lambda_max(P^1/2 X P^1/2) = 4 = lambda_max(L), yet lambda_max(X) = 16 > 4 = L_P",
            ),
            recorded=Status.REFUTED,
        ),
        Step(
            latex=r"x^\top P^{-1/2} L P^{-1/2} x = \|L^{1/2} P^{-1/2} x\|^2",
            text="Right half: the form as a norm.",
            check=formula(
                "x_i*(R_ki*R_kj/sqrt(p_i*p_j))*x_j = (R_ki*x_i/sqrt(p_i))*(R_kj*x_j/sqrt(p_j)); p_i p_j > 0",
                "term (i, j), so all dimensions",
                words="with L_ij = sum_k R_ki R_kj",
            ),
        ),
        Step(
            latex=r"\leq \lambda_{\max}(L) \|P^{-1/2} x\|^2",
            text="The largest eigenvalue bounds the form.",
            check=EIGENVALUE_BOUNDS,
        ),
        Step(
            latex=r"\leq \lambda_{\max}(L)\, \lambda_{\max}(P^{-1}) \|x\|^2",
            text="The largest 1 / p_i bounds the others.",
            check=NORM_BOUND,
        ),
    ),
)
