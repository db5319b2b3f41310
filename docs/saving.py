"""README's picture: which sampling is cheapest, by c_M, for every overhead of a step.

`.venv/bin/python docs/saving.py` writes docs/saving.svg.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

from rpttheory import compare, datasets
from rpttheory.numbers.decimals import decimal_floor

matplotlib.use("agg")
matplotlib.rcParams["svg.hashsalt"] = "rpttheory"  # the same bytes each time

import matplotlib.pyplot as plt  # noqa: E402

L = datasets.load("494_bus").values
# Colors that the color-blind tell apart, and a second cue: a hatch, and a style of line.
STYLES = {
    "gradient descent": ("#999999", "", ":"),
    "nested": ("#e69f00", "///", "--"),
    "independent": ("#0072b2", "", "-"),
    "single": ("#009e73", "xx", "-."),
}
NAMES = {
    "gradient descent": "gradient descent",
    "nested": "nested (RPT)",
    "independent": "independent blocks",
    "single": "one block at a time",
}

free = compare(L, "26x19")
descent = free.problem.gradient_descent
figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 3.4), width_ratios=(1, 1.2), layout="constrained"
)
for height, (key, (color, hatch, _)) in enumerate(STYLES.items()):
    cost = 1.0
    if key != "gradient descent":
        cost = float(free.samplings[key].cost / descent)
    left.barh(-height, cost, color=color, hatch=hatch, edgecolor="white")
    left.text(cost + 0.02, -height, f"{cost:.3f}", va="center")
left.axvline(float(free.samplings["any"].cost / descent), color="black", linewidth=1)
left.set_yticks([-height for height in range(len(NAMES))], list(NAMES.values()))
speedup = decimal_floor((descent / free.samplings["single"].cost).exact_lower, 3)
left.set(
    xlim=(0, 1.2),
    xlabel="cost, gradient descent = 1; no sampling is left of the line",
    title=f"no overhead: {speedup} times cheaper, proved",
)

overheads = np.logspace(-3, 2, 11)
ratios: dict[str, list[float]] = {key: [] for key in STYLES}
for overhead in overheads:
    result = compare(L, "26x19", overhead=float(overhead), tol=1e-3)
    bound = result.samplings["any"].cost
    for key, values in ratios.items():
        is_descent = key == "gradient descent"
        cost = result.problem.gradient_descent if is_descent else result.samplings[key].cost
        values.append(float(cost / bound))
for key, (color, _, dashes) in STYLES.items():
    right.loglog(overheads, ratios[key], dashes, color=color, label=NAMES[key], linewidth=2)
right.axhline(2, color="0.8", linewidth=1)
right.set_yticks([1, 2, 5], ["1", "2", "5"])
right.minorticks_off()
right.set(
    xlabel="overhead of a step, all blocks = 1",
    ylabel="cost / bound below all",
    title="independent blocks: at most twice the best",
)
right.legend(frameon=False, fontsize=8)
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
figure.savefig(Path(__file__).with_name("saving.svg"), metadata={"Date": None})
