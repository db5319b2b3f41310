"""
What every theorem promises
===========================

The cost until the right-hand side of each theorem is eps, for gradient descent, the closed form and
the optimum.
"""

import matplotlib.pyplot as plt

from rpttheory import datasets, rates

found = rates(datasets.load("LFAT5").values, "7x2", eps=1)
found.plot(plt.subplots(figsize=(9, 4.5), layout="constrained")[1])
plt.show()
