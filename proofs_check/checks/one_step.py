"""One strongly convex step in fractions: the exact form of E|x_+|^2, and the factor that bounds
it.
"""

from collections.abc import Sequence
from fractions import Fraction

from ..engine.entry import Check, Evidence, Finding, Trial, failed, held
from .exact import Matrix, diag, is_semidefinite, plus, times
from .paths import Pieces, runs
from .quadratics import Comparisons, Quadratic


def share(p: Fraction, s: Fraction, multiplier: Fraction) -> Fraction:
    """s^2 / p + (p - s)(l - 2 e)^2 / (4 (l - e)) with e = 1 - s / p and the multiplier l > e.

    What a block of probability p adds to 1 - 2 s, where s = gamma mu.
    """
    e = 1 - s / p
    return s * s / p + (p - s) * (multiplier - 2 * e) ** 2 / (4 * (multiplier - e))


def best_multiplier(p: Sequence[Fraction], s: Fraction, digits: int = 6) -> Fraction:
    """About the l > max e that makes the largest share least: ternary search on a grid, for a
    convex function.

    Any l gives a valid bound; only its quality depends on the search.
    """
    unit = 10**digits
    low = int((1 - s / max(p)) * unit) + 1
    high = 3 * unit

    def largest(number: int) -> Fraction:
        return max(share(q, s, Fraction(number, unit)) for q in p)

    while high - low > 2:
        a = low + (high - low) // 3
        b = high - (high - low) // 3
        low, high = (low, b) if largest(a) < largest(b) else (a, high)
    return Fraction(min(range(low, high + 1), key=largest), unit)


def factor(p: Sequence[Fraction], s: Fraction) -> Fraction:
    """A rational upper bound of 1 - 2 s + theta, within about 1e-6."""
    best = best_multiplier(p, s)
    return 1 - 2 * s + max(share(q, s, best) for q in p)


def distances(problem: Quadratic | Pieces, scale: Fraction | int = 1) -> Comparisons:
    """E|x_t|^2 against (1 - 2 s + scale theta)^t |x_0|^2 at gamma = 1/L_P, on quadratics at half of
    it too.
    """
    p = [problem.sampling.pair_fraction(k, k) for k in range(problem.blocks.count)]
    for t, gamma, distance in runs(problem, "distance", (Fraction(1), Fraction(1, 2)), range(3)):
        s = gamma * problem.mu
        rate = 1 - 2 * s + scale * (factor(p, s) - 1 + 2 * s) if s else Fraction(1)
        yield distance, rate**t * problem.squared_distance, f"t = {t}, gamma = {gamma}"


def one_step_form(G: Matrix, p: Sequence[Fraction]) -> Matrix:
    """I - 2 G + G P^-1 G: its quadratic form is E|x_+|^2 for f = x'Hx / 2 with G = gamma H."""
    square = times([[v / q for v, q in zip(row, p, strict=True)] for row in G], G)
    return plus(plus(diag([1] * len(p)), G, -2), square)


def on_random_forms(count: int = 60, scale: Fraction | int = 1) -> Check:
    """A check that E|x_+|^2 <= (1 - 2 s + scale theta)|x|^2 on random quadratics, each decided
    exactly.

    G = s I + R E R, with R^2 = P - s I and E = ww' / |w|^2 so that s I <= G <= P; the entries of R
    are whole numbers over a common denominator. Every other w is nearly the worst one.
    """

    def run(trial: Trial) -> Finding:
        for number in range(trial.instances(count)):
            roots = [
                Fraction(int(v), 8) for v in trial.rng.integers(1, 8, int(trial.rng.integers(2, 5)))
            ]
            top = max(r * r for r in roots)
            s = Fraction(int(trial.rng.integers(1, 9)), 8) * (1 - top)
            p = [r * r + s for r in roots]
            w = [
                Fraction(int(v), 10**3)
                for v in (
                    _bad(p, s, roots) if number % 2 else trial.rng.integers(-999, 1000, len(p))
                )
            ]
            if not any(w):
                continue
            v = [r * y for r, y in zip(roots, w, strict=True)]
            norm = sum((y * y for y in w), Fraction(0))
            G = plus(diag([s] * len(p)), [[a * b / norm for b in v] for a in v])
            bound = 1 - 2 * s + scale * (factor(p, s) - 1 + 2 * s)
            if not is_semidefinite(plus(diag([bound] * len(p)), one_step_form(G, p), -1)):
                return failed(
                    f"p = {[str(q) for q in p]}, gamma mu = {s}, gamma H ="
                    f" {[[str(y) for y in r] for r in G]}"
                )
        return held(f"{trial.instances(count)} quadratics, decided exactly")

    return Check(Evidence.EXACT, run)


def _bad(p: Sequence[Fraction], s: Fraction, roots: Sequence[Fraction]) -> list[int]:
    """About 1000 w for the worst w = R^-1 u on the blocks with the least and the largest
    probability.
    """
    best = best_multiplier(p, s)
    ends = (p.index(min(p)), p.index(max(p)))
    slopes = [
        float((p[k] - s) * (best - 2 * (1 - s / p[k])) / (best - 1 + s / p[k]) ** 2) for k in ends
    ]
    w = [0] * len(p)
    for k, other in zip(ends, reversed(slopes), strict=True):
        e = 1 - s / p[k]
        # u = (p - s)(l - 2e) / (2 (l - e)) z, and |z|^2 is proportional to the slope of the other
        # block.
        w[k] = round(1000 * float((best - 2 * e) / (best - e) * roots[k]) * abs(other) ** 0.5)
    return w
