"""table:ridge_regression: its Theory column cannot be checked from what the paper says of the experiment."""

from collections.abc import Sequence
from fractions import Fraction

from rpttheory.certify import Bracket, Verdict
from rpttheory.experiments.theory import rounds_to

from ..checks.exact import Matrix, apply, times, top_at_most
from ..engine.entry import Check, Entry, Erratum, Evidence, Finding, Status, Trial, failed, held

SIZES = (4, 12)


def features() -> list[list[int]]:
    """Sixteen samples of a feature with three copies, eleven others and a bias; all others are orthogonal.

    The entries are signs with mean zero, so every feature is normalised. They are columns of the Hadamard matrix of
    order 16, whose entry (i, j) is the parity of the common bits of i and j.
    """
    columns = (1, 1, 1, 1, *range(2, 13), 0)
    return [[-1 if (row & column).bit_count() % 2 else 1 for column in columns] for row in range(16)]


def is_as_described(data: Matrix) -> bool:
    """Features of mean 0 and variance 1, and a bias last: then the Hessian's diagonal is constant, hence sorted."""
    columns = [list(column) for column in zip(*data, strict=True)]
    normalised = all(sum(c) == 0 and sum(v * v for v in c) == len(c) for c in columns[:-1])
    return normalised and set(columns[-1]) == {1}


def speedup(data: Matrix, sizes: Sequence[int], regularisation: Fraction) -> Bracket:
    """L / (sum sqrt(L_k c_k))^2 for the Hessian 2 A'A / n + 2 lambda I, with c_k = d_k / d.

    The largest eigenvalues of A'A / n and of its blocks are sought among whole numbers, and proved.
    """
    gram = [[entry / len(data) for entry in row] for row in times([list(c) for c in zip(*data, strict=True)], data)]
    ends = [sum(sizes[: k + 1]) for k in range(len(sizes))]
    blocks = [[row[end - size : end] for row in gram[end - size : end]] for end, size in zip(ends, sizes, strict=True)]
    constants = [2 * whole_top(block) + 2 * regularisation for block in blocks]
    terms = [L * Fraction(size, len(gram)) for L, size in zip(constants, sizes, strict=True)]
    top = 2 * whole_top(gram) + 2 * regularisation
    return top / Bracket.sum(Bracket.of_fraction(term).sqrt() for term in terms).squared()


def whole_top(matrix: Matrix) -> int:
    """The largest eigenvalue, where it is a whole number with the first row for an eigenvector."""
    first = list(matrix[0])
    image = apply(matrix, first)
    value = image[0] / first[0]
    if image != [value * entry for entry in first] or value.denominator != 1 or not top_at_most(matrix, value):
        raise ValueError("the largest eigenvalue is not what the first row suggests")
    return int(value)


def column_depends_on(choices: Sequence[Fraction], cells: Sequence[str]) -> bool:
    """Whether one data set as described gives these cells, not all the same, for these values of lambda."""
    data = features()
    found = [rounds_to(speedup(data, SIZES, value), cell) for value, cell in zip(choices, cells, strict=True)]
    return is_as_described(data) and set(found) == {Verdict.PROVED} and len(set(cells)) > 1


def undetermined(choices: Sequence[Fraction] = (Fraction(0), Fraction(1))) -> Check:
    """A check that choices which the paper leaves open give different cells for the same data."""

    def run(_: Trial) -> Finding:
        if not column_depends_on(choices, ("1.1", "0.9")):
            return failed("these choices give the same cell")
        return held(
            "the column depends on choices that are not stated: for sixteen samples of signs (one feature in four "
            "copies, eleven orthogonal to it, a bias; blocks of 4 and 12) the cell is 1.1 for lambda = 0 and 0.9 for "
            "lambda = 1"
        )

    return Check(Evidence.EXACT, run)


CLAIM = Entry(
    label="table:ridge_regression",
    title="Speed-ups in ridge regression: the Theory column",
    latex=r"\text{Theory} = L / \Big( \sum_k \sqrt{L_k c_k} \Big)^2: \quad 1, 1, 1, 1.1",
    text="Nothing here shows one of the four cells to be false. But neither lambda nor the blocks, nor how the "
    "features are normalised, is stated, and the column depends on them: it cannot be checked from the data sets "
    "alone (rpttheory.experiments searches over such choices). With the minimum of the corollary a cell is at least "
    "1, and 1 says that the bound promises nothing.",
    statement=Status.OPEN,
    proof=Status.NONE,
    checks=(undetermined(),),
    errata=(
        Erratum(
            r"\lambda \text{ is a regularisation parameter}",
            "the value of lambda, the blocks and the normalisation must be stated for the table to be checked",
        ),
        Erratum(
            r"\text{sorted by the diagonal of the Hessian}",
            "with features of mean 0 and variance 1 and a bias of ones all diagonal entries are 2 + 2 lambda: "
            "if that is the normalisation, there is nothing to sort by",
        ),
    ),
)
