"""Jensen's inequality for the mean of finitely many points."""

from fractions import Fraction

from ..checks.paths import Pieces, huber, mean, on_paths
from ..checks.quadratics import Comparisons
from ..checks.symbolic import Pairs, Triples, identity, inequality, letters
from ..engine.entry import Bound, Entry, Step


def above_the_plane(sign: int = 1) -> Triples:
    """f(m) + g (x_t - m) <= f(x_t): convexity, one coordinate of the inner product."""
    f_m, g, x, m, gap = letters("f_m g x_t m, gap_t >= 0")
    return [(f_m + g * (x - m), f_m + g * (x - m) + gap, sign * gap)]


def mean_of_the_plane(weight: int = 1) -> Pairs:
    """The weights w_t add up to 1 and m is the weighted sum, so the linear part vanishes.

    With n points before the last, of total weight 1 - w and weighted sum s, and the last point x of weight w.
    """
    f_m, g, s, x, w = letters("f_m g s x w")
    m = s + w * x
    return [((1 - w) * f_m + g * (s - (1 - w) * m) + w * (f_m + g * (weight * x - m)), f_m)]


def on_pieces(f: Pieces, factor: Fraction | int = 1) -> Comparisons:
    """f at the mean of two steps of every path, against the mean of f."""
    for _, path in f.paths(1 / f.smoothness, 2):
        values = sum((f.value(x) for x in path), Fraction(0)) / len(path)
        yield f.value(mean(path)), factor * values, f"the points {path}"


CLAIM = Entry(
    label="fact:jensen",
    title="Jensen's inequality",
    latex=r"f\left(\sum_t w_t x_t\right) \leq \sum_t w_t f(x_t), \quad w_t \geq 0,\ \sum_t w_t = 1",
    text="A convex function of a mean is at most the mean of the function.",
    bound=Bound.UPPER,
    tight=True,
    tightness="attained by affine f",
    source="Jensen (1906); Rockafellar, Convex Analysis, theorem 4.3",
    checks=(on_paths(on_pieces, huber),),
    steps=(
        Step(
            latex=r"f(x_t) \geq f(m) + \langle g, x_t - m\rangle, \quad m = \sum_t w_t x_t",
            text="A convex f lies above its supporting plane at the mean.",
            check=inequality(above_the_plane, "coordinate of the inner product, so all dimensions"),
        ),
        Step(
            latex=r"\sum_t w_t \left(f(m) + \langle g, x_t - m\rangle\right) = f(m)",
            text="The mean of the plane's values is its value at the mean.",
            check=identity(mean_of_the_plane, "all points but one lumped together, so any number of points"),
        ),
    ),
)
