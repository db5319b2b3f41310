"""What the appendix says of the generic nonconvex rates (no labels)."""

from fractions import Fraction

import numpy as np

from ..checks.instances import Tries, on_instances
from ..checks.statements import holds_on_matrices, holds_on_runs
from ..checks.symbolic import formula
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Erratum, Formal, Severity, Status, Step
from ..facts.compound_interest import E_ABOVE
from ..ours.generic_nonconvex import CHOSEN_STEPSIZE
from .lem_key_quantity import EIGENVALUE_BOUNDS, NORM_BOUND


def not_covered(x: Fraction = Fraction(1), p: Fraction = Fraction(1, 2)) -> bool:
    """f = x^2/2, A = 0: whether thm:non-convex, which wants B = C = 0, excludes the estimator:
    E|g|^2 = x^2 / p > 0.
    """
    return x * x / p > 0


def two_bounds_say_less(
    diagonal: tuple[int, ...] = (1, 1), p: tuple[Fraction, ...] = (Fraction(1), Fraction(1))
) -> bool:
    """For diagonal L: does the upper bound of lem:twoBounds on L_P, sum L_k / p_k, exceed
    lambda_max(L) / p_min?
    """
    return sum((v / q for v, q in zip(diagonal, p, strict=True)), Fraction(0)) > max(
        diagonal
    ) / min(p)


def between(rng: np.random.Generator, factor: int = 1) -> Tries:
    """The bound over delta_0 at random stepsizes, squared, and at 1 / sqrt(LAT), where LAT = n^2
    T^2 is a square.
    """
    T, n = (int(v) for v in rng.integers(1, 20, 2))
    LA = n * n * T

    def bound(gamma: Fraction) -> Fraction:
        return 2 * (1 + LA * gamma**2) ** T / (gamma * T)

    for gamma in (Fraction(1, n * T), Fraction(int(rng.integers(1, 30)), 10 * n * T)):
        yield (
            bound(gamma) ** 2 >= factor * Fraction(16 * LA, T),
            f"T = {T}, LA = {LA}, gamma = {gamma}",
        )
    yield bound(Fraction(1, n * T)) <= 2 * E_ABOVE * n, f"T = {T}, LA = {LA}"


_SECOND_CASE = Erratum(
    r"\text{plugging both cases into thm:non-convex}",
    "the theorem as printed wants B = C = 0, so that it does not speak of the second case",
    Severity.GAP,
)
_CITATION = Erratum(r"\text{by lem:twoBounds}", "by lem:key_quantity", Severity.TYPO)

CLAIMS = (
    Entry(
        label="text:genericRootT",
        title="The generic nonconvex theorem gives 1/sqrt(T)",
        latex=(
            r"4 \delta_0 \sqrt{LA/T} \leq \min_{\gamma > 0} \frac{2(1 + LA\gamma^2)^T"
            r" \delta_0}{\gamma T} \leq"
            r"2 e\, \delta_0 \sqrt{LA/T}"
        ),
        text=(
            "With A = L_P and B = C = 0, thm:non-convex gives the rate 1/sqrt(T), whatever the"
            " stepsize; thm:rcdNonconvex gives 1/T."
        ),
        bound=Bound.EQUALITY,
        needs=("thm:non-convex", "thm:rcdNonconvex"),
        proof_needs=("fact:compoundInterest",),
        checks=(on_instances(between),),
        steps=(
            Step(
                latex=r"\gamma = \tfrac{1}{\sqrt{LAT}}: \quad \leq 2 e\, \delta_0 \sqrt{LA/T}",
                text="From above, with fact:compoundInterest.",
                check=CHOSEN_STEPSIZE,
            ),
            Step(
                latex=r"(1 + a)^T \geq 1 + T a",
                text="Bernoulli's inequality.",
                check=formula(
                    "1 <= (1 + a)^0, by 0; 1 + (T + 1)*a <= (1 + T*a + slack)*(1 + a), by T*a^2 +"
                    " slack*(1 + a); a > 0, T slack >= 0",
                    "all T, by induction",
                    words="for T = 0, and from T to T + 1, where (1 + a)^T = 1 + T a + slack",
                ),
            ),
            Step(
                latex=r"\frac{2(1 + T LA\gamma^2)\delta_0}{\gamma T} \geq 4 \delta_0 \sqrt{LA/T}",
                text="From below, for every stepsize.",
                check=formula(
                    "4*delta*r/T <= 2*(1 + r^2*gamma^2)*delta/(gamma*T), by 2*delta*(1 -"
                    " r*gamma)^2/(gamma*T); r gamma T delta > 0",
                    "all T and gamma",
                    words="with r = sqrt(T LA)",
                ),
            ),
        ),
    ),
    Entry(
        label="text:genericSecondCase",
        title="The generic rate with B = 1/p_min",
        latex=r"A = C = 0,\ B = \lambda_{\max}(P^{-1}): \quad "
        r"\min_{t < T} \mathbb{E}\|\nabla f(x^t)\|^2 \leq \frac{2 L \lambda_{\max}(P^{-1})"
        r" \delta_0}{T}",
        text=(
            "The rate is 1/T, with the constant L lambda_max(P^-1); said to follow from"
            " thm:non-convex."
        ),
        proof=Status.CORRECTED,
        bound=Bound.UPPER,
        needs=("ass:ABC", "text:ABCtwoWays", "thm:non-convex"),
        errata=(_SECOND_CASE,),
        checks=(holds_on_runs("thm:rcdNonconvex/with L_M"),),
        steps=(
            Step(
                latex=r"\text{thm:non-convex with } A = C = 0,\ B = \lambda_{\max}(P^{-1})",
                text=(
                    "The theorem as printed is about B = 0, and with A = B = C = 0 the assumption"
                    " fails."
                ),
                check=refuted_by(
                    not_covered,
                    "f = x^2/2, p = 1/2, x = 1: E|g|^2 = 2 > 0 = 2A(f - f_inf) for A = 0",
                ),
                correction=(
                    r"\tfrac{\gamma}{2}\|\nabla f(x^t)\|^2 \leq f(x^t) - \mathbb{E}[f(x^{t+1}) |"
                    r" x^t], \quad "
                    r"\gamma \leq \tfrac{1}{L B}"
                ),
                mended=formula(
                    "gamma*G/2 <= f - (f - gamma*G + gamma*(1 - rest)*G/2 - room), by"
                    " gamma*rest*G/2 + room; gamma > 0, G rest room >= 0",
                    "any room in smoothness and the second moment, all gamma <= 1/(LB)",
                    words="with gamma L B = 1 - rest",
                ),
                mends=(_SECOND_CASE,),
            ),
            Step(
                latex=(
                    r"\gamma = \tfrac{1}{LB}: \quad \min_{t < T} \mathbb{E}\|\nabla f(x^t)\|^2"
                    r" \leq "
                    r"\tfrac{2\delta_0}{\gamma T} = \tfrac{2 L B \delta_0}{T}"
                ),
                text="Summed over t < T.",
                check=formula("2*delta/(1/(L*B)*T) = 2*L*B*delta/T; L B T delta > 0", "all T"),
            ),
        ),
    ),
    Entry(
        label="text:LambdaGeqLP",
        title="L lambda_max(P^-1) >= L_P",
        latex=r"L \lambda_{\max}(P^{-1}) = \lambda_{\max}(L) \lambda_{\max}(P^{-1}) \geq L_P",
        text=(
            "So the second generic rate is not better than thm:rcdNonconvex. The lemma cited is not"
            " the one meant."
        ),
        see=("thm:rcdNonconvex",),
        bound=Bound.LOWER,
        tight=True,
        tightness="attained by L = I with equal p",
        needs=("text:LP", "lem:key_quantity", "lem:twoBounds"),
        checks=(holds_on_matrices("lem:key_quantity/right"),),
        errata=(_CITATION,),
        steps=(
            Step(
                latex=r"L_P \leq \lambda_{\max}(L)\lambda_{\max}(P^{-1}) \text{ by lem:twoBounds}",
                text="That lemma bounds L_P by the sum of L_k / p_k, which may be larger.",
                check=refuted_by(
                    two_bounds_say_less,
                    "L = I of size 2, p = (1, 1): lem:twoBounds gives L_P <= 2, not 1",
                ),
                correction=r"\|L^{1/2} P^{-1/2} x\|^2 \leq \lambda_{\max}(L)\|P^{-1/2}x\|^2",
                mended=EIGENVALUE_BOUNDS,
                mends=(_CITATION,),
            ),
            Step(
                latex=r"\|P^{-1/2}x\|^2 \leq \lambda_{\max}(P^{-1}) \|x\|^2",
                text="The right half of lem:key_quantity.",
                check=NORM_BOUND,
            ),
        ),
        formal=Formal(
            "key_quantity_right",
            "L_P <= lambda_max(L) lambda_max(P^-1)",
            instance="key_quantity_instance",
            file="lem_key_quantity",
        ),
    ),
)
