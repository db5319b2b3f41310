"""
What probabilities do to the spectrum
=====================================

The largest eigenvalues of P^-1/2 L P^-1/2 for a power network, each times the cost of a step, so
that the first is c(P). At the optimum many of the largest eigenvalues nearly coincide.
"""

import matplotlib.pyplot as plt
import numpy as np

from rpttheory import compare, datasets

L = datasets.load("494_bus").doubles.toarray()
found = compare(L, "26x19")
choices = {
    "gradient descent": (np.ones(26), "-"),
    "closed form": (found.problem.closed_form.probabilities, "--"),
    "optimum": (found.optimal.probabilities, ":"),
}
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
for name, (p, style) in choices.items():
    root = np.repeat(p, 19) ** -0.5
    values = np.linalg.eigvalsh(root[:, None] * L * root)[::-1] * p.mean()
    axes.plot(np.arange(1, 51), values[:50], style, label=name, linewidth=2)
axes.set(
    xlabel="eigenvalue, largest first", ylabel="eigenvalue times cost of a step", ylim=(0, None)
)
axes.legend(frameon=False)
plt.show()
