"""Positive definiteness by the Schur complement."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from rpttheory.certify.exact import definiteness

from ..checks.exact import rows
from ..checks.randomised import on_instances
from ..checks.symbolic import Pairs, identity, letters
from ..engine.entry import Entry, Status, Step


def completed_square(power: int = 1) -> Pairs:
    """Term i, in the eigenbasis of M_1, of x'M_1 x + 2 x'g = |x + M_1^-1 g|^2_{M_1} - g'M_1^-1 g with g = C'y."""
    x, g, value = letters("x_i g_i, lambda_i > 0")
    return [(value * x**2 + 2 * x * g, value * (x + g / value) ** 2 - g**2 / value**power)]


def both_definite(rng: np.random.Generator, sign: int = -1) -> Iterator[tuple[bool, str]]:
    """Whether the whole matrix and the complement are definite together, for M_1 of size 2 and M_2 of size 1."""
    R, M_2 = rng.integers(-3, 4, (2, 2)), int(rng.integers(0, 40))
    M_1, c = R.T @ R + np.eye(2, dtype=int), rng.integers(-4, 5, 2)
    determinant = int(M_1[0, 0] * M_1[1, 1] - M_1[0, 1] ** 2)
    adjugate = np.array([[M_1[1, 1], -M_1[0, 1]], [-M_1[0, 1], M_1[0, 0]]])
    complement = M_2 + sign * Fraction(int(c @ adjugate @ c), determinant)
    whole = np.block([[M_1, c[:, None]], [c[None, :], np.full((1, 1), M_2)]]).tolist()
    yield (definiteness(rows(whole)) == 1) == (complement > 0), f"M = {whole}"


CLAIM = Entry(
    label="fact:schurComplement",
    title="Definiteness by the Schur complement",
    latex=r"M_2 - C M_1^{-1} C^\top \succ 0 \iff \begin{bmatrix} M_1 & C^\top \\ C & M_2 \end{bmatrix} \succ 0"
    r" \quad (M_1 \succ 0)",
    text="With M_1 positive definite, the block matrix is positive definite exactly when its Schur complement is.",
    statement=Status.ARGUED,
    proof=Status.ARGUED,
    source="Horn and Johnson, Matrix Analysis, theorem 7.7.7",
    checks=(on_instances(both_definite),),
    steps=(
        Step(
            latex=r"x^\top M_1 x + 2 y^\top C x + y^\top M_2 y = \|x + M_1^{-1} C^\top y\|^2_{M_1}"
            r" + y^\top (M_2 - C M_1^{-1} C^\top) y",
            text="Completing the square: two forms, of which the first can be made 0 for any y by the choice of x.",
            check=identity(completed_square, "term i in the eigenbasis of M_1, so all dimensions"),
        ),
    ),
)
