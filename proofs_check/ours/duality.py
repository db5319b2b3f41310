"""The dual of the program for c*, and why there is no gap."""

from ..checks.instances import Tries, tried
from ..checks.statements import describe, solved
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Evidence, Formal, Step, Trial


def certificates(trial: Trial, tol: float = 1e-5) -> Tries:
    """The proved bounds of the search, from primal and dual points, meet on random problems."""
    for problem, result in solved(trial, 48):
        yield 0 <= result.gap <= tol, describe(problem)


CLAIM = Entry(
    label="our:duality",
    title="The dual program has the same optimum, and attains it",
    latex=r"\min \{ \langle c, q\rangle : \mathrm{BlockDiag}(q_k I) \succeq L \} ="
    r"\max \{ \langle L, Y\rangle : Y \succeq 0,\ \mathrm{tr}\, Y_{kk} = c_k \}",
    text=(
        "So every q and every Y give a certified bracket of c*. The proof follows the central path,"
        " whose points are feasible on both sides with the gap mu d."
    ),
    assumptions=("L is positive semidefinite", "all c_k are positive"),
    bound=Bound.EQUALITY,
    needs=("our:sdp",),
    checks=(tried(certificates, "{} problems, within 1e-5", Evidence.RIGOROUS),),
    steps=(
        Step(
            latex=(
                r"\langle c, q\rangle - \langle L, Y\rangle = \langle \mathrm{Diag}(q) - L,"
                r" Y\rangle ="
                r"\sum_a v_a^\top S v_a \geq 0"
            ),
            text="Weak duality, with S = Diag(q) - L and Y the sum of v_a v_a'.",
            check=formula(
                "q_i*Y_ii - L_ii*Y_ii = (q_i - L_ii)*Y_ii; "
                "0*Y_ij - L_ij*Y_ij = (0 - L_ij)*Y_ij; S_ij*(v_i*v_j) = v_i*S_ij*v_j",
                "entries (i, i) and (i, j), term (i, j), so all dimensions",
            ),
        ),
        Step(
            latex=(
                r"\log \det S \leq \sum_j \Big(\frac{\lambda_j(S)}{s} - 1 + \log s\Big) ="
                r" \frac{\mathrm{tr}\, S}{s}"
                r"+ \text{const}"
            ),
            text="For any s > 0, eigenvalue by eigenvalue.",
            check=formula(
                "0 <= s/s - 1 + log(s) - log(s), by 0; "
                "0 <= (x - s)*diff(x/s - 1 + log(s) - log(x), x), by (x - s)^2/(s*x); x s > 0",
                "all x, s > 0: by the sign of the derivative",
                words="the difference is 0 at x = s, falls before and rises after",
            ),
        ),
        Step(
            latex=(
                r"\varphi(q) = \langle c, q\rangle - \mu \log \det S \geq \tfrac{1}{2} \langle c,"
                r" q\rangle + "
                r"\text{const}"
            ),
            text=(
                "With s at least 2 mu d_k / c_k for all k, and q_k >= L_k >= 0 (our:sdp): here L"
                " must be semidefinite. So phi has bounded sublevel sets; where det S goes to zero"
                " on such a set phi grows without bound, so it has a minimizer with S positive"
                " definite."
            ),
            check=formula(
                "q := L_k + above; c_k/2*q <= (c_k - mu*d_k/(2*mu*d_k/c_k + w_k))*q, by"
                " c_k^2*w_k*q/(2*(2*mu*d_k + c_k*w_k)); c_k mu d_k > 0, w_k L_k above >= 0",
                "block k, so any number of blocks",
            ),
        ),
        Step(
            latex=(
                r"\frac{\partial}{\partial S_{ii}} \log \det S = (S^{-1})_{ii} \implies c_k = \mu\,"
                r" \mathrm{tr}\,"
                r"(S^{-1})_{kk}"
            ),
            text="At the minimizer the gradient vanishes; q_k stands on the diagonal of block k.",
            check=formula(
                "determinant := S_ii*A + R; diff(log(determinant), S_ii) = A/determinant; S_ii A >"
                " 0, R <= 0",
                "entry (i, i), so all dimensions",
                words=(
                    "det(S) = S_ii A + R with the cofactor A, by expansion along row i, where R <="
                    " 0 (Fischer); (S^-1)_ii = A / det(S) by Cramer's rule"
                ),
            ),
        ),
        Step(
            latex=(
                r"Y = \mu S^{-1}: \quad \mathrm{tr}\, Y_{kk} = c_k, \quad \langle S, Y\rangle ="
                r" \mu d"
            ),
            text="A dual point with the gap mu d. Letting mu go to zero closes the gap.",
            check=formula(
                "S_ij*(mu*Z_ji) = mu*(S_ij*Z_ji); mu*Z_ii = mu*Z_ii; mu > 0",
                "row i and block k, so all dimensions",
                words="with Z = S^-1",
            ),
        ),
        Step(
            latex=r"2 |Y_{ij}| \leq Y_{ii} + Y_{jj}",
            text="The dual set is closed and bounded, so the maximum is attained.",
            check=formula(
                "Y_ij := v_ia*v_ja; Y_ii := v_ia^2; Y_jj := v_ja^2; 2*Y_ij <= Y_ii + Y_jj, by"
                " (v_ia - v_ja)^2",
                "column a, so all dimensions",
                words="with Y = VV'",
            ),
        ),
    ),
    formal=Formal(
        "weak_duality no_gap_is_optimal duality_instance",
        "<L, Y> <= <c, q> for feasible Y and q, and a pair without gap is optimal",
        "that a pair without gap exists",
        instance="duality_instance",
    ),
)
