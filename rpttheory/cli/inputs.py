"""The matrix that a command works on: options that all commands share, and reading it."""

from __future__ import annotations

import csv
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..numbers.exact_array import ExactArray
    from ..problem.blocks import Blocks
    from ..problem.smoothness import Smoothness, SmoothnessLike


def matrix_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """FILE, --blocks or --labels, --costs, --data with its options, and --symmetrize.

    The command receives them as `matrix`.
    """

    @wraps(command)
    def with_matrix(*arguments: Any, **options: Any) -> Any:
        matrix = MatrixOptions(**{name.name: options.pop(name.name) for name in _fields()})
        return command(*arguments, matrix=matrix, **options)

    decorators = (
        click.argument("file"),
        click.option(
            "--blocks",
            default=None,
            help="Block sizes: 10,50,250, or 20x50 (20 of size 50), or 'each'.",
        ),
        click.option(
            "--labels",
            default=None,
            metavar="FILE",
            help="Instead: one label per coordinate, in any order.",
        ),
        click.option(
            "--costs",
            default="size",
            show_default=True,
            help="Costs per block: 'size', 'equal' or numbers.",
        ),
        click.option(
            "--data",
            is_flag=True,
            help=(
                "FILE is a data matrix A, or a folder of blocks of its rows, and L = (2/n) A'A + 2"
                " X I."
            ),
        ),
        click.option(
            "--target",
            default=None,
            metavar="COLUMN",
            help=(
                "With --data: a column that is no feature, by name or by number from 0.  [default:"
                " 'target', if any]"
            ),
        ),
        click.option(
            "--drop",
            default=None,
            metavar="COLUMNS",
            help="With --data: more columns to leave out: id,3.",
        ),
        click.option("--ridge", default=None, help="X, with --data.  [default: 0]"),
        click.option(
            "--scheduler",
            default=None,
            metavar="ADDRESS",
            help="With a folder: its blocks stay on a dask cluster.",
        ),
        click.option(
            "--symmetrize", is_flag=True, help="Use (L + L')/2 where FILE is not symmetric."
        ),
    )
    decorated: Callable[..., Any] = with_matrix
    for decorator in reversed(decorators):
        decorated = decorator(decorated)
    return decorated


@dataclass(frozen=True)
class MatrixOptions:
    """FILE and its options; what does not fit together is refused before the file is read."""

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
    dropped_columns: tuple[str, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        from ..errors import InvalidInput, escaped

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
        with suppress(OSError):  # a name too long is for the reader to refuse
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
        """The file as reports name it."""
        from ..errors import escaped
        from ..io import STANDARD_INPUT

        return "standard input" if self.file == STANDARD_INPUT else escaped(Path(self.file).name)

    def read(self) -> Input:
        """Read the file, and find its blocks and their costs."""
        from ..errors import InvalidInput
        from ..io import read_labels
        from ..problem.arguments import as_blocks, as_costs
        from ..problem.blocks import Blocks

        labeled = None if self.labels is None else Blocks.from_labels(read_labels(self.labels))
        L, numbers, notes, columns, dropped = self._read_data() if self.data else self._read_L()
        try:
            partition = as_blocks(labeled or self.blocks or "", int(L.shape[0]), scattered=True)
        except InvalidInput as error:
            # What was guessed about the file may be why sizes do not fit.
            error.found += "".join(f"  (note: {note})" for note in notes)
            raise
        costs = as_costs(self.costs, partition)
        return Input(L, partition, costs, self.name, numbers, notes, columns, dropped)

    def _read_L(self) -> _Read:
        from ..io import read_matrix

        notes: list[str] = []
        L = read_matrix(self.file, symmetrize=self.symmetrize, notes=notes)
        part = "the symmetric part of " if getattr(L, "asymmetry", 0.0) else ""
        return L, f"{part}{self._numbers()}", tuple(notes), None, ()

    def _read_data(self) -> _Read:
        notes: list[str] = []
        read = self._read_folder if self.is_folder else self._read_rows
        L, rows, columns, dropped = read(notes)
        count = int(L.shape[0])
        notes.append(_columns_note(columns, dropped, count, named=self.target is not None))
        shape = f"{_plural(rows, 'row')} of {_plural(count, 'column')}"
        formula = f"L = (2/{rows}) A'A + 2*{self.ridge or 0} I from {shape}"
        return L, f"from {self._numbers()}", (formula, *notes), columns, dropped

    def _numbers(self) -> str:
        """Say what the numbers of the file are, for reports."""
        from ..io import STANDARD_INPUT

        decimals = self.file == STANDARD_INPUT or self.file.startswith("dataset:")
        decimals |= self.file.lower().endswith((".csv", ".txt", ".mtx"))
        place = "folder" if self.is_folder else "file"
        return f"the {'decimals' if decimals else 'numbers'} of the {place}"

    def _read_rows(self, notes: list[str]) -> tuple[Smoothness, int, _Names, _Names]:
        """Return L, the number of rows, the names of the features and the columns left out."""
        from ..io import read_data
        from ..problem.smoothness import gram

        data = read_data(self.file, target=self.target, drop=self.dropped_columns, notes=notes)
        rows = int(data.values.shape[0])
        L = gram(data.values, Fraction(2, rows), 2 * self.penalty)
        return L, rows, data.columns, data.left_out

    def _read_folder(self, notes: list[str]) -> tuple[Smoothness, int, _Names, _Names]:
        """Return the same for a folder; its rows stay on a cluster until the command ends."""
        from ..errors import InvalidInput
        from ..problem.smoothness import gram_from_files
        from .workers import Workers

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
            cluster = Workers(scheduler=self.scheduler).open()
            executor = click.get_current_context().with_resource(cluster)
        rows = 0

        def scale(count: int) -> Fraction:
            nonlocal rows
            rows = count
            return Fraction(2, count)

        L = gram_from_files(self.file, scale, 2 * self.penalty, executor=executor, drop=numbers)
        width = L.dimension + len(set(numbers))
        dropped = sorted({number % width for number in numbers})
        return L, rows, (), tuple(map(str, dropped))


_Names = tuple[str, ...]
_Read = tuple[Any, str, _Names, _Names | None, _Names]


def _fields() -> Any:
    return [option for option in fields(MatrixOptions) if option.init]


@dataclass(frozen=True)
class Input:
    """L with its blocks and costs, the file's name, what its numbers are and what else is worth
    saying about it.
    """

    L: SmoothnessLike
    blocks: Blocks
    costs: ExactArray
    name: str
    numbers: str
    notes: tuple[str, ...]
    columns: tuple[str, ...] | None = None
    dropped: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the file's name, the notes and, of a data matrix, the columns used and left
        out.
        """
        facts: dict[str, Any] = {
            "file": self.name,
            "numbers": self.numbers,
            "notes": list(self.notes),
        }
        if self.columns is not None:
            facts |= {"columns": list(self.columns), "dropped": list(self.dropped)}
        return facts


def one_number(text: str, name: str) -> Any:
    """The one number that an option gives, exactly."""
    from ..errors import InvalidInput
    from ..numbers.parse import parse_numbers

    numbers = parse_numbers(text, name)
    if len(numbers) != 1:
        raise InvalidInput("must be one number", text, argument=name, suggest={name: 0.1})
    return numbers[0]


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _column_names(text: str | None) -> tuple[str, ...]:
    """Return the columns of --drop, with commas between them; a name with a comma stands between
    quotes.
    """
    from ..errors import InvalidInput

    if text is None:
        return ()
    cells = next(csv.reader([text], skipinitialspace=True), [])
    names = tuple(name.strip() for name in cells)
    if not names or not all(names):
        raise InvalidInput(
            "must list columns", repr(text), "or 0,3", argument="drop", suggest={"drop": "id,date"}
        )
    return names


def _columns_note(
    columns: tuple[str, ...], dropped: tuple[str, ...], count: int, *, named: bool
) -> str:
    """Return one line that says which columns are features, and which are left out and why."""
    from ..io.request import listed

    names = f": {listed(columns)}" if columns else ""
    features = f"{_plural(count, 'feature')}{names}"
    if not dropped:
        every = f"all {count} columns are features" if count > 1 else "the one column is a feature"
        return f"{every}{names}; use --target to leave one out"
    why = "" if named or "target" not in dropped else " ('target' by default)"
    kind = "column" if columns else "column number"
    return f"{features}; left out: {kind}{'s' * (len(dropped) != 1)} {listed(dropped)}{why}"
