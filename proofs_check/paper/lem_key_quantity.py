"""lem:key_quantity. True, and its printed proof is right but for an indicator."""

from fractions import Fraction
from functools import partial

from ..checks.statements import holds_on_matrices
from ..checks.symbolic import formula
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Formal, Severity, Step

SECOND_MOMENT_OF_A_COORDINATE = formula(
    "p_i*(sqrt(p_i)*x_i/p_i)^2 = x_i^2*p_i/p_i; x_i^2*p_i/p_i = x_i^2; p_i > 0",
    "coordinate i, so all dimensions and samplings",
)


def printed_sum_fails(p: tuple[Fraction, ...], x: tuple[int, ...]) -> bool:
    """Return whether E[sum_i x_i^2 / p_i 1{C = C_i}] differs from E|C P^1/2 x|^2 for the nested
    sampling with these p.
    """
    weights = [a - b for a, b in zip(p, (*p[1:], Fraction(0)), strict=True)]
    printed = sum((w * v * v / q for w, v, q in zip(weights, x, p, strict=True)), Fraction(0))
    true = sum((Fraction(v * v) for v in x), Fraction(0))
    return printed != true


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


_INDICATOR = Erratum(
    r"\mathbb{E}[\sum_{i=1}^n \tfrac{1}{p_i} x_i^2 \chi_{\{C = C_i\}}]",
    "the indicator must be that of coordinate i being active; n is d",
    Severity.TYPO,
)

CLAIM = Entry(
    label="lem:key_quantity",
    title="The key quantity L_P",
    latex=(
        r"\lambda_{\max}(\mathbb{E}[C L C]) \leq L_P \leq \lambda_{\max}(L)\,"
        r" \lambda_{\max}(P^{-1})"
    ),
    text=(
        "For L positive semidefinite and any unbiased sketch: L_M <= L_P <= lambda_max(L) / p_min."
        " The printed proof bounds lambda_max(P^1/2 E[CLC] P^1/2) by lambda_max(L) for every"
        " positive semidefinite L, then applies this to P^-1/2 L P^-1/2. our:keyQuantity has a"
        " second proof of the left half."
    ),
    assumptions=("L is positive semidefinite", "all p_i are positive"),
    bound=Bound.UPPER,
    tight=True,
    tightness="left: block-diagonal L; right: L = I with equal p",
    needs=("text:SkGD", "text:LP"),
    proof_needs=("fact:rayleigh", "fact:congruence"),
    see=("our:keyQuantity",),
    checks=(
        holds_on_matrices("lem:key_quantity/left"),
        holds_on_matrices("lem:key_quantity/right"),
    ),
    errata=(_INDICATOR,),
    steps=(
        Step(
            latex=(
                r"x^\top P^{1/2} \mathbb{E}[CLC] P^{1/2} x = \mathbb{E} \|L^{1/2} C P^{1/2} x\|^2"
            ),
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
            latex=(
                r"= \lambda_{\max}(L)\, \mathbb{E}[\sum_{i=1}^n \tfrac{1}{p_i} x_i^2 \chi_{\{C ="
                r" C_i\}}]"
            ),
            text="The norm written out; the indicator printed is that of the wrong event.",
            check=refuted_by(
                partial(printed_sum_fails, (Fraction(1), Fraction(1, 2)), (1, 0)),
                "nested sampling, p = (1, 1/2), x = (1, 0): E|C P^1/2 x|^2 = 1, printed sum 1/2",
            ),
            correction=r"\mathbb{E}[\sum_{i=1}^d \tfrac{1}{p_i} x_i^2 \chi_{\{i \in S\}}]",
            mended=SECOND_MOMENT_OF_A_COORDINATE,
            mends=(_INDICATOR,),
        ),
        Step(
            latex=(
                r"= \lambda_{\max}(L) \sum_{i=1}^n x_i^2 \tfrac{1}{p_i} p_i = \lambda_{\max}(L)"
                r" \|x\|^2"
            ),
            text="The expectation of the (right) indicator is p_i.",
            check=SECOND_MOMENT_OF_A_COORDINATE,
        ),
        Step(
            latex=(
                r"\lambda_{\max}(P^{1/2} \mathbb{E}[CLC] P^{1/2}) \leq \lambda_{\max}(L), \text{"
                r" i.e. }"
                r"\lambda_{\max}(\mathbb{E}[CLC]) \leq \lambda_{\max}(P^{-1/2} L P^{-1/2})"
            ),
            text=(
                "The first holds for every positive semidefinite matrix in place of L. The second"
                " is the first for P^-1/2 L P^-1/2: C and P are diagonal, so that P^1/2 E[C P^-1/2"
                " L P^-1/2 C] P^1/2 = E[CLC]."
            ),
            check=formula(
                "sqrt(p_i)*(p_ij/(p_i*p_j)*(L_ij/(sqrt(p_i)*sqrt(p_j))))*sqrt(p_j) ="
                " p_ij*L_ij/(p_i*p_j); p_i p_j p_ij > 0",
                "entry (i, j), so all dimensions and samplings",
                words=(
                    "i and j are active with probability p_ij, and then C has 1 / p_i and 1 / p_j"
                ),
            ),
        ),
        Step(
            latex=r"x^\top P^{-1/2} L P^{-1/2} x = \|L^{1/2} P^{-1/2} x\|^2",
            text="Right half: the form as a norm.",
            check=formula(
                "x_i*(R_ki*R_kj/sqrt(p_i*p_j))*x_j = (R_ki*x_i/sqrt(p_i))*(R_kj*x_j/sqrt(p_j)); p_i"
                " p_j > 0",
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
    formal=Formal(
        "key_quantity_left key_quantity_right key_quantity_left_sharp printed_display "
        "printed_inference_holds key_quantity_instance",
        "L_M <= L_P <= lambda_max(L) lambda_max(P^-1); no factor below 1 will do; the display "
        "of the printed proof and the inference from it hold",
        instance="key_quantity_instance",
    ),
)
