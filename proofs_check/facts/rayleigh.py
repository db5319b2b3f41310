"""The largest eigenvalue bounds the quadratic form."""

from collections.abc import Iterator

import numpy as np

from ..checks.exact import form, rows
from ..checks.quadratics import level_above
from ..checks.randomised import on_instances
from ..checks.symbolic import Triples, inequality, letters
from ..engine.entry import Entry, Status, Step


def term_in_the_eigenbasis(sign: int = 1) -> Triples:
    """lambda_i y_i^2 <= lambda_max y_i^2."""
    top, y, distance = letters("lambda_max y_i, delta_i >= 0")  # lambda_max - lambda_i
    return [((top - distance) * y**2, top * y**2, sign * distance * y**2)]


def bounds_the_form(rng: np.random.Generator, lowered: int = 0) -> Iterator[tuple[bool, str]]:
    """x'Mx <= t |x|^2 near the top eigenvector, with t the least multiple of 1/64 that is not below lambda_max."""
    M = rng.integers(-5, 6, (3, 3))
    M = M + M.T
    x = np.rint(100 * np.linalg.eigh(M)[1][:, -1]).astype(int)
    level = level_above(rows(M.tolist()), [1, 1, 1]) - lowered
    yield form(M.tolist(), x.tolist()) <= level * int(x @ x), f"M = {M.tolist()}, x = {x.tolist()}"


CLAIM = Entry(
    label="fact:rayleigh",
    title="Rayleigh's bound",
    latex=r"x^\top M x \leq \lambda_{\max}(M) \|x\|^2, \quad M \preceq t I \iff \lambda_{\max}(M) \leq t",
    text="x'Mx <= lambda_max(M) |x|^2 for symmetric M, and lambda_max(M) <= t says the same as t I - M >= 0.",
    statement=Status.ARGUED,
    proof=Status.ARGUED,
    source="Horn and Johnson, Matrix Analysis, theorem 4.2.2 (with the spectral theorem)",
    checks=(on_instances(bounds_the_form),),
    steps=(
        Step(
            latex=r"\sum_i \lambda_i y_i^2 \leq \lambda_{\max} \sum_i y_i^2",
            text="In the eigenbasis, where x has coordinates y with the same norm, term by term.",
            check=inequality(term_in_the_eigenbasis, "term i, so all dimensions"),
        ),
    ),
)
