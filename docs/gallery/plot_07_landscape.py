"""
The landscape of c(P)
=====================

Three blocks, the first always updated: c(P) over the logarithms of the other two probabilities is
convex (``our:logConvex``), so there is one valley, and its bottom is certified.
"""

import matplotlib.pyplot as plt
import numpy as np

from rpttheory import compare

L = np.array([[9.0, 2.0, 0.5], [2.0, 4.0, 0.5], [0.5, 0.5, 1.0]])
found = compare(L, [1, 1, 1])
p = np.geomspace(0.03, 1, 120)
second, third = np.meshgrid(p, p)
root = np.stack([np.ones_like(second), second, third], axis=-1) ** -0.5
top = np.linalg.eigvalsh(root[..., :, None] * L * root[..., None, :])[..., -1]
figure, axes = plt.subplots(figsize=(6.5, 5), layout="constrained")
levels = float(found.optimal.bracket) * np.array([1.01, 1.05, 1.1, 1.2, 1.4, 1.7, 2.2, 3])
lines = axes.contour(
    second, third, top * (1 + second + third) / 3, levels=levels, colors="0.45", linewidths=1
)
axes.clabel(lines, fontsize=8, fmt="%.3g")
for name, q, mark, color in (
    ("closed form", found.problem.closed_form.probabilities, "^", "#e69f00"),
    ("optimum", found.optimal.probabilities, "s", "#0072b2"),
):
    axes.plot(
        q[1] / q[0], q[2] / q[0], mark, color=color, markersize=9, label=name, linestyle="none"
    )
axes.set(xscale="log", yscale="log", xlabel="p of the second block", ylabel="p of the third block")
axes.legend(frameon=False)
plt.show()
