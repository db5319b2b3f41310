"""For a fixed order of the blocks the nonconvex-regime cost c_M is a convex problem."""

from collections.abc import Sequence

import numpy as np
import sympy

from ..checks.exact import Matrix, form, top_at_most
from ..checks.instances import Batch
from ..checks.randomised import Brackets, on_random_matrices
from ..checks.stacked import top_brackets
from ..checks.symbolic import Pairs, Triples, identity, inequality, letters
from ..checks.witness import decided
from ..engine.entry import Entry, Step


def linear_entries(power: int = 1) -> Pairs:
    """Entry (i, j) of E[CLC], block k before block l: p_kl = min(p_k, p_l) = p_l, and r = 1 / p."""
    L_ij, r_k, r_l = letters("L_ij, r_k r_l > 0")
    p_k, p_l = 1 / r_k, 1 / r_l
    return [(p_l * L_ij / (p_k * p_l), r_k**power * L_ij), (p_k * L_ij / (p_k * p_k), r_k**power * L_ij)]


def mixture(power: int = 1) -> Pairs:
    """The form at x of a mixture of r and s, entry (i, j) with k the earlier block: the mixture of the forms."""
    L_ij, x_i, x_j, theta, r_k, s_k = letters("L_ij x_i x_j theta r_k s_k")
    mixed = theta * r_k + (1 - theta) * s_k
    return [
        (x_i * (mixed * L_ij) * x_j, theta**power * (x_i * r_k * L_ij * x_j) + (1 - theta) * (x_i * s_k * L_ij * x_j))
    ]


def cost_is_convex(sign: int = 1) -> Triples:
    """The second derivative of c_k / r_k."""
    c, r = letters("c_k r_k > 0")
    return [(sympy.Integer(0), sympy.diff(c / r, r, 2), sign * 2 * c / r**3)]


def scaling(power: int = 1) -> Pairs:
    """r -> s r multiplies E[CLC], entry (i, j), by s and divides the cost, term k, by it; s = K makes the cost one."""
    L_ij, s, r, c, K, t = letters("L_ij, s r_k c_k K t > 0")
    return [((s * r) * L_ij, s**power * (r * L_ij)), (c / (s * r), (c / r) / s), ((K**power * t) * (K / K), t * K)]


def never_negative(sign: int = 1) -> Triples:
    """x'E[CLC]x = E|RCx|^2 for L = R'R, entry a of RCx in an outcome of probability w."""
    w, entry = letters("w >= 0, (RCx)_a")
    return [(sympy.Integer(0), w * entry * entry, sign * w * entry**2)]


def smaller_cost(semidefinite: bool = True) -> Triples:
    """L_M K <= L_M where the cost is K = 1 - room, and L_M >= 0 because L is semidefinite."""
    L_M = sympy.Symbol("L_M", nonnegative=True) if semidefinite else sympy.Symbol("L_M", real=True)
    room = letters("room >= 0")
    return [(L_M * (1 - room), L_M, room * L_M)]


def bounded(sign: int = 1) -> Triples:
    """c_k <= r_k where c_k / r_k = 1 - u; and r_k L_k <= L_M, the form at the top eigenvector of block k."""
    r, L_k, u, s = letters("r_k L_k > 0, u s_k >= 0")
    return [((1 - u) * r, r, u * r), (r * L_k, r * L_k + s, sign * s)]


def midpoint_sides(batch: Batch, factor: float = 1.0) -> tuple[Brackets, Brackets]:
    """L_M at (r + r^2) / 2 times two, against factor times the sum of L_M at r and at r^2, which has the same order."""
    values = []
    for r in (batch.r + batch.r**2, batch.r, batch.r**2):
        moment = Batch(batch.blocks, batch.family, batch.L, r, batch.costs).second_moment
        values.append(top_brackets(moment, np.ones(moment.shape[:2])))
    (first, second), room = (values[1], values[2]), 2.0**-50
    return values[0], (factor * (first[0] + second[0]) * (1 - room), factor * (first[1] + second[1]) * (1 + room))


def orders_do_not_mix(at_ends: Matrix, above: int, at_the_middle: Matrix, x: Sequence[int], value: int) -> bool:
    """Whether lambda_max at both ends (equal up to a permutation) is at most `above` and at the middle `value` > it."""
    middle = form(at_the_middle, x) >= value * sum(v * v for v in x)
    return top_at_most(at_ends, above) and middle and value > above


CLAIM = Entry(
    label="our:secondMomentConvex",
    title="For a fixed order, minimising c_M is convex",
    latex=r"\inf_p L_M \sum_k p_k c_k = \inf \left\{ \lambda_{\max}\big((r_{\min(k,l)} L_{kl})_{kl}\big) :"
    r"\sum_k \frac{c_k}{r_k} \leq 1,\ r_1 \leq \ldots \leq r_B \right\}",
    text="r = 1 / p up to scale, blocks numbered along the order, 1 = p_1 >= ... >= p_B > 0, nested sampling. E[CLC] "
    "is linear in r, so its largest eigenvalue is convex. Both infima are minima if all L_k > 0; for L = diag(1, 0) "
    "they are not attained. Over all orders at once the problem is not convex: r_min is then concave.",
    assumptions=("L is positive semidefinite", "all c_k are positive", "the sampling is nested, with a fixed order"),
    needs=("def:PTsketch", "text:expectedCost"),
    proof_needs=("fact:rayleigh",),
    checks=(on_random_matrices(midpoint_sides),),
    steps=(
        Step(
            latex=r"\mathbb{E}[CLC]_{kl} = \frac{p_{kl}}{p_k p_l} L_{kl} = r_k L_{kl} \quad (k \leq l)",
            text="Of two nested blocks the later one is active only when both are.",
            check=identity(linear_entries, "entry (i, j) of block (k, l), so all dimensions"),
        ),
        Step(
            latex=r"x^\top E(\theta r + (1 - \theta) s) x = \theta\, x^\top E(r) x + (1 - \theta)\, x^\top E(s) x"
            r"\leq \theta \lambda_{\max}(E(r)) + (1 - \theta) \lambda_{\max}(E(s))",
            text="Linear for each x, and lambda_max is the supremum over unit x.",
            check=identity(mixture, "entry (i, j), so all dimensions"),
        ),
        Step(
            latex=r"\frac{d^2}{dr^2} \frac{c}{r} = \frac{2c}{r^3} \geq 0",
            text="The cost constraint is convex, the order constraints are linear.",
            check=inequality(cost_is_convex, "term k, so any number of blocks"),
        ),
        Step(
            latex=r"E(s r) = s E(r), \quad \sum_k \frac{c_k}{s r_k} = \frac{1}{s} \sum_k \frac{c_k}{r_k}",
            text="The product does not see the scale: every p gives an r of cost one with L_M the product. Dividing "
            "an r by r_1 restores p_1 = 1.",
            check=identity(scaling, "entry (i, j) and term k, so all dimensions"),
        ),
        Step(
            latex=r"x^\top \mathbb{E}[CLC] x = \mathbb{E} \|R C x\|^2 \geq 0, \quad L = R^\top R",
            text="So L_M is not negative: here L must be semidefinite.",
            check=inequality(never_negative, "entry a and any outcome, so all dimensions and samplings"),
        ),
        Step(
            latex=r"\sum_k \frac{c_k}{r_k} \leq 1 \implies L_M \sum_k \frac{c_k}{r_k} \leq L_M",
            text="So every feasible r gives a p whose product is at most the value at r: a smaller cost only helps.",
            check=inequality(smaller_cost, "all values"),
        ),
        Step(
            latex=r"r_k \geq c_k, \quad r_k L_k \leq L_M",
            text="If all L_k > 0, sublevel sets are closed and bounded, and the infima are attained.",
            check=inequality(bounded, "block k, so any number of blocks"),
        ),
        Step(
            latex=r"L = \begin{bmatrix} 1 & 1 \\ 1 & 1 \end{bmatrix}: \quad L_M(2, 2) = 4 >"
            r"\tfrac{7}{2} \geq \tfrac{1}{2} L_M(1, 3) + \tfrac{1}{2} L_M(3, 1)",
            text="The two orders together: not convex.",
            check=decided(
                lambda: orders_do_not_mix(((2, 2), (2, 6)), 7, ((4, 4), (4, 4)), (1, 1), 8),
                "L of ones, r = (1, 3), (3, 1) and (2, 2), all doubled",
            ),
        ),
    ),
)
