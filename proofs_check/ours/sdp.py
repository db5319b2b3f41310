"""Minimising c(P) is a semidefinite program in one variable per block."""

import sympy

from rpttheory import complexity

from ..checks.optima import Solved, never_contradicted
from ..checks.symbolic import Pairs, Triples, identity, inequality, letters
from ..engine.entry import Bound, Entry, Step


def scale_invariance(power: int = 1) -> Pairs:
    """Entry (i, j) of (sP)^-1/2 L (sP)^-1/2, the cost term of block k, and their product's factor."""
    L_ij, s, p_i, p_j, p_k, c_k, t, K = letters("L_ij, s p_i p_j p_k c_k t K > 0")
    return [
        (L_ij / (sympy.sqrt(s * p_i) * sympy.sqrt(s * p_j)), L_ij / (sympy.sqrt(p_i) * sympy.sqrt(p_j)) / s**power),
        ((s * p_k) * c_k, s * (p_k * c_k)),
        ((t / s**power) * (s * K), t * K),
    ]


def congruent(power: int = 1) -> Pairs:
    """Entries (i, i) and (i, j) of P^1/2 (t I - P^-1/2 L P^-1/2) P^1/2 against those of t P - L."""
    t, L_ii, L_ij, p_i, p_j = letters("t L_ii L_ij, p_i p_j > 0")
    a, b = sympy.sqrt(p_i), sympy.sqrt(p_j)
    return [(a * (t - L_ii / (a * a)) * a, t * p_i**power - L_ii), (a * (0 - L_ij / (a * b)) * b, 0 - L_ij)]


def from_p_to_q(power: int = 1) -> Pairs:
    """Term k of <c, q> with q = L_P p against that of L_P sum p_k c_k."""
    t, p_k, c_k = letters("L_P p_k c_k > 0")
    return [(c_k * (t * p_k), t**power * (p_k * c_k))]


def from_q_to_p(power: int = 1) -> Pairs:
    """With p = q / m, m = max q: m P = Diag(q), and m sum p_k c_k = <c, q>, coordinate i and term k."""
    q_k, m, c_k = letters("q_k m c_k > 0")
    return [(m * (q_k / m**power), q_k), (m * (q_k / m**power) * c_k, c_k * q_k)]


def above_the_blocks(sign: int = 1) -> Triples:
    """The form of Diag(q) - L at the top unit eigenvector of block k, q_k - L_k, is not negative."""
    L_k, s = letters("L_k, s_k >= 0")  # the form, q_k - L_k
    return [(L_k, L_k + s, sign * s)]


def bounded_sublevels(sign: int = 1) -> Triples:
    """c_k q_k <= <c, q>, since all the other terms are not negative."""
    c_k, q_k, rest = letters("c_k > 0, q_k rest >= 0")
    return [(c_k * q_k, c_k * q_k + rest, sign * rest)]


def affine(power: int = 1) -> Pairs:
    """Entries (i, i) and (i, j) of a mixture of Diag(q) - L and Diag(r) - L."""
    theta, q, r, L_ii, L_ij = letters("theta q_i r_i L_ii L_ij")
    mixed = theta**power * q + (1 - theta) * r
    return [
        (theta * (q - L_ii) + (1 - theta) * (r - L_ii), mixed - L_ii),
        (theta * (0 - L_ij) + (1 - theta) * (0 - L_ij), 0 - L_ij),
    ]


def both_programs(problem: Solved, factor: float = 1.0) -> list[tuple[float, float]]:
    """The certified minimum over q against c(P): at no p is c below it, and at the p that q gives it is met."""
    found, count = problem.found, problem.blocks.count
    choices = [[1.0] * count, [0.5**k for k in range(count)], [0.5 ** (count - k) for k in range(count)]]
    values = [
        complexity(problem.L, problem.blocks, problem.costs, probabilities=p) for p in (*choices, found.probabilities)
    ]
    above = [(factor * found.lower, value.upper) for value in values]
    return [*above, (values[-1].lower, found.upper * (1 + 1e-12))]


CLAIM = Entry(
    label="our:sdp",
    title="Minimising c(P) is a semidefinite program",
    latex=r"\inf_{p > 0} L_P \sum_k p_k c_k = \min \{ \langle c, q\rangle : \mathrm{BlockDiag}(q_k I) - L \succeq 0 \}",
    text="With q = L_P p one way and p = q / max q the other. The permutation is the order of p and needs no search. "
    "The "
    "minimum over q is attained; if all L_k > 0 it gives p > 0, and the infimum over p is a minimum too. Where some "
    "L_k = 0 no p need attain it.",
    assumptions=("L is positive semidefinite", "all c_k are positive"),
    bound=Bound.EQUALITY,
    needs=("text:LP", "text:expectedCost"),
    proof_needs=("fact:congruence", "fact:rayleigh"),
    checks=(never_contradicted(both_programs),),
    steps=(
        Step(
            latex=r"L_{sP} = L_P / s, \quad c(sP) = c(P)",
            text="c depends on the direction of p alone, so that max p = 1 costs nothing.",
            check=identity(scale_invariance, "entry (i, j) and term k, so all dimensions"),
        ),
        Step(
            latex=r"P^{1/2} (t I - P^{-1/2} L P^{-1/2}) P^{1/2} = t P - L",
            text="By congruence L_P is the least t with t P - L semidefinite.",
            check=identity(congruent, "entries (i, i) and (i, j), so all dimensions"),
        ),
        Step(
            latex=r"q = L_P\, p \implies \mathrm{Diag}(q) \succeq L, \quad \langle c, q\rangle = c(P)",
            text="Every p gives a feasible q of the same value.",
            check=identity(from_p_to_q, "term k, so any number of blocks"),
        ),
        Step(
            latex=r"\mathrm{Diag}(q) \succeq L,\ q > 0,\ p = q / m,\ m = \max_k q_k \implies L_P \leq m,"
            r" c(P) \leq \langle c, q\rangle",
            text="Every positive feasible q gives an admissible p of no larger value: m P = Diag(q).",
            check=identity(from_q_to_p, "coordinate i and term k, so all dimensions"),
        ),
        Step(
            latex=r"\mathrm{Diag}(q) \succeq L \implies q_k \geq L_k \geq 0",
            text="At the top eigenvector of block k. A feasible q with zeros is the limit of q + eps, which is "
            "positive.",
            check=inequality(above_the_blocks, "block k, so all dimensions"),
        ),
        Step(
            latex=r"c_k q_k \leq \langle c, q\rangle",
            text="Sublevel sets are closed and bounded: the minimum over q is attained.",
            check=inequality(bounded_sublevels, "block k, so any number of blocks"),
        ),
        Step(
            latex=r"\theta (\mathrm{Diag}(q) - L) + (1 - \theta)(\mathrm{Diag}(r) - L)"
            r"= \mathrm{Diag}(\theta q + (1 - \theta) r) - L",
            text="The constraint is affine in q, so the feasible set is convex; the objective is linear.",
            check=identity(affine, "entries (i, i) and (i, j), so all dimensions"),
        ),
    ),
)
