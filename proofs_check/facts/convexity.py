"""Cocoercivity of gradients, and the inequality of Jensen."""

from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Formal, Step

COCOERCIVE = Entry(
    label="fact:cocoercivity",
    title="Cocoercivity in a matrix",
    latex=r"f(y) \geq f(x) + \langle \nabla f(x), y - x\rangle"
    r"+ \tfrac{1}{2} \|\nabla f(x) - \nabla f(y)\|^2_{L^{+}}, \quad "
    r"\langle \nabla f(x) - \nabla f(y), x - y\rangle \geq \|\nabla f(x) - \nabla f(y)\|^2_{L^{+}}",
    text=(
        "For f convex, differentiable and L-smooth (L positive semidefinite, L^+ its"
        " pseudo-inverse), all x and y; the difference w of the gradients lies in the range of L."
        " With y = x* the first reads <grad f(x), x - x*> >= f(x) - f* + |grad f(x)|^2_{L^+} / 2."
    ),
    assumptions=("f is convex and differentiable", "f is L-smooth"),
    bound=Bound.LOWER,
    tight=True,
    tightness="attained by every quadratic x'Lx / 2",
    source=(
        "Nesterov, Introductory Lectures on Convex Optimization, theorem 2.1.5 (there for L a"
        " multiple of I)"
    ),
    steps=(
        Step(
            latex=(
                r"\varphi(z) = f(z) - \langle \nabla f(x), z\rangle \implies \varphi(x) \leq"
                r" \varphi(y - v)"
            ),
            text="By convexity x minimizes f tilted by its slope there.",
            check=formula(
                "f_x - g_x*x <= f_x + g_x*(z - x) + gap - g_x*z, by gap; gap >= 0",
                "coordinate of the inner product, so all dimensions",
                words=(
                    "the gap between f at z = y - v and its supporting plane at x; one coordinate"
                ),
            ),
        ),
        Step(
            latex=r"\varphi(y - v) \leq \varphi(y) + \langle w, v\rangle + \tfrac{1}{2}\|v\|_L^2,"
            r"\quad w = \nabla f(x) - \nabla f(y)",
            text=(
                "Tilting keeps L-smoothness and moves the gradient; `room` is what smoothness"
                " leaves."
            ),
            check=formula(
                "f_y - g_y*v + lambda_i*v^2/2 - room - g_x*(y - v) "
                "= (f_y - g_x*y) + (g_x - g_y)*v + lambda_i*v^2/2 - room; lambda_i >= 0",
                "coordinate i in the eigenbasis of L, so all dimensions",
            ),
        ),
        Step(
            latex=(
                r"v = -a\, w_{\ker L}: \quad \langle w, v\rangle + \tfrac{1}{2}\|v\|_L^2 = -a"
                r" \|w_{\ker L}\|^2"
            ),
            text="It cannot fall without bound, so w has no part in the kernel of L.",
            check=formula(
                "v := -a*w_i; w_i*v + 0*v^2/2 = -a*w_i^2",
                "eigendirection with eigenvalue 0, so all dimensions",
            ),
        ),
        Step(
            latex=r"v = -L^{+} w: \quad "
            r"\langle w, v\rangle + \tfrac{1}{2}\|v\|_L^2 = -\tfrac{1}{2} \|w\|^2_{L^{+}}",
            text="The best shift gives the first inequality.",
            check=formula(
                "v := -w_i/lambda_i; w_i*v + lambda_i*v^2/2 = -w_i^2/(2*lambda_i); lambda_i > 0",
                "eigendirection with eigenvalue > 0, so all dimensions",
            ),
        ),
        Step(
            latex=r"\langle \nabla f(x) - \nabla f(y), x - y\rangle \geq \|w\|^2_{L^{+}}",
            text="The sum of the first inequality for (x, y) and for (y, x).",
            check=formula(
                "f_y - f_x - g_x*(y - x) - n/2 + (f_x - f_y - g_y*(x - y) - n/2) = (g_x - g_y)*(x -"
                " y) - n",
                "coordinate of the inner products, so all dimensions",
                words=(
                    "right minus left of the inequality for (x, y), and of that for (y, x); n ="
                    " |w|^2"
                ),
            ),
        ),
    ),
    formal=Formal(
        "cocoercive cocoercive_pair cocoercive_kernel cocoercive_weighted cocoercive_instance",
        "f(y) >= f(x) + <g(x), y - x> + u'Lu/2 and <g(x) - g(y), x - y> >= u'Lu, where w = "
        "g(y) - g(x) = Lu, so that u'Lu = |w|^2_{L^+}; w is orthogonal to the kernel of L",
        "that w, being orthogonal to the kernel of L, is in the range of L",
        instance="cocoercive_instance",
    ),
)


JENSEN = Entry(
    label="fact:jensen",
    title="Jensen's inequality",
    latex=r"f\left(\sum_t w_t x_t\right) \leq \sum_t w_t f(x_t), \quad w_t \geq 0,\ \sum_t w_t = 1",
    text="A convex function of a mean is at most the mean of the function.",
    bound=Bound.UPPER,
    tight=True,
    tightness="attained by affine f",
    source="Jensen (1906); Rockafellar, Convex Analysis, theorem 4.3",
    steps=(
        Step(
            latex=r"f(x_t) \geq f(m) + \langle g, x_t - m\rangle, \quad m = \sum_t w_t x_t",
            text="A convex f lies above its supporting plane at the mean.",
            check=formula(
                "f_m + g*(x_t - m) <= f_m + g*(x_t - m) + gap_t, by gap_t; gap_t >= 0",
                "coordinate of the inner product, so all dimensions",
            ),
        ),
        Step(
            latex=r"\sum_t w_t \left(f(m) + \langle g, x_t - m\rangle\right) = f(m)",
            text="The mean of the plane's values is its value at the mean.",
            check=formula(
                "m := s + w*x; (1 - w)*f_m + g*(s - (1 - w)*m) + w*(f_m + g*(x - m)) = f_m",
                "all points but one lumped together, so any number of points",
                words="x is the last point, of weight w, and s the weighted sum of those before",
            ),
        ),
    ),
    formal=Formal(
        "jensen_weighted jensen",
        "a convex function of a mean is at most the mean of the function",
        instance="our_convexSharp.convex_instance",
    ),
)

CLAIMS = (COCOERCIVE, JENSEN)
