"""The convex rate of the last iterate, which is what the algorithm puts out; and where it is not
gradient descent's.
"""

from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import sympy

from ..checks.assumptions import FRESH, NONZERO
from ..checks.exact import FractionArray, exact
from ..checks.statements import holds_on_runs
from ..checks.symbolic import formula
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Formal, Status, Step

# In step t = s - 1: A = 2 T^6 A_s, b times 2 T^6, and fall = T^6 (D_{s-1} - D_s).
_STEP_OF = (
    "s := {s}; T := {T}; A := 2*T^6*s + T^2*(T + 1)*s^4; fall := s^6 - (s - 1)^6; b := T^2*(T +"
    " 1)*(s^4 - (s - 1)^4) + 2*s^6; 0 <= b, by expand(b); 0 <= 2*fall*(A + b) - b^2, by"
    " expand(2*fall*(A + b) - b^2); "
)

# -- one step


# Of y^2, -uy and u^2 in what the bound leaves over in a block.
COEFFICIENTS = "a := 1/(2*p*(1 + 2*h)) - 1/8; b := (3 - 2*h*p)/4; c := (3 + 4*h*p*(1 - h))/8; "


# -- gradient descent's bound is not RPT's

P = exact((1, Fraction(9, 10)))
START = (9932370, 1160839)
# Points v_j with values phi_j, in units of 10^-7.
CORNERS = ((7944923, 912395), (5957287, 664982), (0, 0))
VALUES = (1599445, 1198875, 0)


def envelope(x: FractionArray) -> tuple[Fraction, FractionArray]:
    """Return min over weights a_j >= 0 with sum 1 of |x - sum a_j v_j|_P^2 / 2 + sum a_j phi_j, and
    its gradient P (x - v).

    The weights are found by trying which of them are positive; that the conditions of optimality
    hold is decided, and they suffice, since the problem is convex.
    """
    corners = exact(CORNERS) / 10**7
    values = exact(VALUES) / 10**7
    subsets = (c for count in (1, 2, 3) for c in combinations(range(3), count))
    for used in map(list, subsets):
        v = corners[used]
        ones = [1] * len(used)
        system = sympy.Matrix([*np.c_[v @ (P * v).T, [-1] * len(used)], [*ones, 0]])
        right = sympy.Matrix([*(v @ (P * x) - values[used]), 1])
        if system.det() == 0:
            continue
        *weights, level = (Fraction(int(q.p), int(q.q)) for q in system.LUsolve(right))
        away = x - exact(weights) @ v
        if min(weights) >= 0 and all(values - corners @ (P * away) >= level):
            return away @ (P * away) / 2 + exact(weights) @ values[used], P * away
    raise ValueError("no optimal weights")


def descent_fails(T: int = 2, start: tuple[int, int] = START) -> bool:
    """Return whether E f(x_T) - f* > L_P |x_0|^2 / (2 (1 + 2 T)) for the envelope, L_P = gamma = 1,
    and nested p = (1, 9/10).

    Between all points visited f must satisfy what makes a function convex and P-smooth, and f(0) =
    0 = f'(0).
    """
    x0 = exact(start) / 10**7
    origin = (exact([0, 0]), *envelope(exact([0, 0])))
    visited = [origin]
    expected = Fraction(0)
    for draws in product((0, 1), repeat=T):
        x = x0
        weight = Fraction(1)
        for second in draws:
            visited.append((x, *envelope(x)))
            x = x - visited[-1][2] / P * exact([1, second])
            weight *= P[1] if second else 1 - P[1]
        visited.append((x, *envelope(x)))
        expected += weight * visited[-1][1]
    interpolates = all(
        h >= f + g @ (y - x) + (g - k) @ ((g - k) / P) / 2
        for (x, f, g), (y, h, k) in permutations(visited, 2)
    )
    least = origin[1] == 0 and not any(origin[2])
    return least and interpolates and bool(expected > x0 @ x0 / (2 * (1 + 2 * T)))


_NEEDS = ("text:SkGD", "text:LP", "as:convex", "as:matrixSmoothness")

CLAIMS = (
    Entry(
        label="our:lastIterate",
        title="The convex rate of the last iterate",
        latex=r"\mathbb{E}[f(x^T) - f(x^*)] \leq \frac{\|x^0 - x^*\|^2}{(3T+1)\gamma},"
        r"\quad 0 < \gamma \leq \tfrac{1}{L_P},\ T \geq 1",
        text=(
            "The paper announces a bound on f(x^t), and its algorithm puts out x^T, but"
            " thm:rcdConvex is about the mean of the iterates. No mean is needed, and the last"
            " iterate has a better bound than our:convexSharp gives the mean. (The bound of"
            " gradient descent, with 4T + 2 at gamma = 1/L, is out of reach:"
            " our:lastIterateDescent.)"
        ),
        assumptions=(FRESH, NONZERO),
        see=("thm:rcdConvex", "our:convexSharp", "our:lastIterateDescent", "our:lastIterateOne"),
        bound=Bound.UPPER,
        tight=False,
        tightness=(
            "for T = 1 our:lastIterateOne has two thirds of it at gamma = 1/L_P; for T >= 2 the"
            " best constant is not known, and it is not below 1/(4T + 2) at gamma = 1/L_P, which a"
            " Huber function meets where p = 1"
        ),
        needs=_NEEDS,
        proof_needs=("fact:cocoercivity", "text:replaceLPbyLM", "lem:key_quantity"),
        checks=(holds_on_runs("our:lastIterate"),),
        steps=(
            Step(
                latex=r"\mathbb{E} d_{t+1} \leq d_t - \tfrac{\gamma}{2} \|g\|^2, \quad "
                r"d_t \leq \langle g, y \rangle - \tfrac{\gamma}{2} \|g\|^2_{P^{-1}}, \quad "
                r"d_t = f(x^t) - f^*,\ g = \nabla f(x^t),\ y = x^t - x^*",
                text=(
                    "The decrease in one step (text:replaceLPbyLM with lem:key_quantity), and"
                    " fact:cocoercivity between x^t and x* with L <= L_P P."
                ),
                check=formula(
                    "d - (gamma - gamma*(1 - rest)/2)*N - slack <= d - gamma/2*N, by gamma*rest/2*N"
                    " + slack; inner - gamma*(1 + rest)/2*N_P - slack <= inner - gamma/2*N_P, by"
                    " gamma*rest/2*N_P + slack; gamma > 0, N N_P slack rest >= 0",
                    "all gamma <= 1/L_P",
                    words="gamma L_P = 1 - rest, N = |g|^2, N_P = |g|^2_{P^-1}, d = f - f*",
                ),
            ),
            Step(
                latex=(
                    r"\mathbb{E}\Phi_{t+1} \leq \Phi_t - \tfrac{1}{2}\left[(D_t - D_{t+1}) \|y\|^2"
                    r"- 2 b \langle \gamma g, y \rangle + (A_{t+1} + b) \|\gamma g\|^2\right],"
                    r" \quad "
                    r"\Phi_t = \gamma A_t d_t + \tfrac{D_t}{2} \|y\|^2, \quad b = A_{t+1} - A_t -"
                    r" D_{t+1}"
                ),
                text=(
                    "With the expected distance expanded: the three, times gamma A_{t+1}, gamma"
                    " (A_{t+1} - A_t) and D_{t+1} / 2."
                ),
                check=formula(
                    "following := A + b + D; v := gamma*g_i; decrease := d - gamma/2*g_i^2; "
                    "distance := y_i^2 - 2*gamma*g_i*y_i + gamma^2*g_i^2*(1 + r); "
                    "gap := g_i*y_i - gamma/2*g_i^2*(1 + r) - d; "
                    "bracket := fall*y_i^2 - 2*b*v*y_i + (following + b)*v^2; "
                    "gamma*following*decrease + D/2*distance + gamma*(following - A)*gap <= "
                    "gamma*A*d + (D + fall)/2*y_i^2 - bracket/2, by gamma^2*g_i^2*b*r/2; "
                    "gamma > 0, A b D fall r >= 0",
                    "coordinate i, so all dimensions and samplings",
                    words=(
                        "1/p_i = 1 + r, A_{t+1} = A + b + D, D = D_{t+1} and D_t = D + fall; the"
                        " gap is not negative"
                    ),
                ),
            ),
            Step(
                latex=r"b^2 \leq (D_t - D_{t+1}) (A_{t+1} + b) \implies [\ldots] \geq 0",
                text="The bracket times A_{t+1} + b is a sum of squares.",
                check=formula(
                    "0 <= (A + b)*((key + b^2)/(A + b)*y_i^2 - 2*b*v_i*y_i + (A + b)*v_i^2), "
                    "by ((A + b)*v_i - b*y_i)^2 + key*y_i^2; A b > 0, key >= 0",
                    "coordinate i, so all dimensions",
                    words="D_t - D_{t+1} = (key + b^2) / (A + b)",
                ),
            ),
            Step(
                latex=(
                    r"A_t = t + \tfrac{(T+1) t^4}{2 T^4}, \quad D_t = 1 -"
                    r" \left(\tfrac{t}{T}\right)^6"
                    r"\implies b \geq 0, \quad (D_t - D_{t+1}) (A_{t+1} + b) - b^2 \geq 0"
                ),
                text=(
                    "Polynomials in t and T - t - 1 with positive coefficients, once t = 0 is set"
                    " apart."
                ),
                check=formula(
                    _STEP_OF.format(s="1", T="k + 1")
                    + _STEP_OF.format(s="r + 2", T="r + 2 + k")
                    + "r k >= 0",
                    "all t < T",
                    words="2 T^6 A_s, 2 T^6 b and T^6 (D_t - D_{t+1}), for t = 0 and t = r + 1",
                ),
            ),
            Step(
                latex=r"A_0 = 0, \quad D_0 = 1, \quad A_T = \tfrac{3T+1}{2}, \quad D_T = 0",
                text="The weights at both ends.",
                check=formula(
                    "0 + (T + 1)*0^4/(2*T^4) = 0; 1 - (0/T)^6 = 1; "
                    "T + (T + 1)*T^4/(2*T^4) = (3*T + 1)/2; 1 - (T/T)^6 = 0; "
                    "A_s := s + (T + 1)*s^4/(2*T^4); A_t := s - 1 + (T + 1)*(s - 1)^4/(2*T^4); "
                    "D_s := 1 - (s/T)^6; D_t := 1 - ((s - 1)/T)^6; "
                    "2*T^6*A_s = 2*T^6*s + T^2*(T + 1)*s^4; "
                    "2*T^6*(A_s - A_t - D_s) = T^2*(T + 1)*(s^4 - (s - 1)^4) + 2*s^6; "
                    "T^6*(D_t - D_s) = s^6 - (s - 1)^6; T > 0",
                    "all T",
                ),
            ),
            Step(
                latex=r"\gamma\, \tfrac{3T+1}{2}\, \mathbb{E} d_T = \mathbb{E}\Phi_T \leq \Phi_0"
                r"= \tfrac{1}{2} \|x^0 - x^*\|^2",
                text="Solved for the last gap.",
                check=formula(
                    "(R2/2 - lost)/(gamma*(3*T + 1)/2) <= R2/((3*T + 1)*gamma), by 2*lost/((3*T +"
                    " 1)*gamma); gamma T R2 > 0, lost >= 0",
                    "all T",
                    words="with R2 = |x_0 - x*|^2",
                ),
            ),
        ),
        formal=Formal(
            "last_iterate",
            "E[f(x_T) - f*] <= |x_0 - x*|^2 / ((3T + 1) gamma), T >= 1",
            instance="our_convexSharp.convex_instance",
        ),
    ),
    Entry(
        label="our:lastIterateOne",
        title="One convex step, sharp",
        latex=r"\mathbb{E}[f(x^1) - f(x^*)] \leq \frac{L_P \|x^0 - x^*\|^2}{2(1 + 2\gamma L_P)},"
        r"\quad 0 < \gamma \leq \tfrac{1}{L_P}",
        text=(
            "One step of SkGD is as good as one of gradient descent, for every sampling. For two it"
            " is not (our:lastIterateDescent)."
        ),
        assumptions=(FRESH, NONZERO),
        see=("our:lastIterateDescent",),
        bound=Bound.UPPER,
        tight=True,
        tight_where="p_max = 1",
        tightness=(
            "attained by a Huber function of a coordinate that is always updated, with the slope "
            "L_P |x_0| / (1 + 2 gamma L_P)"
        ),
        needs=_NEEDS,
        proof_needs=("fact:cocoercivity",),
        checks=(
            holds_on_runs("our:lastIterateOne"),
            formula(
                "s := L*R/(1 + 2*gamma*L); s*(R - gamma*s) - s^2/(2*L) = L*R^2/(2*(1 + 2*gamma*L));"
                " L R gamma > 0",
                "the Huber function of slope s with p = 1, at x_0 = R",
                words="f(x_1) = s x_1 - s^2/(2L) on the straight piece, with x_1 = R - gamma s",
            ),
        ),
        steps=(
            Step(
                latex=(
                    r"d_1 \leq \sum_k p_k T_k, \quad T_k = -\tfrac{1}{2} \left|u' -"
                    r" \tfrac{m}{2}\right|^2 +"
                    r"\tfrac{1}{8} |m|^2 - \tfrac{1}{2} |u|^2 + \tfrac{1}{2} \langle u, y \rangle,"
                    r" \quad "
                    r"m = y + (1 - 2hs) u"
                ),
                text=(
                    "fact:cocoercivity between (x*, x^0), (x*, x^1) and (x^0, x^1), half of each,"
                    " with L <= L_P P; block k with L_P = 1, h = gamma, u = g_0 / p, u' = g_1 / p,"
                    " s = 1 if it is drawn, else 0."
                ),
                check=formula(
                    "m := y + (1 - 2*h*s)*u; (d_0 + d_1 + (d_1 - d_0))/2 = d_1; "
                    "((u*y - u^2/2) + (w*(y - h*s*u) - w^2/2) + (-h*s*u*w - (w - u)^2/2))/2 = "
                    "-(w - m/2)^2/2 + m^2/8 - u^2/2 + u*y/2",
                    "one coordinate of block k, so all dimensions",
                    words=(
                        "half of each inequality adds up to d_1, and their right sides to a square"
                        " in w = u'"
                    ),
                ),
            ),
            Step(
                latex=(
                    r"\tfrac{|y|^2}{2p(1+2h)} - \mathbb{E} T_k \geq a |y|^2 - b \langle u, y"
                    r" \rangle + c |u|^2,"
                    r"\quad a = \tfrac{1}{2p(1+2h)} - \tfrac{1}{8},\ b = \tfrac{3 - 2hp}{4},\ c ="
                    r" \tfrac{3 + 4hp(1-h)}{8}"
                ),
                text="The square with u' dropped, and the mean over the draw.",
                check=formula(
                    COEFFICIENTS
                    + "square := p*(y + (1 - 2*h)*u)^2 + (1 - p)*(y + u)^2; y^2/(2*p*(1 + 2*h)) -"
                    " (square/8 - u^2/2 + u*y/2) = a*y^2 - b*u*y + c*u^2; h p y u > 0",
                    "one coordinate of block k, so all dimensions and samplings",
                ),
            ),
            Step(
                latex=r"4ac - b^2 = \tfrac{(1-p)(2(1-h) + (1+2h)(1-hp)^2)}{4p(1+2h)}",
                text="The discriminant.",
                check=formula(
                    COEFFICIENTS
                    + "4*p*(1 + 2*h)*(4*a*c - b^2) = (1 - p)*(2*(1 - h) + (1 + 2*h)*(1 - h*p)^2); h"
                    " p > 0",
                    "all h and p",
                ),
            ),
            Step(
                latex=r"c > 0, \quad (1-p)(2(1-h) + (1+2h)(1-hp)^2) \geq 0",
                text="So what is left over is not negative.",
                check=formula(
                    "h := 1/(1 + i); p := 1/(1 + j); room := i/(1 + i); square := v*w^2; "
                    + COEFFICIENTS
                    + "0 <= c, by 3/8 + h*p*room/2; 0 <= (1 - p)*(2*(1 - h) + square), by j/(1 +"
                    " j)*(2*room + square); i j >= 0, v > 0",
                    "all h and p up to 1",
                    words="with v = 1 + 2 h and w = 1 - h p",
                ),
            ),
        ),
        formal=Formal(
            "last_iterate_one",
            "E[f(x_1) - f*] <= L_P |x_0 - x*|^2 / (2 (1 + 2 gamma L_P))",
            instance="our_convexSharp.convex_instance",
        ),
    ),
    Entry(
        label="our:lastIterateDescent",
        title="The bound of gradient descent for RPT: false",
        latex=r"\mathbb{E}[f(x^T) - f(x^*)] \leq \frac{L_P \|x^0 - x^*\|^2}{2(1 + 2T\gamma L_P)},"
        r"\quad 0 < \gamma \leq \tfrac{1}{L_P}",
        text=(
            "For gradient descent (p = 1) this is the sharp rate of Drori and Teboulle (Math."
            " Program. 145, 2014), and for T = 1 it holds for every sampling (our:lastIterateOne)."
            " Two steps of RPT break it, by less than four parts in a million. For which stepsizes"
            " it holds is not known."
        ),
        statement=Status.FALSE,
        proof=Status.NONE,
        see=("our:lastIterateOne",),
        bound=Bound.UPPER,
        needs=_NEEDS,
        checks=(
            refuted_by(
                descent_fails,
                "P = diag(1, 9/10), nested, L_P = gamma = 1, T = 2, x0 = (0.993237, 0.1160839):"
                " f(x) = min over a >= 0, a_0 + a_1 <= 1 of |x - a_0 v_0 - a_1 v_1|_P^2 / 2 +"
                " 0.1599445 a_0 + 0.1198875 a_1, v_0 = (0.7944923, 0.0912395), v_1 = (0.5957287,"
                " 0.0664982), convex and P-smooth (a Moreau envelope): E f(x_2) / (|x_0|^2 / 10) >"
                " 1.0000037",
            ),
        ),
    ),
    Entry(
        label="our:lastIterateShort",
        title="The bound of gradient descent for RPT at shorter steps: open",
        latex=r"\mathbb{E}[f(x^T) - f(x^*)] \leq \frac{L_P \|x^0 - x^*\|^2}{2(1 + 2T\gamma L_P)},"
        r"\quad 0 < \gamma \leq \tfrac{1}{2 L_P}",
        text=(
            "our:lastIterateDescent refutes it at 1/L_P. At half of that nothing found contradicts"
            " it: performance estimation, good to six digits, finds exactly this for T = 2 and"
            " nested p = (1, q), q = 0.9, 0.6, 0.4, at 1/(2 L_P) and at 9/(10 L_P)."
        ),
        statement=Status.OPEN,
        proof=Status.NONE,
        see=("our:lastIterateDescent",),
        bound=Bound.UPPER,
        needs=_NEEDS,
        checks=(holds_on_runs("our:lastIterateShort"),),
    ),
    Entry(
        label="our:lastIterateLong",
        title="One step longer than 1/L_P: open",
        latex=(
            r"\mathbb{E}[f(x^1) - f(x^*)] \leq \tfrac{3}{20} L_P \|x^0 - x^*\|^2, \quad \gamma ="
            r" \tfrac{6}{5 L_P}"
        ),
        text=(
            "The best bound at 1/L_P is 1/6 (our:lastIterateOne), so that a longer step would be a"
            " better one. Performance estimation gives 0.1473, 0.1477, 0.1478, 0.1471 for nested p"
            " = (1, q), q = 0.9, 0.8, 0.7, 0.5. (The formula of our:lastIterateOne seems to end at"
            " 1/L_P: at 1.05/L_P and q = 0.9 it is 1.00008 times that.) The tests take every gamma"
            " up to 6/(5 L_P), with 6/(5 gamma) for L_P."
        ),
        statement=Status.OPEN,
        proof=Status.NONE,
        see=("our:lastIterateOne",),
        needs=_NEEDS,
        checks=(holds_on_runs("our:lastIterateLong"),),
    ),
)
