"""A fixed overhead per step: still a convex program, with a dual as simple."""

from rpttheory import optimal_probabilities

from ..checks.instances import Tries, tried
from ..checks.statements import describe, is_minimum, problem_at, random_problems
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Evidence, Formal, Step, Trial


def certificates(trial: Trial, factor: float = 1.0) -> Tries:
    """The certified minimum is attained at its own p, and not above the value at p = 1."""
    for problem in random_problems(trial, 48):
        overhead = int(trial.rng.integers(1, 40))
        result = optimal_probabilities(
            problem.smoothness, problem.blocks, problem.costs, overhead=overhead, tol=1e-6
        )
        points = [
            problem_at(problem, p)
            for p in ([1.0] * len(result.probabilities), result.probabilities)
        ]
        values = [point.L_P * (overhead + point.cost) for point in points]
        holds = is_minimum(result, values, factor) and result.gap <= 1e-5
        yield holds, f"{describe(problem)}, c_0 = {overhead}"


CLAIM = Entry(
    label="our:overhead",
    title="A fixed overhead per step keeps the program convex",
    latex=(
        r"\inf_{p > 0, \max p = 1} L_P \Big(c_0 + \sum_k p_k c_k\Big) = \min \{ c_0 \max_k q_k +"
        r" \langle c, "
        r"q\rangle :\mathrm{Diag}(q) \succeq L \} = \max \{ \langle L, Y\rangle : Y \succeq"
        r" 0,\ \mathrm{tr}\, Y_{kk} = "
        r"c_k + s_k, s \geq 0,\ \sum_k s_k = c_0 \}"
    ),
    text=(
        "A forward pass, say, is paid whatever is updated. The dual decides how the overhead is"
        " shared among the blocks. As in our:sdp the infimum over p is attained if all L_k > 0."
    ),
    assumptions=("L is positive semidefinite", "c_0 and all c_k are positive"),
    bound=Bound.EQUALITY,
    needs=("our:sdp",),
    proof_needs=("our:duality",),
    checks=(tried(certificates, "{} problems, certified within 1e-5", Evidence.RIGOROUS),),
    steps=(
        Step(
            latex=(
                r"q = L_P\, p: \quad L_P \Big(c_0 + \sum_k p_k c_k\Big) = c_0 \max_k q_k + \langle"
                r" c, q\rangle"
            ),
            text=(
                "The map of our:sdp both ways; for p = q / max q the left side is at most the"
                " right, since L_P <= max q. A feasible q with zeros is the limit of q + eps, and"
                " c_k q_k and c_0 max q are at most the value, so that the minimum over q is"
                " attained."
            ),
            check=formula(
                "L_P*c_0 = c_0*(L_P*1); L_P*(p_k*c_k) = c_k*(L_P*p_k); L_P p_k c_k c_0 > 0",
                "overhead and term k, so any number of blocks",
            ),
        ),
        Step(
            latex=(
                r"\langle L, Y\rangle \leq \sum_k q_k\, \mathrm{tr}\, Y_{kk} = \langle c, q\rangle"
                r" + \langle s, "
                r"q\rangle"
            ),
            text="Weak duality, as in our:duality.",
            check=formula(
                "q_k*(c_k + s_k) = c_k*q_k + s_k*q_k", "block k, so any number of blocks"
            ),
        ),
        Step(
            latex=r"\langle s, q\rangle \leq \sum_k s_k \max_l q_l = c_0 \max_l q_l",
            text="The s_k are not negative and add up to c_0.",
            check=formula(
                "s_k*q_k <= s_k*(q_k + w_k), by s_k*w_k; s_k w_k >= 0",
                "block k, so any number of blocks",
                words="with max q = q_k + w_k",
            ),
        ),
        Step(
            latex=r"c_0 m - \mu \sum_k \log(m - q_k) \geq \tfrac{c_0}{2} m + \text{const}",
            text=(
                "The logarithms under their tangents at s, as in our:duality; what q_k adds has the"
                " sign plus. So the barrier has bounded sublevel sets and a minimizer inside."
            ),
            check=formula(
                "c_0/2*m <= (c_0 - mu*B/(2*mu*B/c_0 + w))*m, by m*c_0^2*w/(2*(2*mu*B + c_0*w)); c_0"
                " mu B > 0, m w >= 0",
                "all B and mu",
            ),
        ),
        Step(
            latex=(
                r"s_k = \frac{\mu}{m - q_k}: \quad \sum_k s_k = c_0, \quad \mu\,"
                r" \mathrm{tr}(S^{-1})_{kk} = c_k + "
                r"s_k, \quad \text{gap} = \mu (d + B)"
            ),
            text=(
                "The central path with a barrier for m >= q_k: its stationarity is dual"
                " feasibility, and its gap, mu d from S and mu from each s_k (m - q_k), goes to"
                " zero."
            ),
            check=formula(
                "barrier := -mu*log(m - q_k); s := mu/(m - q_k); diff(barrier, q_k) = s; "
                "diff(barrier, m) = -s; s*(m - q_k) = mu; mu > 0",
                "block k, so any number of blocks",
                words="derivatives of the barrier for m >= q_k, and the gap of block k",
            ),
        ),
    ),
    formal=Formal(
        "overhead_from_p overhead_from_q overhead_duality overhead_instance",
        "with a fixed cost per step: both directions for q > 0, and weak duality",
        "strong duality; that the minimum is attained; that a q with zeros is approached",
        instance="overhead_instance",
    ),
)
