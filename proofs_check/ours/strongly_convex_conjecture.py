"""A conjecture for one step of the strongly convex case, and a counterexample."""

from fractions import Fraction

from ..checks.exact import Matrix, diag, dot, form, is_semidefinite, plus
from ..checks.witness import refuted_by
from ..engine.entry import Bound, Entry, Status


def expected_square(H: Matrix, p: tuple[Fraction, ...], gamma: Fraction, x: tuple[int, ...]) -> Fraction:
    """E|x_+|^2 after a step on f = x'Hx / 2: |x|^2 - 2 gamma x'Hx + gamma^2 sum_i (Hx)_i^2 / p_i."""
    g = [dot(row, x) for row in H]
    return dot(x, x) - 2 * gamma * form(H, x) + gamma**2 * dot(g, [v / q for v, q in zip(g, p, strict=True)])


def is_the_weighted_top(H: Matrix, p: tuple[Fraction, ...], t: Fraction | int) -> bool:
    """Whether t = L_P: t P - H is positive semidefinite, and no longer with a little less than t."""
    slightly_less = t - Fraction(1, 10**12)
    return is_semidefinite(plus(diag([t * q for q in p]), H, -1)) and not is_semidefinite(
        plus(diag([slightly_less * q for q in p]), H, -1)
    )


def conjecture_fails(H: Matrix, p: tuple[Fraction, ...], mu: int, L_P: int, x: tuple[int, ...]) -> bool:
    """Whether E|x_+|^2 > (1 - 2 s + s^2 / p_min) |x|^2 at gamma = 1/L_P, s = gamma mu, for H >= mu I."""
    s = Fraction(mu, L_P)
    admissible = is_semidefinite(plus(H, diag([mu] * len(p)), -1)) and is_the_weighted_top(H, p, L_P)
    return admissible and expected_square(H, p, Fraction(1, L_P), x) > (1 - 2 * s + s * s / min(p)) * dot(x, x)


ONE, THIRD = Fraction(1), Fraction(1, 3)

CLAIM = Entry(
    label="our:stronglyConvexConjecture",
    title="A conjecture for one strongly convex step: false",
    latex=r"\mathbb{E}\|x^+ - x^*\|^2 \leq \left(1 - 2\gamma\mu + \tfrac{(\gamma\mu)^2}{p_{\min}}\right) \|x - x^*\|^2"
    r"\quad (\gamma = 1/L_P)",
    text="Performance estimation on a few random instances suggested this factor. It is right for probabilities "
    "that are close to each other (our:stronglyConvexWhen), and false in general; our:stronglyConvexSharp has the "
    "factor that is attained.",
    statement=Status.REFUTED,
    proof=Status.NONE,
    see=("our:stronglyConvexSharp", "our:stronglyConvexWhen"),
    bound=Bound.UPPER,
    needs=("text:SkGD", "text:LP"),
    checks=(
        refuted_by(
            lambda: conjecture_fails(((5, 2), (2, 2)), (ONE, THIRD), 1, 9, (1, -3)),
            "H = [[5, 2], [2, 2]] (eigenvalues 1 and 6), f = x'Hx/2, p = (1, 1/3), L_P = 9, gamma = 1/9, mu = 1, "
            "x = (1, -3): E|x_+|^2 / |x|^2 = 661/810, above 1 - 2/9 + 3/81 = 22/27 = 660/810",
        ),
    ),
)
