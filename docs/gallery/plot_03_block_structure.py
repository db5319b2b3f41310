"""
The block structure of a matrix
===============================

The size of the entries of a power network's matrix, on a logarithmic scale, with the borders of 26
blocks. What is off the diagonal blocks is what couples the updates.
"""

import matplotlib.pyplot as plt
import numpy as np

from rpttheory import datasets

L = datasets.load("494_bus").doubles.toarray()
size = np.where(L != 0, np.log10(np.abs(L), where=L != 0, out=np.full(L.shape, np.nan)), np.nan)
figure, axes = plt.subplots(figsize=(6.5, 5.5), layout="constrained")
image = axes.imshow(size, cmap="viridis", interpolation="none")
for border in range(19, 494, 19):
    axes.axhline(border - 0.5, color="0.85", linewidth=0.5, zorder=0)
    axes.axvline(border - 0.5, color="0.85", linewidth=0.5, zorder=0)
figure.colorbar(image, label="log10 |L|")
plt.show()
