"""prop:reachable_upper_bound for B blocks: the matrix of the construction, in fractions throughout.

With unit top eigenvectors u_k of M_k, m_k = r_k^2 + eps_k and eps_1 = 0, the matrix has the
diagonal blocks M_k and r_k r_l u_k u_l' off the diagonal. Unit vectors with rational entries come
from reflecting e_1 across any vector.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rpttheory import Blocks, Verdict
from rpttheory.eigen.exact import definiteness
from rpttheory.errors import InvalidInput
from rpttheory.numbers.exact_array import FloatArray
from rpttheory.statements.batch import top
from rpttheory.theory.attack.space import Field, Points, rounded

from .case import fractions
from .inequality import Inequality
from .ridge import Numbers
from .space import Layout

_FIELDS = ("directions", "roots", "eps", "seconds")


@dataclass(frozen=True, eq=False)
class Constructions:
    """A stack of them, in floats or fractions.

    Attributes
    ----------
    directions : array of shape (n, d)
        Vectors across which e_1 is reflected, block by block.
    roots, eps, seconds : arrays of shape (n, B)
        r_k, eps_k (the first counts as 0), and the other eigenvalues of M_k over m_k.
    """

    blocks: Blocks
    directions: Numbers
    roots: Numbers
    eps: Numbers
    seconds: Numbers

    @cached_property
    def slack(self) -> Numbers:
        """eps_k, 0 for the first block."""
        return np.asarray(np.concatenate((self.eps[:, :1] * 0, self.eps[:, 1:]), axis=1))

    @cached_property
    def matrix(self) -> Numbers:
        """M."""
        n, d = self.directions.shape
        units = self.directions * 0
        matrix = np.zeros((n, d, d), dtype=self.directions.dtype)
        for rows in self.blocks.slices:
            v = self.directions[:, rows]
            units[:, rows] = v * (2 * v[:, :1] / (v * v).sum(axis=1)[:, None])
            units[:, rows.start] = units[:, rows.start] - 1
        w = units * self.roots[:, self.blocks.labels]
        matrix = matrix + w[:, :, None] * w[:, None, :]
        for k, rows in enumerate(self.blocks.slices):
            u = units[:, rows]
            top_value = (self.roots[:, k] ** 2 + self.slack[:, k])[:, None, None]
            second = top_value * self.seconds[:, k, None, None]
            outer = u[:, :, None] * u[:, None, :]
            matrix[:, rows, rows] = (top_value - second) * outer + second * np.eye(
                u.shape[1], dtype=int
            )
        return np.asarray(matrix)

    @property
    def total(self) -> Numbers:
        """sum m_k - sum eps_k."""
        return np.asarray((self.roots**2).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Construction:
    """One of them, exact."""

    blocks: Blocks
    directions: FloatArray
    roots: FloatArray
    eps: FloatArray
    seconds: FloatArray

    def floats(self) -> Constructions:
        """A stack of one, for ratios."""
        return Constructions(self.blocks, *(getattr(self, name)[None] for name in _FIELDS))

    @cached_property
    def exact(self) -> Constructions:
        """A stack of one in fractions."""
        return Constructions(
            self.blocks, *(fractions(getattr(self, name))[None] for name in _FIELDS)
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values; the entries of the matrix, which need not be floats, as fractions."""
        numbers = {name: getattr(self, name).tolist() for name in _FIELDS}
        return {
            "blocks": list(self.blocks.sizes),
            "L": [[str(value) for value in row] for row in self.exact.matrix[0].tolist()],
            **numbers,
        }


@dataclass(frozen=True)
class ConstructionSpace:
    """Every choice of diagonal blocks with one top eigenvalue and the others equal."""

    layouts: tuple[Layout, ...] = tuple(
        Layout(Blocks(s)) for s in ((1, 1), (2, 1), (2, 2), (1, 1, 1), (1, 2, 3))
    )

    def fields(self, layout: Layout) -> tuple[Field, ...]:
        d = layout.blocks.dimension
        B = layout.blocks.count
        return (
            Field("directions", (d,), -4.0, 4.0),
            Field("roots", (B,), 2.0**-3, 4.0, scale=True),
            Field("eps", (B,), 2.0**-12, 4.0, scale=True),
            Field("seconds", (B,), 2.0**-3, 1.0, scale=True),
        )

    def starts(self, layout: Layout, rng: np.random.Generator, count: int) -> Points:
        """Random ones; eps small for half of them, where the bound is nearly met."""
        d = layout.blocks.dimension
        B = layout.blocks.count
        smallest = rng.choice([1.0, 12.0])
        found = {
            "directions": rng.standard_normal((count, d)),
            "roots": 2.0 ** rng.uniform(-2, 2, (count, B)),
            "eps": 2.0 ** -rng.uniform(smallest - 1, smallest, (count, B)),
            "seconds": 2.0 ** -rng.uniform(0, 3, (count, B)),
        }
        return {
            field.name: np.clip(found[field.name], field.low, field.high)
            for field in self.fields(layout)
        }

    def stack(self, layout: Layout, points: Points) -> Constructions:
        return Constructions(layout.blocks, *(points[name] for name in _FIELDS))

    def case(self, layout: Layout, point: Points, bits: int) -> Construction | None:
        simple = rounded(point, self.fields(layout), bits)
        found = Construction(layout.blocks, *(simple[name][0] for name in _FIELDS))
        return found if all(found.directions[rows].any() for rows in layout.blocks.slices) else None

    def read(self, found: dict[str, Any]) -> Construction:
        try:
            blocks = Blocks(found["blocks"])
            parts = [np.array([float(value) for value in found[name]]) for name in _FIELDS]
            case = Construction(blocks, *parts)
            sizes = [blocks.dimension, *[blocks.count] * 3]
            positive = all((part > 0).all() for part in parts[1:]) and (parts[3] <= 1).all()
            nonzero = all(case.directions[rows].any() for rows in blocks.slices)
            if [part.size for part in parts] != sizes or not positive or not nonzero:
                raise InvalidInput(
                    "not a construction",
                    "sizes or signs that do not fit",
                    "the file as it was saved",
                )
            if case.to_dict()["L"] != found["L"]:
                raise InvalidInput(
                    "must be the matrix of the construction",
                    "another",
                    "the file as it was saved",
                    argument="L",
                )
        except (KeyError, TypeError, OverflowError) as error:
            raise InvalidInput(
                "not an instance that was saved here", str(error), "a file saved here"
            ) from None
        return case


def decide(case: Construction) -> Verdict:
    """Whether M is positive definite and lambda_max(M) >= sum m_k - sum eps_k, in fractions."""
    matrix = case.exact.matrix[0]
    excess = np.diag([case.exact.total[0]] * len(matrix)) - matrix
    of_matrix = definiteness(matrix.tolist())
    of_excess = definiteness(excess.tolist())
    if of_matrix in (-1, 0) or of_excess == 1:
        return Verdict.REFUTED
    return Verdict.UNDECIDED if of_matrix is None or of_excess is None else Verdict.PROVED


REACHABLE = Inequality(
    "prop:reachable_upper_bound",
    "sum lambda_max(M_k) - sum eps_k <= lambda_max(M), and M is positive definite",
    "eps to 0; never attained for eps > 0",
    ConstructionSpace(),
    lambda s: (s.total, top(s.matrix)),
    decide,
)
