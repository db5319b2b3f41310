"""
Coupling reduces the gain
=========================

Two blocks of one coordinate, L = [[9, r], [r, 1]]: c(P) against the probability of the second
block. The stronger the coupling, the smaller the gain.
"""

import matplotlib.pyplot as plt
import numpy as np

from rpttheory import Problem

share = np.geomspace(0.03, 1, 60)
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
for r, style in ((0, "-"), (1, "--"), (2, "-."), (3, ":")):
    costs = [float(Problem([[9, r], [r, 1]], [1, 1], probabilities=[1, s]).c_P) for s in share]
    (line,) = axes.semilogx(share, costs, style, label=f"r = {r}", linewidth=2)
    axes.plot(share[np.argmin(costs)], min(costs), "o", color=line.get_color())
axes.set(xlabel="probability of the second block, the first being 1", ylabel="c(P)", ylim=(4, 14))
axes.legend(frameon=False)
plt.show()
