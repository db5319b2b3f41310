"""
A run, by cost
==============

Row 1 of the paper's table of quadratics: three blocks of ten coordinates. A full gradient costs 1.
"""

import matplotlib.pyplot as plt
import numpy as np

from rpttheory import compare, diagonal
from rpttheory.methods import GD, RPT, run
from rpttheory.objectives import Quadratic

L = diagonal(np.concatenate([np.linspace(9 / 11, 1, 10) * top for top in (272.0, 53.3, 11.0)]))
best = compare(L, "3x10").optimal.probabilities
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
for name, method, style in (
    ("gradient descent", GD(), "-"),
    ("RPT, closed form", RPT(), "--"),
    ("RPT, certified optimum", RPT(best), ":"),
):
    done = run(method, Quadratic(L), "3x10", x0=np.ones(30), steps=20_000, tol=1e-10, rng=1)
    axes.semilogy(done.trace.cost, done.trace.gap, style, label=name, linewidth=2)
axes.set(xlabel="cost (full gradients)", ylabel="f(x) - f*")
axes.legend(frameon=False)
plt.show()
