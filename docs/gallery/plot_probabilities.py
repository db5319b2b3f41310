"""
Optimal against closed-form probabilities
=========================================

A stiffness matrix of 48 coordinates in six blocks: the paper's closed form, and the certified optimum.
"""

import matplotlib.pyplot as plt

from rpttheory import compare, datasets

found = compare(datasets.load("bcsstk01").values, "6x8", nonconvex=False)
found.plot(plt.subplots(figsize=(7, 4), layout="constrained")[1])
