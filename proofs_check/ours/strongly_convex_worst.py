"""The sharp factor of one strongly convex step is attained by a quadratic."""

from fractions import Fraction

import numpy as np

from rpttheory.statements.sharp_factor import theta_bounds

from ..checks.exact import identity
from ..checks.instances import Tries, tried
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Evidence, Step, Trial
from .strongly_convex_sharp import expected_square, is_admissible


def attained_exactly(_: Trial, direction: tuple[int, ...] = (1, 1, 3, 3, 3)) -> Tries:
    """E|x_1|^2 = 27/32 |x_0|^2 for H = 4 I + vv', v = (3, 3, -1, -1, -1).

    Blocks of 2 and 3, p = (1, 1/4), gamma = 1/40; L_P = 40, mu = 4, s = 1/10. With l = 3/2 both
    blocks have the share 7/160, and 1 - 2/10 + 7/160 = 27/32. No factor exceeds 1 - 2 s + theta, so
    the upper bound of theta is theta.
    """
    v = np.array([3, 3, -1, -1, -1])
    H = 4 * identity(5) + np.outer(v, v)
    p = (Fraction(1),) * 2 + (Fraction(1, 4),) * 3
    s = Fraction(1, 10)
    bound = 1 - 2 * s + theta_bounds(s, min(p), max(p))[1]
    squares = sum(x * x for x in direction)
    factor = expected_square(H, p, Fraction(1, 40), direction) / squares
    yield (
        is_admissible(H, p, 4, 40) and factor == bound == Fraction(27, 32),
        f"x_0 = {direction}: {factor} and not {bound}",
    )


CLAIM = Entry(
    label="our:stronglyConvexWorst",
    title="The sharp strongly convex factor is attained",
    latex=r"\max_{f, x} \frac{\mathbb{E}\|x^+ - x^*\|^2}{\|x - x^*\|^2} = 1 - 2s + \theta",
    text=(
        "For all probabilities and 0 < s <= p_min there are a quadratic f, P/gamma-smooth and"
        " mu-strongly convex (gamma mu = s, L_P = 1/gamma) and an x for which"
        " our:stronglyConvexSharp is an equality in one step. Exactly: f = 2|x|^2 + (3x_1 + 3x_2 -"
        " x_3 - x_4 - x_5)^2/2, blocks of 2 and 3, p = (1, 1/4), gamma = 1/40, x = (1, 1, 3, 3, 3)"
        " has the factor 27/32 = 0.84375; the paper's is 0.9, the conjectured one 0.84."
    ),
    bound=Bound.EQUALITY,
    tightness=(
        "it says that the other one is tight, in one step; in t steps where theta = s^2 / p_min"
    ),
    needs=("our:stronglyConvexSharp",),
    proof_needs=("fact:cauchySchwarz",),
    checks=(
        tried(
            attained_exactly,
            "H = 4 I + vv', p = (1, 1/4): the factor is 27/32",
            Evidence.EXACT_EXPECTATION,
        ),
    ),
    steps=(
        Step(
            latex=r"\varphi_k(\ell) = \tfrac{(p_k - s)(\ell - 2e_k)^2}{4(\ell - e_k)}, \quad "
            r"\varphi_k' = \tfrac{(p_k - s) \ell (\ell - 2e_k)}{4(\ell - e_k)^2}, \quad "
            r"\varphi_k'' = \tfrac{(p_k - s) e_k^2}{2(\ell - e_k)^3} > 0",
            text=(
                "The shares are convex in l, and the largest grows beyond all bounds at both ends"
                " (unless all e_k are 0), so it has a minimum."
            ),
            check=formula(
                "phi := d*(l - 2*e)^2/(4*(l - e)); diff(phi, l) = d*l*(l - 2*e)/(4*(l - e)^2); "
                "diff(phi, l, 2) = d*e^2/(2*(l - e)^3); d e > 0",
                "all p > s and l > e",
                words="d = p - s",
            ),
        ),
        Step(
            latex=r"0 = \sum_k w_k \varphi_k'(\ell), \quad w_k \geq 0,\ \sum_k w_k = 1,"
            r"\quad w_k > 0 \text{ only where } k \text{ attains the maximum}",
            text=(
                "At the minimum not all slopes of the largest shares have one strict sign, or a"
                " step to the other side would lower them all; so two of opposite sign, or one that"
                " is 0, average to 0."
            ),
            check=formula(
                "w_1 := b/(a + b); w_2 := a/(a + b); w_1*(-a) + w_2*b = 0; w_1 + w_2 = 1; a b > 0",
                "all slopes",
                words="two slopes, -a and b",
            ),
        ),
        Step(
            latex=(
                r"\|z_k\|^2 = w_k,\ u_k = \tfrac{(p_k - s)(\ell - 2e_k)}{2(\ell - e_k)} z_k: \quad "
                r"\langle u, z\rangle - \sum_k \tfrac{\|u_k\|^2}{p_k - s} = \sum_k \varphi_k'"
                r" w_k = 0"
            ),
            text="These make cocoercivity an equality. Where p_k = s, u_k = 0.",
            check=formula(
                "u := d*(y - e)/(2*y)*z; u*z - u^2/d = d*(e + y)*(y - e)/(4*y^2)*z^2; d e y > 0",
                "coordinate i, so all dimensions",
                words=(
                    "d = p - s and l = e + y, so that u is where the square of"
                    " our:stronglyConvexSharp vanishes"
                ),
            ),
        ),
        Step(
            latex=r"\|u + s z\|^2_{P^{-1}} - 2\langle u, z\rangle ="
            r"\sum_k \left(\tfrac{s^2}{p_k} + \varphi_k\right) w_k - \ell \sum_k \varphi_k' w_k ="
            r" \theta",
            text="And the factor is attained by z and u.",
            check=formula(
                "e := d/(s + d); u := d*(y - e)/(2*y)*z; "
                "share := s^2/(s + d) + d*(y - e)^2/(4*y); slope := d*(e + y)*(y - e)/(4*y^2); "
                "(u + s*z)^2/(s + d) - 2*u*z = (share - (e + y)*slope)*z^2; s d y > 0",
                "coordinate i, so all dimensions",
                words="with p = s + d and l = e + y",
            ),
        ),
        Step(
            latex=(
                r"G = s I + \tfrac{u u^\top}{\langle u, z\rangle}: \quad G z = s z + u, \quad G"
                r" \succeq s I"
            ),
            text="They come from the quadratic with gamma H = G (with G = s I where u = 0).",
            check=formula(
                "s*z_i + u_i*inner/inner = s*z_i + u_i; inner > 0",
                "coordinate i, so all dimensions",
            ),
        ),
        Step(
            latex=(
                r"\langle u, x\rangle^2 \leq \sum_k \tfrac{\|u_k\|^2}{p_k - s} \sum_k (p_k -"
                r" s)\|x_k\|^2"
                r"= \langle u, z\rangle\, x^\top (P - s I) x"
            ),
            text="So G <= P, by the Cauchy-Schwarz inequality.",
            check=formula(
                "2*u_i*x_i*u_j*x_j <= u_i^2/r_i^2*r_j^2*x_j^2 + u_j^2/r_j^2*r_i^2*x_i^2, "
                "by (u_i*x_j*r_j/r_i - u_j*x_i*r_i/r_j)^2; r_i r_j > 0",
                "terms (i, j) and (j, i), so all dimensions",
                words="r_i and r_j are the roots of d_i and d_j",
            ),
        ),
    ),
)
