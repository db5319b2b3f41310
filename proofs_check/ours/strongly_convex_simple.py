"""A closed form of the strongly convex factor, and when the conjectured one is right."""

from fractions import Fraction

import numpy as np

from rpttheory.statements.sharp_factor import share

from ..checks.assumptions import FRESH
from ..checks.instances import Tries, on_instances
from ..checks.statements import holds_on_runs
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step


def either_way(rng: np.random.Generator, wider: int = 0) -> Tries:
    """The largest share at l = 2 e_min is s^2 / p_min for close probabilities, and above it at
    every l otherwise.
    """
    s = Fraction(int(rng.integers(1, 9)), 64)
    p = [s + Fraction(int(v), 64) for v in rng.integers(1, 50, int(rng.integers(2, 4)))]
    least = min(p)
    close = max(p) <= 2 * least - s + wider * Fraction(1, 16)
    multipliers = [2 * (1 - s / least), *(1 - s / max(p) + Fraction(k, 20) for k in range(1, 41))]
    largest = [max(share(q, s, m) for q in p) for m in multipliers if m > 1 - s / max(p)]
    theta = min(largest)
    holds = theta == s**2 / least if close else theta > s**2 / least
    yield holds, f"p = {[str(q) for q in p]}, s = {s}"


CLAIMS = (
    Entry(
        label="our:stronglyConvexSimple",
        title="A closed form that always beats 1 - gamma mu",
        latex=(
            r"\mathbb{E}\|x^+ - x^*\|^2 \leq \left(1 - \frac{2 s\, p_{\min}}{p_{\min} + s}\right)"
            r" \|x - x^*\|^2"
            r"\leq (1 - s)\|x - x^*\|^2, \quad s = \gamma\mu"
        ),
        text=(
            "Under the assumptions of our:stronglyConvexSharp, with l = 2 there. Strictly better"
            " than the paper's factor 1 - s unless p_min = s; nearly 1 - 2s where s is much less"
            " than p_min."
        ),
        assumptions=(FRESH,),
        bound=Bound.UPPER,
        tight=True,
        tight_where="s = p_min",
        tightness=(
            "attained by L = mu I with equal probabilities at gamma = 1/L_P, where s = p_min;"
            " elsewhere the factor of our:stronglyConvexSharp is below it"
        ),
        proof_needs=("our:stronglyConvexSharp",),
        checks=(holds_on_runs("our:stronglyConvexSimple"),),
        steps=(
            Step(
                latex=(
                    r"\tfrac{s^2}{p} + \tfrac{(p - s)(\ell - 2e)^2}{4(\ell - e)} = \tfrac{2 s^2}{p"
                    r" + s}"
                    r"\text{ at } \ell = 2"
                ),
                text="The share of a block at l = 2, which exceeds all e_k.",
                check=formula(
                    "e := 1 - s/p; s^2/p + (p - s)*(2 - 2*e)^2/(4*(2 - e)) = 2*s^2/(p + s); "
                    "1 - 2*s + 2*s^2/(p + s) = 1 - 2*s*p/(p + s); p s > 0",
                    "all p and s",
                ),
            ),
            Step(
                latex=r"\max_k \tfrac{2 s^2}{p_k + s} = \tfrac{2 s^2}{p_{\min} + s}",
                text="It is largest for the least probability.",
                check=formula(
                    "2*s^2/(p + more + s) <= 2*s^2/(p + s), by 2*s^2*more/((p + s)*(p + more + s));"
                    " p s > 0, more >= 0",
                    "all p and s",
                ),
            ),
            Step(
                latex=r"1 - 2s + \tfrac{2 s^2}{p_{\min} + s} \leq 1 - s",
                text="s <= p_min.",
                check=formula(
                    "p := s + d; 1 - 2*s + 2*s^2/(p + s) <= 1 - s, by s*d/(p + s); s > 0, d >= 0",
                    "all p >= s",
                ),
            ),
        ),
        formal=Formal(
            "simple_rate simple_better simple_strictly_better",
            "the factor 1 - 2 s p_min / (p_min + s) for T steps, at most 1 - s, and less where s <"
            " p_min",
            instance="our_stronglyConvexSharp.sharp_instance",
        ),
    ),
    Entry(
        label="our:stronglyConvexWhen",
        title="When the conjectured factor is right",
        latex=(
            r"\theta = \tfrac{s^2}{p_{\min}} \iff p_{\max} \leq 2 p_{\min} - s \text{ or }"
            r" p_{\min} = s"
        ),
        text=(
            "theta of our:stronglyConvexSharp is never below s^2 / p_min, and equal to it exactly"
            " where the probabilities are close to each other, or p_min = s."
        ),
        bound=Bound.EQUALITY,
        needs=("our:stronglyConvexSharp",),
        proof_needs=("our:stronglyConvexSimple",),
        checks=(on_instances(either_way),),
        steps=(
            Step(
                latex=(
                    r"\tfrac{s^2}{p} + \tfrac{(p - s)(\ell - 2e)^2}{4(\ell - e)} \geq"
                    r" \tfrac{s^2}{p}"
                ),
                text=(
                    "For p = p_min: theta >= s^2 / p_min, with equality only at l = 2 e_min or for"
                    " p_min = s."
                ),
                check=formula(
                    "p := s + d; e := d/p; l := e + y; "
                    "s^2/p <= s^2/p + (p - s)*(l - 2*e)^2/(4*(l - e)), by d*(y - e)^2/(4*y); "
                    "s y > 0, d >= 0",
                    "all p >= s and l > e",
                ),
            ),
            Step(
                latex=r"\ell = 2 e_{\min}: \quad e(p) < \ell \text{ for } p \leq 2 p_{\min} - s",
                text="That l is allowed if the probabilities are close.",
                check=formula(
                    "least := s + delta + b; 1 - s/(least + delta) <= 2*(1 - s/least), by (b^2 +"
                    " 3*b*delta + b*s + 2*delta^2)/((b + delta + s)*(b + 2*delta + s)); s delta >"
                    " 0, b >= 0",
                    "all p <= 2 p_min - s",
                    words="p = p_min + delta, where p_min = least",
                ),
            ),
            Step(
                latex=(
                    r"\ell = 2 e_{\min}: \quad \tfrac{s^2}{p} + \tfrac{(p - s)(\ell - 2e)^2}{4(\ell"
                    r" - e)} \leq "
                    r"\tfrac{s^2}{p_{\min}} \text{ for } p \leq 2 p_{\min} - s"
                ),
                text="And then no block has a larger share.",
                check=formula(
                    "m := s + delta + b; p := m + delta; e := 1 - s/p; l := 2*(1 - s/m); "
                    "s^2/p + (p - s)*(l - 2*e)^2/(4*(l - e)) <= s^2/m, by b*delta*s^2/((b + delta +"
                    " s)*(b^2 + 3*b*delta + b*s + 2*delta^2)); s delta > 0, b >= 0",
                    "all p_min < p <= 2 p_min - s",
                    words="m = p_min, and p = m + delta",
                ),
            ),
            Step(
                latex=(
                    r"p = 2 p_{\min} - s + b: \quad \tfrac{s^2}{p} + \tfrac{(p - s)(\ell -"
                    r" 2e)^2}{4(\ell - e)}"
                    r"- \tfrac{s^2}{p_{\min}} = \tfrac{s^2 (p - p_{\min}) b}{p_{\min}^2\, p\, (\ell"
                    r" - e)} > 0"
                ),
                text="Otherwise that l is not allowed, or the block of p_max has a larger share.",
                check=formula(
                    "m := s + a; p := m + a + b; e := 1 - s/p; l := 2*(1 - s/m); s^2/p + (p -"
                    " s)*(l - 2*e)^2/(4*(l - e)) - s^2/m = s^2*(p - m)*b/(m^2*p*(l - e)); s a b"
                    " > 0",
                    "all p > 2 p_min - s, p_min > s",
                    words="m = p_min = s + a, and p = m + a + b",
                ),
            ),
            Step(
                latex=(
                    r"p_{\min} = s: \quad \tfrac{s^2}{p_{\min}} = s = \tfrac{2 s^2}{p_{\min} + s}"
                    r" \geq \theta"
                ),
                text="The edge case.",
                check=formula("s^2/s = s; 2*s^2/(s + s) = s; s > 0", "all s"),
            ),
        ),
    ),
)
