"""
Only L_M depends on the joint distribution
==========================================

Two samplings with the same probabilities have the same L_P and the same expected cost. L_M differs.
"""

import matplotlib.pyplot as plt
import numpy as np

from rpttheory import (
    L_M,
    L_P,
    IndependentSampling,
    NestedSampling,
)

L = np.array([[3.0, 1.5, 1.0], [1.5, 2.0, 0.8], [1.0, 0.8, 1.5]])
least = np.linspace(0.1, 1, 40)
curves = {"nested: L_M": [], "independent: L_M": [], "both: L_P": []}
for s in least:
    p = [1.0, (1 + s) / 2, s]
    curves["nested: L_M"].append(float(L_M(L, [1, 1, 1], sampling=NestedSampling(p))))
    curves["independent: L_M"].append(float(L_M(L, [1, 1, 1], sampling=IndependentSampling(p))))
    curves["both: L_P"].append(float(L_P(L, [1, 1, 1], p)))
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
for (name, values), style in zip(curves.items(), ("-", "--", ":"), strict=True):
    axes.plot(least, values, style, label=name, linewidth=2)
axes.set(xlabel="least probability s, p = (1, (1 + s) / 2, s)")
axes.legend(frameon=False)
plt.show()
