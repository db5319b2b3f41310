"""
Optimal against closed-form probabilities
=========================================

A stiffness matrix of 48 coordinates in six blocks: the paper's closed form, the certified optimum,
the optimum of c_M over nested samplings (its order of blocks is proved best), and the cheapest
sampling by c_M, one block at a time.
"""

import matplotlib.pyplot as plt

from rpttheory import compare, datasets

found = compare(datasets.load("bcsstk01").values, "6x8", orders=True)
found.plot(plt.subplots(figsize=(8, 4), layout="constrained")[1])
plt.show()
