"""Certificates: what claims about a problem rest on, as integers that `rpttheory.checker` can go through alone.

Floating point only guesses here, an eigenvector and where an eigenvalue lies. Every witness is made of integers and
goes through the checker before it is kept; one that decides nothing is made again, narrower, and in the end exactly.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import mul
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..certify.exact import EXACT_DIMENSION, simplest_between
from ..certify.spectrum import top_pair_dense
from ..checker import FORMAT, Statement, Unproved, digest
from ..errors import InvalidInput
from ..files import write_whole
from ..reals import FloatArray
from .problem import Problem
from .sampling import IndependentSampling, NestedSampling
from .smoothness import GramSmoothness, Smoothness

Tree = Any
# Relative widths of the eigenvalues, in bits, that are tried one after the other; after them comes the number itself.
_WIDTHS = (36, 56, 150)
_LISTED_OUTCOMES, _EXACT_PAIRS = 4096, 40
_PACKED_BYTES = 1_000_000
_SHARES: Tree = ["*", "p", "c"]


def certificate(
    problem: Problem,
    claims: Sequence[tuple[Tree, str]],
    points: Iterable[FloatArray] = (),
    dual: FloatArray | None = None,
    x: FloatArray | None = None,
) -> dict[str, Any]:
    """A document that proves each claim (a tree and its verdict); `points` and `dual` are those of the optimum."""
    unit, rows = _integers(problem.smoothness)
    p, closed = (_texts(values) for values in (problem.sampling.marginals.fractions(), problem.closed_form.probabilities))
    stated = {
        "unit": str(unit),
        "rows": rows,
        "blocks": list(problem.blocks.sizes),
        "c": _texts(problem.costs.fractions()),
        "overhead": str(problem.overhead),
        "order": None if problem.order is None else list(problem.order.rank_to_block),
        "p": p,
        "p_closed": closed,
        "sampling": _sampling(problem),
        "x": None if x is None else list(map(int, x.tolist())),
        "names": _names(problem),
        "claims": [list(claim) for claim in claims],
    }
    optimum = {"points": [_texts(point) for point in points], "dual": [] if dual is None else _scaled(dual, 90)}
    prover = _Prover(stated, {}, optimum)
    for claim, verdict in claims:
        prover.prove(claim, verdict)
    digests = {"matrix": digest([stated["unit"], rows]), "statement": digest(stated)}
    return {"format": FORMAT, "digests": digests, "statement": stated, "optimum": optimum, "witnesses": prover.witnesses}


def write_certificate(path: str | Path, document: dict[str, Any]) -> None:
    """Write a certificate as JSON, compressed where it is long."""
    content = json.dumps(document, separators=(",", ":")).encode()
    write_whole(Path(path), gzip.compress(content, mtime=0) if len(content) > _PACKED_BYTES else content)


class _Prover(Statement):
    """The checker itself, which makes the witnesses that it misses, as narrow as the claim at hand needs them."""

    widths: dict[str, int]
    width = 0

    def prove(self, claim: Tree, verdict: str) -> None:
        self.widths = getattr(self, "widths", {})
        for self.width in (*_WIDTHS, 0):
            self.known.clear()
            try:
                found = self.verdict(claim)
            except Unproved as reason:
                found = str(reason)
            if found == verdict:
                return
        raise InvalidInput(f"no certificate for {json.dumps(claim)}", f"{found} instead of {verdict}", "without it")

    def atom(self, matrix: list[list[int]], weights: list[int]) -> Any:
        key = digest([matrix, weights])
        if (self.widths.get(key, -1) < self.width) or (self.width == 0 and self.widths[key] > 0):
            self.witnesses[key] = _witness(matrix, weights, self.width, self.witnesses.get(key))
            self.widths[key] = self.width
            self.atoms.pop(key, None)
        return super().atom(matrix, weights)


def _witness(matrix: list[list[int]], weights: list[int], width: int, before: dict[str, Any] | None) -> dict[str, Any]:
    """An integer vector, and a level with the factor that proves it."""
    if width == 0:
        return _exact_witness(matrix, weights, before or {})
    unit, weight = max(abs(x) for row in matrix for x in row), max(weights)
    near = top_pair_dense(np.array([[x / unit for x in row] for row in matrix]), np.array([w / weight for w in weights]))
    vector = [row[0] for row in _scaled(near.vector[:, None], 120)]
    if width > 100:
        vector = _refined(matrix, weights, vector)
    low = _quotient(matrix, weights, vector)
    step = max(abs(low), Fraction(unit, weight) / 2**40) / 2**width
    while True:
        inner, level = (_short(low + step * part, step) for part in (Fraction(1, 2), 1))
        factor, scale = _factor(matrix, weights, inner, level)
        if factor:
            return {"vector": vector, "level": str(level), "factor": factor, "scale": [str(scale)] * len(weights)}
        step *= 4


def _factor(
    matrix: list[list[int]], weights: list[int], inner: Fraction, level: Fraction
) -> tuple[list[list[int]], Fraction]:
    """G and D with G D G' near `inner` W - M, so near that the difference to `level` W - M is diagonally dominant.

    Cholesky's method on integers errs by at most one unit of G in each entry of G, hence in row i of the product by
    less than n + 2 times the largest entry of G, and the units are so small that `level` - `inner` makes up for it.
    """
    a, b = inner.as_integer_ratio()
    rows = [[-b * x for x in row] for row in matrix]
    for i, w in enumerate(weights):
        rows[i][i] += a * w
    size = max(row[i] for i, row in enumerate(rows)).bit_length()
    room = (level - inner) * b * min(weights)
    shift = size // 2 + 3 + (len(rows) + 2).bit_length() + room.denominator.bit_length() - room.numerator.bit_length()
    up, down = 2 * max(shift, 0), 2 * max(-shift, 0)
    factor: list[list[int]] = []
    for i, row in enumerate(rows):
        own: list[int] = []
        for other in factor:
            own.append((((row[len(own)] << up) >> down) - sum(map(mul, own, other))) // other[-1])
        rest = ((row[i] << up) >> down) - sum(map(mul, own, own))
        if rest <= 0:
            return [], Fraction(0)
        factor.append([*own, math.isqrt(rest)])
    return factor, Fraction(1, b) / Fraction(4) ** shift


def _exact_witness(matrix: list[list[int]], weights: list[int], before: dict[str, Any]) -> dict[str, Any]:
    """The eigenvalue itself, where it is a fraction: an elimination of t W - M without remainder, and a null vector."""
    low, high = _quotient(matrix, weights, before["vector"]), Fraction(before["level"])
    level = simplest_between(low, high)
    a, b = level.as_integer_ratio()
    rows = [[(a * w if i == j else 0) - b * x for j, x in enumerate(row)] for i, (row, w) in enumerate(zip(matrix, weights, strict=True))]
    if len(rows) > EXACT_DIMENSION or low == high:
        return before
    from flint import fmpz_mat

    basis, nullity = fmpz_mat(rows).nullspace()
    columns, scale, last = [], [], 1
    for k, row in enumerate(rows):
        pivot = row[k]
        if pivot < 0 or (pivot == 0 and any(row[k:])):
            return before
        if pivot > 0:
            columns.append([0] * k + row[k:])
            scale.append(str(Fraction(1, b * pivot * last)))
            for other in rows[k + 1 :]:
                other[k:] = [(pivot * x - other[k] * y) // last for x, y in zip(other[k:], row[k:], strict=True)]
            last = pivot
    if not nullity:
        return before
    vector = [int(basis[i, 0]) for i in range(len(rows))]
    return {"vector": vector, "level": str(level), "factor": list(map(list, zip(*columns, strict=True))), "scale": scale}


def _refined(matrix: list[list[int]], weights: list[int], vector: list[int]) -> list[int]:
    """Two steps of Rayleigh quotient iteration in 2000 bits."""
    from flint import arb_mat, ctx, fmpq

    for _ in range(2):
        low = _quotient(matrix, weights, vector)
        rows = [[fmpq(-x) for x in row] for row in matrix]
        for i, w in enumerate(weights):
            rows[i][i] += fmpq(low.numerator, low.denominator) * w
        with ctx.workprec(2000):
            try:
                found = arb_mat(rows).solve(arb_mat([[w * x] for w, x in zip(weights, vector, strict=True)]))
            except ZeroDivisionError:
                return vector
            parts = [found[i, 0].mid().man_exp() for i in range(len(weights))]
        lowest = max(int(man).bit_length() + int(exp) for man, exp in parts) - 400
        vector = [int(Fraction(int(man)) * Fraction(2) ** (int(exp) - lowest)) for man, exp in parts]
    return vector


def _quotient(matrix: list[list[int]], weights: list[int], x: list[int]) -> Fraction:
    image = (sum(map(mul, row, x)) for row in matrix)
    return Fraction(sum(map(mul, image, x)), sum(w * a * a for w, a in zip(weights, x, strict=True)))


def _short(value: Fraction, step: Fraction) -> Fraction:
    """A fraction with a denominator that is a power of two within step/64 of the value."""
    bits = max(0, step.denominator.bit_length() - step.numerator.bit_length() + 7)
    return Fraction(round(value * 2**bits), 2**bits)


def _scaled(values: FloatArray, bits: int) -> list[list[int]]:
    """Integers in the ratio of the values, rounded at the given number of bits below the largest."""
    exponent = bits - int(np.frexp(np.abs(values).max(initial=0.0) or 1.0)[1])
    return [[int(Fraction(x) * Fraction(2) ** exponent) for x in row] for row in values.tolist()]


def _texts(values: Iterable[Any]) -> list[str]:
    return [str(Fraction(value)) for value in values]


def _integers(form: Smoothness) -> tuple[Fraction, list[list[int]]]:
    """A unit, and for each row the places up to the diagonal with the integers there, all of L exactly."""
    explicit = form.explicit()
    if explicit is not None and explicit.slack is None and not isinstance(form, GramSmoothness):
        entries = sp.coo_array(explicit.matrix)
        triples = [(i, j, Fraction(x)) for i, j, x in zip(*(index.tolist() for index in entries.coords), entries.data.tolist(), strict=True) if j <= i]
    else:
        exact = form.rational() if explicit is not None else None
        if exact is None:
            raise InvalidInput("a certificate needs the numbers of L exactly", "L known within rounding", "L in doubles, or d <= 60")
        triples = [(i, j, x) for i, row in enumerate(exact) for j, x in enumerate(row[: i + 1]) if x]
    common = math.lcm(*{x.denominator for *_, x in triples})
    rows: list[list[int]] = [[] for _ in range(form.dimension)]
    for i, j, x in triples:
        rows[i] += [j, x.numerator * (common // x.denominator)]
    shared = math.gcd(*(x for row in rows for x in row[1::2])) or 1
    return Fraction(shared, common), [[x // shared if k % 2 else x for k, x in enumerate(row)] for row in rows]


def _sampling(problem: Problem) -> Any:
    """The outcomes of the sampling where they are few, its name where that says it all."""
    sampling, count = problem.sampling, problem.blocks.count
    if isinstance(sampling, NestedSampling) and count > 12:
        return "nested"
    if isinstance(sampling, IndependentSampling) and count > 8:
        return "independent"
    return [[str(outcome.probability), np.flatnonzero(outcome.active).tolist()] for outcome in sampling.support()]


def _names(problem: Problem) -> dict[str, Tree]:
    """What the names in claims mean, in terms of what the checker knows."""
    terms: Tree = ["*", "c", "L"]
    exact = problem.blocks.count == 1 or all(L.exact is not None for L in problem.block_L)
    by_pairs: Tree = ["+", ["sum", terms], ["*", "2", ["pairs", terms]]]

    def cost(shares: Tree) -> Tree:
        return ["+", str(problem.overhead), shares] if problem.overhead else shares

    return {
        "lmax": ["top", "1"],
        "L_P": ["top", "p"],
        "pmin": ["min", "p"],
        "sumL": ["sum", "L"],
        "maxL": ["max", "L"],
        "sumcL": ["sum", terms],
        "cost": cost(["sum", _SHARES]),
        "c_P": ["*", "L_P", "cost"],
        "c_M": ["*", "L_M", "cost"],
        "c_closed": ["*", ["top", "p_closed"], cost(["sum", ["*", "p_closed", "c"]])],
        "gd": ["*", "lmax", cost(["sum", "c"])],
        "closed": by_pairs if exact and problem.blocks.count <= _EXACT_PAIRS else ["**", ["sum", ["sqrt", terms]], "2"],
    }
