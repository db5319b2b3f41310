"""The matrix that a command works on: its options, and reading it."""

from __future__ import annotations

import csv
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InvalidInput, escaped
from .options import option, option_group

if TYPE_CHECKING:
    from ..numbers.exact_array import ExactArray
    from ..problem.blocks import Blocks
    from ..problem.smoothness import Smoothness, SmoothnessLike

Names = tuple[str, ...]


@dataclass(frozen=True)
class MatrixOptions:
    """FILE and its options; options that do not fit together are refused before FILE is read."""

    file: str
    blocks: str | None
    labels: str | None
    costs: str
    data: bool
    target: str | None
    drop: str | None
    ridge: str | None
    scheduler: str | None
    symmetrize: bool
    is_folder: bool = field(init=False, default=False)
    penalty: Fraction = field(init=False, default=Fraction(0))
    dropped_columns: Names = field(init=False, default=())

    def __post_init__(self) -> None:
        if (self.blocks is None) == (self.labels is None):
            raise InvalidInput(
                "either `blocks` or `labels` must be given",
                "neither" if self.blocks is None else "both",
                "or a file of `labels`",
                suggest={"blocks": "10,50,250"},
            )
        for name in ("ridge", "target", "drop"):
            value = getattr(self, name)
            if value is not None and not self.data:
                raise InvalidInput("needs `data`", value, f"`data`, or no `{name}`", argument=name)
        if self.symmetrize and self.data:
            raise InvalidInput(
                "is for a matrix L", "a data matrix", "no `data`", argument="symmetrize"
            )
        with suppress(OSError):  # the reader refuses names that are too long
            object.__setattr__(self, "is_folder", Path(self.file).is_dir())
        if self.is_folder and not self.data:
            raise InvalidInput(
                "L must be in a file", "a folder", "`data` for its rows", source=self.name
            )
        if self.scheduler is not None and not self.is_folder:
            raise InvalidInput(
                "needs a folder of blocks of rows",
                escaped(self.file),
                "`data` with such a folder",
                argument="scheduler",
            )
        penalty = one_number(self.ridge or "0", "ridge")
        if penalty < 0:
            raise InvalidInput(
                "must not be negative", f"{self.ridge}", argument="ridge", suggest={"ridge": 0.1}
            )
        object.__setattr__(self, "penalty", penalty)
        object.__setattr__(self, "dropped_columns", _column_names(self.drop))

    @property
    def name(self) -> str:
        """The file's name in reports."""
        from ..io import STANDARD_INPUT

        return "standard input" if self.file == STANDARD_INPUT else escaped(Path(self.file).name)

    def read(self) -> Input:
        """Read the file, its blocks and their costs."""
        from ..io import read_labels, read_matrix
        from ..problem.arguments import as_blocks, as_costs
        from ..problem.blocks import Blocks

        labeled = None if self.labels is None else Blocks.from_labels(read_labels(self.labels))
        notes: list[str] = []
        columns: Names | None = None
        dropped: Names = ()
        header: list[str] = []
        L: Any
        if self.data:
            L, columns, dropped = self._read_data(notes)
            header += columns
            origin = "from "
        else:
            L = read_matrix(self.file, symmetrize=self.symmetrize, notes=notes, names=header)
            origin = "the symmetric part of " if getattr(L, "asymmetry", 0.0) else ""
        try:
            partition = as_blocks(labeled or self.blocks or "", int(L.shape[0]), scattered=True)
        except InvalidInput as error:
            # Sizes may not fit because of a guess about the file.
            error.found += "".join(f"  (note: {note})" for note in notes)
            raise
        if header and len(set(header)) == len(header) == partition.count and labeled is None:
            partition = Blocks.from_labels(header)
        costs = as_costs(self.costs, partition)
        numbers = f"{origin}{self._numbers()}"
        return Input(
            L, partition, costs, self.name, self.file, numbers, tuple(notes), columns, dropped
        )

    def _numbers(self) -> str:
        """Say what the numbers of the file are."""
        from ..io import STANDARD_INPUT

        decimals = self.file == STANDARD_INPUT or self.file.startswith("dataset:")
        decimals |= self.file.lower().endswith((".csv", ".txt", ".mtx"))
        place = "folder" if self.is_folder else "file"
        return f"the {'decimals' if decimals else 'numbers'} of the {place}"

    def _read_data(self, notes: list[str]) -> tuple[Smoothness, Names, Names]:
        """Return L, the names of the features and the columns that are left out."""
        from ..io import read_data
        from ..problem.smoothness import gram

        if self.is_folder:
            L, rows, dropped = self._read_folder()
            columns: Names = ()
        else:
            data = read_data(self.file, target=self.target, drop=self.dropped_columns, notes=notes)
            rows = int(data.values.shape[0])
            L = gram(data.values, Fraction(2, rows), 2 * self.penalty)
            columns = data.columns
            dropped = data.left_out
        count = L.dimension
        shape = f"{_plural(rows, 'row')} of {_plural(count, 'column')}"
        notes.insert(0, f"L = (2/{rows}) A'A + 2*{self.ridge or 0} I from {shape}")
        notes.append(_columns_note(columns, dropped, count, named=self.target is not None))
        return L, columns, dropped

    def _read_folder(self) -> tuple[Smoothness, int, Names]:
        """Return L, the number of rows and the columns that are left out.

        On a cluster the rows stay with its workers until the command ends.
        """
        from ..problem.smoothness import gram_from_files

        names = [*self.dropped_columns, *([] if self.target is None else [self.target])]
        try:
            numbers = [int(name) for name in names]
        except ValueError:
            raise InvalidInput(
                "columns of a folder have no names",
                ", ".join(names),
                "numbers of columns, from 0",
            ) from None
        executor = None
        if self.scheduler is not None:
            from ..runs.cluster import Cluster

            executor = Cluster(self.scheduler)
            click.get_current_context().call_on_close(partial(executor.shutdown, wait=False))
        counts: list[int] = []

        def scale(count: int) -> Fraction:
            counts.append(count)
            return Fraction(2, count)

        L = gram_from_files(self.file, scale, 2 * self.penalty, executor=executor, drop=numbers)
        width = L.dimension + len(set(numbers))
        dropped = sorted({number % width for number in numbers})
        return L, counts[-1], tuple(map(str, dropped))


matrix_options = option_group(
    "Matrix",
    "matrix",
    MatrixOptions,
    (
        click.Argument(["file"]),
        option("--blocks", help="Block sizes: 10,50,250, or 20x50 (20 of size 50), or 'each'."),
        option("--labels", metavar="FILE", help="Instead of --blocks: one label per coordinate."),
        option("--costs", default="size", help="Costs per block: 'size', 'equal' or numbers."),
        option(
            "--data",
            is_flag=True,
            help="FILE is a data matrix A, or a folder of files with its rows, and L = (2/n) A'A"
            " + 2 X I, where X is given by --ridge.",
        ),
        option(
            "--target",
            metavar="COLUMN",
            help="With --data: the column to be predicted, which is left out; by name or number."
            "  [default: 'target', if any]",
        ),
        option("--drop", metavar="COLUMNS", help="With --data: more columns to omit, as in id,3."),
        option("--ridge", metavar="X", help="With --data: the ridge penalty.  [default: 0]"),
        option(
            "--scheduler",
            metavar="ADDRESS",
            help="With a folder: keep its rows on this dask cluster.",
        ),
        option("--symmetrize", is_flag=True, help="Use (L + L')/2 if L is not symmetric."),
    ),
)


@dataclass(frozen=True)
class Input:
    """L with its blocks and costs, and what reports say about the file it came from."""

    L: SmoothnessLike
    blocks: Blocks
    costs: ExactArray
    name: str
    source: str
    numbers: str
    notes: Names
    columns: Names | None = None
    dropped: Names = ()

    @property
    def report_notes(self) -> Names:
        """The notes for a report, which begin with what the entries of L are."""
        return f"taken exactly: L ({self.numbers})", *self.notes

    def to_dict(self) -> dict[str, Any]:
        """Return the file's name, the notes and the columns of a data matrix."""
        facts: dict[str, Any] = {
            "file": self.name,
            "numbers": self.numbers,
            "notes": list(self.notes),
        }
        if self.columns is not None:
            facts |= {"columns": list(self.columns), "dropped": list(self.dropped)}
        return facts


def one_number(text: str, name: str) -> Any:
    """Return the number that an option has for its value, exactly."""
    from ..numbers.parse import parse_numbers

    numbers = parse_numbers(text, name, "0.1")
    if len(numbers) != 1:
        raise InvalidInput("must be one number", text, argument=name, suggest={name: 0.1})
    return numbers[0]


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _column_names(text: str | None) -> Names:
    """Return the columns of --drop; a name that contains a comma is quoted."""
    if text is None:
        return ()
    cells = next(csv.reader([text], skipinitialspace=True), [])
    names = tuple(name.strip() for name in cells)
    if not names or not all(names):
        raise InvalidInput(
            "must list columns", repr(text), "or 0,3", argument="drop", suggest={"drop": "id,date"}
        )
    return names


def _columns_note(columns: Names, dropped: Names, count: int, *, named: bool) -> str:
    """Return a line that says which columns are features and which are left out."""
    from ..io.request import listed

    names = f": {listed(columns)}" if columns else ""
    if not dropped:
        every = f"all {count} columns are features" if count > 1 else "the one column is a feature"
        return f"{every}{names}; use --target to leave one out"
    why = "" if named or "target" not in dropped else " ('target' by default)"
    kind = "column" if columns else "column number"
    features = f"{_plural(count, 'feature')}{names}"
    return f"{features}; left out: {kind}{'s' * (len(dropped) != 1)} {listed(dropped)}{why}"
