"""
How far the closed form can be from the optimum
===============================================

At most (1 + sqrt(B)) / 2, and that is attained (``our:closedFormFactor`` in the ledger). Dots are
random block-diagonal matrices, squares the worst one.
"""

import matplotlib.pyplot as plt
import numpy as np

from rpttheory import compare, diagonal

rng = np.random.default_rng(5)


def ratio(s):
    """c(closed form) / c* of the diagonal matrix with equal costs and sqrt(c_k L_k) proportional to
    s.
    """
    found = compare(diagonal(np.asarray(s) ** 2), "each")
    return float(found.problem.c_rounded / found.optimal.bracket)


counts = np.arange(2, 31, 2)
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
for B in counts:
    axes.plot(
        [B] * 12, [ratio(rng.lognormal(sigma=1.5, size=B)) for _ in range(12)], ".", color="0.6"
    )
worst = [ratio([1 + B**0.5] + [1.0] * (B - 1)) for B in counts]
axes.plot(counts, worst, "s", color="#d55e00", label="s = (1 + sqrt(B), 1, ..., 1)")
axes.plot(counts, (1 + counts**0.5) / 2, color="#0072b2", label="(1 + sqrt(B)) / 2")
axes.set(xlabel="number of blocks B", ylabel="closed form / optimum")
axes.legend(frameon=False)
plt.show()
