"""PEPit's worst cases beside our rates and the paper's: how much of each theorem is slack."""

from dataclasses import dataclass
from fractions import Fraction

from rpttheory.statements.sharp_factor import theta_bounds

from .worst_case import EXAMPLES, example, uniform_coordinate, worst_average, worst_step


@dataclass(frozen=True)
class Comparison:
    """One setting: what PEPit finds, what we prove or know, and what the paper's theorem says where
    it speaks of it.

    `worst` comes from a numerical solver and is good to about six digits.
    """

    setting: str
    worst: float
    ours: float
    paper: float | None


def comparisons() -> tuple[Comparison, ...]:
    """PEPit's own examples, one strongly convex step, and averages of convex runs; seconds in
    all.
    """
    found = [
        Comparison(
            f"PEPit's example, {d} blocks, mu = 0.1, gamma = 2/(mu + L)",
            example(d),
            float(exact),
            None,
        )
        for d, exact in EXAMPLES.items()
    ]
    mu = Fraction(1, 10)
    found.append(
        # p = 1/2, L = I, gamma = 1/2 = 1/L_P, so s = mu / 2.
        Comparison(
            "one of 2 coordinates, mu = 0.1, gamma = 1/L_P",
            uniform_coordinate(2, float(mu)),
            float(sharp_factor([Fraction(1, 2)] * 2, mu / 2)),
            float(1 - mu / 2),
        )
    )
    for text in ("1 1/4", "1 1/2 1/4", "1/2 1/2"):
        p = [Fraction(part) for part in text.split()]
        s = Fraction(1, 8)
        found.append(
            Comparison(
                f"strongly convex step, p = ({', '.join(text.split())}), s = 1/8",
                worst_step([float(q) for q in p], float(s)),
                float(sharp_factor(p, s)),
                float(1 - s),
            )
        )
    for probabilities, T, gamma in (
        ((1.0,), 0, 1.0),
        ((1.0,), 3, 1.0),
        ((1.0, 0.5), 1, 1.0),
        ((1.0,), 3, 0.5),
    ):
        # The paper's theorem allows gamma up to 1/(2 L_P) alone.
        paper = 1 / (gamma * (T + 1)) if gamma <= 0.5 else None
        setting = f"convex average, p = {probabilities}, T = {T}, gamma = {gamma:g}/L_P"
        worst = worst_average(probabilities, T, gamma)
        found.append(Comparison(setting, worst, 1 / (2 * gamma * (T + 1)), paper))
    return tuple(found)


def sharp_factor(p: list[Fraction], s: Fraction) -> Fraction:
    """1 - 2 s + theta as the library has it: PEPit is asked whether it is the worst case."""
    return 1 - 2 * s + theta_bounds(s, min(p), max(p))[1]
