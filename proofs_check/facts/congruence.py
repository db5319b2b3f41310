"""Congruence keeps the order of symmetric matrices."""

from collections.abc import Iterator

import numpy as np
import sympy

from ..checks.exact import is_semidefinite
from ..checks.randomised import on_instances
from ..checks.symbolic import Pairs, Triples, identity, inequality, letters
from ..engine.entry import Entry, Status, Step


def moved_to_the_vector(power: int = 1) -> Pairs:
    """The term (i, k, l, j) of x'(T'MT)x against that of (Tx)'M(Tx)."""
    x_i, x_j, t_ki, t_lj, m_kl = letters("x_i x_j T_ki T_lj M_kl")
    return [(x_i * (t_ki * m_kl * t_lj) * x_j, (t_ki * x_i) * m_kl * (t_lj**power * x_j))]


def keeps_semidefinite(rng: np.random.Generator, shift: int = 0) -> Iterator[tuple[bool, str]]:
    """T'MT for M = R'R - shift I, where shift = 0 makes M semidefinite."""
    R, T = rng.integers(-3, 4, (2, 3, 3))
    M = R.T @ R - shift * np.eye(3, dtype=int)
    yield is_semidefinite((T.T @ M @ T).tolist()), f"M = {M.tolist()}, T = {T.tolist()}"


def square_of_a_sum(sign: int = 1) -> Triples:
    """<v, Tx>^2 when its sum S takes on one more term u = v_k T_ki x_i: a square still, so x'T'vv'Tx is."""
    S, u = letters("S u")
    return [(sympy.Integer(0), S**2 + 2 * S * u + u**2, (S + sign * u) ** 2)]


CLAIM = Entry(
    label="fact:congruence",
    title="Congruence keeps the order",
    latex=r"M \succeq 0 \implies T^\top M T \succeq 0",
    text="If M is positive semidefinite then so is T'MT for every T; so M <= N implies T'MT <= T'NT.",
    statement=Status.ARGUED,
    proof=Status.ARGUED,
    source="Horn and Johnson, Matrix Analysis, section 4.5",
    checks=(on_instances(keeps_semidefinite),),
    steps=(
        Step(
            latex=r"x^\top (T^\top M T) x = (Tx)^\top M (Tx) \geq 0",
            text="The quadratic form of T'MT at x is that of M at Tx.",
            check=identity(moved_to_the_vector, "term (i, k, l, j), so all dimensions"),
        ),
        Step(
            latex=r"M = \sum_a v_a v_a^\top: \quad (Tx)^\top M (Tx) = \sum_a \langle v_a, Tx\rangle^2",
            text="M is a sum of outer products, and each of them gives a square.",
            check=inequality(square_of_a_sum, "one more term of the sum, so all dimensions"),
        ),
    ),
)
