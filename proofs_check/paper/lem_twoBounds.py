"""lem:twoBounds. The printed proof shows the first inequality and cites the second."""

from ..checks.statements import holds_on_matrices
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Erratum, Formal, Severity, Status, Step

CLAIM = Entry(
    label="lem:twoBounds",
    title="lambda_max between the largest and the sum of the block constants",
    latex=r"\max_i M_i \leq M \leq \sum_{i=1}^B M_i, \quad "
    r"M_i = \lambda_{\max}(\mathbf{M}_i), \quad M = \lambda_{\max}(\mathbf{M})",
    text=(
        "For M positive semidefinite with diagonal blocks, whose largest eigenvalues are M_i. The"
        " first inequality is proved and holds for every symmetric M; the second is cited, and"
        " needs M semidefinite (our:indefinite). our:twoBounds proves it."
    ),
    assumptions=("M is positive semidefinite",),
    proof=Status.CITED,
    see=("our:indefinite", "our:tightness"),
    bound=Bound.UPPER,
    tight=True,
    tightness=(
        "lower: any block-diagonal M; upper: [[4, 6], [6, 9]], and for any blocks our:tightness"
    ),
    proof_needs=("fact:rayleigh", "our:twoBounds"),
    repaired_by="our:twoBounds",
    checks=(
        holds_on_matrices("lem:twoBounds/lower"),
        holds_on_matrices("lem:twoBounds/upper"),
    ),
    errata=(
        Erratum(
            r"\max_i L_i = L_1, \quad L_1 = \sup x^\top L_1 x \leq \sup x^\top L x",
            "the proof speaks of L where the lemma has M",
            Severity.TYPO,
        ),
        Erratum(
            r"\text{the appendix argues that these bounds are tight}",
            "it treats the second bound, for two blocks; block-diagonal matrices attain the first",
            Severity.GAP,
        ),
    ),
    steps=(
        Step(
            latex=r"L_1 = \sup_{x \in \mathbb{R}^{d_1}, \|x\|=1} x^\top L_1 x",
            text="Rayleigh's bound, attained at the top eigenvector (read M for L).",
            check=formula(
                "L_1*1^2 + lambda_j*0^2 = L_1; 1^2 + 0^2 = 1",
                "in the eigenbasis of the block, so all dimensions",
                words="the vector x = (1, 0, ..., 0) has norm one and the value lambda_max",
            ),
        ),
        Step(
            latex=(
                r"= \sup_{x \in S, \|x\|=1} x^\top L x, \quad S = \mathrm{Span}(e_1, \ldots,"
                r" e_{d_1})"
            ),
            text="Padding with zeros changes neither the form nor the norm.",
            check=formula(
                "x_i*L_ij*x_j = x_i*L_ij*x_j; x_i*L_il*0 = 0; 0*L_lm*0 = 0; x_i^2 + 0^2 = x_i^2",
                "terms (i, j), (i, l), (l, m), so all dimensions",
                words=(
                    "(i, j) inside the block, (i, l) and (l, m) with l and m outside; then |x|^2"
                ),
            ),
        ),
        Step(
            latex=r"\leq \sup_{x \in \mathbb{R}^d, \|x\|=1} x^\top L x",
            text="S is a subspace, and lambda_max bounds the form at each of its unit vectors.",
            check=formula(
                "(L - delta_i)*x_i^2 <= L*x_i^2, by delta_i*x_i^2; delta_i >= 0",
                "term i in the eigenbasis, so all dimensions",
                words="L is lambda_max, lambda_i = L - delta_i, and x_i is taken in the eigenbasis",
            ),
        ),
    ),
    formal=Formal(
        "two_bounds_lower two_bounds two_bounds_sharp",
        "max_k M_k <= M <= sum_k M_k; nothing less than the sum will do",
        instance="two_bounds_sharp",
    ),
)
