"""prop:reachable_upper_bound, and that it extends to any number of blocks (no label)."""

from ..checks.instances import on_instances
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Erratum, Formal, Severity, Status, Step
from ..ours.tightness import construction as of_any_blocks

TWO_BLOCKS = Entry(
    label="prop:reachable_upper_bound",
    title="Two blocks: the upper bound of lem:twoBounds is approached",
    latex=r"C = \sqrt{\lambda_1 (\lambda_2 - \varepsilon)}\, v u^\top, \quad "
    r"M = \begin{bmatrix} M_1 & C^\top \\ C & M_2 \end{bmatrix} \succ 0, \quad "
    r"\lambda_{\max}(M) \geq \lambda_1 + \lambda_2 - \varepsilon",
    text=(
        "M_1 and M_2 are positive definite with largest eigenvalues lambda_1 and lambda_2 and unit"
        " eigenvectors u and v; 0 < eps < lambda_2. Blocks of any sizes, 1 x 1 included."
    ),
    assumptions=("M_1 and M_2 are positive definite", "0 < eps < lambda_2"),
    bound=Bound.LOWER,
    tight=True,
    tightness=(
        "approached as eps goes to 0: lambda_max(M) is (s + sqrt(s^2 - 4 lambda_1 eps)) / 2 with s"
        " = lambda_1 + lambda_2, always above the bound; for eps = 0 M is singular and attains s"
    ),
    proof_needs=("fact:schurComplement", "fact:rayleigh"),
    errata=(Erratum(r"\Sigma_A", r"\Sigma_1", Severity.TYPO),),
    steps=(
        Step(
            latex=(
                r"C M_1^{-1} C^\top = \lambda_1 (\lambda_2 - \varepsilon)\, v\, (u^\top M_1^{-1}"
                r" u)\, v^\top"
                r"= (\lambda_2 - \varepsilon) v v^\top"
            ),
            text=(
                "The Schur complement of M_1 decides definiteness (fact:schurComplement); here is"
                " its second term."
            ),
            check=formula(
                "a := sqrt(lambda_1*mu); "
                "(a*v_i*u_k)*(u_k/lambda_1)*(a*v_j) = mu*v_i*v_j*u_k^2; "
                "u_k*(u_k/lambda_1) = u_k^2/lambda_1; lambda_1 mu > 0",
                "entry (i, j), coordinate k of u, so all dimensions",
                words="M_1^-1 u = u / lambda_1 and |u| = 1; mu = lambda_2 - eps",
            ),
        ),
        Step(
            latex=r"(M_2 - (\lambda_2 - \varepsilon) v v^\top) v = \varepsilon v",
            text=(
                "The complement has the eigenvalues of M_2, but eps > 0 at v: it is positive"
                " definite."
            ),
            check=formula(
                "mu := lambda_2 - eps; lambda_2*v_i - mu*v_i*1 = eps*v_i; lambda_j*w_i - mu*v_i*0 ="
                " lambda_j*w_i",
                "coordinate i of each eigenvector, so all dimensions",
                words="v'v = 1, and v'w = 0 for any other eigenvector w",
            ),
        ),
        Step(
            latex=(
                r"\mathrm{Diag}(\Lambda_1, \Lambda_2)^\top M\, \mathrm{Diag}(\Lambda_1,"
                r" \Lambda_2) ="
                r"\begin{bmatrix} \Sigma_A & \mathrm{Diag}(a, 0, \ldots, 0)^\top \\"
                r"\mathrm{Diag}(a, 0, \ldots, 0) & \Sigma_2 \end{bmatrix}"
            ),
            text=(
                "The first columns of Lambda_1 and Lambda_2 are u and v, which sorting allows;"
                " Diag(a, 0, ..., 0) is the d_2 x d_1 matrix with a in its corner, and Sigma_A is"
                " Sigma_1."
            ),
            check=formula(
                "a*1*1 = a; a*1*0 = 0; a*0*0 = 0; a > 0",
                "entry (i, j), so all dimensions",
                words="columns with the inner products 1, 0, ..., 0 with v, and with u",
            ),
        ),
        Step(
            latex=(
                r"\lambda_{\max}(M) = \lambda_{\max}(M') = \max_{\|u'\|^2 + \|v'\|^2 = 1} (u',"
                r" v')^\top M' (u', v')"
            ),
            text="An orthogonal change of variables keeps the form and the norm.",
            check=formula(
                "x_k*(U_ik*M_ij*U_jl)*x_l = (U_ik*x_k)*M_ij*(U_jl*x_l)",
                "term (k, i, j, l), so all dimensions",
            ),
        ),
        Step(
            latex=(
                r"= \max u'^\top \Sigma_1 u' + v'^\top \Sigma_2 v' + 2 u'^\top \mathrm{Diag}(a, 0,"
                r" \ldots, 0)^\top "
                r"v'"
            ),
            text="The form written out.",
            check=formula(
                "u_i*s_i*u_i + v_j*t_j*v_j = s_i*u_i^2 + t_j*v_j^2; u_1*a*v_1 + v_1*a*u_1 ="
                " 2*a*u_1*v_1",
                "terms i and j and the corner, so all dimensions",
            ),
        ),
        Step(
            latex=(
                r"\geq \max_{x^2 + y^2 = 1} x^2 \lambda_1 + y^2 \lambda_2 + 2xy \sqrt{\lambda_1"
                r" (\lambda_2 - "
                r"\varepsilon)}"
            ),
            text="Restricted to the first coordinates of both blocks.",
            check=formula(
                "s_1*x^2 + s_i*0^2 + t_1*y^2 + t_j*0^2 + 2*a*x*y = x^2*s_1 + y^2*t_1 + 2*x*y*a; "
                "x^2 + 0^2 + y^2 = x^2 + y^2",
                "all dimensions",
                words="the value at u' = (x, 0, ..., 0) and v' = (y, 0, ..., 0), and the norm",
            ),
        ),
        Step(
            latex=r"\geq \max_{x^2 + y^2 = 1} x^2 \lambda_1 + y^2 (\lambda_2 - \varepsilon)"
            r"+ 2xy \sqrt{\lambda_1 (\lambda_2 - \varepsilon)}",
            text="eps is positive.",
            check=formula(
                "y^2*(lambda_2 - eps) <= y^2*lambda_2, by eps*y^2; eps > 0", "all values"
            ),
        ),
        Step(
            latex=(
                r"= \max_{x^2 + y^2 = 1} \big(x \sqrt{\lambda_1} + y \sqrt{\lambda_2 -"
                r" \varepsilon}\big)^2"
            ),
            text="A square.",
            check=formula(
                "x^2*lambda_1 + y^2*mu + 2*x*y*sqrt(lambda_1*mu) = (x*sqrt(lambda_1) +"
                " y*sqrt(mu))^2; lambda_1 mu > 0",
                "all values",
                words="mu = lambda_2 - eps",
            ),
        ),
        Step(
            latex=(
                r"\geq \big(x \sqrt{\lambda_1} + y \sqrt{\lambda_2 - \varepsilon}\big)^2 ="
                r" \lambda_1 + \lambda_2"
                r"- \varepsilon \quad \text{at } x^2 = \tfrac{\lambda_1}{\lambda_1 + \lambda_2 -"
                r" \varepsilon}"
            ),
            text="The value at a point of the circle.",
            check=formula(
                "x := sqrt(lambda_1/(lambda_1 + mu)); y := sqrt(mu/(lambda_1 + mu)); x^2 + y^2 = 1;"
                " (x*sqrt(lambda_1) + y*sqrt(mu))^2 = (lambda_1 + mu); lambda_1 mu > 0",
                "all values",
                words="mu = lambda_2 - eps",
            ),
        ),
    ),
    formal=Formal(
        "reachable_definite reachable_psd reachable_top reachable_instance",
        "two blocks: M is positive definite and lambda_max(M) >= lambda_1 + lambda_2 - eps",
        instance="reachable_instance",
    ),
)

ANY_BLOCKS = Entry(
    label="text:blocksExtension",
    title="The bounds of lem:twoBounds are tight for any number of blocks",
    latex=(
        r"\sup \{ \lambda_{\max}(M) : M \succ 0,\ M_{kk} \text{ given} \} = \sum_{k=1}^B"
        r" \lambda_{\max}(M_{kk})"
    ),
    text=(
        "The extension of prop:reachable_upper_bound from two blocks to B is called very"
        " straightforward and left out. It is true, by one rank-one matrix that aligns all top"
        " eigenvectors; B - 1 of the eps must be positive, each taken off its own block, for the"
        " matrix to be definite."
    ),
    proof=Status.NONE,
    bound=Bound.UPPER,
    tight=True,
    tightness="approached by definite matrices, attained by semidefinite ones",
    needs=("prop:reachable_upper_bound",),
    proof_needs=("our:tightness", "our:twoBounds"),
    repaired_by="our:tightness",
    checks=(on_instances(of_any_blocks),),
    formal=Formal(
        "aligned_blocks aligned_LP aligned_definite aligned_instance",
        "prop:reachable_upper_bound for B blocks",
        "the supremum itself, as eps tends to 0",
        instance="aligned_instance",
        file="our_tightness",
    ),
)

CLAIMS = (TWO_BLOCKS, ANY_BLOCKS)
