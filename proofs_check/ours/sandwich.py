"""Where the optimum c* lies."""

import sympy

from rpttheory import block_smoothness, closed_form, complexity, lambda_max

from ..checks.optima import Solved, never_contradicted
from ..checks.symbolic import Pairs, Triples, identity, inequality, letters
from ..engine.entry import Bound, Entry, Step


def above_the_blocks(sign: int = 1) -> Triples:
    """c_k L_k <= c_k q_k, with q_k = L_k + s_k (our:sdp)."""
    c, L, s = letters("c_k L_k > 0, s_k >= 0")
    return [(c * L, c * (L + s), sign * s * c)]


def value_of_the_closed_form(power: int = 1) -> Pairs:
    """At p_k = sqrt(L_k / c_k): L_k / p_k and p_k c_k are both sqrt(c_k L_k), term k."""
    L, c = letters("L_k c_k > 0")
    p = sympy.sqrt(L / c)
    return [(L / p**power, sympy.sqrt(c * L)), (p * c, sympy.sqrt(c * L))]


def over_blocks(sign: int = -1) -> Triples:
    """Pair (k, l) of (sum s_k)^2 <= B sum s_k^2, where B sum s_k^2 is the sum over all pairs of s_k^2."""
    s_k, s_l = letters("s_k s_l >= 0")
    return [(2 * s_k * s_l, s_k**2 + s_l**2, (s_k + sign * s_l) ** 2)]


def constant_q(power: int = 1) -> Pairs:
    """q = L_max (1, ..., 1): term k of <c, q>, where the costs add up to one."""
    top, c = letters("L_max c_k > 0")
    return [(c * top, top**power * c)]


def eigenvalue_constraint(sign: int = 1) -> Triples:
    """0 <= L_max I - L in the eigenbasis, term i."""
    z, distance = letters("z_i, delta_i >= 0")
    return [(sympy.Integer(0), distance * z**2, sign * distance * z**2)]


def block_constraint(sign: int = 1) -> Triples:
    """0 <= L_k I - L_kk in the eigenbasis of block k, term i."""
    z, distance = letters("z_i, delta_ki >= 0")
    return [(sympy.Integer(0), distance * z**2, sign * distance * z**2)]


def equal_products(power: int = 1) -> Pairs:
    """B blocks with c_k L_k = s^2, so p_k = sqrt(L_k / c_k) = L_k / s: term k of each sum, and then the sums.

    c* = sum_k c_k L_k; L_P is the largest of the equal L_k / p_k because L is block-diagonal; then sum_k p_k c_k and
    (sum_k sqrt(c_k L_k))^2, which is B times c*.
    """
    L, s, B = letters("L_k s B > 0")
    c = s**2 / L
    p = sympy.sqrt(L / c)
    optimum = B * s**2
    return [(c * L, s**2), (L / p, s), (p * c, s), (s * (B * s), optimum), ((B * s) ** 2, B**power * optimum)]


def links(problem: Solved, factor: float = 1.0) -> list[tuple[float, float]]:
    """A lower bound of the left and an upper bound of the right side of each inequality; `factor` is 1."""
    constants = block_smoothness(problem.L, problem.blocks)
    p = closed_form(problem.L, problem.blocks, problem.costs).probabilities
    closed = complexity(problem.L, problem.blocks, problem.costs, probabilities=p)
    roots = [(k.lower * c) ** 0.5 for k, c in zip(constants, problem.costs, strict=True)]
    # Sums of at most six positive terms with two roundings each: 1e-12 is ample.
    below = sum(r * r for r in roots) * (1 - 1e-12)
    bound = sum((k.upper * c) ** 0.5 for k, c in zip(constants, problem.costs, strict=True)) ** 2 * (1 + 1e-12)
    top = lambda_max(problem.L).upper * float(problem.costs.sum()) * (1 + 1e-12)
    found = problem.found
    return [
        (factor * below, found.upper),
        (found.lower, closed.upper),
        (closed.lower, bound),
        (sum(roots) ** 2 * (1 - 1e-12), len(roots) * below * (1 + 1e-11)),
        (found.lower, top),
    ]


CLAIM = Entry(
    label="our:sandwich",
    title="Bounds on the optimum by the block constants",
    latex=r"\sum_k c_k L_k \leq c^* \leq c(P_{closed}) \leq \Big(\sum_k \sqrt{c_k L_k}\Big)^2 \leq B \sum_k c_k L_k,"
    r"\quad c^* \leq \lambda_{\max}(L)",
    text="c* is the minimum of c(P) and P_closed the choice of lem:upperBound. The paper's bound is at most B times "
    "c*. "
    "It is B times c* for block-diagonal L with equal c_k L_k, where the closed form itself is optimal "
    "(our:closedFormFactor).",
    assumptions=(
        "L is positive semidefinite",
        "all c_k and L_k are positive",
        "the costs add up to one (last bound)",
    ),
    see=("our:tightness", "our:closedFormFactor", "our:whenRPTHelps"),
    bound=Bound.UPPER,
    tight=True,
    tightness="left end: block-diagonal L; (sum sqrt(c_k L_k))^2: our:tightness; B: block-diagonal with equal c_k L_k; "
    "lambda_max: our:whenRPTHelps",
    needs=("our:sdp",),
    proof_needs=("text:productBound", "lem:upperBound", "fact:rayleigh"),
    checks=(never_contradicted(links),),
    steps=(
        Step(
            latex=r"\mathrm{Diag}(q) \succeq L \implies \langle c, q\rangle \geq \sum_k c_k L_k",
            text="q_k is at least L_k (our:sdp).",
            check=inequality(above_the_blocks, "block k, so any number of blocks"),
        ),
        Step(
            latex=r"c^* \leq c(P_{closed}) \leq \Big(\sum_k \sqrt{c_k L_k}\Big)^2",
            text="P_closed is one of the P, and text:productBound holds at it with the value of lem:upperBound.",
            check=identity(value_of_the_closed_form, "term k, so any number of blocks"),
        ),
        Step(
            latex=r"\Big(\sum_k s_k\Big)^2 \leq B \sum_k s_k^2, \quad s_k = \sqrt{c_k L_k}",
            text="Cauchy and Schwarz against ones.",
            check=inequality(over_blocks, "pair (k, l), so any number of blocks"),
        ),
        Step(
            latex=r"\lambda_{\max}(L)\, I \succeq L",
            text="q = lambda_max(L) (1, ..., 1) is feasible",
            check=inequality(eigenvalue_constraint, "term i in the eigenbasis, so all dimensions"),
        ),
        Step(
            latex=r"\langle c, q\rangle = \lambda_{\max}(L) \sum_k c_k = \lambda_{\max}(L)",
            text="and has the value lambda_max(L), since the costs add up to one.",
            check=identity(constant_q, "term k, so any number of blocks"),
        ),
        Step(
            latex=r"L \text{ block-diagonal}: \quad \mathrm{Diag}(L_k) \succeq L, \quad c^* = \sum_k c_k L_k",
            text="q = (L_k) is feasible, and below every feasible q by the first step.",
            check=inequality(block_constraint, "term i in the eigenbasis of block k, so all dimensions and blocks"),
        ),
        Step(
            latex=r"c_k L_k = s^2,\ L \text{ block-diagonal}: \quad c^* = c(P_{closed}) = B s^2, \quad "
            r"\Big(\sum_k \sqrt{c_k L_k}\Big)^2 = B^2 s^2",
            text="The factor B is attained; it is the bound's, not the closed form's.",
            check=identity(equal_products, "block k, all B, L_k and s"),
        ),
    ),
)
