"""For a fixed order of the blocks the nonconvex-regime cost c_M is a convex problem."""

from fractions import Fraction
from functools import partial

from rpttheory import Problem

from ..checks.exact import Numbers, exact, lambda_max_at_most
from ..checks.instances import Tries, tried
from ..checks.statements import describe, marginals, random_problems
from ..checks.symbolic import formula
from ..checks.witness import decided
from ..engine.entry import Entry, Evidence, Formal, Step, Trial


def midpoints(trial: Trial, factor: float = 1.0) -> Tries:
    """L_M at 1/p = (r + r^2) / 2 against the mean of L_M at r and at r^2, which have one order."""
    for problem in random_problems(trial, 96):
        ratios = [1 / p for p in marginals(problem)]
        squares, middle = (
            Problem(problem.smoothness, problem.blocks, probabilities=[1 / r for r in at]).L_M
            for at in ([r * r for r in ratios], [(r + r * r) / 2 for r in ratios])
        )
        mean = (squares + problem.L_M) * Fraction(1, 2)
        yield middle.lower <= factor * mean.upper, describe(problem)


def orders_do_not_mix(at_ends: Numbers, at_the_middle: Numbers, bound: int) -> bool:
    """Return whether lambda_max is at most the bound at both ends (equal up to a permutation), and
    more than it at the middle.
    """
    middle = exact(at_the_middle)
    return lambda_max_at_most(exact(at_ends), bound) and not lambda_max_at_most(middle, bound)


CLAIM = Entry(
    label="our:secondMomentConvex",
    title="For a fixed order, minimizing c_M is convex",
    latex=(
        r"\inf_p L_M \sum_k p_k c_k = \inf \left\{ \lambda_{\max}\big((r_{\min(k,l)}"
        r" L_{kl})_{kl}\big) :"
        r"\sum_k \frac{c_k}{r_k} \leq 1,\ r_1 \leq \ldots \leq r_B \right\}"
    ),
    text=(
        "r = 1 / p up to scale, blocks numbered along the order, 1 = p_1 >= ... >= p_B > 0, nested"
        " sampling. E[CLC] is linear in r, so its largest eigenvalue is convex. Both infima are"
        " minima if all L_k > 0; for L = diag(1, 0) they are not attained. Over all orders at once"
        " the problem is not convex: r_min is then concave."
    ),
    assumptions=(
        "L is positive semidefinite",
        "all c_k are positive",
        "the sampling is nested, with a fixed order",
    ),
    needs=("def:PTsketch", "text:expectedCost"),
    proof_needs=("fact:rayleigh",),
    checks=(tried(midpoints, "{} comparisons, none of which contradicts it", Evidence.RIGOROUS),),
    steps=(
        Step(
            latex=(
                r"\mathbb{E}[CLC]_{kl} = \frac{p_{kl}}{p_k p_l} L_{kl} = r_k L_{kl} \quad (k"
                r" \leq l)"
            ),
            text="Of two nested blocks the later one is active only when both are.",
            check=formula(
                "p_k := 1/r_k; p_l := 1/r_l; p_l*L_ij/(p_k*p_l) = r_k*L_ij; p_k*L_ij/(p_k*p_k) ="
                " r_k*L_ij; r_k r_l > 0",
                "entry (i, j) of block (k, l), so all dimensions",
                words="block k before block l: p_kl = min(p_k, p_l) = p_l",
            ),
        ),
        Step(
            latex=(
                r"x^\top E(\theta r + (1 - \theta) s) x = \theta\, x^\top E(r) x + (1 - \theta)\,"
                r" x^\top E(s) x"
                r"\leq \theta \lambda_{\max}(E(r)) + (1 - \theta) \lambda_{\max}(E(s))"
            ),
            text="Linear for each x, and lambda_max is the supremum over unit x.",
            check=formula(
                "x_i*((theta*r_k + (1 - theta)*s_k)*L_ij)*x_j "
                "= theta*(x_i*r_k*L_ij*x_j) + (1 - theta)*(x_i*s_k*L_ij*x_j)",
                "entry (i, j), so all dimensions",
            ),
        ),
        Step(
            latex=r"\frac{d^2}{dr^2} \frac{c}{r} = \frac{2c}{r^3} \geq 0",
            text="The cost constraint is convex, the order constraints are linear.",
            check=formula(
                "0 <= diff(c_k/r_k, r_k, 2), by 2*c_k/r_k^3; c_k r_k > 0",
                "term k, so any number of blocks",
            ),
        ),
        Step(
            latex=(
                r"E(s r) = s E(r), \quad \sum_k \frac{c_k}{s r_k} = \frac{1}{s} \sum_k"
                r" \frac{c_k}{r_k}"
            ),
            text=(
                "The product does not see the scale: every p gives an r of cost one with L_M the"
                " product. Dividing an r by r_1 restores p_1 = 1."
            ),
            check=formula(
                "(s*r_k)*L_ij = s*(r_k*L_ij); c_k/(s*r_k) = (c_k/r_k)/s; (K*t)*(K/K) = t*K; s r_k"
                " c_k K t > 0",
                "entry (i, j) and term k, so all dimensions",
                words="s = K makes the cost one",
            ),
        ),
        Step(
            latex=r"x^\top \mathbb{E}[CLC] x = \mathbb{E} \|R C x\|^2 \geq 0, \quad L = R^\top R",
            text="So L_M is not negative: here L must be semidefinite.",
            check=formula(
                "0 <= w*(R_ai*x_i)*(R_ai*x_i), by w*(R_ai*x_i)^2; w >= 0",
                "entry a and any outcome, so all dimensions and samplings",
                words="the outcome has probability w",
            ),
        ),
        Step(
            latex=r"\sum_k \frac{c_k}{r_k} \leq 1 \implies L_M \sum_k \frac{c_k}{r_k} \leq L_M",
            text=(
                "So every feasible r gives a p whose product is at most the value at r: a smaller"
                " cost only helps."
            ),
            check=formula(
                "L_M*(1 - room) <= L_M, by room*L_M; L_M room >= 0",
                "all values",
                words="the cost is 1 - room",
            ),
        ),
        Step(
            latex=r"r_k \geq c_k, \quad r_k L_k \leq L_M",
            text=(
                "If all L_k > 0, sublevel sets are closed and bounded, and the infima are attained."
            ),
            check=formula(
                "(1 - u)*r_k <= r_k, by u*r_k; r_k*L_k <= r_k*L_k + s_k, by s_k; r_k L_k > 0, u s_k"
                " >= 0",
                "block k, so any number of blocks",
                words="c_k / r_k = 1 - u; then the form at the top eigenvector of block k",
            ),
        ),
        Step(
            latex=r"L = \begin{bmatrix} 1 & 1 \\ 1 & 1 \end{bmatrix}: \quad L_M(2, 2) = 4 >"
            r"\tfrac{7}{2} \geq \tfrac{1}{2} L_M(1, 3) + \tfrac{1}{2} L_M(3, 1)",
            text="The two orders together: not convex.",
            check=decided(
                partial(orders_do_not_mix, ((2, 2), (2, 6)), ((4, 4), (4, 4)), 7),
                "L of ones, r = (1, 3), (3, 1) and (2, 2), all doubled",
            ),
        ),
    ),
    formal=Formal(
        "nested_moment ordered_convex cost_convex ordered_scales second_moment_from_p "
        "second_moment_from_r orders_not_convex second_moment_instance",
        "for a fixed order E[CLC] is linear in 1/p, the problem in r is convex and has the "
        "same infimum; over the orders it is not convex",
        "where the infima are attained, and where not",
        instance="second_moment_instance",
    ),
)
