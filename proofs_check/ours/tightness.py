"""The upper half of lem:twoBounds is attained, for any number of blocks and for all P at once."""

from fractions import Fraction

import numpy as np

from ..checks.exact import exact, identity, is_semidefinite
from ..checks.instances import Tries, on_instances
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step


def construction(rng: np.random.Generator, slack: int = 0) -> Tries:
    """Diagonal M_k with a_k = s_k^2 and eps_1 = 0: M is definite, and w'Mw >= (sum a_k + slack)
    |w|^2.
    """
    w: list[int] = []
    # The diagonal of the M_k - a_k u_k u_k'.
    remainder: list[Fraction | int] = []
    for k in range(int(rng.integers(1, 5))):
        s = int(rng.integers(2, 7))
        smaller = rng.integers(1, s * s + 1, int(rng.integers(0, 3))).tolist()
        w += [s] + [0] * len(smaller)
        remainder += [Fraction(min(k, 1), int(rng.integers(1, 50))), *smaller]
    M = np.diag(exact(remainder)) + np.outer(w, w)
    squares = sum(s * s for s in w)
    definite = is_semidefinite(M - Fraction(1, 10**9) * identity(len(w)))
    yield definite and w @ M @ w >= (squares + slack) * squares, f"w = {w}, diagonal {remainder}"


CLAIM = Entry(
    label="our:tightness",
    title="The upper bound of lem:twoBounds is attained for any diagonal blocks",
    latex=(
        r"M = \mathrm{BlockDiag}(M_k - a_k u_k u_k^\top) + w w^\top, \quad w = (\sqrt{a_k} u_k)_k,"
        r" \quad "
        r"a_k = m_k - \varepsilon_k \implies \lambda_{\max}(M) \geq \sum_k (m_k - \varepsilon_k)"
    ),
    text=(
        "u_k is a top unit eigenvector of M_k with eigenvalue m_k, 0 <= eps_k < m_k. M has the"
        " diagonal blocks M_k and is semidefinite; it is definite if the M_k are and at most one"
        " eps_k is zero. With all eps_k = 0 the bound is attained, and for every P at once:"
        " lambda_max(P^-1/2 M P^-1/2) = sum m_k / p_k, so c* = (sum sqrt(c_k m_k))^2."
    ),
    assumptions=("the M_k are positive semidefinite",),
    bound=Bound.LOWER,
    tight=True,
    tightness="with all eps_k = 0 it meets our:twoBounds",
    proof_needs=("fact:rayleigh", "our:twoBounds"),
    checks=(on_instances(construction),),
    steps=(
        Step(
            latex=r"M_k - a_k u_k u_k^\top + (\sqrt{a_k} u_k)(\sqrt{a_k} u_k)^\top = M_k",
            text="The diagonal blocks are those prescribed.",
            check=formula(
                "(M_ij - a_k*u_i*u_j) + (sqrt(a_k)*u_i)*(sqrt(a_k)*u_j) = M_ij; a_k >= 0",
                "entry (i, j) of block k, so all dimensions",
            ),
        ),
        Step(
            latex=r"M_k - a_k u_k u_k^\top \succeq 0",
            text=(
                "It has the eigenvalue eps_k at u_k and those of M_k elsewhere, so M is"
                " semidefinite."
            ),
            check=formula(
                "0 <= (a_k + eps_k - a_k)*x^2, by eps_k*x^2; "
                "0 <= (lambda_j - a_k*0)*x^2, by lambda_j*x^2; a_k eps_k lambda_j >= 0",
                "in the eigenbasis of M_k, so all dimensions",
                words="m - a = eps on u, the other eigenvalues elsewhere",
            ),
        ),
        Step(
            latex=(
                r"x^\top M x = 0 \implies x_k = 0\ (\varepsilon_k > 0),\ x_1 = s u_1,\ (w^\top x)^2"
                r" = a_1 s^2 = 0"
            ),
            text=(
                "Definite where the M_k are and only eps_1 may be zero: both parts of the form must"
                " vanish."
            ),
            check=formula(
                "(sqrt(a_1)*u_i)*(s*u_i) = sqrt(a_1)*s*u_i^2; (sqrt(a_1)*s)^2 = a_1*s^2; a_1 > 0",
                "all dimensions",
                words="coordinate i of w'x for x_1 = s u_1, and the square of w'x = sqrt(a_1) s",
            ),
        ),
        Step(
            latex=(
                r"\lambda_{\max}(M) \geq \frac{w^\top M w}{\|w\|^2} \geq \frac{(w^\top"
                r" w)^2}{\|w\|^2} = \sum_k a_k"
            ),
            text="Rayleigh's quotient at w.",
            check=formula(
                "w_i*(w_i*w_j)*w_j = (w_i*w_j)^2; (sqrt(a_k)*u_i)^2 = a_k*u_i^2; a_k >= 0",
                "pair (i, j) and coordinate i, so all dimensions",
                words="w'(ww')w = (w'w)^2, and coordinate i of w'w in block k",
            ),
        ),
        Step(
            latex=r"\lambda_{\max}(P^{-1/2} M P^{-1/2}) \geq \sum_k a_k / p_k",
            text="The same at P^-1/2 w: one matrix serves every P.",
            check=formula(
                "v_i := w_i/sqrt(p_i); v_j := w_j/sqrt(p_j); v_i*(v_i*v_j)*v_j ="
                " (w_i^2/p_i)*(w_j^2/p_j); p_i p_j > 0",
                "pair (i, j), so all dimensions and P",
            ),
        ),
    ),
    formal=Formal(
        "aligned_blocks aligned_psd aligned_LP aligned_definite aligned_instance",
        "the matrix with given blocks that aligns their top vectors: semidefinite, definite, L_P >="
        " sum_k a_k / p_k",
        "that L_P is no larger (text:productBound); the value of c*",
        instance="aligned_instance",
    ),
)
