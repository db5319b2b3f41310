"""
Optimal against closed-form probabilities
=========================================

A stiffness matrix of 48 coordinates in six blocks: the paper's closed form, the certified optimum,
and the optimum of the nonconvex regime, whose order of blocks is proved best.
"""

import matplotlib.pyplot as plt

from rpttheory import compare, datasets

found = compare(datasets.load("bcsstk01").values, "6x8")
found.plot(plt.subplots(figsize=(8, 4), layout="constrained")[1])
plt.show()
