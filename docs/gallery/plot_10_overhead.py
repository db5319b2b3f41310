"""
What an overhead leaves of the saving
=====================================

The overhead is a fixed cost of every step, in units of a full update. In a network it is the
forward pass.
"""

import matplotlib.pyplot as plt
import numpy as np

from rpttheory import compare, datasets

overheads = np.array([0, 0.2, 0.5, 1, 2, 4])
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
for name, blocks, style in (("LFAT5", "7x2", "o-"), ("bcsstk01", "6x8", "s--")):
    L = datasets.load(name).values
    best = [float(compare(L, blocks, overhead=float(c)).speedup) for c in overheads]
    axes.plot(overheads, best, style, label=f"{name}, {blocks}")
axes.axhline(1, linestyle=":", color="0.4")
axes.set(xlabel="overhead", ylabel="best possible speed-up", xscale="symlog")
axes.set_xticks([0, 1, 2, 4], ["0", "1", "2", "4"])
axes.legend(frameon=False)
plt.show()
