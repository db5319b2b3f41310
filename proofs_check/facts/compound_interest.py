"""(1 + a)^T <= e^(aT), with the number e between fractions."""

from fractions import Fraction
from math import factorial

from ..checks.symbolic import formula
from ..checks.witness import decided
from ..engine.entry import Bound, Entry, Step

# e = 2.71828...; short fractions on both sides of it.
E_BELOW = Fraction(2718, 1000)
E_ABOVE = Fraction(2719, 1000)


def e_lies_between(below: Fraction = E_BELOW, above: Fraction = E_ABOVE, terms: int = 10) -> bool:
    """sum_{k <= n} 1/k! < e < that + 1 / (n! n): the rest is a geometric series at most."""
    partial = sum((Fraction(1, factorial(k)) for k in range(terms + 1)), Fraction(0))
    return below < partial and partial + Fraction(1, factorial(terms) * terms) < above


CLAIM = Entry(
    label="fact:compoundInterest",
    title="(1 + 1/T)^T stays below e",
    latex=r"\left(1 + \tfrac{1}{T}\right)^T \leq \sum_k \tfrac{1}{k!} = e, \quad 2.718 < e < 2.719",
    text="For every whole number T >= 1; and (1 + a)^T <= (1 + 1/T)^T for 0 <= a <= 1/T.",
    bound=Bound.UPPER,
    tight=True,
    tightness="approached as T grows",
    source="Hardy, Littlewood and Polya, Inequalities, section 2.14",
    steps=(
        Step(
            latex=(
                r"\tfrac{1}{T^{k+1}}\binom{T}{k+1} = \tfrac{1}{T^k}\binom{T}{k} \tfrac{T-k}{T"
                r" (k+1)}"
            ),
            text="Consecutive terms of the binomial formula.",
            check=formula(
                "c*((T - k)/(k + 1))/T^(k + 1) = c/T^k*(T - k)/(T*(k + 1)); T k c > 0",
                "all T and k",
                words="c = C(T, k), and C(T, k + 1) = c (T - k) / (k + 1)",
            ),
        ),
        Step(
            latex=r"\tfrac{T-k}{T} \leq 1 \implies \tfrac{1}{T^k}\binom{T}{k} \leq \tfrac{1}{k!}",
            text="So the k-th term is at most 1/k!, by induction from the first, 1.",
            check=formula(
                "T := k + r + 1; (T - k)/T <= 1, by k/T; k r >= 0 whole",
                "all T > k >= 0",
                words="the factor that turns C(T, k) / T^k into (k + 1) times the next term",
            ),
        ),
        Step(
            latex=r"\sum_{j \geq 1} (n+1)^{-j} = \tfrac{1}{n}",
            text="The terms after 1/n! are at most those of a geometric series.",
            check=formula("q := 1/(n + 1); q/(1 - q) = 1/n; n > 0", "all n"),
        ),
        Step(
            latex=r"2.718 < \sum_{k \leq 10} \tfrac{1}{k!} < e <"
            r"\sum_{k \leq 10} \tfrac{1}{k!} + \tfrac{1}{10! \cdot 10} < 2.719",
            text="Eleven terms place e between the fractions.",
            check=decided(e_lies_between, "the number e"),
        ),
    ),
)
