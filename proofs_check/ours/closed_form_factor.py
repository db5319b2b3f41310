"""The closed form of lem:upperBound is within (1 + sqrt(B)) / 2 of the optimum, and that is
sharp.
"""

from ..checks.statements import holds_on_matrices
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step

CLAIM = Entry(
    label="our:closedFormFactor",
    title="The closed form costs at most (1 + sqrt(B)) / 2 times the optimum",
    text=(
        "The choice of lem:upperBound against the best P, for every L and all costs. Its bound (sum"
        " s_k)^2, with s_k = sqrt(c_k L_k), can be B times c*; the choice itself is never that far"
        " off."
    ),
    assumptions=("L is positive semidefinite", "all c_k and L_k are positive"),
    bound=Bound.UPPER,
    tight=True,
    tightness="block-diagonal L with s = (1 + sqrt(B), 1, ..., 1)",
    needs=("our:sdp", "lem:upperBound"),
    proof_needs=(
        "our:duality",
        "our:sandwich",
        "lem:twoBounds",
        "fact:rayleigh",
        "fact:cauchySchwarz",
    ),
    checks=(holds_on_matrices("our:closedFormFactor"),),
    steps=(
        Step(
            latex=(
                r"D_k = \sqrt{L_k / c_k},\ N = D^{-1/2} L D^{-1/2},\ t = \lambda_{\max}(N): \quad "
                r"c(P_{closed}) = t \sum_k s_k, \quad \lambda_{\max}(N_{kk}) = s_k"
            ),
            text=(
                "p is proportional to D, and c does not see the scale. The dual of our:duality"
                " reads: maximize <N, Z> with block traces D_k c_k = s_k."
            ),
            check=formula(
                "D := sqrt(L_k/c_k); s := sqrt(L_k*c_k); D*c_k = s; L_k/D = s; L_k c_k > 0",
                "block k, so any number of blocks",
            ),
        ),
        Step(
            latex=(
                r"N \succeq t\, x x^\top, \quad t \|x_k\|^2 \leq s_k, \quad h_k = t \|x_k\|^2 / s_k"
                r" \in [0, 1]"
            ),
            text=(
                "x is a unit eigenvector of N for t, with x_k = |x_k| e_k. The form of N at e_k"
                " lies between t |x_k|^2 and s_k."
            ),
            check=formula(
                "t*z_1^2 <= t*z_1^2 + lambda_j*z_j^2, by lambda_j*z_j^2; t lambda_j >= 0",
                "term j in the eigenbasis of N, so all dimensions",
            ),
        ),
        Step(
            latex=(
                r"Z = z z^\top + \mathrm{BlockDiag}\big(s_k (1 - h_k) f_k f_k^\top\big),\ z_k ="
                r" \sqrt{s_k h_k}\, "
                r"e_k: \quad \mathrm{tr}\, Z_{kk} = s_k, \quad z^\top N z \geq t (x^\top z)^2 = t^2"
            ),
            text="A dual point, where f_k is a unit eigenvector of N_kk for s_k.",
            check=formula(
                "z := sqrt(s_k*h_k); z^2 + s_k*(1 - h_k) = s_k; "
                "sqrt(s_k*h_k/t)*z = s_k*h_k/sqrt(t); t*(t/sqrt(t))^2 = t^2; s_k h_k t > 0",
                "block k, so any number of blocks",
                words=(
                    "trace of block k, share of x'z, and t (x'z)^2, since the s_k h_k add up to t"
                ),
            ),
        ),
        Step(
            latex=(
                r"c^* \geq t^2 + \sum_k s_k^2 (1 - h_k) \geq t^2 + \rho^2 / n, \quad \rho = \sum_k"
                r" s_k (1 - h_k), "
                r"\quad n = \sum_k (1 - h_k)"
            ),
            text=(
                "Weak duality, then Cauchy and Schwarz with weights 1 - h_k. For n = 0 this reads"
                " c* >= t^2."
            ),
            check=formula(
                "2*w_k*s_k*w_l*s_l <= w_k*w_l*s_k^2 + w_l*w_k*s_l^2, by w_k*w_l*(s_k - s_l)^2; w_k"
                " w_l s_k s_l >= 0",
                "pair (k, l), so any number of blocks",
                words="with w_k = 1 - h_k",
            ),
        ),
        Step(
            latex=(
                r"\max_k s_k \leq t = \sum_k s_k h_k \leq \max_k s_k \sum_k h_k \implies n \leq"
                r" B - 1"
            ),
            text="lem:twoBounds for N.",
            check=formula(
                "s_k*h_k <= (s_k + w_k)*h_k, by w_k*h_k; s_k h_k > 0, w_k >= 0",
                "block k, so any number of blocks",
                words="with max s = s_k + w_k",
            ),
        ),
        Step(
            latex=(
                r"c(P_{closed}) = t (t + \rho) \leq \frac{1 + \sqrt{B}}{2} \Big(t^2 +"
                r" \frac{\rho^2}{B - 1}\Big)"
            ),
            text=(
                "A perfect square: (sqrt(B) - 1) / 2 times (t - rho / (sqrt(B) - 1))^2. For B = 1"
                " both sides are t^2."
            ),
            check=formula(
                "b := 1 + over; "
                "t*(t + rho) <= (1 + b)/2*(t^2 + rho^2/(b^2 - 1)), by over/2*(t - rho/over)^2; "
                "t over > 0, rho >= 0",
                "all B > 1, t and rho",
                words="b = sqrt(B)",
            ),
        ),
        Step(
            latex=(
                r"s = (1 + \sqrt{B}, 1, \ldots, 1): \quad \max_k s_k \sum_k s_k = \frac{1 +"
                r" \sqrt{B}}{2} \sum_k "
                r"s_k^2"
            ),
            text=(
                "Block-diagonal L, where c* = sum c_k L_k (our:sandwich) and L_P is the largest L_k"
                " / p_k: attained."
            ),
            check=formula(
                "s_1 := 1 + b; others := b^2 - 1; s_1*(s_1 + others) = (1 + b)/2*(s_1^2 + others);"
                " b > 0",
                "all B",
                words="with b^2 = B",
            ),
        ),
    ),
    formal=Formal(
        "closed_form_factor closed_form_factor_attained closed_form_factor_not_by_identity"
        " closed_form_factor_instance",
        "c(P_closed) <= (1 + sqrt(B))/2 c* where a vector attains L_P; attained by a diagonal "
        "L with L_P = 1 + sqrt(B), and not by L = I",
        "that a vector attains L_P, which holds over the real numbers",
        instance="closed_form_factor_instance",
    ),
)
