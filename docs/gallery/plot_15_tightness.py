"""
A matrix that attains the bound
===============================

``prop:reachable_upper_bound``: for given diagonal blocks there are positive definite matrices whose
largest eigenvalue is as close to the sum of the L_k as one likes (``lem:twoBounds``).
"""

import matplotlib.pyplot as plt
import numpy as np

from rpttheory import lmax, tight_matrix

blocks = [np.diag([3.0, 1.0]), np.diag([2.0, 0.5]), np.diag([1.0, 1.0])]
distances = np.geomspace(1e-3, 0.9, 20)
tops = [float(lmax(tight_matrix(blocks, float(eps)))) for eps in distances]
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
axes.semilogx(distances, tops, "o-", color="#0072b2", label="largest eigenvalue")
axes.axhline(6, linestyle="--", color="#d55e00", label="sum of L_k")
axes.axhline(3, linestyle=":", color="0.4", label="largest L_k")
axes.set(xlabel="distance eps kept from each L_k")
axes.legend(frameon=False)
plt.show()
