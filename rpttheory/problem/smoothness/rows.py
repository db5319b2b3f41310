"""L = scale A'A + shift I for an A in chunks of rows: on disk, or in the memory of workers.

Products are made where the rows are, so that only vectors travel, and added up in a fixed order, so
that on equal processors neither the number of workers nor the death of one changes a bit of any
result. Where d allows A'A is formed, by panels of columns; beyond, non-negative data are bounded by
products alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...eigen.collatz import near_product, sum_above
from ...eigen.gram import summed_entrywise_gram
from ...eigen.pencil import UNIT, EntrywiseMatrix, Matrix, stored_entries, to_dense
from ...errors import InvalidInput
from ...machine import available_bytes
from ...numbers import Bracket, Rigor, arithmetic_is_sound, arithmetic_problem
from ...numbers.exact_array import FloatArray, Number
from ..blocks import Blocks
from .chunks import (
    Chunk,
    ChunkKeeper,
    Chunks,
    RowFiles,
    StreamedChunks,
    apply_unchanged,
    load,
    sources_of,
)
from .gram import FORMED_DIMENSION, WHOLE, GramForm, column_squares, scale_and_shift
from .operator import OperatorSmoothness
from .protocol import IndexArray, Smoothness

# Up to this dimension A'A is formed where nothing else would prove anything.
_FORMED_DIMENSION = 20_000
# What a panel of A'A may take: this travels, and every worker holds a few.
_PANEL = 2**25
_WIDTH = 1e-7


def gram_from_files(
    data: RowFiles,
    scale: Number | Callable[[int], Number] = 1,
    shift: Number = 0,
    *,
    executor: ChunkKeeper | None = None,
    drop: Sequence[int] = (),
) -> Smoothness:
    """Return L = scale A'A + shift I for data that need not fit in memory, as blocks of rows.

    Parameters
    ----------
    data : path, sequence of paths or dask array
        A folder of .npy or .npz files (one array, or what `scipy.sparse.save_npz` writes), taken in
        the order of their names, hidden ones left out; such files; or one .npy file, which is read
        by memory map.
    scale, shift : number
        Taken exactly, as by `gram`. `scale` may be a function of the number of rows: `lambda n:
        Fraction(2, n)` and `2 * lam` for ridge regression.
    executor : Cluster, optional
        A dask cluster (`rpttheory.runs.cluster.Cluster`), whose workers read the chunks and keep
        them. By default this process reads them anew for every product, one at a time, and raises
        InvalidInput if their numbers have changed since the first reading.
    drop : sequence of int, optional
        Columns of the data that are not part of A, counting from 0; negative numbers count from the
        end.

    Returns
    -------
    Smoothness

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/a.npy", [[1.0, 0.0]])
    ...     np.save(f"{folder}/b.npy", [[2.0, 1.0]])
    ...     gram_from_files(folder).diagonal()
    array([5., 1.])
    """
    sources = sources_of(data)
    if executor is not None and not hasattr(executor, "keep"):
        raise InvalidInput(
            "must be able to keep chunks",
            type(executor).__name__,
            "a Cluster, or None",
            argument="executor",
        )
    chunks: Chunks = StreamedChunks(sources) if executor is None else executor.keep(load, sources)
    checksums, facts = zip(*chunks.each(_checksum_and_facts), strict=True)
    columns = facts[0][1]
    for source, (rows, width, *_) in zip(sources, facts, strict=True):
        if width != columns or rows == 0:
            raise InvalidInput(
                f"{source[0]}: chunks must have rows, and as many columns as one another",
                f"{rows} x {width}, and {columns} columns in {sources[0][0]}",
                "the same columns in every file",
            )
    if columns == 0:
        raise InvalidInput(
            "must not be empty", "chunks without columns", "at least one entry", argument="A"
        )
    rows = sum(rows for rows, *_ in facts)
    factor, added = scale_and_shift(scale(rows) if callable(scale) else scale, shift)
    with np.errstate(over="ignore"):
        squares = chunks.add_up(apply_unchanged, checksums, column_squares)
        if not np.isfinite(float(factor) * squares + float(added)).all():
            raise InvalidInput(
                "A'A must be finite", "squares of the entries overflow", "A scaled down"
            )
    form = RowBlocks(
        chunks,
        checksums,
        factor,
        added,
        squares,
        roundings=max(entries for _, _, entries, *_ in facts) + len(facts),
        rows=rows,
        nonnegative=all(sign for _, _, _, sign, _ in facts),
    )
    features = _features(columns, drop)
    if len(features) < columns:
        form = form.restrict(features)
    sound = arithmetic_is_sound() and not any(problem for *_, problem in facts)
    return form if sound else OperatorSmoothness(form.dimension, form._apply)


def _features(columns: int, drop: Sequence[int]) -> IndexArray:
    """Return the numbers of the columns that remain; raise InvalidInput for a column that does not
    exist, or if none remains.
    """
    try:
        features = np.delete(np.arange(columns), list(drop))
    except (IndexError, TypeError, ValueError):
        what = f"columns must be numbers from 0 to {columns - 1} where they have no names"
        raise InvalidInput(what, repr(drop)[:80], f"{columns - 1} for the last column") from None
    if not features.size:
        raise InvalidInput(
            "must have features",
            f"all {columns} column(s) are left out",
            "fewer columns to leave out",
            argument="A",
        )
    return features


@dataclass(frozen=True, eq=False)
class RowBlocks(GramForm):
    """scale A'A + shift I, A in chunks of rows.

    Parameters
    ----------
    checksums : tuple of int
        Of the first reading; every other one must have the same.
    squares : ndarray
        The squared norms of the columns, added up in any order.
    roundings : int
        What a sum over all rows goes through at most: the entries of a column in a chunk, and the
        chunks.
    rows : int
    nonnegative : bool
    columns : slice or ndarray, optional
        The columns of the data that make A, in this order.
    entries : EntrywiseMatrix, optional
        The entries of L, if they are computed already.
    """

    chunks: Chunks
    checksums: tuple[int, ...]
    scale: Fraction
    shift: Fraction
    squares: FloatArray
    roundings: int
    rows: int
    nonnegative: bool
    columns: slice | IndexArray | None = None
    entries: EntrywiseMatrix | None = None

    @property
    def dimension(self) -> int:
        return int(self.squares.size)

    def _apply(self, x: FloatArray) -> FloatArray:
        if self.__dict__.get("_formed") is not None:
            return np.asarray(self._formed.matrix @ x)  # type: ignore[union-attr]
        return float(self.scale) * self._applied(near_product, WHOLE, x) + float(self.shift) * x

    def diagonal(self) -> FloatArray:
        return float(self.scale) * self.squares + float(self.shift)

    def diagonal_brackets(self) -> tuple[Bracket, ...]:
        # Nothing but non-negative terms: each sum is off by its roundings, relatively, and by what
        # underflows.
        room = (self.roundings + 4) * UNIT * (1 + 2.0**-20)
        above = sum_above(self.squares, self.roundings) + self.rows * 2.0**-1073
        below = np.maximum(self.squares * (1 - room) - self.rows * 2.0**-1073, 0.0)
        ends = (
            [self.scale * Fraction(x) + self.shift for x in side.tolist()]
            for side in (below, above)
        )
        return tuple(Bracket(low, high, Rigor.VERIFIED) for low, high in zip(*ends, strict=True))

    def restrict(self, index: slice | IndexArray) -> RowBlocks:
        places = np.arange(self.dimension)[index]
        if isinstance(self.columns, slice):
            columns = places + self.columns.start
        else:
            columns = places if self.columns is None else self.columns[places]
        formed = self.__dict__.get("_formed")
        if formed is not None:
            formed = EntrywiseMatrix(formed.matrix[np.ix_(places, places)], formed.slack[places])
        # Consecutive columns are a slice of the data, which costs little.
        consecutive = bool((np.diff(columns) == 1).all())
        return replace(
            self,
            columns=slice(int(columns[0]), int(columns[-1]) + 1) if consecutive else columns,
            squares=self.squares[places],
            entries=formed,
        )

    def _gram(self) -> FloatArray:
        d = self.dimension
        gram = np.empty((d, d))
        step = max(1, _PANEL // (8 * d))
        for first in range(0, d, step):
            gram[:, first : first + step] = self._sum(
                _panel, self.columns, first, min(first + step, d)
            )
        return gram

    @cached_property
    def _formed(self) -> EntrywiseMatrix | None:
        limit = FORMED_DIMENSION if self.nonnegative else _FORMED_DIMENSION
        if (
            self.entries is not None
            or self.dimension > limit
            or 32 * self.dimension**2 > available_bytes()
        ):
            return self.entries
        return summed_entrywise_gram(
            self._gram(),
            lambda v: self._above(v, WHOLE),
            self.roundings,
            self.rows,
            self.scale,
            self.shift,
        )

    def _nonnegative(self) -> bool:
        return self.nonnegative

    def _applied(
        self, function: Callable[..., FloatArray], starts: IndexArray, x: FloatArray
    ) -> FloatArray:
        return self._sum(_by_block, function, self.columns, starts, x)

    def _sum(self, function: Callable[..., FloatArray], *arguments: Any) -> FloatArray:
        """Return the sum of function(rows, *arguments) over all chunks of rows."""
        return self.chunks.add_up(apply_unchanged, self.checksums, function, *arguments)

    def block_brackets(self, blocks: Blocks) -> tuple[Bracket, ...] | None:
        if blocks.count == self.dimension or self.explicit() is not None or not self.nonnegative:
            return super().block_brackets(blocks)
        brackets = self._by_products(blocks.starts, None, None, _WIDTH)
        return brackets if all(np.isfinite(bracket.upper) for bracket in brackets) else None


# -- what is done to a chunk, where it is ---------------------------------------------------------


def _checksum_and_facts(chunk: Chunk) -> tuple[int, tuple[int, int, int, bool, str]]:
    return chunk.checksum, _facts(chunk.matrix)


def _facts(chunk: Matrix) -> tuple[int, int, int, bool, str]:
    """Return rows, columns, the most entries in a column, whether all are non-negative, and the
    fault of the arithmetic, if any.
    """
    rows, columns = chunk.shape
    entries = np.array([rows])
    if not isinstance(chunk, np.ndarray):
        entries = (
            np.diff(chunk.indptr)
            if chunk.format == "csc"
            else np.bincount(chunk.indices, minlength=1)
        )
    sign = float(stored_entries(chunk).min(initial=0.0)) >= 0
    return rows, columns, int(entries.max(initial=0)), sign, arithmetic_problem(columns)


def _take_columns(chunk: Matrix, columns: slice | IndexArray | None) -> Matrix:
    """Return some columns of a chunk, stored by columns: selecting from rows reads all entries."""
    if columns is None:
        return chunk
    return chunk[:, columns] if isinstance(chunk, np.ndarray) else sp.csc_array(chunk)[:, columns]


def _by_block(
    chunk: Matrix,
    function: Callable[[Matrix, FloatArray], FloatArray],
    columns: slice | IndexArray | None,
    starts: IndexArray,
    x: FloatArray,
) -> FloatArray:
    """Return function(A_k, x_k) for all blocks of columns, one below the other."""
    part = _take_columns(chunk, columns)
    if len(starts) == 1:
        return function(part, x)
    part = part if isinstance(part, np.ndarray) else sp.csc_array(part)
    ends = [*starts[1:], part.shape[1]]
    return np.concatenate(
        [function(part[:, a:b], x[a:b]) for a, b in zip(starts, ends, strict=True)]
    )


def _panel(chunk: Matrix, columns: slice | IndexArray | None, first: int, last: int) -> FloatArray:
    """Return some columns of A'A; NaN if arithmetic is not sound."""
    part = _take_columns(chunk, columns)
    product = part.T @ _take_columns(part, slice(first, last))
    if arithmetic_problem(part.shape[1]):
        return np.full(product.shape, np.nan)
    return to_dense(product)
