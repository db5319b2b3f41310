"""Run any method on any objective: inputs checked, then the one loop that all methods share."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidInput
from ..objectives import Objective, as_number, check_point
from ..problem.arguments import as_costs
from ..problem.blocks import BlocksLike, as_blocks
from ..reals import FloatArray
from ..runs.checkpoint import Checkpoint
from ..validation import read_only
from .budget import Budget
from .fingerprint import fingerprint
from .grid import Grid, grid_from
from .loop import Loop
from .method import Method, Setting, check_instance
from .result import RunResult
from .trace import Record


def run(
    method: Method,
    objective: Objective,
    blocks: BlocksLike,
    *,
    x0: ArrayLike,
    costs: ArrayLike | None = None,
    steps: int | None = None,
    cost_budget: float | None = None,
    target: float | None = None,
    record: float | Grid | None = None,
    rng: int | np.random.Generator = 0,
    checkpoint: str | PathLike[str] | None = None,
    checkpoint_seconds: float = 30.0,
    callback: Callable[[Record], object] | None = None,
) -> RunResult:
    """Run a method until the target is met or the budget is spent.

    Parameters
    ----------
    method : Method
        Such as `GradientDescent()` or `RPT(probabilities)`.
    objective : Objective
    blocks : Blocks, sequence of int or str
    x0 : array
        The starting point.
    costs : array, optional
        One per block, taken as given; by default block sizes over d, so that a full gradient step costs 1.
    steps : int, optional
        The largest number of steps.
    cost_budget : float, optional
        No step is made that would bring the cost above this.
    target : float, optional
        Stop at the first record with f(x) - f* <= target (f(x0) - f*).
    record : int, float or Grid, optional
        A whole number k for a record every k steps, a fraction r for one whenever the number of steps has grown by r;
        by default 0.02. Targets and divergence are looked at only at records.
    rng : int or Generator
        Random numbers are drawn in chunks, so a generator is left somewhat further than the last step needed.
    checkpoint : path, optional
        A file to continue from if it exists and to write to: every `checkpoint_seconds` at a record, and at the end.
        Budget and target may change from one run to the next; all else must agree, and then every bit does.
    callback : function, optional
        Called with each `Record` as it is made.

    Examples
    --------
    >>> from rpttheory import diagonal
    >>> from rpttheory.methods import RPT, run
    >>> from rpttheory.objectives import Quadratic
    >>> f = Quadratic(diagonal([9.0, 4.0, 4.0, 1.0, 1.0, 1.0]))
    >>> run(RPT(), f, [1, 2, 3], x0=[1.0] * 6, steps=10_000, target=1e-6).status
    'converged'
    """
    setting = _setting(method, objective, blocks, costs)
    start = check_point(x0, objective.dimension)
    budget, grid, generator = Budget.of(steps, cost_budget, target), grid_from(record), _generator(rng)
    place = _place(checkpoint, checkpoint_seconds, lambda: _identity(method, setting, start, generator, grid))
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        return Loop(method, setting, start, grid, budget, generator, callback).run(place, checkpoint_seconds)


def _setting(method: Method, objective: Objective, blocks: BlocksLike, costs: ArrayLike | None) -> Setting:
    check_instance(method, Method, "method")  # type: ignore[type-abstract]
    check_instance(objective, Objective, "objective")  # type: ignore[type-abstract]
    partition = as_blocks(blocks, objective.dimension)
    prices = as_costs(costs, partition)
    try:
        whole = float(sum(prices.fractions(), Fraction(0)))
    except OverflowError:
        raise InvalidInput(
            "costs must add up to a double", f"costs to {prices.near.max():.3g}", "costs of like sizes"
        ) from None
    return Setting(objective, partition, read_only(prices.near.copy()), whole)


def _place(
    path: str | PathLike[str] | None, seconds: float, identity: Callable[[], dict[str, str]]
) -> Checkpoint | None:
    if not as_number(seconds) >= 0:
        raise InvalidInput(
            "checkpoint_seconds must be a number, at least 0", repr(seconds)[:80], "checkpoint_seconds=30"
        )
    return None if path is None else Checkpoint(Path(path), identity())


def _generator(rng: int | np.random.Generator) -> np.random.Generator:
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, bool) or not isinstance(rng, (int, np.integer)) or rng < 0:
        raise InvalidInput("rng must be a seed (a whole number, at least 0) or a Generator", repr(rng)[:80], "rng=0")
    return np.random.default_rng(rng)


def _identity(method: Method, setting: Setting, x0: FloatArray, rng: np.random.Generator, grid: Grid) -> dict[str, str]:
    """What must agree for a checkpoint to be continued, part by part so that a message can say what differs."""
    return {
        "method": fingerprint(method),
        "objective": fingerprint(setting.objective),
        "blocks": fingerprint(setting.blocks.sizes),
        "costs": fingerprint(setting.costs),
        "x0": fingerprint(x0),
        "rng": fingerprint(dict(rng.bit_generator.state)),
        "record": fingerprint(grid),
    }
