"""
Expectations without sampling
=============================

On a quadratic the second moments obey an exact recursion. Thin lines are runs, the thick one is
their exact mean.
"""

import matplotlib.pyplot as plt
import numpy as np

from rpttheory import L_P, Blocks, NestedSampling
from rpttheory.methods import exact_moments

H, p, steps = np.array([[5.0, 2.0], [2.0, 2.0]]), np.array([1.0, 1 / 3]), 40
gamma = 1 / L_P(H, [1, 1], p).upper
exact = exact_moments(H, NestedSampling(p), Blocks((1, 1)), gamma, [1.0, -2.0], steps)
rng = np.random.default_rng(4)
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
for _ in range(30):
    x, values = np.array([1.0, -2.0]), []
    for _ in range(steps + 1):
        values.append(x @ H @ x / 2)
        x = x - gamma * (p > rng.random()) / p * (H @ x)
    (run,) = axes.semilogy(values, color="0.75", linewidth=0.8)
run.set_label("single runs")
axes.semilogy(
    [np.sum(H * moments.iterate) / 2 for moments in exact],
    color="#0072b2",
    linewidth=2.5,
    label="E f(x_t), exactly",
)
axes.set(xlabel="t", ylabel="f(x_t)", ylim=(1e-6, 20))
axes.legend(frameon=False)
plt.show()
