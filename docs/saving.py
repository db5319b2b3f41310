"""README's picture: the closed form's probabilities against the certified best ones, and what
either saves.

`.venv/bin/python docs/saving.py` writes docs/saving.svg.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

from rpttheory import compare, datasets
from rpttheory.numbers.decimals import decimal_floor

matplotlib.use("agg")
matplotlib.rcParams["svg.hashsalt"] = "rpttheory"  # the same bytes each time

import matplotlib.pyplot as plt  # noqa: E402

result = compare(datasets.load("494_bus").values, "26x19", objective="c_P")
descent = result.problem.gradient_descent
# Colors that the color-blind tell apart, and a second cue: the paper's choice is hatched.
bars = (
    ("gradient descent", 1.0, "#bbbbbb", ""),
    ("closed form of the paper", float(result.problem.c_rounded / descent), "#e69f00", "///"),
    ("certified optimum", float(result.optimal.bracket / descent), "#0072b2", ""),
)
figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 3.4), width_ratios=(2, 1), layout="constrained"
)
for shift, p, (name, _, color, hatch) in zip(
    (-0.2, 0.2),
    (result.problem.closed_form.probabilities, result.optimal.probabilities),
    bars[1:],
    strict=True,
):
    left.bar(
        [k + shift for k in range(len(p))],
        p,
        0.4,
        label=name,
        color=color,
        hatch=hatch,
        edgecolor="white",
    )
left.set(xlabel="block", ylabel="probability of an update", title="How often to update which block")
left.legend(frameon=False)
for height, (_, cost, color, hatch) in enumerate(bars):
    right.barh(-height, cost, color=color, hatch=hatch, edgecolor="white")
    right.text(cost + 0.02, -height, f"{cost:.3f}", va="center")
right.set_yticks(
    [-height for height in range(3)], [name.replace(" of ", "\nof ") for name, *_ in bars]
)
right.set(
    xlim=(0, 1.2),
    xlabel="cost c(P), gradient descent = 1",
    title=f"{decimal_floor(result.speedup.exact_lower, 3)} times cheaper, proved",
)
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
figure.savefig(Path(__file__).with_name("saving.svg"), metadata={"Date": None})
