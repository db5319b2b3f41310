"""Pictures appear where pyplot shows them, and the program leaves none behind."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pytest
from program import Run

from rpttheory import closed_form, compare, rates, verify
from rpttheory.methods import RPT, run
from rpttheory.objectives import Quadratic

L = np.array([[9.0, 1.0, 0.5], [1.0, 4.0, 1.0], [0.5, 1.0, 2.0]])
RESULTS = {
    "verify": lambda: verify(L, [1, 2]),
    "compare": lambda: compare(L, [1, 2]),
    "rates": lambda: rates(L, [1, 2]),
    "closed form": lambda: closed_form(L, [1, 2]),
    "run": lambda: run(RPT(), Quadratic(L), [1, 2], x0=[1.0, 1.0, 1.0], steps=300),
}


@pytest.fixture(autouse=True)
def no_figures() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


@pytest.mark.parametrize("name", RESULTS)
def test_plot_uses_the_current_axes_while_they_are_empty(name: str) -> None:
    result = RESULTS[name]()
    first = result.plot()
    assert plt.get_fignums() == [1] and plt.gca() is first
    second = result.plot()
    assert second is not first and plt.gca() is second and second.has_data()
    left, right = plt.subplots(1, 2)[1]
    plt.sca(left)
    assert result.plot() is left and not right.has_data()
    sized = plt.figure(figsize=(3, 2))
    assert result.plot().figure is sized and len(plt.get_fignums()) == 4


def test_the_program_leaves_no_figure_behind(run: Run) -> None:
    for command in ("verify", "compare", "rates"):
        assert run(f"{command} L.npy --blocks 1,2 --output a.svg --output a.html").code == 0
    assert plt.get_fignums() == []


def test_the_picture_of_costs_has_a_line_for_every_row() -> None:
    result = compare(L, [1, 2], budget=1, probabilities=[1, 0.5], orders=True)
    axes = result.plot(kind="costs")
    names = [label.get_text() for label in axes.get_yticklabels()]
    rows = [row.name for row in result.samplings.rows]
    assert names == [*(choice.name for choice in result.choices), *rows]
    (bound,) = (line for line in axes.lines if line.get_linestyle() == "--")
    assert bound.get_xdata()[0] == result.samplings.bound.cost.lower  # type: ignore[index]
