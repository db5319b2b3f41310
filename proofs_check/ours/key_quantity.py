"""A proof of the left half of lem:key_quantity, for every sampling."""

from fractions import Fraction

import numpy as np
import sympy

from ..checks.exact import rows, top_at_most
from ..checks.quadratics import level_above
from ..checks.randomised import Tries, on_instances
from ..checks.symbolic import Pairs, Triples, identity, inequality, letters
from ..engine.entry import Bound, Entry, Step


def entries(power: int = 1) -> Pairs:
    """Entry (i, j) of E[CLC] against that of the entrywise product."""
    L_ij, p_i, p_j, p_ij = letters("L_ij, p_i p_j p_ij > 0")
    # E[C_i L_ij C_j]: both are active with probability p_ij, and then the factor is 1 / (p_i p_j).
    moment = p_ij**power * (1 / p_i) * L_ij * (1 / p_j)
    scaled = L_ij / (sympy.sqrt(p_i) * sympy.sqrt(p_j))
    return [(moment, scaled * (p_ij / sympy.sqrt(p_i * p_j)))]


def gram_of_indicators(power: int = 1) -> Pairs:
    """E[z_i z_j] against K_ij, and K_ii = 1."""
    p_i, p_j, p_ij = letters("p_i p_j p_ij > 0")
    return [
        # z_i = 1{i in S} / sqrt(p_i), so E[z_i z_j] = p_ij / sqrt(p_i p_j).
        (p_ij * (1 / sympy.sqrt(p_i)) * (1 / sympy.sqrt(p_j)), p_ij / sympy.sqrt(p_i * p_j)),
        (p_i * (1 / sympy.sqrt(p_i) ** power) ** 2, sympy.Integer(1)),
    ]


def mean_of_squares(sign: int = 1) -> Triples:
    """w_o <z_o, x>^2 when its sum S takes on one more term u = z_oi x_i."""
    S, u, w = letters("S u, w_o >= 0")
    return [(sympy.Integer(0), w * (S**2 + 2 * S * u + u**2), w * (S + sign * u) ** 2)]


def identity_survives(diagonal: int = 1) -> Pairs:
    """Entry (i, j) of (t I - X) o K against that of t I - X o K."""
    t, X_ij, K_ij = letters("t X_ij K_ij")
    # Off the diagonal t I has a zero, on it K has a one.
    return [((0 - X_ij) * K_ij, 0 - X_ij * K_ij), ((t - X_ij) * diagonal, t - X_ij * diagonal)]


def every_sampling(rng: np.random.Generator, factor: Fraction | int = 1) -> Tries:
    """lambda_max(E[CLC]) <= factor t with t >= L_P, for any law on sets of coordinates that reaches all of them."""
    d = int(rng.integers(2, 5))
    outcomes = rng.integers(0, 2, (int(rng.integers(2, 6)), d))
    outcomes[0] |= outcomes.max(axis=0) == 0
    weights = rng.integers(1, 9, len(outcomes))
    pairs = rows((outcomes.T @ np.diag(weights) @ outcomes).tolist())
    total, p = int(weights.sum()), [Fraction(pairs[i][i]) / int(weights.sum()) for i in range(d)]
    R = rng.integers(-3, 4, (int(rng.integers(1, 4)), d))
    # Every other L is indefinite: the statement is about all symmetric ones.
    L = (R.T @ R - int(rng.integers(0, 2)) * np.diag(rng.integers(0, 4, d))).tolist()
    moment = [[L[i][j] * pairs[i][j] / total / (p[i] * p[j]) for j in range(d)] for i in range(d)]
    words = f"L = {L}, outcomes {outcomes.tolist()} with weights {weights.tolist()}"
    yield top_at_most(moment, factor * level_above(L, p)), words


CLAIM = Entry(
    label="our:keyQuantity",
    title="L_M <= L_P for every sampling, by Schur's product theorem",
    latex=r"\lambda_{\max}(\mathbb{E}[C L C]) \leq \lambda_{\max}(P^{-1/2} L P^{-1/2})",
    text="For every sampling with positive marginals and every symmetric L, L_M <= L_P.",
    bound=Bound.UPPER,
    tight=True,
    needs=("text:LP",),
    proof_needs=("fact:schurProduct", "fact:rayleigh"),
    tightness="attained by every block-diagonal L",
    checks=(on_instances(every_sampling),),
    steps=(
        Step(
            latex=r"\mathbb{E}[C L C] = (P^{-1/2} L P^{-1/2}) \circ K, \quad K_{ij} = p_{ij} / \sqrt{p_i p_j}",
            text="E[CLC] is an entrywise product.",
            check=identity(entries, "entry (i, j), so all dimensions and samplings"),
        ),
        Step(
            latex=r"K = \mathbb{E}[z z^\top] \succeq 0, \quad z_i = 1_{i \in S} / \sqrt{p_i}, \quad K_{ii} = 1",
            text="K is a matrix of second moments with ones on the diagonal.",
            check=identity(gram_of_indicators, "entry (i, j), so all dimensions and samplings"),
        ),
        Step(
            latex=r"x^\top K x = \sum_o w_o \Big(\sum_i z_{oi} x_i\Big)^2 \geq 0",
            text="A mean of squares over the outcomes o, whose probabilities w_o are not negative.",
            check=inequality(mean_of_squares, "outcome o and one more term, so all dimensions and samplings"),
        ),
        Step(
            latex=r"t I - X \succeq 0 \implies (t I - X) \circ K = t I - X \circ K \succeq 0",
            text="With X = P^-1/2 L P^-1/2 and t = L_P: Schur's theorem, and K leaves t I alone.",
            check=identity(identity_survives, "entry (i, j), so all dimensions"),
        ),
    ),
)
