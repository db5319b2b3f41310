"""The matrix that a command works on: options that all commands share, and reading it."""

from __future__ import annotations

import csv
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .output import remark, wide_option
from .page import Command, written_option

if TYPE_CHECKING:
    from ..numbers.exact_array import ExactArray
    from ..problem.blocks import Blocks
    from ..problem.smoothness import SmoothnessLike
    from ..search.comparison import Comparison
    from ..statements.verify import Verification


def matrix_options(command: Command) -> Command:
    """FILE, --blocks or --labels, --costs, --data with its options, and --symmetrize."""
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
        wide_option,
    )
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


certificate_option = written_option(
    "--certificate", "Write what proves the result, for `rpttheory check FILE`."
)


def write_certificate(path: str | None, result: Comparison | Verification) -> None:
    """Write the certificate of a result, if one is asked for."""
    from ..search.certified import write_certificate as write

    if path is not None:
        write(path, result.certificate())
        remark(f"wrote {path}")


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
    from ..io import parse_numbers

    numbers = parse_numbers(text, name)
    if len(numbers) != 1:
        raise InvalidInput("must be one number", text, argument=name, suggest={name: 0.1})
    return numbers[0]


def _require_data_options(data: bool, *, symmetrize: bool, **options: str | None) -> None:
    """Raise InvalidInput for an option that needs --data, or that does not go with it."""
    from ..errors import InvalidInput

    for name, value in options.items():
        if value is not None and not data:
            raise InvalidInput(
                f"--{name} needs --data", f"--{name} {value}", f"--data, or leave --{name} out"
            )
    if symmetrize and data:
        raise InvalidInput(
            "--symmetrize is for a matrix L", "--symmetrize with --data", "one of the two"
        )


def _is_folder_of_rows(file: str, *, data: bool, scheduler: str | None) -> bool:
    """Return True if the file is a folder; raise InvalidInput for options that do not fit it."""
    from ..errors import InvalidInput, escaped

    folder = False
    with suppress(OSError):  # a name too long is for the reader to refuse
        folder = Path(file).is_dir()
    if folder and not data:
        raise InvalidInput(
            f"{escaped(file)}: a folder holds a data matrix", "no --data", "--data, or a file"
        )
    if scheduler is not None and not folder:
        raise InvalidInput(
            "--scheduler needs blocks of rows", escaped(file), "--data with a folder of them"
        )
    return folder


def read_input(
    file: str,
    blocks: str | None,
    costs: str,
    *,
    labels: str | None,
    data: bool,
    target: str | None,
    drop: str | None,
    ridge: str | None,
    scheduler: str | None,
    symmetrize: bool,
) -> Input:
    """Read the file and make sense of the options that belong to it."""
    from ..errors import InvalidInput, escaped
    from ..io import STANDARD_INPUT, parse_costs, parse_numbers, read_labels, read_matrix
    from ..problem.blocks import Blocks, as_blocks

    if (blocks is None) == (labels is None):
        found = "neither" if blocks is None else "both"
        raise InvalidInput(
            "--blocks or --labels must be given",
            found,
            "--blocks each or 10,50,250, or --labels FILE",
        )
    named = None if labels is None else Blocks.from_labels(read_labels(labels))
    _require_data_options(data, ridge=ridge, target=target, drop=drop, symmetrize=symmetrize)
    penalties = parse_numbers(ridge or "0", "ridge")
    if len(penalties) != 1 or penalties[0] < 0:
        raise InvalidInput(
            "must be a non-negative number", f"{ridge}", argument="ridge", suggest={"ridge": 0.1}
        )
    folder = _is_folder_of_rows(file, data=data, scheduler=scheduler)
    notes: list[str] = []
    said: list[str] = []
    written = (
        file == STANDARD_INPUT
        or file.startswith("dataset:")
        or file.lower().endswith((".csv", ".txt", ".mtx"))
    )
    numbers = "the decimals" if written else "the numbers"
    L: SmoothnessLike
    columns: tuple[str, ...] | None = None
    dropped: tuple[str, ...] = ()
    if data:
        numbers = f"from {numbers}"
        choice = target, _column_names(drop)
        if folder:
            L, rows, columns, dropped = _of_folder(
                file, 2 * penalties[0], choice, scheduler=scheduler
            )
        else:
            L, rows, columns, dropped = _of_data(file, 2 * penalties[0], choice, said)
        dimension = int(L.shape[0])
        said.append(_columns_note(columns, dropped, dimension, named=target is not None))
        notes.append(
            f"L = (2/{rows}) A'A + 2*{ridge or 0} I from {rows} rows of {dimension} columns"
        )
    else:
        L = read_matrix(file, symmetrize=symmetrize, notes=said)
        dimension = int(L.shape[0])
        if getattr(L, "asymmetry", 0.0):
            numbers = f"the symmetric part of {numbers}"
    try:
        partition = as_blocks(named or blocks or "", dimension, scattered=True)
    except InvalidInput as error:
        error.found += "".join(f"  (note: {note})" for note in said)  # may be why sizes do not fit
        raise
    prices = parse_costs(costs, partition)
    name = "standard input" if file == STANDARD_INPUT else escaped(Path(file).name)
    return Input(
        L,
        partition,
        prices,
        name,
        f"{numbers} of the {'folder' if folder else 'file'}",
        (*notes, *said),
        columns,
        dropped,
    )


_Columns = tuple[str | None, list[str]]


def _column_names(text: str | None) -> list[str]:
    """Return the columns of --drop, with commas between them; a name with a comma stands between
    quotes.
    """
    from ..errors import InvalidInput

    if text is None:
        return []
    names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
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
    features = f"{count} feature{'s' * (count != 1)}{names}"
    if not dropped:
        return f"all {count} columns are features{names}; use --target to leave one out"
    why = "" if named or "target" not in dropped else " ('target' by default)"
    kind = "column" if columns else "column number"
    return f"{features}; left out: {kind}{'s' * (len(dropped) != 1)} {listed(dropped)}{why}"


def _of_data(
    file: str, shift: Any, choice: _Columns, said: list[str]
) -> tuple[SmoothnessLike, str, tuple[str, ...], tuple[str, ...]]:
    """Return (2/n) A'A + shift I, n, the names of the features and the columns left out."""
    from ..io import read_data
    from ..problem.smoothness import gram

    target, drop = choice
    read = read_data(file, target=target, drop=drop, notes=said)
    rows = int(read.values.shape[0])
    return gram(read.values, Fraction(2, rows), shift), str(rows), read.columns, read.left_out


def _of_folder(
    file: str, shift: Any, choice: _Columns, *, scheduler: str | None
) -> tuple[SmoothnessLike, str, tuple[str, ...], tuple[str, ...]]:
    """Return the same for a folder, whose rows stay where they are, on a cluster until the command
    ends.
    """
    from ..errors import InvalidInput
    from ..problem.smoothness import row_blocks
    from .workers import Workers

    target, drop = choice
    chosen = [*drop, *([] if target is None else [target])]
    try:
        numbers = [int(column) for column in chosen]
    except ValueError:
        found = ", ".join(chosen)
        raise InvalidInput(
            "columns of a folder have no names", found, "numbers of columns, from 0"
        ) from None
    executor = None
    if scheduler is not None:
        executor = click.get_current_context().with_resource(Workers(scheduler=scheduler).open())
    rows = 0

    def scale(n: int) -> Fraction:
        nonlocal rows
        rows = n
        return Fraction(2, n)

    L = row_blocks(file, scale, shift, executor=executor, drop=numbers)
    width = L.dimension + len(set(numbers))
    dropped = sorted({number % width for number in numbers})
    return L, str(rows), (), tuple(map(str, dropped))
