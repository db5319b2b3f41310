"""What all generations of .mat files have in common: named variables, of which one must be the matrix."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import numpy as np

from ..errors import InvalidInput
from .request import Request, listed

INTEGERS = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
NUMERIC = {"double", "single", "logical", "sparse"} | INTEGERS
MOST_VARIABLES = 10_000


@dataclass(frozen=True)
class Variable:
    """What a file announces about one of its variables.

    Parameters
    ----------
    name : str
    kind : str
        MATLAB's class, such as ``double``, or ``sparse``.
    shape : tuple of int
    entries : int, optional
        For a sparse variable, an upper bound on its stored entries.
    is_complex : bool
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    entries: int | None
    is_complex: bool

    def __str__(self) -> str:
        return f"{self.name} ({' x '.join(map(str, self.shape))} {self.kind})"


AnyVariable = TypeVar("AnyVariable", bound=Variable)


def only_matrix(found_in_file: Iterable[AnyVariable], request: Request) -> AnyVariable:
    """The only numeric variable, if it can be used and fits in memory."""
    variables = list(islice(found_in_file, MOST_VARIABLES + 1))
    if len(variables) > MOST_VARIABLES:
        raise ValueError(f"more than {MOST_VARIABLES} variables")
    numeric = [variable for variable in variables if variable.kind in NUMERIC]
    if len(numeric) != 1:
        found = f"{len(numeric)}: {listed([str(variable) for variable in numeric])}"
        if not numeric:
            found = f"none, only {listed([str(variable) for variable in variables])}" if variables else "no variables"
        remedy = "save('L.mat', 'L') in MATLAB, for the variable that is meant"
        raise InvalidInput("must hold exactly one numeric matrix", found, remedy)
    chosen = numeric[0]
    if chosen.is_complex:
        request.require_real(np.dtype(np.complex128))
    request.admit(chosen.shape, entries=chosen.entries)
    return chosen
