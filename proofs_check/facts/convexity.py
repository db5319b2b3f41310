"""Cocoercivity of gradients, and the inequality of Jensen."""

from fractions import Fraction

from ..checks.exact import dot
from ..checks.paths import Pieces, huber, mean, on_paths
from ..checks.quadratics import Comparisons
from ..checks.symbolic import Pairs, Triples, identity, inequality, letters
from ..engine.entry import Bound, Entry, Step


def tilted_gap(sign: int = 1) -> Triples:
    """phi(x) <= phi(y - v) for phi = f - <g_x, .>, from the supporting plane of f at x.

    The gap is that between f at y - v and the plane, which convexity makes non-negative; one coordinate of the inner
    product.
    """
    f_x, g, x, z, gap = letters("f_x g_x x z, gap >= 0")
    f_z = f_x + g * (z - x) + gap
    return [(f_x - g * x, f_z - g * z, sign * gap)]


def smoothness_of_the_tilted(sign: int = 1) -> Pairs:
    """phi(y - v) against phi(y) + <g_x - g_y, v> + |v|^2_L / 2 - room, in coordinate i of the eigenbasis of L."""
    f_y, g_x, g_y, y, v, room, lam = letters("f_y g_x g_y y v room, lambda_i >= 0")
    f_below = f_y - g_y * v + lam * v**2 / 2 - room
    return [(f_below - g_x * (y - v), (f_y - g_x * y) + sign * (g_x - g_y) * v + lam * v**2 / 2 - room)]


def best_shift(factor: int = 1) -> Pairs:
    """<w, v> + |v|^2_L / 2 = -|w|^2_{L^+} / 2 at v = -L^+ w, in an eigendirection with lambda > 0."""
    w, lam = letters("w_i, lambda_i > 0")
    v = -factor * w / lam
    return [(w * v + lam * v**2 / 2, -(w**2) / (2 * lam))]


def no_part_in_the_kernel(curvature: int = 0) -> Pairs:
    """Where lambda = 0, v = -a w gives -a w^2, below every bound as a grows, unless w = 0."""
    w, a = letters("w_i a")
    v = -a * w
    return [(w * v + curvature * v**2 / 2, -a * w**2)]


def both_ways(sign: int = 1) -> Pairs:
    """The inequality for (x, y) and that for (y, x) add up; slack is right minus left."""
    f_x, f_y, g_x, g_y, x, y, norm = letters("f_x f_y g_x g_y x y n")
    first = f_y - f_x - g_x * (y - x) - norm / 2
    second = f_x - f_y - g_y * (x - y) - norm / 2
    return [(first + second, (g_x - g_y) * (x - y) - sign * norm)]


def on_pieces(f: Pieces, factor: int = 1) -> Comparisons:
    """Both inequalities between x0 and other points, with f smooth in smoothness P."""
    weights = [f.smoothness * f.sampling.pair_fraction(k, k) for k in f.blocks.labels.tolist()]
    x, slope = f.x0, f.gradient(f.x0)
    for y in (tuple(v / 3 for v in x), tuple(-v for v in x), tuple(Fraction(0) for _ in x)):
        w = [a - b for a, b in zip(slope, f.gradient(y), strict=True)]
        norm = factor * sum((v * v / weight for v, weight in zip(w, weights, strict=True)), Fraction(0))
        back = [b - a for a, b in zip(x, y, strict=True)]
        yield f.value(x) + dot(slope, back) + norm / 2, f.value(y), f"y = {y}"
        yield norm, -dot(w, back), f"y = {y}, the second"


COCOERCIVE = Entry(
    label="fact:cocoercivity",
    title="Cocoercivity in a matrix",
    latex=r"f(y) \geq f(x) + \langle \nabla f(x), y - x\rangle"
    r"+ \tfrac{1}{2} \|\nabla f(x) - \nabla f(y)\|^2_{L^{+}}, \quad "
    r"\langle \nabla f(x) - \nabla f(y), x - y\rangle \geq \|\nabla f(x) - \nabla f(y)\|^2_{L^{+}}",
    text="For f convex, differentiable and L-smooth (L positive semidefinite, L^+ its pseudo-inverse), all x and y; "
    "the difference w of the gradients lies in the range of L. With y = x* the first reads "
    "<grad f(x), x - x*> >= f(x) - f* + |grad f(x)|^2_{L^+} / 2.",
    assumptions=("f is convex and differentiable", "f is L-smooth"),
    bound=Bound.LOWER,
    tight=True,
    tightness="attained by every quadratic x'Lx / 2",
    source="Nesterov, Introductory Lectures on Convex Optimization, theorem 2.1.5 (there for L a multiple of I)",
    checks=(on_paths(on_pieces, huber),),
    steps=(
        Step(
            latex=r"\varphi(z) = f(z) - \langle \nabla f(x), z\rangle \implies \varphi(x) \leq \varphi(y - v)",
            text="By convexity x minimises f tilted by its slope there.",
            check=inequality(tilted_gap, "coordinate of the inner product, so all dimensions"),
        ),
        Step(
            latex=r"\varphi(y - v) \leq \varphi(y) + \langle w, v\rangle + \tfrac{1}{2}\|v\|_L^2,"
            r"\quad w = \nabla f(x) - \nabla f(y)",
            text="Tilting keeps L-smoothness and moves the gradient; `room` is what smoothness leaves.",
            check=identity(smoothness_of_the_tilted, "coordinate i in the eigenbasis of L, so all dimensions"),
        ),
        Step(
            latex=r"v = -a\, w_{\ker L}: \quad \langle w, v\rangle + \tfrac{1}{2}\|v\|_L^2 = -a \|w_{\ker L}\|^2",
            text="It cannot fall without bound, so w has no part in the kernel of L.",
            check=identity(no_part_in_the_kernel, "eigendirection with eigenvalue 0, so all dimensions"),
        ),
        Step(
            latex=r"v = -L^{+} w: \quad "
            r"\langle w, v\rangle + \tfrac{1}{2}\|v\|_L^2 = -\tfrac{1}{2} \|w\|^2_{L^{+}}",
            text="The best shift gives the first inequality.",
            check=identity(best_shift, "eigendirection with eigenvalue > 0, so all dimensions"),
        ),
        Step(
            latex=r"\langle \nabla f(x) - \nabla f(y), x - y\rangle \geq \|w\|^2_{L^{+}}",
            text="The sum of the first inequality for (x, y) and for (y, x).",
            check=identity(both_ways, "coordinate of the inner products, so all dimensions"),
        ),
    ),
)


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


def mean_on_pieces(f: Pieces, factor: Fraction | int = 1) -> Comparisons:
    """f at the mean of two steps of every path, against the mean of f."""
    for _, path in f.paths(1 / f.smoothness, 2):
        values = sum((f.value(x) for x in path), Fraction(0)) / len(path)
        yield f.value(mean(path)), factor * values, f"the points {path}"


JENSEN = Entry(
    label="fact:jensen",
    title="Jensen's inequality",
    latex=r"f\left(\sum_t w_t x_t\right) \leq \sum_t w_t f(x_t), \quad w_t \geq 0,\ \sum_t w_t = 1",
    text="A convex function of a mean is at most the mean of the function.",
    bound=Bound.UPPER,
    tight=True,
    tightness="attained by affine f",
    source="Jensen (1906); Rockafellar, Convex Analysis, theorem 4.3",
    checks=(on_paths(mean_on_pieces, huber),),
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

CLAIMS = (COCOERCIVE, JENSEN)
