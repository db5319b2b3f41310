"""
How wide certified brackets are
===============================

The relative width of lambda_max, by effort: one Cholesky factorization (fast), an exactly computed
residual (sharp), and, up to d = 60, rational arithmetic (exact), whose brackets are narrower than a
double can show.
"""

import matplotlib.pyplot as plt
import numpy as np

from rpttheory import lmax

rng = np.random.default_rng(2)
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
for effort, sizes, style in (
    ("fast", (10, 20, 40, 80, 160, 320), "o-"),
    ("sharp", (10, 20, 40, 80, 160, 320), "s--"),
    ("exact", (10, 20, 40), "^:"),
):
    widths = []
    for d in sizes:
        G = rng.normal(size=(d, d))
        found = lmax(G @ G.T, effort=effort)
        widths.append(float(found.exact_upper - found.exact_lower) / float(found.exact_upper))
    axes.loglog(sizes, np.maximum(widths, 1e-45), style, label=effort)
axes.axhline(2.0**-53, linestyle=":", color="0.5")
axes.annotate("2^-53", (200, 2.0**-54), va="top")
axes.set(xlabel="d", ylabel="relative width")
axes.legend(frameon=False)
plt.show()
