"""Write certificates: claims about a problem and their proofs, as integers that `checker` verifies.

Floating point only guesses eigenvectors. Every witness consists of integers and is checked at once.
A witness that leaves a claim undecided is replaced by a narrower one, and finally by an exact one.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import mul
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..eigen.eigenpairs import leading_eigenpair_dense
from ..eigen.exact import RationalMatrix, bracket_exactly, simplest_between
from ..errors import InvalidInput
from ..files import write_whole
from ..numbers import Bracket
from ..numbers.exact_array import FloatArray
from ..problem.problem import Problem
from ..problem.sampling import IndependentSampling, NestedSampling
from ..problem.smoothness.gram import GramForm
from .checker import FORMAT, Proof, Unproved, Value, claim_text, digest

# Relative widths of the eigenvalues, in bits, in the order in which they are used. At the last one
# an eigenvalue that is a fraction is found exactly. 36 bits decide most claims; 90 bits mostly come
# from one eigenvector in floating point, 180 bits from inverse iterations.
_WIDTHS = (36, 90, 180)
_EXACT = 1000
# A double eigenvector gives fewer bits where eigenvalues are close. One inverse iteration is enough
# for 90 bits if eigenvalues agree to 40 bits; the second is for closer ones and more bits.
_REFINEMENTS = 3
_REFINED_BITS = 220
# Longer certificates are compressed by gzip.
_PACKED_BYTES = 1_000_000


class Optimum(Protocol):
    """Probabilities of nearly optimal c(P), and a dual point that bounds the optimum from below."""

    @property
    def probabilities(self) -> FloatArray: ...

    @property
    def dual(self) -> FloatArray: ...


def certificate(
    problem: Problem,
    claims: Sequence[tuple[Any, str]],
    best: Optimum | None = None,
    x: FloatArray | None = None,
) -> dict[str, Any]:
    """Return a document that proves each claim.

    Parameters
    ----------
    problem : Problem
        Its matrix must be known exactly.
    claims : sequence of (tree, verdict)
        Claims as nested lists, which `checker` reads, each with PROVED or REFUTED.
    best : SearchResult, optional
        The optimum with its dual point; claims about the optimum need it.
    x : array of integers, optional
        The point of the claims about xLx and g.

    Returns
    -------
    dict
        The certificate, which `write_certificate` writes as JSON.

    Raises
    ------
    InvalidInput
        If there is no claim, L is not known exactly, or a claim cannot be proved.
    """
    if not claims:
        raise InvalidInput(
            "a certificate needs a decided claim", "none", "a claim that is not a tie"
        )
    matrix = problem.smoothness.rational()
    if matrix is None:
        raise InvalidInput(
            "a certificate needs the numbers of L exactly", "bounds on them", "doubles, or d <= 60"
        )
    optimum: dict[str, Any] | None = None
    if best is not None:
        dual = best.dual if problem.arrangement is None else best.dual[problem.arrangement]
        optimum = {"points": [_texts(best.probabilities)], "dual": _integers(dual, 90)}
    fields = _statement(problem, matrix, claims, x)
    prover = _Prover(fields, optimum)
    for claim, verdict in claims:
        prover.prove(claim, verdict)
    digests = {"matrix": digest([fields["unit"], fields["rows"]]), "statement": digest(fields)}
    return {
        "format": FORMAT,
        "digests": digests,
        "statement": fields,
        "optimum": optimum,
        "witnesses": prover.witnesses,
    }


def _statement(
    problem: Problem,
    matrix: RationalMatrix,
    claims: Sequence[tuple[Any, str]],
    x: FloatArray | None,
) -> dict[str, Any]:
    """Return everything that the claims are about, in the form of `checker.Statement`."""
    common = math.lcm(*{value.denominator for row in matrix for value in row})
    rows = []
    for i, row in enumerate(matrix):
        places = [j for j in range(i + 1) if row[j]]
        rows.append([number for j in places for number in (j, int(row[j] * common))])
    form = problem.smoothness
    uses_closed_form = any({"c_closed", "c_rounded"} & _words(claim) for claim, _ in claims)
    return {
        "unit": f"1/{common}",
        "rows": rows,
        "arrangement": None if problem.arrangement is None else problem.arrangement.tolist(),
        "gram": _texts([form.scale, form.shift]) if isinstance(form, GramForm) else None,
        "blocks": list(problem.blocks.sizes),
        "block_names": list(problem.blocks.names) or None,
        "c": _texts(problem.costs.fractions()),
        "overhead": str(problem.overhead),
        "order": None if problem.order is None else list(problem.order.rank_to_block),
        "p": _texts(problem.sampling.marginals.fractions()),
        "p_near": _texts(problem.closed_form.probabilities) if uses_closed_form else None,
        "sampling": _sampling(problem),
        "x": None if x is None else list(map(int, x.tolist())),
        "claims": [list(claim) for claim in claims],
    }


def _words(tree: Any) -> set[str]:
    """Return the names, operators and numbers in a tree."""
    return {tree} if isinstance(tree, str) else set().union(*map(_words, tree))


def write_certificate(path: str, document: dict[str, Any]) -> None:
    """Write a certificate as JSON, compressed if it is long.

    Parameters
    ----------
    path : str
        The file, which is replaced.
    document : dict
        A certificate of `certificate`, or of the method of that name of a result.
    """
    content = json.dumps(document, separators=(",", ":")).encode()
    if len(content) > _PACKED_BYTES:
        content = gzip.compress(content, mtime=0)
    write_whole(Path(path), content)


class _Prover(Proof):
    """The checker itself, which makes missing witnesses as narrow as the current claim needs."""

    def __init__(self, fields: dict[str, Any], optimum: dict[str, Any] | None) -> None:
        super().__init__(fields, {}, optimum)
        self.width = 0
        self.widths: dict[str, int] = {}

    def prove(self, claim: Any, verdict: str) -> None:
        for self.width in (*_WIDTHS, _EXACT):
            self.values.clear()
            try:
                outcome = self.verdict(claim)
            except Unproved as reason:
                outcome = str(reason)
            if outcome == verdict:
                return
        raise InvalidInput(
            f"no certificate for {claim_text(claim)}",
            f"{outcome}, not {verdict}",
            "the claim left out",
        )

    def eigenvalue(self, matrix: list[list[int]], weights: list[int]) -> Value:
        key = digest([matrix, weights])
        if self.widths.get(key, -1) < self.width:
            previous = self.eigenvalues.pop(key, None)
            witness = None
            if self.width < _EXACT:
                witness = _witness(matrix, weights, self.width)
            elif previous is not None and not previous.exact:
                witness = _exact_witness(matrix, weights, previous)
            self.witnesses[key] = witness or self.witnesses[key]
            self.widths[key] = self.width
        return super().eigenvalue(matrix, weights)


def _witness(matrix: list[list[int]], weights: list[int], width: int) -> dict[str, Any]:
    """Return an integer vector, and a level with the factor that proves it."""
    # Coordinates are multiplied by powers of two that bring the weights near 1: as doubles they
    # might all but vanish.
    shifts = [w.bit_length() // 2 for w in weights]
    most = max(shifts)
    scaled = [
        [x << (2 * most - k - m) for x, m in zip(row, shifts, strict=True)]
        for row, k in zip(matrix, shifts, strict=True)
    ]
    unit = max(abs(x) for row in scaled for x in row)
    pair = leading_eigenpair_dense(
        np.array([[x / unit for x in row] for row in scaled]),
        np.array([w / (1 << 2 * k) for w, k in zip(weights, shifts, strict=True)]),
    )
    integers = _integers(pair.vector[:, None], 120)
    x = [row[0] << (most - k) for row, k in zip(integers, shifts, strict=True)]
    smallest = Fraction(unit, 1 << (2 * most + 40))
    for _ in range(_REFINEMENTS):
        image = [sum(map(mul, row, x)) for row in matrix]
        weighted = list(map(mul, weights, x))
        low = Fraction(sum(map(mul, image, x)), sum(map(mul, weighted, x)))
        narrowest = max(abs(low), smallest) / 2**width
        step = narrowest
        factor: list[list[int]] = []
        while not factor:
            unit_bits = max(0, step.denominator.bit_length() - step.numerator.bit_length() + 7)
            inner = Fraction(round((low + step / 2) * 2**unit_bits), 2**unit_bits)
            level = Fraction(round((low + step) * 2**unit_bits), 2**unit_bits)
            factor, scale = _factor(matrix, weights, inner, level)
            step *= 4
        witness = {
            "vector": x,
            "level": str(level),
            "factor": factor,
            "scale": [str(scale)] * len(x),
        }
        if step == 4 * narrowest:
            break
        x = _inverse_iteration(factor, weighted, shifts)
    return witness


def _inverse_iteration(
    factor: list[list[int]], weighted: list[int], shifts: list[int]
) -> list[int]:
    """Return nearly a multiple of (G G')^-1 W x, by substitution in integers.

    G G' is nearly a multiple of t W - M for a t just above the eigenvalue. So this vector is closer
    to the eigenvector than x, also where other eigenvalues are so close that no double tells them
    apart.
    """
    # Quotients are cut to integers. The right-hand side has enough more bits than G that
    # the truncation does not matter.
    extra = max(abs(entry) for row in factor for entry in row).bit_length() + _REFINED_BITS
    solution: list[int] = []
    for row, entry in zip(factor, weighted, strict=True):
        solution.append(((entry << extra) - sum(map(mul, row, solution))) // row[-1])
    for i in reversed(range(len(factor))):
        below = sum(factor[j][i] * solution[j] for j in range(i + 1, len(factor)))
        solution[i] = ((solution[i] << extra) - below) // factor[i][i]
    # Coordinate i counts 2^shift_i times, since its weight is near 4^shift_i.
    largest = max(entry.bit_length() + k for entry, k in zip(solution, shifts, strict=True))
    excess = largest - max(shifts) - _REFINED_BITS
    return [entry >> max(excess, 0) for entry in solution]


def _factor(
    matrix: list[list[int]], weights: list[int], inner: Fraction, level: Fraction
) -> tuple[list[list[int]], Fraction]:
    """Return G and the scale D for which `level` W - M - G D G' is diagonally dominant.

    G D G' is nearly `inner` W - M. Cholesky's method on integers leaves less in an entry than twice
    the largest entry of G, hence less in a row than 2 d times that. The units are so small that
    `level` - `inner` exceeds this. G is empty if `inner` W - M is not positive definite.
    """
    rows = _shifted(matrix, weights, inner)
    room = (level - inner) * inner.denominator * min(weights)
    size = max(row[i] for i, row in enumerate(rows)).bit_length() // 2 + len(rows).bit_length() + 4
    shift = size + room.denominator.bit_length() - room.numerator.bit_length()
    up = 2 * max(shift, 0)
    down = 2 * max(-shift, 0)
    factor: list[list[int]] = []
    for i, row in enumerate(rows):
        scaled = [(x << up) >> down for x in row]
        new_row: list[int] = []
        for j, above in enumerate(factor):
            new_row.append((scaled[j] - sum(map(mul, new_row, above))) // above[j])
        pivot = scaled[i] - sum(map(mul, new_row, new_row))
        if pivot <= 0:
            return [], Fraction(0)
        factor.append([*new_row, math.isqrt(pivot)])
    return factor, 1 / (inner.denominator * Fraction(4) ** shift)


# Python reads and writes integers of up to 4300 digits as text.
_MOST_BITS = 14_000


def _exact_witness(
    matrix: list[list[int]], weights: list[int], enclosure: Value
) -> dict[str, Any] | None:
    """Return a witness of the eigenvalue t itself where it is a fraction, else None.

    It consists of a null vector and of an elimination of t W - M without remainder.
    """
    from flint import fmpz_mat

    bracket = bracket_exactly(
        [list(map(Fraction, row)) for row in matrix],
        list(map(Fraction, weights)),
        Bracket(enclosure.low, enclosure.high),
    )
    level = simplest_between(Fraction(bracket.exact_lower), Fraction(bracket.exact_upper))
    rows = _shifted(matrix, weights, level)
    basis, nullity = fmpz_mat(rows).nullspace()
    vector = [int(basis[i, 0]) for i in range(len(rows))]
    columns = []
    scale = []
    last_pivot = 1
    for k, row in enumerate(rows):
        pivot = row[k]
        if not nullity or pivot < 0 or (pivot == 0 and any(row[k:])):
            return None
        if pivot > 0:
            columns.append([0] * k + row[k:])
            divisor = pivot * last_pivot * level.denominator
            if divisor.bit_length() > _MOST_BITS:
                return None
            scale.append(f"1/{divisor}")
            for below in rows[k + 1 :]:
                below[k:] = [
                    (pivot * x - below[k] * y) // last_pivot
                    for x, y in zip(below[k:], row[k:], strict=True)
                ]
            last_pivot = pivot
    factor = [list(row) for row in zip(*columns, strict=True)]
    return {"vector": vector, "level": str(level), "factor": factor, "scale": scale}


def _shifted(matrix: list[list[int]], weights: list[int], level: Fraction) -> list[list[int]]:
    """Return level W - M, times the denominator of the level."""
    rows = [[-level.denominator * x for x in row] for row in matrix]
    for i, w in enumerate(weights):
        rows[i][i] += level.numerator * w
    return rows


def _integers(values: FloatArray, bits: int) -> list[list[int]]:
    """Return integers in the ratio of the values, cut off so many bits below the largest."""
    exponent = bits - int(np.frexp(np.abs(values).max(initial=0.0) or 1.0)[1])
    return [[int(Fraction(x) * Fraction(2) ** exponent) for x in row] for row in values.tolist()]


def _texts(values: Iterable[Any]) -> list[str]:
    return [str(Fraction(value)) for value in values]


def _sampling(problem: Problem) -> Any:
    """Return the name of a nested or independent sampling, or the outcomes where they are few."""
    sampling = problem.sampling
    count = problem.blocks.count
    if isinstance(sampling, NestedSampling | IndependentSampling) and count > 8:
        return "nested" if isinstance(sampling, NestedSampling) else "independent"
    return [
        [str(outcome.probability), np.flatnonzero(outcome.active).tolist()]
        for outcome in sampling.support()
    ]
