"""One instance with numbers that are exactly what they look like: what a statement is decided on,
and what is saved.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from rpttheory import Blocks
from rpttheory.eigen.exact import definiteness
from rpttheory.errors import InvalidInput
from rpttheory.numbers.checks import (
    check_costs,
    check_matrix,
    check_probabilities,
    check_symmetric_matrix,
)
from rpttheory.numbers.exact_array import FloatArray, exact_array

from ..checks.exact import rows
from .ridge import Numbers, Ridges, Shape
from .stack import Stack

# A sequence of sketches is enumerated, so a file cannot ask for many steps.
_MOST_STEPS = 8


@dataclass(frozen=True, eq=False)
class Case:
    """A problem whose floats are taken as exact; x is 0 where the statement speaks of no point.

    `rows`, `thresholds`, `mu` and `shape` are those of `Ridges`; they, the stepsize and the number
    of steps are there where the statement speaks of functions. No `Problem`: statements of
    functions have no place in one, and what is decided here must not rest on the quantities that
    the package computes.
    """

    blocks: Blocks
    L: FloatArray
    p: FloatArray
    costs: FloatArray
    x: FloatArray
    rows: FloatArray | None = None
    thresholds: FloatArray | None = None
    mu: float = 0.0
    shape: Shape = "huber"
    stepsize: float | None = None
    steps: int = 0

    def floats(self) -> Stack:
        """A stack of this one problem, for ratios."""
        return self._stack(lambda values: np.asarray(values, dtype=np.float64)[None])

    @cached_property
    def exact(self) -> Stack:
        """A stack of this one problem in fractions."""
        return self._stack(lambda values: fractions(values)[None])

    def _stack(self, convert: Any) -> Stack:
        f = None
        if self.rows is not None:
            f = Ridges(convert(self.rows), convert(self.thresholds), convert(self.mu), self.shape)
        stepsize = None if self.stepsize is None else convert(self.stepsize)
        parts = (convert(self.L), convert(self.p), convert(self.costs), convert(self.x))
        return Stack(self.blocks, *parts, f, stepsize, self.steps)

    def psd(self, matrix: Numbers) -> bool:
        """Whether a matrix of fractions is positive semidefinite; raises where the fractions are
        too long to tell.
        """
        found = definiteness(rows(matrix.tolist()))
        if found is None:
            raise InvalidInput(
                "too long to be decided exactly",
                "fractions of thousands of digits",
                "rounder numbers",
            )
        return found >= 0

    def dominates(self, t: Fraction) -> bool:
        """Whether t P - L is positive semidefinite, that is, L_P <= t."""
        exact = self.exact
        return self.psd(np.diag(exact.per_coordinate[0] * t) - exact.L[0])

    def require_assumptions(self, *, semidefinite: bool = True) -> None:
        """Raise unless L is positive semidefinite and f is L-smooth: a file may say anything."""
        L = self.exact.L[0]
        if semidefinite and not self.psd(L):
            raise InvalidInput(
                "must be positive semidefinite",
                "a negative eigenvalue",
                "a Gram matrix A'A",
                argument="L",
            )
        if self.exact.f is not None:
            A = self.exact.f.rows[0]
            mu = self.exact.f.mu[0]
            if not self.psd(L - A.T @ A - np.diag([mu] * len(L))):
                raise InvalidInput(
                    "f must be L-smooth",
                    "L - A'A - mu I has a negative eigenvalue",
                    "L = A'A + mu I",
                )

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values; a missing threshold is null."""
        found: dict[str, Any] = {
            "blocks": list(self.blocks.sizes),
            "L": self.L.tolist(),
            "p": self.p.tolist(),
            "costs": self.costs.tolist(),
        }
        if self.x.any():
            found["x"] = self.x.tolist()
        if self.rows is not None and self.thresholds is not None:
            limits = [None if np.isinf(value) else value for value in self.thresholds.tolist()]
            found["f"] = {
                "shape": self.shape,
                "rows": self.rows.tolist(),
                "thresholds": limits,
                "mu": self.mu,
            }
            found["stepsize"] = self.stepsize
            found["steps"] = self.steps
        return found


def read_case(found: dict[str, Any]) -> Case:
    """The case that `Case.to_dict` wrote; raises `InvalidInput` where it is not one."""
    try:
        blocks = Blocks(found["blocks"])
        L = check_symmetric_matrix(found["L"]).float64
        blocks.require_dimension(len(L))
        p = check_probabilities(found["p"], blocks.count).float64
        costs = check_costs(found["costs"], blocks.count).float64
        x = exact_array(found.get("x", [0.0] * len(L)), "x").float64
        _require_shape(x, (len(L),), "x")
        f = found.get("f")
        if f is None:
            return Case(blocks, L, p, costs, x)
        rows = check_matrix(f["rows"], "rows").float64
        _require_shape(rows, (len(rows), len(L)), "rows")
        limits = np.array([np.inf if value is None else float(value) for value in f["thresholds"]])
        _require_shape(limits, (len(rows),), "thresholds")
        mu = float(f["mu"])
        shape = f["shape"]
        steps = found["steps"]
        stepsize = found["stepsize"]
        if (
            shape not in ("huber", "tent")
            or not isinstance(steps, int)
            or not 0 <= steps <= _MOST_STEPS
        ):
            raise InvalidInput(
                "no such function or number of steps", f"{shape!r}, {steps!r}", "huber, 1"
            )
        if (
            not (limits >= 0).all()
            or not 0 <= mu < np.inf
            or not (stepsize is None or 0 < stepsize < np.inf)
        ):
            raise InvalidInput(
                "thresholds, mu and the stepsize must not be negative", f"mu = {mu}", "mu = 0.0"
            )
        return Case(blocks, L, p, costs, x, rows, limits, mu, shape, stepsize, steps)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(
            "not an instance that was saved here", str(error), "a file saved here"
        ) from None


def _require_shape(values: FloatArray, shape: tuple[int, ...], name: str) -> None:
    if values.shape != shape:
        raise InvalidInput(
            f"must have the shape {shape}",
            f"{values.shape}",
            "the file as it was saved",
            argument=name,
        )


def fractions(values: Any) -> Numbers:
    """Floats as fractions; infinity stays what it is."""
    given = np.asarray(values, dtype=np.float64)
    exact = np.empty(given.shape, dtype=object)
    for index, value in np.ndenumerate(given):
        exact[index] = value if np.isinf(value) else Fraction(float(value))
    return exact
