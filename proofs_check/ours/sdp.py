"""Minimizing c(P) is a semidefinite program in one variable per block."""

from ..checks.instances import Tries, tried
from ..checks.statements import describe, is_minimum, problem_at, solved
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Evidence, Formal, Step, Trial


def both_programs(trial: Trial, factor: float = 1.0) -> Tries:
    """The certified minimum over q is not above c(P) at any p, and is attained at the p of q."""
    for problem, result in solved(trial, 48):
        falling = [0.5**k for k in range(problem.blocks.count)]
        points = ([1.0] * len(falling), falling, falling[::-1], result.probabilities)
        values = [problem_at(problem, p).c_P for p in points]
        yield is_minimum(result, values, factor), describe(problem)


CLAIM = Entry(
    label="our:sdp",
    title="Minimizing c(P) is a semidefinite program",
    latex=(
        r"\inf_{p > 0} L_P \sum_k p_k c_k = \min \{ \langle c, q\rangle : \mathrm{BlockDiag}(q_k I)"
        r" - L \succeq 0 \}"
    ),
    text=(
        "With q = L_P p one way and p = q / max q the other. The permutation is the order of p and"
        " needs no search. The minimum over q is attained; if all L_k > 0 it gives p > 0, and the"
        " infimum over p is a minimum too. Where some L_k = 0 no p need attain it."
    ),
    assumptions=("L is positive semidefinite", "all c_k are positive"),
    bound=Bound.EQUALITY,
    needs=("text:LP", "text:expectedCost"),
    proof_needs=("fact:congruence", "fact:rayleigh"),
    checks=(tried(both_programs, "{} problems, certified within 1e-6", Evidence.RIGOROUS),),
    steps=(
        Step(
            latex=r"L_{sP} = L_P / s, \quad c(sP) = c(P)",
            text="c depends on the direction of p alone, so that max p = 1 costs nothing.",
            check=formula(
                "L_ij/(sqrt(s*p_i)*sqrt(s*p_j)) = L_ij/(sqrt(p_i)*sqrt(p_j))/s; "
                "(s*p_k)*c_k = s*(p_k*c_k); (t/s)*(s*K) = t*K; s p_i p_j p_k c_k t K > 0",
                "entry (i, j) and term k, so all dimensions",
            ),
        ),
        Step(
            latex=r"P^{1/2} (t I - P^{-1/2} L P^{-1/2}) P^{1/2} = t P - L",
            text="By congruence L_P is the least t with t P - L semidefinite.",
            check=formula(
                "a := sqrt(p_i); b := sqrt(p_j); a*(t - L_ii/(a*a))*a = t*p_i - L_ii; "
                "a*(0 - L_ij/(a*b))*b = 0 - L_ij; p_i p_j > 0",
                "entries (i, i) and (i, j), so all dimensions",
            ),
        ),
        Step(
            latex=(
                r"q = L_P\, p \implies \mathrm{Diag}(q) \succeq L, \quad \langle c, q\rangle = c(P)"
            ),
            text="Every p gives a feasible q of the same value.",
            check=formula(
                "c_k*(L_P*p_k) = L_P*(p_k*c_k); L_P p_k c_k > 0", "term k, so any number of blocks"
            ),
        ),
        Step(
            latex=(
                r"\mathrm{Diag}(q) \succeq L,\ q > 0,\ p = q / m,\ m = \max_k q_k \implies L_P"
                r" \leq m,"
                r" c(P) \leq \langle c, q\rangle"
            ),
            text=(
                "Every positive feasible q gives an admissible p of no larger value: m P = Diag(q)."
            ),
            check=formula(
                "m*(q_k/m) = q_k; m*(q_k/m)*c_k = c_k*q_k; q_k m c_k > 0",
                "coordinate i and term k, so all dimensions",
            ),
        ),
        Step(
            latex=r"\mathrm{Diag}(q) \succeq L \implies q_k \geq L_k \geq 0",
            text=(
                "At the top eigenvector of block k. A feasible q with zeros is the limit of q +"
                " eps, which is positive."
            ),
            check=formula(
                "L_k <= L_k + s_k, by s_k; s_k >= 0",
                "block k, so all dimensions",
                words=(
                    "s_k = q_k - L_k is the form of Diag(q) - L at the top unit eigenvector of"
                    " block k"
                ),
            ),
        ),
        Step(
            latex=r"c_k q_k \leq \langle c, q\rangle",
            text="Sublevel sets are closed and bounded: the minimum over q is attained.",
            check=formula(
                "c_k*q_k <= c_k*q_k + rest, by rest; c_k > 0, q_k rest >= 0",
                "block k, so any number of blocks",
            ),
        ),
        Step(
            latex=r"\theta (\mathrm{Diag}(q) - L) + (1 - \theta)(\mathrm{Diag}(r) - L)"
            r"= \mathrm{Diag}(\theta q + (1 - \theta) r) - L",
            text=(
                "The constraint is affine in q, so the feasible set is convex; the objective is"
                " linear."
            ),
            check=formula(
                "theta*(q_i - L_ii) + (1 - theta)*(r_i - L_ii) = theta*q_i + (1 - theta)*r_i -"
                " L_ii; theta*(0 - L_ij) + (1 - theta)*(0 - L_ij) = 0 - L_ij",
                "entries (i, i) and (i, j), so all dimensions",
            ),
        ),
    ),
    formal=Formal(
        "sdp_from_p sdp_from_q sdp_infimum feasible_ge0 feasible_convex sdp_instance",
        "inf c(P) is the infimum of <c, q> over BlockDiag(q_k I) >= L: both directions, and the"
        " feasible set is convex",
        "that the minimum is attained",
        instance="sdp_instance",
    ),
)
