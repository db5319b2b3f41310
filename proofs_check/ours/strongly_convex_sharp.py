"""The exact factor of one strongly convex step, as an upper bound; and a conjecture that is
false.
"""

from fractions import Fraction
from functools import partial

import numpy as np

from ..checks.assumptions import FRESH
from ..checks.exact import Numbers, exact, identity, is_semidefinite
from ..checks.statements import holds_on_runs
from ..checks.symbolic import formula
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Formal, Status, Step
from .strongly_convex import RECURSION


def expected_square(H: Numbers, p: Numbers, gamma: Fraction, x: Numbers) -> Fraction:
    """Return E|x_+|^2 after a step on f = x'Hx / 2: |x|^2 - 2 gamma x'g + gamma^2 sum_i g_i^2 /
    p_i for g = Hx.
    """
    start = exact(x)
    g = exact(H) @ start
    return Fraction(start @ start - 2 * gamma * (start @ g) + gamma**2 * (g @ (g / exact(p))))


def is_admissible(H: Numbers, p: Numbers, mu: int, L_P: int) -> bool:
    """Return whether H >= mu I and L_P P - H is semidefinite, and no longer with a little less than
    L_P.
    """
    matrix = exact(H)
    P = np.diag(exact(p))
    bounds = (L_P, L_P - Fraction(1, 10**12))
    tight = [is_semidefinite(t * P - matrix) for t in bounds] == [True, False]
    return tight and is_semidefinite(matrix - mu * identity(len(matrix)))


def conjecture_fails(
    H: Numbers, p: tuple[Fraction, ...], mu: int, L_P: int, x: tuple[int, ...]
) -> bool:
    """Return whether E|x_+|^2 > (1 - 2 s + s^2 / p_min) |x|^2 at gamma = 1/L_P, s = gamma mu."""
    s = Fraction(mu, L_P)
    bound = (1 - 2 * s + s * s / min(p)) * sum(v * v for v in x)
    return is_admissible(H, p, mu, L_P) and expected_square(H, p, Fraction(1, L_P), x) > bound


ONE = Fraction(1)
THIRD = Fraction(1, 3)

CONJECTURE = Entry(
    label="our:stronglyConvexConjecture",
    title="A conjecture for one strongly convex step: false",
    latex=(
        r"\mathbb{E}\|x^+ - x^*\|^2 \leq \left(1 - 2\gamma\mu +"
        r" \tfrac{(\gamma\mu)^2}{p_{\min}}\right) \|x - x^*\|^2"
        r"\quad (\gamma = 1/L_P)"
    ),
    text=(
        "Performance estimation on a few random instances suggested this factor. It is right for"
        " probabilities that are close to each other (our:stronglyConvexWhen), and false in"
        " general; our:stronglyConvexSharp has the factor that is attained."
    ),
    statement=Status.FALSE,
    proof=Status.NONE,
    see=("our:stronglyConvexSharp", "our:stronglyConvexWhen"),
    bound=Bound.UPPER,
    needs=("text:SkGD", "text:LP"),
    checks=(
        refuted_by(
            partial(conjecture_fails, ((5, 2), (2, 2)), (ONE, THIRD), 1, 9, (1, -3)),
            "H = [[5, 2], [2, 2]] (eigenvalues 1 and 6), f = x'Hx/2, p = (1, 1/3), L_P = 9, gamma ="
            " 1/9, mu = 1, x = (1, -3): E|x_+|^2 / |x|^2 = 661/810, above 1 - 2/9 + 3/81 = 22/27 ="
            " 660/810",
        ),
    ),
    formal=Formal(
        "conjecture_refuted",
        "the conjectured factor is refuted: 661/810 > 660/810",
        no_instance="it is an example",
        refutes=True,
    ),
)


_SHARE = r"\tfrac{s^2}{p_k} + \tfrac{(p_k - s)(\ell - 2e_k)^2}{4(\ell - e_k)}"


SHARP = Entry(
    label="our:stronglyConvexSharp",
    title="The sharp factor of one strongly convex step",
    latex=r"\mathbb{E}\|x^+ - x^*\|^2 \leq (1 - 2s + \theta) \|x - x^*\|^2, \quad "
    r"\theta = \min_{\ell > \max e_k} \max_k \left["
    + _SHARE
    + r"\right], \quad s = \gamma\mu,\ e_k = 1 - s/p_k",
    text=(
        "For f L-smooth and mu-strongly convex and 0 < gamma <= 1/L_P; then s <= p_k for all k."
        " Only the least and the largest probability matter to theta. So E|x^t - x*|^2 <= (1 - 2s +"
        " theta)^t |x^0 - x*|^2."
    ),
    assumptions=(FRESH,),
    see=("our:stronglyConvexWorst",),
    bound=Bound.UPPER,
    tight=True,
    tight_where="one step",
    tightness=(
        "one step: attained for all p and s, by a quadratic with smoothness matrix P / gamma"
        " (our:stronglyConvexWorst). Not two: there performance estimation gave 0.665931 where the"
        " square is 0.667134"
    ),
    needs=("text:SkGD", "text:LP", "as:stronglyConvex", "as:matrixSmoothness"),
    proof_needs=("fact:cocoercivity",),
    checks=(holds_on_runs("our:stronglyConvexSharp"),),
    steps=(
        Step(
            latex=(
                r"\mathbb{E}\|x^+ - x^*\|^2 = (1 - 2s)\|z\|^2 - 2\langle u, z\rangle + \|u + s"
                r" z\|^2_{P^{-1}}, \quad "
                r"z = x - x^*,\ u = \gamma(\nabla f(x) - \mu z)"
            ),
            text="The square expanded, with gamma grad f(x) = u + s z.",
            check=formula(
                "p_i*(z_i - (u_i + s*z_i)/p_i)^2 + (1 - p_i)*z_i^2 "
                "= (1 - 2*s)*z_i^2 - 2*u_i*z_i + (u_i + s*z_i)^2/p_i; p_i > 0",
                "coordinate i, so all dimensions and samplings",
            ),
        ),
        Step(
            latex=r"h = f - \tfrac{\mu}{2}\|\cdot\|^2 \text{ is convex and }"
            r"\tfrac{1}{\gamma}(P - s I)\text{-smooth}",
            text=(
                "Strong convexity, and L <= L_P P <= P / gamma. Being between 0 and that, it shows"
                " s <= p_k."
            ),
            check=formula(
                "(p_i/gamma*v_i^2 - slack)/2 - mu*v_i^2/2 <= (p_i - gamma*mu)/(2*gamma)*v_i^2, by"
                " slack/2; gamma mu p_i > 0, slack >= 0",
                "coordinate i, so all dimensions",
                words="the gap of h, as L <= P / gamma",
            ),
        ),
        Step(
            latex=(
                r"\langle u, z\rangle \geq \sum_k \tfrac{\|u_k\|^2}{p_k - s}, \quad u_k = 0 \text{"
                r" where } p_k = s"
            ),
            text="Cocoercivity of h between x and x*, times gamma squared.",
            check=formula(
                "u := gamma*w_i; gamma*(w_i*z_i - w_i^2/(d_i/gamma)) = u*z_i - u^2/d_i; gamma"
                " d_i > 0",
                "coordinate i, so all dimensions",
                words="d = p - s",
            ),
        ),
        Step(
            latex=r"\tfrac{\|u_k + s z_k\|^2}{p_k} - 2\langle u_k, z_k\rangle"
            r"+ \ell\left(\langle u_k, z_k\rangle - \tfrac{\|u_k\|^2}{p_k - s}\right) \leq \left["
            + _SHARE
            + r"\right]"
            r"\|z_k\|^2",
            text="For any l > e_k, by completing the square in u_k.",
            check=formula(
                "p := s + d_i; e := d_i/p; multiplier := e + y_i; "
                "(u_i + s*z_i)^2/p - 2*u_i*z_i + multiplier*(u_i*z_i - u_i^2/d_i) "
                "<= (s^2/p + d_i*(multiplier - 2*e)^2/(4*y_i))*z_i^2, "
                "by y_i/d_i*(u_i - d_i*(multiplier - 2*e)/(2*y_i)*z_i)^2; s d_i y_i > 0",
                "coordinate i with p_i > s, so all dimensions, and all l > e_i",
                words=(
                    "what coordinate i adds, with l times its cocoercivity; d = p - s and y = l - e"
                ),
            ),
        ),
        Step(
            latex=r"p_k = s: \quad \tfrac{\|s z_k\|^2}{p_k} = \tfrac{s^2}{p_k}\|z_k\|^2",
            text="The edge case: there e_k = 0 and u_k = 0.",
            check=formula("(0 + s*z_i)^2/s - 0 = s^2/s*z_i^2; s > 0", "coordinate i with p_i = s"),
        ),
        Step(
            latex=r"\sum_k [\dots]_k \|z_k\|^2 \leq \max_k [\dots]_k \|z\|^2",
            text="Summed; l times the cocoercivity is not negative, so leaving it out is allowed.",
            check=formula(
                "(top - below_i)*z_i^2 <= top*z_i^2, by below_i*z_i^2; below_i >= 0",
                "coordinate i, so all dimensions",
            ),
        ),
        Step(
            latex=r"1 - 2s + \theta \geq (1 - s)^2 \geq 0",
            text="The factor is not negative, since p_k <= 1, so that it may be multiplied with.",
            check=formula(
                "0 <= 1 - 2*s + s^2*(1 + inverse) + more, by (1 - s)^2 + s^2*inverse + more;"
                " inverse more >= 0",
                "all s and p",
                words="s^2 / p + more is the share of a block, and p = 1 / (1 + inverse)",
            ),
        ),
        Step(
            latex=r"\mathbb{E}\|x^t - x^*\|^2 \leq (1 - 2s + \theta)^t \|x^0 - x^*\|^2",
            text="Expectations of both sides, and induction on t.",
            check=formula(RECURSION, "all t and factors"),
        ),
        Step(
            latex=r"4(1-e)(\ell-e)(c - k(e)) = -q(e), \quad "
            r"q(e) = 4(2-c)e^2 + (\ell^2 - 4\ell - 4(1-c)(1+\ell))e + 4(1-c)\ell",
            text=(
                "Only the ends matter: the shares are s k(e_k), and k(e) <= c says that q(e) <= 0."
            ),
            check=formula(
                "k := (1 - e) + e*(l - 2*e)^2/(4*(1 - e)*(l - e)); "
                "4*(1 - e)*(l - e)*(c - k) = "
                "-(4*(2 - c)*e^2 + (l^2 - 4*l - 4*(1 - c)*(1 + l))*e + 4*(1 - c)*l)",
                "all e, l and c",
                words="the share of a block with p = s / (1 - e) is s k(e)",
            ),
        ),
        Step(
            latex=(
                r"\ell = 2: \quad \tfrac{s^2}{p} + \tfrac{(p - s)(\ell - 2e)^2}{4(\ell - e)} \leq s"
            ),
            text=(
                "At l = 2, which exceeds all e_k, no share exceeds s; at the best l they are s c"
                " with c <= 1."
            ),
            check=formula(
                "p := s + more; e := 1 - s/p; "
                "s^2/p + more*(2 - 2*e)^2/(4*(2 - e)) <= s, by s*more/(p + s); s > 0, more >= 0",
                "all p >= s",
            ),
        ),
        Step(
            latex=(
                r"q\left(\tfrac{va + wb}{v+w}\right) = \tfrac{v q(a) + w q(b)}{v+w} - A\tfrac{v w"
                r" (a-b)^2}{(v+w)^2}"
            ),
            text=(
                "With leading coefficient A = 4(2-c) > 0, q is not positive between two points"
                " where it is not; c <= 1 at the best l, by the step before."
            ),
            check=formula(
                "m := (v*a + w*b)/(v + w); A*m^2 + B*m + C = (v*(A*a^2 + B*a + C) + w*(A*b^2 + B*b"
                " + C))/(v + w) - A*v*w*(a - b)^2/(v + w)^2; v w > 0",
                "all quadratics",
            ),
        ),
    ),
    formal=Formal(
        "sharp_step sharp_rate sharp_instance",
        "the factor 1 - 2s + theta, for every l above all e_k and every theta above the terms of l",
        "that a least theta exists; that only the least and the largest probability matter to it",
        instance="sharp_instance",
    ),
)

CLAIMS = (CONJECTURE, SHARP)
