"""
What is possible, on five real matrices
=======================================

Cost relative to gradient descent. The optimum lies between the lower bound
sum c_k L_k and the cost of the closed form, as proved in ``our:sandwich``.
"""

import matplotlib.pyplot as plt

from rpttheory import compare, datasets

cases = {
    "LFAT5": "7x2",
    "bcsstk01": "6x8",
    "mcp100": "10x10",
    "mcp124-1": "31x4",
    "494_bus": "26x19",
}
figure, axes = plt.subplots(figsize=(8, 3.8), layout="constrained")
for row, (name, blocks) in enumerate(cases.items()):
    found = compare(datasets.load(name).values, blocks)
    one = found.problem.gradient_descent
    low, best = float(found.problem.one_block_cost / one), float(found.optimal.bracket / one)
    closed, bound = (
        float(found.problem.c_rounded / one),
        float(found.problem.closed_form.bound / one),
    )
    axes.plot([low, bound], [row, row], color="0.85", zorder=0)
    marks = [
        axes.plot(low, row, "|", color="0.3", markersize=14, label="sum c_k L_k")[0],
        axes.plot(best, row, "s", color="#0072b2", markersize=8, label="certified optimum")[0],
        axes.plot(closed, row, "^", color="#e69f00", markersize=9, label="closed form")[0],
        axes.plot(bound, row, "o", markerfacecolor="white", color="#e69f00", label="its bound")[0],
    ]
axes.axvline(1, linestyle=":", color="0.4")
axes.set_yticks(range(len(cases)), [f"{name}, {blocks}" for name, blocks in cases.items()])
axes.set(xscale="log", xlabel="cost, gradient descent = 1")
axes.set_xticks([0.2, 0.5, 1, 2, 5, 10], ["0.2", "0.5", "1", "2", "5", "10"], minor=False)
figure.legend(handles=marks, loc="outside upper center", ncols=4, frameon=False)
plt.show()
