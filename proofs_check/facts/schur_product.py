"""Schur's product theorem."""

from collections.abc import Iterator

import numpy as np

from ..checks.exact import is_semidefinite
from ..checks.randomised import on_instances
from ..checks.symbolic import Pairs, identity, inequality, letters
from ..engine.entry import Entry, Status, Step
from .congruence import square_of_a_sum


def entries_of_outer_products(power: int = 1) -> Pairs:
    """Entry (i, j) of (aa') o (bb') against that of (a o b)(a o b)'."""
    a_i, a_j, b_i, b_j = letters("a_i a_j b_i b_j")
    return [((a_i * a_j) * (b_i * b_j), (a_i * b_i) * (a_j * b_j**power))]


def products_are_semidefinite(rng: np.random.Generator, shift: int = 0) -> Iterator[tuple[bool, str]]:
    """A o B for Gram matrices, the second lowered by `shift` on the diagonal."""
    R, S = rng.integers(-3, 4, (2, 2, 3))
    A, B = R.T @ R, S.T @ S - shift * np.eye(3, dtype=int)
    yield is_semidefinite((A * B).tolist()), f"A = {A.tolist()}, B = {B.tolist()}"


CLAIM = Entry(
    label="fact:schurProduct",
    title="Schur's product theorem",
    latex=r"A \succeq 0,\ B \succeq 0 \implies A \circ B \succeq 0",
    text="The entrywise product of positive semidefinite matrices is positive semidefinite.",
    statement=Status.ARGUED,
    proof=Status.ARGUED,
    source="Schur (1911); Horn and Johnson, Matrix Analysis, theorem 7.5.3",
    checks=(on_instances(products_are_semidefinite),),
    steps=(
        Step(
            latex=r"A = \sum_r a_r a_r^\top,\ B = \sum_s b_s b_s^\top, \quad"
            r"(a a^\top) \circ (b b^\top) = (a \circ b)(a \circ b)^\top",
            text="Both are sums of outer products, and the entrywise product of two of these is one again.",
            check=identity(entries_of_outer_products, "entry (i, j), so all dimensions"),
        ),
        Step(
            latex=r"x^\top (a \circ b)(a \circ b)^\top x = \Big(\sum_i a_i b_i x_i\Big)^2 \geq 0",
            text="Each of them gives a square.",
            check=inequality(square_of_a_sum, "one more term of the sum, so all dimensions"),
        ),
    ),
)
