"""The definition of L-smoothness (no label)."""

from fractions import Fraction

import numpy as np

from ..checks.instances import Tries, on_instances
from ..checks.symbolic import formula
from ..engine.entry import Entry, Erratum, Formal, Kind, Severity, Status


def at_points(rng: np.random.Generator, halves: int = 1) -> Tries:
    """The gap of a quadratic, with a slope, against the form of its Hessian, and that of -x^4
    against 0.
    """
    H = rng.integers(-4, 5, (3, 3))
    (x, y, b) = rng.integers(-9, 10, (3, 3))
    H = H + H.T
    v = x - y
    values = [Fraction(int(z @ H @ z), 2) + int(b @ z) for z in (x, y)]
    gap = values[0] - values[1] - int((H @ y + b) @ v)
    u = int(x[0])
    w = int(y[0])
    holds = gap == halves * Fraction(int(v @ H @ v), 2) and -(u**4) + w**4 + 4 * w**3 * (u - w) <= 0
    yield holds, f"H = {H.tolist()}, x = {x.tolist()}, y = {y.tolist()}"


CLAIM = Entry(
    label="text:matrixSmooth",
    sort=Kind.DEFINITION,
    title="L-smoothness",
    latex=r"f(x) - f(y) - \langle \nabla f(y), x - y \rangle \leq \frac{\|x - y\|_L^2}{2}",
    text=(
        "For a differentiable f and a positive semidefinite L. A quadratic with Hessian H is"
        " L-smooth exactly when H <= L. The inequality is one-sided: a concave f is 0-smooth,"
        " however curved."
    ),
    proof=Status.NONE,
    checks=(
        formula(
            "H_ij*(x_i*x_j - y_i*y_j) - (H_ij*y_j*(x_i - y_i) + H_ij*y_i*(x_j - y_j)) = H_ij*(x_i -"
            " y_i)*(x_j - y_j); b_i*x_i - b_i*y_i - b_i*(x_i - y_i) = 0",
            "terms (i, j) and i, so quadratics of all dimensions",
            words="f = x'Hx / 2 + b'x: the terms (i, j) and (j, i) together, and that of b_i",
        ),
        formula(
            "-x^4 + y^4 + 4*y^3*(x - y) <= 0, by (x - y)^2*((x + y)^2 + 2*y^2)",
            "all x and y",
            words="f(x) = -x^4 lies below its tangents, so it is 0-smooth",
        ),
        on_instances(at_points),
    ),
    errata=(
        Erratum(
            r"\text{generalizes the standard } L\text{-smoothness}",
            "it does, and more than by the matrix: even with L a multiple of I it is weaker than a"
            " Lipschitz gradient, unless f is convex. -x^4 is 0-smooth and its gradient is not"
            " Lipschitz; no proof of the paper needs the other side",
            Severity.REMARK,
        ),
    ),
    formal=Formal(
        "quadratic_smooth concave_is_zero_smooth concave_smooth matrix_smooth_instance",
        "a quadratic with Hessian H is L-smooth exactly when H <= L; every concave f is 0-smooth",
        instance="matrix_smooth_instance",
    ),
)
