"""
What probabilities do to the spectrum
=====================================

The eigenvalues of P^-1/2 L P^-1/2, each times the cost of a step, so that the largest is c(P). The
optimum pushes many eigenvalues up to one ceiling.
"""

import matplotlib.pyplot as plt
import numpy as np

from rpttheory import compare, datasets

L = np.asarray(datasets.load("bcsstk01").doubles)
found = compare(L, "6x8", nonconvex=False)
choices = {
    "gradient descent": (np.ones(6), "-"),
    "closed form": (found.problem.closed_form.probabilities, "--"),
    "optimum": (found.optimal.probabilities, ":"),
}
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
for name, (p, style) in choices.items():
    root = np.repeat(p, 8) ** -0.5
    values = np.linalg.eigvalsh(root[:, None] * L * root)[::-1] * p.mean()
    axes.semilogy(np.arange(1, 49), values, style, label=name, linewidth=2)
axes.set(xlabel="eigenvalue, largest first", ylabel="eigenvalue times cost of a step", ylim=(1e6, 5e9))
axes.legend(frameon=False)
plt.show()
