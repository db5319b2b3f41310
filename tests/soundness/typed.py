"""Problems as a person types them: a file of text, labels, options; and what they mean, read from
the same text.
"""

import csv
import io
import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from .families import SEMIDEFINITE, dimension
from .laws import block_sizes, costs_per_block, pairs
from .notation import decimal_text
from .reals import Rows, gram_of
from .trial import Trial
from .truth import Truth

MARK = "\ufeff"
LABELS = ("a", "b", "A", "a b", '"a"', "'a'", '""', "0", "00", "1.0", "x,y", "β", "#a", "-")


@dataclass
class Typed:
    """A problem on the command line, with its meaning as the judge reads it."""

    text: str  # of the file
    options: list[str]
    matrix: Rows | None  # in the order of the file; None where the text cannot be read
    sizes: list[int]
    arrangement: list[int]  # coordinates of the file, block by block
    labels: list[str] | None  # of the coordinates, in a file of their own or in the first row
    costs: list[Fraction]
    comparable: bool  # whether the matrix can be compared with the file

    @property
    def arranged(self) -> Rows:
        """The matrix block by block."""
        assert self.matrix is not None
        return [[self.matrix[i][j] for j in self.arrangement] for i in self.arrangement]

    def truth(self, sampling: str, p: Sequence[Fraction]) -> Truth:
        return Truth(self.arranged, self.sizes, pairs(sampling, p), self.costs)

    @property
    def moderate(self) -> bool:
        """True if step counts have no hundreds of digits, which would take minutes."""
        entries = [abs(x) for row in self.matrix or [] for x in row if x]
        return Fraction(1, 10**15) < max(entries, default=Fraction(1)) < 10**15


def cells_of(text: str) -> list[list[str]]:
    """The cells of a .csv or .txt file, by the csv module."""
    lines = [line for line in text.removeprefix(MARK).splitlines() if line.strip()]
    separator = next((sign for sign in ";," if sign in lines[0]), " ")
    rows = csv.reader(io.StringIO("\n".join(lines)), delimiter=separator, skipinitialspace=True)
    cells = [[cell.strip() for cell in row if cell or separator != " "] for row in rows]
    return (
        [[cell.replace(",", ".") for cell in row] for row in cells] if separator == ";" else cells
    )


def number(cell: str) -> Fraction | None:
    try:
        return Fraction(cell)
    except ValueError:
        return None


def symmetric_part(cells: Sequence[Sequence[str]]) -> Rows:
    rows = [[Fraction(cell) for cell in row] for row in cells]
    return [[(rows[i][j] + rows[j][i]) / 2 for j in range(len(rows))] for i in range(len(rows))]


def gram_of_cells(
    cells: list[list[str]], target: str | None, drop: Sequence[str], ridge: Fraction
) -> Rows | None:
    """(2/n) A'A + 2 ridge I, where A has the columns that are not left out; None if a column is not
    there.
    """
    names = cells.pop(0) if number(cells[0][0]) is None else []
    places = places_left_out(names, len(cells[0]), target, drop)
    if places is None or len(places) == len(cells[0]):
        return None
    features = [[Fraction(cell) for j, cell in enumerate(row) if j not in places] for row in cells]
    return gram_of(features, Fraction(2, len(cells)), 2 * ridge)


def places_left_out(
    names: Sequence[str], count: int, target: str | None, drop: Sequence[str]
) -> set[int] | None:
    """The numbers of the columns that are left out; None if a column is not there."""
    if target is None and "target" in names:
        target = "target"
    places = set()
    for column in (*drop, *([] if target is None else [target])):
        if names.count(column) > 1:
            return None
        place = (
            names.index(column) if column in names else int(column) if column.isdigit() else count
        )
        if place >= count:
            return None
        places.add(place)
    return places


def draw_typed(trial: Trial) -> Typed:
    """A matrix or a data matrix, blocks or labels, and costs."""
    rng = trial.rng
    d = min(dimension(rng), 8)
    data = rng.random() < 0.5
    drawn = _draw_data(rng, d) if data else _draw_square(rng, d)
    text, options, matrix, comparable, names = drawn
    market = text.startswith("%%")
    name = "t.mtx" if market else rng.choice(("t.csv", "t.csv", "t.txt"))
    trial.write(f"path = write_file({name!r}, {text!r})")
    if matrix is not None:
        d = len(matrix)
    labels = None
    by_sizes = rng.random() < 0.5
    if by_sizes:
        sizes = block_sizes(rng, d)
        arrangement = list(range(d))
        labels = names if names and sizes == [1] * d else None
        each = sizes == [1] * d and rng.random() < 0.5
        options += ["--blocks", "each" if each else ",".join(map(str, sizes))]
    else:
        label_text = _draw_labels(rng, d)
        trial.write(f"labels_file = write_file('labels.txt', {label_text!r})")
        lines = label_text.removeprefix(MARK).replace("\r\n", "\n").removesuffix("\n").split("\n")
        labels = [line.strip() for line in lines]
        members: dict[str, list[int]] = {}
        for place, label in enumerate(labels):
            members.setdefault(label, []).append(place)
        sizes = [len(places) for places in members.values()]
        arrangement = [place for places in members.values() for place in places]
        if "" in labels or len(labels) != d:
            matrix = None
        options += ["--labels", trial.at["labels_file"]]
    typed_costs, costs = _draw_costs(rng, sizes)
    options += typed_costs
    if data:
        options.append("--data")
    trial.inputs = f"{'data' if data else 'matrix'} in text, {'sizes' if by_sizes else 'labels'}"
    return Typed(text, options, matrix, sizes, arrangement, labels, costs, comparable)


Drawn = tuple[str, list[str], Rows | None, bool, list[str]]


def _market(rng: random.Random, cells: Sequence[Sequence[str]]) -> str:
    """A Matrix Market file with these cells."""
    rows = len(cells)
    columns = len(cells[0])
    mirrored = [list(column) for column in zip(*cells, strict=True)] == cells
    symmetry = rng.choice(("general", "symmetric")) if mirrored else "general"
    layout = rng.choice(("array", "coordinate"))
    places = [
        (i, j) for j in range(columns) for i in range(j if symmetry == "symmetric" else 0, rows)
    ]
    whole = all(cell.lstrip("+-").isdigit() for row in cells for cell in row)
    head = f"%%MatrixMarket matrix {layout} {'integer' if whole else 'real'} {symmetry}\n"
    if layout == "array":
        return f"{head}{rows} {columns}\n" + "".join(cells[i][j] + "\n" for i, j in places)
    stored = [(i, j) for i, j in places if Fraction(cells[i][j]) != 0]
    entries = [f"{i + 1} {j + 1} {cells[i][j]}\n" for i, j in stored]
    return f"{head}{rows} {columns} {len(stored)}\n" + "".join(entries)


def _joined(rng: random.Random, cells: Sequence[Sequence[str]]) -> str:
    separator = rng.choice((",", ",", ";", "; ", ", "))
    if separator.startswith(";") and len(cells[0]) > 1 and rng.random() < 0.5:
        cells = [[cell.replace(".", ",") for cell in row] for row in cells]
    end = rng.choice(("\n", "\n", "\r\n"))
    lines = [separator.join(row) for row in cells]
    return rng.choice(("", "", MARK)) + end.join(lines) + rng.choice(("", end))


def _draw_square(rng: random.Random, d: int) -> Drawn:
    family = rng.choice(SEMIDEFINITE)
    upper = family(rng, d)
    cells = [[decimal_text(rng, x) for x in row] for row in upper]
    cells = [[cells[min(i, j)][max(i, j)] for j in range(d)] for i in range(d)]
    if d > 1 and rng.random() < 0.1:  # asymmetric at rounding level
        value = Fraction(cells[1][0])
        cells[1][0] = decimal_text(rng, value * (1 + Fraction(rng.choice((-1, 1)), 10**14)))
    half = d > 1 and rng.random() < 0.1  # asymmetric beyond that
    if half:
        cells[0][1] = decimal_text(rng, Fraction(cells[0][1]) * Fraction(11, 10))
    market = rng.random() < 0.2
    text = _market(rng, cells) if market else _joined(rng, cells)
    options = ["--symmetrize"] * half
    matrix = symmetric_part(cells if market else cells_of(text))
    return text, options, matrix, not (half or market), []


def _draw_data(rng: random.Random, d: int) -> Drawn:
    rows = rng.choice((1, 2, 3, 3, 5))
    extra = rng.choice((0, 0, 1, 1, 2))
    count = d + extra
    cells = [
        [
            decimal_text(rng, Fraction(rng.randint(-40, 40), rng.choice((1, 3, 4, 10))))
            for _ in range(count)
        ]
        for _ in range(rows)
    ]
    names: list[str] = []
    if rng.random() < 0.6:
        names = [f"x{k}" for k in range(count)]
        rng.shuffle(names)
        if rng.random() < 0.5:
            names[rng.randrange(count)] = "target"
        if rng.random() < 0.3:
            names[rng.randrange(count)] = "a b"
        cells.insert(0, [f'"{name}"' if rng.random() < 0.2 else name for name in names])
    market = not names and rng.random() < 0.2
    text = _market(rng, cells) if market else _joined(rng, cells)
    columns = names or [str(k) for k in range(count)]
    target = rng.choice(columns) if extra and rng.random() < 0.6 else None
    drop = rng.sample(columns, extra - 1) if extra > 1 else []
    if rng.random() < 0.1:
        drop.append(str(rng.randrange(count + 1)))
    ridge = rng.choice(("", "", "0", "0.1", "1e-18", "3"))
    options = ["--ridge", ridge] * bool(ridge)
    options += [] if target is None else ["--target", target]
    options += ["--drop", ",".join(drop)] if drop else []
    matrix = gram_of_cells(cells if market else cells_of(text), target, drop, Fraction(ridge or 0))
    comparable = not market and matrix is not None and len(matrix) == count
    places = places_left_out(names, count, target, drop) or set()
    features = [name for place, name in enumerate(names) if place not in places]
    return text, options, matrix, comparable, features


def _draw_labels(rng: random.Random, d: int) -> str:
    pool = rng.sample(LABELS, rng.randint(1, min(d, 4)))
    labels = [rng.choice(pool) for _ in range(d)]
    style = rng.random()
    if style < 0.05:
        labels[rng.randrange(d)] = rng.choice(("", " ", "\t"))
    elif style < 0.1:
        labels.append("a")
    blanks = rng.choice(("", "", " ", "\t"))
    end = rng.choice(("\n", "\n", "\r\n"))
    return (
        rng.choice(("", MARK))
        + end.join(label + blanks for label in labels)
        + rng.choice(("", end))
    )


def _draw_costs(rng: random.Random, sizes: Sequence[int]) -> tuple[list[str], list[Fraction]]:
    style = rng.choice(("", "size", "equal", "numbers", "numbers"))
    if style == "numbers":
        typed = [decimal_text(rng, cost) for cost in costs_per_block(rng, sizes)]
        return ["--costs", ",".join(typed)], [Fraction(cost) for cost in typed]
    if style == "equal":
        return ["--costs", style], [Fraction(1, len(sizes))] * len(sizes)
    return ["--costs", style] * bool(style), [Fraction(size, sum(sizes)) for size in sizes]
