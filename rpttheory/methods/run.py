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
from ..problem.blocks import Blocks, BlocksLike, as_blocks
from ..reals import FloatArray
from ..runs.checkpoint import Checkpoint
from ..validation import check_costs, read_only
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
    blocks : Blocks
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
        Where random numbers come from. They are drawn in chunks, so a generator is left somewhat further than the last
        step needed.
    checkpoint : path, optional
        A file to continue from if it exists and to write to: every `checkpoint_seconds` at a record, and at the end.
        The budget and the target may differ between the run that wrote it and the one that continues; everything
        else must be the same, and then the trajectory is the same bit for bit.
    callback : function, optional
        Called with each `Record` as it is made.

    Examples
    --------
    >>> from rpttheory import Blocks, diagonal
    >>> from rpttheory.methods import RPT, run
    >>> from rpttheory.objectives import Quadratic
    >>> f = Quadratic(diagonal([9.0, 4.0, 4.0, 1.0, 1.0, 1.0]))
    >>> result = run(RPT(), f, Blocks((1, 2, 3)), x0=[1.0] * 6, steps=10_000, target=1e-6)
    >>> result.status
    'converged'
    """
    check_instance(method, Method, "method")  # type: ignore[type-abstract]
    check_instance(objective, Objective, "objective")  # type: ignore[type-abstract]
    partition = as_blocks(blocks, objective.dimension)
    if not as_number(checkpoint_seconds) >= 0:
        raise InvalidInput(
            "checkpoint_seconds must be a number, at least 0", repr(checkpoint_seconds)[:80], "checkpoint_seconds=30"
        )
    setting = _setting(objective, partition, costs)
    start = check_point(x0, objective.dimension)
    budget = Budget.of(steps, cost_budget, target)
    grid = grid_from(record)
    generator = _generator(rng)
    place = None
    if checkpoint is not None:
        place = Checkpoint(Path(checkpoint), _identity(method, setting, start, generator, grid))
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        engine = method.start(setting, start.copy())
        budget.require_end(engine.length, objective)
        loop = Loop(method, setting, engine, grid, budget, generator, callback)
        loop.open(place, checkpoint_seconds)
        return loop.finish()


def _setting(objective: Objective, blocks: Blocks, costs: ArrayLike | None) -> Setting:
    prices = check_costs(blocks.shares if costs is None else costs, blocks.count)
    try:
        whole = float(sum(prices.fractions(), Fraction(0)))
    except OverflowError:
        raise InvalidInput(
            "costs must add up to a double", f"costs to {prices.near.max():.3g}", "costs of like sizes"
        ) from None
    return Setting(objective, blocks, read_only(prices.near.copy()), whole)


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
