"""What the appendix says of the theory of ProgFed (no labels), with explicit functions.

The network: a first layer x, and a second one that maps u to a u + y, with the loss u^2/2. So
f^s(x) = x^2/2 for the first layer alone, and f(x, y) = (a x + y)^2/2 for both, which is smooth with
the constant 1 + a^2.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import sympy

from ..checks.instances import Tries, on_instances
from ..checks.symbolic import Pairs, formula, identity, letters
from ..checks.witness import decided, refuted_by
from ..engine.entry import Entry, Erratum, Severity, Status, Step
from .text_replaceLPbyLM import SUM


def alpha(a: Fraction, x: Fraction, y: Fraction) -> Fraction:
    """min(1, <grad f restricted to x, grad f^s> / |grad f^s|^2) for the network above."""
    return min(Fraction(1), a * (a * x + y) * x / (x * x))


def constant_weight(power: int = 2) -> Pairs:
    """At y = 0: a (a x) x / x^2 = a^2, whatever the iterate x; and the gradient in x comes from
    f.
    """
    a, x, y = letters("a x > 0, y")
    f = (a * x + y) ** 2 / 2
    slope = sympy.diff(f, x).subs(y, 0)
    own = sympy.diff(x**2 / 2, x)
    return [(slope * own / own**2, a**power)]


def weights_of_both_signs(y: Fraction = Fraction(-3, 2)) -> bool:
    """With a = 1 at x = 1: alpha = 1 + y is any number up to 1: 0 at y = -1, -1/2 at y = -3/2."""
    one = Fraction(1)
    return alpha(one, one, -one) == 0 and alpha(one, one, y) == Fraction(-1, 2)


def weight_falls_along_the_run(y: Fraction = Fraction(-1, 2), steps: int = 4) -> bool:
    """Training the first layer alone with the stepsize 1/2 from x = 1: alpha = 1 + y/x falls at
    every step, below 0.
    """
    weights = [alpha(Fraction(1), Fraction(1, 2**t), y) for t in range(steps)]
    return all(late < early for early, late in pairwise(weights)) and weights[-1] < 0


def ratio(power: int = 2) -> Pairs:
    """q^2 = |grad f|^2 / (alpha^2 |grad f^s|^2) = (1 + a^2) / a^2 at y = 0, for a <= 1."""
    a, x, y = letters("a x > 0, y")
    f = (a * x + y) ** 2 / 2
    squared = (sympy.diff(f, x) ** 2 + sympy.diff(f, y) ** 2).subs(y, 0)
    return [(squared / ((a**2) ** 2 * x**2), (1 + a**2) / a**power)]


def ratio_of_any_sign(y: Fraction = Fraction(-3, 2)) -> bool:
    """With a = 1 and x = 1: |grad f^s| = 1, and q_t = |grad f| / alpha has the sign of alpha:
    negative at y = -3/2.
    """
    weight = alpha(Fraction(1), Fraction(1), y)
    return weight < 0


def norm_without_square_fails(scale: int = 1) -> bool:
    """f = f^s = c x^2/2 from x = 1, no noise, all alpha = 1: is |grad f(x_0)| > eps although T = 1
    should be enough?

    Enough means T >= K L F_0 / eps, with L F_0 = c^2/2 and eps = c/2; c = scale / K, for every
    constant K > 0.
    """
    K = letters("K > 0")
    c = scale / K
    eps = c / 2
    enough = 1 - K * (c * c / 2) / eps
    missing = sympy.simplify(c - eps)
    return sympy.simplify(enough).is_nonnegative is True and missing.is_positive is True


_FIRST = r"\tfrac{1}{T}\sum_{t=0}^{T-1} \alpha_t^2 \|\nabla f^s(x_t^s)\|"
_SQUARE = Erratum(_FIRST, _FIRST + "^2", Severity.FALSE)


def any_weight(rng: np.random.Generator, power: int = 2) -> Tries:
    """alpha = a^2 at y = 0 for random a < 1 and x."""
    a = Fraction(int(rng.integers(1, 50)), 50)
    x = Fraction(int(rng.integers(1, 50)), 7)
    yield alpha(a, x, Fraction(0)) == a**power, f"a = {a}, x = {x}"


def any_ratio(rng: np.random.Generator, power: int = 2) -> Tries:
    """q^2 at y = 0 from the gradients of f = (a x + y)^2 / 2 and of x^2 / 2."""
    a = Fraction(int(rng.integers(1, 50)), 50)
    x = Fraction(int(rng.integers(1, 50)), 7)
    squared = (a * (a * x)) ** 2 + (a * x) ** 2
    yield (
        squared / (alpha(a, x, Fraction(0)) * x) ** 2 == (1 + a**2) / a**power,
        f"a = {a}, x = {x}",
    )


def one_layer(rng: np.random.Generator, power: int = 2) -> Tries:
    """Gradient descent on f = f^s = c x^2 / 2, so alpha = 1, with steps 1/(2c), which make it
    smooth in L = 2c.
    """
    c = Fraction(int(rng.integers(1, 9)), 4)
    x = Fraction(int(rng.integers(1, 9)), 3)
    T = int(rng.integers(1, 6))
    eps = 2 * (2 * c) * (c * x * x / 2) / T
    gradients = [c * x / 2**t for t in range(T)]
    yield sum((g**power for g in gradients), Fraction(0)) / T <= eps, f"c = {c}, x_0 = {x}, T = {T}"


CLAIMS = (
    Entry(
        label="text:progfedAlpha",
        title="ProgFed's weights may be as small as one likes",
        latex=(
            r"\alpha_t = \min\left\{1, \frac{\langle \nabla f(x_t)_{|E_s}, \nabla"
            r" f^s(x_t^s)\rangle}"
            r"{\|\nabla f^s(x_t^s)\|^2}\right\}: \quad \alpha_t = a^2 \text{ for all } t,\ 0 < a <"
            r" 1 \text{ arbitrary}"
        ),
        text=(
            "f^s(x) = x^2/2 and f(x, y) = (a x + y)^2/2 with y = 0 while the first layer is"
            " trained: then alpha_t = a^2 in every step, so that a bound on the mean of alpha_t^2"
            " |grad f^s|^2 says nothing of the gradients. With a = 1 and other y the weights are 0"
            " or negative, where the minimum with 1 does not help, and fall along the run; where"
            " the gradient of f^s vanishes they are 0/0."
        ),
        checks=(on_instances(any_weight),),
        steps=(
            Step(
                latex=r"\nabla_x f(x, 0) = a^2 x, \quad \nabla f^s(x) = x, \quad \alpha_t = a^2",
                text="The weight does not depend on the iterate, and a is free.",
                check=identity(constant_weight, "all a and x"),
            ),
            Step(
                latex=r"a = 1,\ x = 1: \quad \alpha_t = 1 + y",
                text="At y = -1 it is 0, at y = -3/2 it is -1/2.",
                check=decided(weights_of_both_signs, "two values of y"),
            ),
            Step(
                latex=r"a = 1,\ y = -\tfrac{1}{2},\ x_t = 2^{-t}: \quad \alpha_t = 1 - 2^{t-1}",
                text="Along a run of gradient descent on f^s it falls at every step.",
                check=decided(weight_falls_along_the_run, "four steps with the stepsize 1/2"),
            ),
        ),
    ),
    Entry(
        label="text:progfedQ",
        title="ProgFed's q has no bound",
        latex=r"q_t = \frac{\|\nabla f(x_t)\|}{\alpha_t \|\nabla f^s(x_t^s)_{|E_s}\|},"
        r"\quad q_t^2 = \frac{1 + a^2}{a^2}",
        text=(
            "In the same example q exceeds every bound as a falls; where alpha_t is 0 it does not"
            " exist, and where alpha_t is negative so is q_t. So the number of steps of the second"
            " result is not known beforehand."
        ),
        needs=("text:progfedAlpha",),
        errata=(
            Erratum(
                r"\text{claim that } \tfrac{1}{T}\sum_{t=0}^{T-1} \|\nabla f(x_t)\|^2 \text{ after"
                r" } O(\dots)",
                r"\tfrac{1}{T}\sum_{t=0}^{T-1} \|\nabla f(x_t)\|^2 < \varepsilon \text{ after }"
                r" O(\dots)"
                r"\text{ iterations; both } \epsilon \text{ and } \varepsilon \text{ are printed}",
                Severity.TYPO,
            ),
            Erratum(
                r"q = \max_{t \in [T]} q_t",
                r"the iterates are x_0, ..., x_{T-1}, so the maximum is over t < T",
                Severity.REMARK,
            ),
        ),
        checks=(on_instances(any_ratio),),
        steps=(
            Step(
                latex=r"q_t^2 = \frac{a^4 x^2 + a^2 x^2}{a^4 x^2} = \frac{1 + a^2}{a^2}",
                text="The square of the ratio.",
                check=identity(ratio, "all a and x"),
            ),
            Step(
                latex=r"a = \tfrac{1}{n}: \quad q_t^2 = n^2 + 1 > n^2",
                text="It exceeds every bound.",
                check=formula("a := 1/n; n^2 <= (1 + a^2)/a^2, by 1; n > 0", "all n"),
            ),
            Step(
                latex=r"a = 1,\ x = 1,\ y = -\tfrac{3}{2}: \quad q_t < 0",
                text="And may be negative.",
                check=decided(ratio_of_any_sign, "one value of y"),
            ),
        ),
    ),
    Entry(
        label="text:progfedFirst",
        title="ProgFed's first result as quoted",
        latex=_FIRST
        + r"< \varepsilon \text{ after } O\left(\tfrac{1}{\varepsilon}\right) L F_0 \text{"
        r" iterations}"
        r"\quad (\sigma = 0)",
        text=(
            "Quoted with the norm itself. The units do not fit: f times c multiplies L F_0 by c^2"
            " and the norm by c. No stepsize is quoted; the corrected line holds with the stepsizes"
            " alpha_t / L."
        ),
        statement=Status.CORRECTED,
        proof=Status.CITED,
        checks=(
            refuted_by(
                norm_without_square_fails,
                "f = f^s = c x^2/2, x_0 = 1, alpha_t = 1, L F_0 = c^2/2, eps = c/2: K L F_0 / eps ="
                " K c iterations, which is 1 for c = 1/K, whatever the constant K; but after one"
                " iteration the mean is c > eps",
            ),
        ),
        corrected=(
            formula(
                "gamma := alpha/L; alpha^2*n/(2*L) <= f - (f - gamma*(alpha*n + more) +"
                " L*gamma^2/2*n - room), by gamma*more + room; "
                + SUM
                + "T := 2*L*F_0/epsilon + extra; 2*L*F_0/T <= epsilon, by epsilon*extra/T; "
                "L F_0 epsilon > 0, alpha n room more extra slack slacks >= 0",
                "each step without noise, with the stepsize alpha_t/L and alpha_t >= 0; summed"
                " over t",
                words=(
                    "n = |G|^2 for G = grad f^s, and <grad f, G> = alpha n + more; then T >= 2 L"
                    " F_0 / eps steps"
                ),
            ),
            on_instances(one_layer),
        ),
        mends=(_SQUARE,),
        errata=(_SQUARE,),
    ),
)
