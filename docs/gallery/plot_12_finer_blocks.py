"""
Finer blocks are never worse
============================

The best possible speed-up of RPT on a stiffness matrix of 48 coordinates against the number of
equal blocks.
"""

import matplotlib.pyplot as plt

from rpttheory import compare, datasets

L = datasets.load("bcsstk01").values
counts = [1, 2, 4, 8, 16, 48]
found = [compare(L, f"{B}x{48 // B}") for B in counts]
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
axes.plot(
    counts, [float(one.speedup) for one in found], "s-", color="#0072b2", label="certified optimum"
)
closed = [float(one.problem.gradient_descent / one.problem.c_rounded) for one in found]
axes.plot(counts, closed, "^--", color="#e69f00", label="closed form")
axes.set_xscale("log", base=2)
axes.set_xticks(counts, map(str, counts))
axes.set(xlabel="number of blocks", ylabel="speed-up over gradient descent")
axes.legend(frameon=False)
plt.show()
