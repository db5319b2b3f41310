"""Check a certificate of rpttheory: `python checker.py proof.json [--file L.csv]`.

This file is meant to be read instead of trusting the package that wrote the certificate. It needs
the standard library alone and computes in integers and fractions; no number here is a float.

A certificate states a symmetric matrix L, its division into blocks, costs c and probabilities p of
the blocks, and claims with verdicts, such as "L_P <= 2 * lmax" PROVED. Every quantity in a claim
is made of numbers top(M, w), the least t for which t Diag(w) - M is positive semidefinite. The
certificate holds a witness of an interval that contains each of them. The checker verifies every
witness, computes both sides of every claim in intervals, and decides the claim. Then it prints
the whole statement: two certificates that print alike state the same thing.

The parts: 1 reading, 2 intervals, 3 the statement, 4 eigenvalues, 5 quantities, 6 claims,
7 printing, 8 comparison with a file. Exit codes: 0 every claim follows (and the file matches),
1 a claim does not follow (or the file does not match), 2 there is no certificate that can be read.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import re
import struct
import sys
import zlib
from collections.abc import Callable
from fractions import Fraction
from operator import add, mul, sub, truediv
from typing import Any

FORMAT = "rpttheory certificate 2"
# Limits, so that every check ends: bytes of a file, coordinates, bits of a number; and the bits of
# a square root after the binary point.
MOST_BYTES = 1 << 29
MOST_COORDINATES = 4000
MOST_BITS = 200_000
ROOT_BITS = 500


class Unproved(Exception):
    """The certificate can be read, but what it states does not follow from what it holds."""


class UnreadableMatrix(ValueError):
    """The file to compare with cannot be read, or cannot be compared."""


def require(condition: bool, otherwise: str) -> None:
    """Raise Unproved unless a step of a proof holds."""
    if not condition:
        raise Unproved(otherwise)


# ---- 1. Reading: JSON of integers, fractions in quotes, and lists; anything else is refused


def expect(condition: bool, otherwise: str) -> None:
    """Raise ValueError unless the document has the expected form."""
    if not condition:
        raise ValueError(otherwise)


def refuse(text: str) -> None:
    raise ValueError(f"a floating-point number: {text[:40]}")


def unique_keys(items: list[tuple[str, Any]]) -> dict[str, Any]:
    expect(len(dict(items)) == len(items), "an object in which a key appears twice")
    return dict(items)


def read_bytes(path: str) -> bytes:
    with open(path, "rb") as stream:
        content = stream.read(MOST_BYTES + 1)
    expect(len(content) <= MOST_BYTES, f"a file of more than {MOST_BYTES} bytes")
    return content


def read_document(path: str) -> dict[str, Any]:
    """The certificate in a file of JSON, which may be compressed by gzip."""
    content = read_bytes(path)
    if content.startswith(b"\x1f\x8b"):
        unpacker = zlib.decompressobj(wbits=31)
        content = unpacker.decompress(content, MOST_BYTES)
        expect(unpacker.eof and not unpacker.unused_data, "a compressed file that is cut")
    strictly: dict[str, Any] = {"parse_float": refuse, "parse_constant": refuse}
    document: dict[str, Any] = json.loads(content, object_pairs_hook=unique_keys, **strictly)
    expect(type(document) is dict, "no object")
    found = str(document.get("format"))[:40]
    expect(found == FORMAT, f"the format {found!r}, not {FORMAT!r}: write the certificate again")
    keys = {"format", "digests", "statement", "witnesses", "optimum"}
    expect(set(document) == keys, "parts of a certificate that are missing or unknown")
    return document


def digest(content: Any) -> str:
    """The sha256 of a part of a document, written as JSON without blanks."""
    return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def entries(values: Any) -> list[Any]:
    expect(type(values) is list, "something else where a list was expected")
    return list(values)


def integers(values: Any) -> list[int]:
    for value in entries(values):
        expect(type(value) is int, f"{str(value)[:40]!r} where an integer was expected")
    return list(values)


def fraction(text: Any) -> Fraction:
    good = type(text) is str and re.fullmatch(r"-?[0-9]+(/0*[1-9][0-9]*)?", text)
    expect(bool(good), f"{str(text)[:40]!r} where a fraction in quotes was expected")
    return Fraction(text)


def fractions(values: Any) -> list[Fraction]:
    return [fraction(value) for value in entries(values)]


# ---- 2. Intervals whose ends are fractions


class Value:
    """A real number that lies in [low, high].

    Intervals alone forget that a number equals itself: x - x lies in [low - high, high - low]. So a
    value also holds a linear form: it equals the sum of coefficient * atom over `terms`, where the
    atom None stands for 1 and every other atom is a Value that is not known exactly. Sums and
    multiples of forms are forms, in which equal terms cancel exactly. A product of two numbers that
    are not known exactly is an atom of its own.
    """

    def __init__(
        self,
        low: Fraction | int,
        high: Fraction | int | None = None,
        terms: dict[Value | None, Fraction] | None = None,
    ) -> None:
        self.low = Fraction(low)
        self.high = self.low if high is None else Fraction(high)
        require(self.low <= self.high, "bounds that contradict each other")
        self.exact = self.low == self.high
        parts = (*self.low.as_integer_ratio(), *self.high.as_integer_ratio())
        self.bits = max(part.bit_length() for part in parts)
        require(self.bits <= MOST_BITS, "numbers that are too long")
        self.terms: dict[Value | None, Fraction] = {self: Fraction(1)} if terms is None else terms
        if self.exact:
            self.terms = {None: self.low}

    def __add__(self, other: Value) -> Value:
        terms = dict(self.terms)
        for atom, coefficient in other.terms.items():
            terms[atom] = terms.get(atom, Fraction(0)) + coefficient
        return linear(terms)

    def __sub__(self, other: Value) -> Value:
        return self + other * Value(-1)

    def __mul__(self, other: Value) -> Value:
        if other.exact:
            return linear({atom: a * other.low for atom, a in self.terms.items()})
        if self.exact:
            return other * self
        # A product over two intervals is largest and smallest at their ends.
        corners = [self.low * other.low, self.low * other.high]
        corners += [self.high * other.low, self.high * other.high]
        return Value(min(corners), max(corners))

    def __truediv__(self, other: Value) -> Value:
        require(other.low > 0 or other.high < 0, "a division by what may be zero")
        # 1/y falls as y grows, on either side of zero.
        return self * Value(1 / other.high, 1 / other.low)

    def __pow__(self, exponent: Value) -> Value:
        n = int(exponent.low)
        require(exponent.exact and exponent.low == n and n >= 0, "a power that is no integer >= 0")
        require(self.bits * n <= MOST_BITS, "a power that is too large")
        if n == 0:
            return Value(1)
        if n == 1:
            return self
        if n % 2 == 1 or self.low >= 0:
            return Value(self.low**n, self.high**n)  # x^n grows with x
        if self.high <= 0:
            return Value(self.high**n, self.low**n)  # an even power falls while x < 0
        return Value(0, max(self.low**n, self.high**n))  # and is 0 at x = 0


def linear(terms: dict[Value | None, Fraction]) -> Value:
    """The sum of coefficient * atom; an end of it takes the matching end of every atom."""
    low = Fraction(0)
    high = Fraction(0)
    for atom, coefficient in terms.items():
        if atom is None:
            low += coefficient
            high += coefficient
        elif coefficient > 0:
            low += coefficient * atom.low
            high += coefficient * atom.high
        else:
            low += coefficient * atom.high
            high += coefficient * atom.low
    return Value(low, high, terms)


def root_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Two fractions with low <= sqrt(x) <= high, equal where sqrt(x) is a fraction."""
    require(x >= 0, "the square root of what may be negative")
    exact = Fraction(math.isqrt(x.numerator), math.isqrt(x.denominator))
    if exact * exact == x:
        return exact, exact
    # With s = floor(sqrt(floor(x 4^bits))): s <= sqrt(x) 2^bits < s + 1.
    bits = ROOT_BITS + max(0, x.denominator.bit_length() - x.numerator.bit_length())
    scaled = math.isqrt((x.numerator << (2 * bits)) // x.denominator)
    return Fraction(scaled, 1 << bits), Fraction(scaled + 1, 1 << bits)


def square_root(value: Value) -> Value:
    return Value(root_bounds(value.low)[0], root_bounds(value.high)[1])


def maximum(values: list[Value]) -> Value:
    """The value that is known to be the largest, else an interval of the largest ends."""
    best = values[0]
    for value in values[1:]:
        if (value - best).low >= 0:
            best = value
        elif (best - value).low < 0:
            best = Value(max(best.low, value.low), max(best.high, value.high))
    return best


def negative(value: Value) -> Value:
    return value * Value(-1)


def absolute(value: Value) -> Value:
    if value.low >= 0:
        return value
    if value.high <= 0:
        return negative(value)
    return Value(0, max(-value.low, value.high))


def minimum(values: list[Value]) -> Value:
    return negative(maximum([negative(value) for value in values]))


def total(values: list[Value]) -> Value:
    return sum(values, Value(0))


# ---- 3. The statement: everything that a certificate speaks of, checked and complete

RELATIONS = ("<=", "<", ">=", ">", "==")
OPERATORS = ("+", "-", "*", "/", "**")
FUNCTIONS = ("sqrt", "abs", "sum", "min", "max")
KEYS = "unit rows arrangement gram blocks block_names c overhead order p p_near sampling x claims"


class Statement:
    """A matrix, blocks, costs, probabilities and claims, as the certificate writes them.

    The matrix L is `unit` times the integers of `rows`. Row i lists the places j <= i of its
    nonzero entries, each followed by its entry. Blocks are consecutive. Where the user's blocks are
    not, coordinate i here is coordinate arrangement[i] of the user, counting from 0.
    """

    def __init__(self, stated: Any) -> None:
        expect(type(stated) is dict and set(stated) == set(KEYS.split()), "no statement")
        self.stated: dict[str, Any] = stated
        self.blocks = integers(stated["blocks"])
        self.B = len(self.blocks)
        self.d = sum(self.blocks)
        expect(self.B > 0 and min(self.blocks) > 0, "blocks that are no sizes")
        expect(self.d <= MOST_COORDINATES, f"more than {MOST_COORDINATES} coordinates")
        self.ones = [Fraction(1)] * self.B
        self.block_of = [k for k, size in enumerate(self.blocks) for _ in range(size)]
        self.read_matrix()
        self.c = self.per_block(stated["c"])
        self.p = self.per_block(stated["p"], most=1)
        self.p_near = None
        if stated["p_near"] is not None:
            self.p_near = self.per_block(stated["p_near"], most=1)
        self.overhead = fraction(stated["overhead"])
        expect(self.overhead >= 0, "a negative overhead")
        self.order = self.permutation(stated["order"], self.B)
        self.names = stated["block_names"]
        if self.names is not None:
            texts = all(type(name) is str for name in entries(self.names))
            expect(texts and len(self.names) == self.B, "no name for each block")
        self.x = None if stated["x"] is None else integers(stated["x"])
        expect(self.x is None or len(self.x) == self.d, "a point x of another length")
        self.read_sampling()
        self.claims = [entries(item) for item in entries(stated["claims"])]
        expect(len(self.claims) > 0, "no claim: it states nothing")
        for item in self.claims:
            expect(len(item) == 2 and item[1] in ("PROVED", "REFUTED"), "a claim without a verdict")
            claim = entries(item[0])
            expect(len(claim) == 3 and claim[0] in RELATIONS, "a claim without a relation")
            check_expression(claim[1])
            check_expression(claim[2])

    def read_matrix(self) -> None:
        self.unit = fraction(self.stated["unit"])
        expect(self.unit > 0, "a unit that is not positive")
        self.rows: list[dict[int, int]] = [{} for _ in range(self.d)]
        listed = entries(self.stated["rows"])
        expect(len(listed) == self.d, "another number of rows than coordinates")
        for i in range(self.d):
            numbers = integers(listed[i])
            places = numbers[0::2]
            expect(len(numbers) % 2 == 0 and is_increasing(places, i + 1), "places of a row")
            for j, entry in zip(places, numbers[1::2], strict=True):
                self.rows[i][j] = entry
                self.rows[j][i] = entry
        self.arrangement = self.permutation(self.stated["arrangement"], self.d)
        self.gram = None if self.stated["gram"] is None else fractions(self.stated["gram"])
        expect(self.gram is None or len(self.gram) == 2, "not a scale and a shift")

    def per_block(self, listed: Any, most: int | None = None) -> list[Fraction]:
        values = fractions(listed)
        expect(len(values) == self.B and min(values) > 0, "not one positive number per block")
        expect(most is None or max(values) <= most, "probabilities above 1")
        return values

    def permutation(self, listed: Any, length: int) -> list[int] | None:
        if listed is None:
            return None
        expect(sorted(integers(listed)) == list(range(length)), "an order that is no permutation")
        return list(listed)

    def read_sampling(self) -> None:
        """The probabilities that two blocks are updated in the same step; pairs left out have 0."""
        sampling = self.stated["sampling"]
        self.pairs: dict[tuple[int, int], Fraction] = {}
        self.outcomes: list[tuple[Fraction, list[int]]] = []
        if sampling in ("nested", "independent"):
            for k, a in enumerate(self.p):
                for m, b in enumerate(self.p):
                    both = min(a, b) if sampling == "nested" or k == m else a * b
                    self.pairs[k, m] = both
            return
        for outcome in entries(sampling):
            expect(len(entries(outcome)) == 2, "an outcome without probability or blocks")
            probability = fraction(outcome[0])
            updated = integers(outcome[1])
            expect(probability >= 0 and is_increasing(updated, self.B), "an impossible outcome")
            self.outcomes.append((probability, updated))
            for k in updated:
                for m in updated:
                    self.pairs[k, m] = self.pairs.get((k, m), Fraction(0)) + probability
        marginals = [self.pairs.get((k, k), Fraction(0)) for k in range(self.B)]
        expect(marginals == self.p, "a sampling with other probabilities than p")
        expect(sum(probability for probability, _ in self.outcomes) == 1, "outcomes that miss 1")


def is_increasing(places: list[int], end: int) -> bool:
    """Whether places are integers from 0 to end - 1, each larger than the one before."""
    return places == sorted(set(places)) and all(0 <= place < end for place in places)


def check_expression(tree: Any) -> None:
    """An expression is a name, a fraction in quotes, or [operator or function, expressions...]."""
    if type(tree) is str:
        if tree not in QUANTITIES:
            fraction(tree)
        return
    name, *arguments = entries(tree) or [None]
    binary = name in OPERATORS and len(arguments) == 2
    unary = name in FUNCTIONS and len(arguments) == 1
    several = name in ("min", "max") and len(arguments) > 1
    expect(binary or unary or several, f"no operator of a claim: {str(name)[:40]!r}")
    for argument in arguments:
        check_expression(argument)


# ---- 4. Eigenvalues


def bounds(matrix: list[list[int]], weights: list[int], witness: Any) -> tuple[Fraction, Fraction]:
    """Bounds of the least t with t W - M positive semidefinite, where W = Diag(weights)."""
    expect(type(witness) is dict, "no witness")
    x = integers(witness["vector"])
    level = fraction(witness["level"])
    factor = [integers(row) for row in entries(witness["factor"])]
    scale = fractions(witness["scale"])
    expect(len(x) == len(factor) == len(matrix), "a witness of another size")
    expect(max(len(row) for row in factor) <= len(scale), "a factor without its scale")
    # Below: if t W - M is positive semidefinite then x'(t W - M)x >= 0, so t >= x'Mx / x'Wx.
    norm = sum(w * a * a for w, a in zip(weights, x, strict=True))
    require(norm > 0, "a witness whose vector is zero")
    form = sum(a * sum(map(mul, row, x)) for a, row in zip(x, matrix, strict=True))
    # Above: with D = Diag(scale) >= 0, G D G' is positive semidefinite. So is the rest
    # R = level W - M - G D G' if it is diagonally dominant: R_ii >= sum of |R_ij| over j != i.
    # Then level W - M is, too.
    # All of R is multiplied by a common denominator; rows of G may leave out zeros at their ends.
    require(all(number >= 0 for number in scale), "a witness with a negative scale")
    common = math.lcm(level.denominator, *(number.denominator for number in scale))
    whole = [int(common * number) for number in scale]
    scaled = [list(map(mul, row, whole)) for row in factor]
    room = [int(common * level) * w for w in weights]  # becomes R_ii - sum of |R_ij|
    for i, row in enumerate(matrix):
        room[i] -= common * row[i] + sum(map(mul, factor[i], scaled[i]))
        for j in range(i):
            rest = abs(common * row[j] + sum(map(mul, factor[i], scaled[j])))
            room[i] -= rest
            room[j] -= rest
    require(min(room) >= 0, "a witness does not prove its upper bound")
    return Fraction(form, norm), level


class Proof(Statement):
    """A statement with its witnesses, each stored under the digest of its pencil (M, w)."""

    def __init__(self, stated: Any, witnesses: Any, optimum: Any) -> None:
        super().__init__(stated)
        expect(type(witnesses) is dict, "no witnesses")
        self.witnesses: dict[str, Any] = witnesses
        self.evidence = optimum
        self.eigenvalues: dict[str, Value] = {}
        self.values: dict[str, Any] = {}
        self.used: set[str] = set()

    def eigenvalue(self, matrix: list[list[int]], weights: list[int]) -> Value:
        """top(M, w) of integers. Equal pencils have the same number, so it is the same Value."""
        key = digest([matrix, weights])
        if key not in self.eigenvalues:
            require(key in self.witnesses, "an eigenvalue without a witness")
            low, high = bounds(matrix, weights, self.witnesses[key])
            self.eigenvalues[key] = Value(low, high)
        return self.eigenvalues[key]

    def top(
        self,
        weights: list[Fraction],
        pairs: dict[tuple[int, int], Fraction] | None = None,
        block: int | None = None,
    ) -> Value:
        """The least t with t Diag(w) - [pair_kl L_kl] positive semidefinite; pairs default to 1.

        `weights` has one number per block. With `block`, L is cut down to that diagonal block. The
        number is the largest one of the connected parts of the matrix. Before the witness of a part
        is looked up, both its matrix and its weights are divided by their common factors.
        """
        label = self.block_of
        pair_unit = math.lcm(*(x.denominator for x in (pairs or {}).values()))
        weight_unit = math.lcm(*(x.denominator for x in weights))
        whole_pairs = {place: int(x * pair_unit) for place, x in (pairs or {}).items()}

        def entry(i: int, j: int) -> int:
            factor = 1 if pairs is None else whole_pairs.get((label[i], label[j]), 0)
            return self.rows[i].get(j, 0) * factor

        results = []
        left = {i for i, k in enumerate(label) if block is None or k == block}
        while left:
            start = left.pop()
            part = [start]
            frontier = [start]
            while frontier:
                i = frontier.pop()
                reached = [j for j in self.rows[i] if j in left and entry(i, j) != 0]
                left.difference_update(reached)
                frontier.extend(reached)
                part.extend(reached)
            part.sort()
            matrix = [[entry(i, j) for j in part] for i in part]
            diagonal = [int(weights[label[i]] * weight_unit) for i in part]
            entry_factor = math.gcd(*(x for row in matrix for x in row)) or 1
            weight_factor = math.gcd(*diagonal)
            matrix = [[x // entry_factor for x in row] for row in matrix]
            diagonal = [x // weight_factor for x in diagonal]
            value = Value(Fraction(matrix[0][0], diagonal[0]))
            if len(part) > 1:
                value = self.eigenvalue(matrix, diagonal)
            entry_size = self.unit * entry_factor / pair_unit
            weight_size = Fraction(weight_factor, weight_unit)
            results.append(value * Value(entry_size / weight_size))
        return maximum(results)

    # ---- 5. Quantities: what the names in a claim mean; the table is at the end of this part

    def quantity(self, name: str) -> Any:
        """A Value, or a list of one Value per block."""
        self.used.add(name)
        if name not in self.values:
            self.values[name] = QUANTITIES[name][1](self)
        return self.values[name]

    def number(self, name: str) -> Value:
        value = self.quantity(name)
        assert isinstance(value, Value)
        return value

    def block_constants(self) -> list[Value]:
        return [self.top(self.ones, block=k) for k in range(self.B)]

    def least_eigenvalue(self) -> Value:
        """lambda_min(L) = -lambda_max(-L)."""
        places = [(k, m) for k in range(self.B) for m in range(self.B)]
        return negative(self.top(self.ones, dict.fromkeys(places, Fraction(-1))))

    def cost_at(self, p: list[Fraction]) -> Value:
        return Value(sum(map(mul, p, self.c), self.overhead))

    def square_of_root_sum(self, terms: list[Value]) -> Value:
        """(sum sqrt(a_k))^2 = sum a_k + 2 sum_{m<k} sqrt(a_k a_m), where more roots are exact.

        With many blocks there are too many pairs.
        """
        real = all(term.low >= 0 for term in terms)
        require(real, "the square root of what may be negative")
        if self.B > 40:
            return total([square_root(term) for term in terms]) ** Value(2)
        sums = list(terms)
        for k, term in enumerate(terms):
            sums += [square_root(term * other) * Value(2) for other in terms[:k]]
        return total(sums)

    def rounded_probabilities(self) -> list[Fraction]:
        if self.p_near is None:
            raise ValueError("no p_near in the statement")
        return self.p_near

    def cost_of_rounded_form(self) -> Value:
        p = self.rounded_probabilities()
        return self.top(p) * self.cost_at(p)

    def cost_of_closed_form(self) -> Value:
        """c(P) at r_k = sqrt(L_k / c_k), exactly where all r_k are fractions.

        Else by any p, here p_near: with a p <= r <= b p, L_R <= L_P / a and the cost grows at
        most b times, and the other way round, so that c(R) is within the factor b / a of c(P).
        """
        if self.overhead > 0 or self.order is not None:
            raise ValueError("the closed form with an overhead or an order")
        constants = self.quantity("L")
        require(all(L.low > 0 for L in constants), "a closed form where some L_k may be zero")
        roots = [square_root(L * Value(1 / c)) for c, L in zip(self.c, constants, strict=True)]
        if all(root.low == root.high for root in roots):
            exact = [root.low for root in roots]
            return self.top(exact) * self.cost_at(exact)
        p = self.rounded_probabilities()
        quotients = [r * Value(1 / q) for r, q in zip(roots, p, strict=True)]
        spread = max(q.high for q in quotients) / min(q.low for q in quotients)
        return self.cost_of_rounded_form() * Value(1 / spread, spread)

    def image(self) -> list[Fraction]:
        """Lx."""
        x = self.x
        if x is None:
            raise ValueError("no point x in the statement")
        return [self.unit * sum(entry * x[j] for j, entry in row.items()) for row in self.rows]

    def value_at_x(self) -> Value:
        return Value(sum(map(mul, self.x or [], self.image()), Fraction(0)))

    def gradient_squares(self) -> list[Value]:
        squares = [Fraction(0)] * self.B
        for k, number in zip(self.block_of, self.image(), strict=True):
            squares[k] += number * number
        return [Value(square) for square in squares]

    def optimum(self) -> Value:
        """The infimum of c(P) = L_P (c_0 + sum p_k c_k) over 0 < p <= 1, falling along any order.

        Above: c(P) at any such probabilities.
        Below: L <= t P gives <L, VV'> <= t sum p_k v_k for every matrix V, where v_k is the sum of
        squares of V over the rows of block k. If v(S) <= s (c_0 + c(S)) for every set S of blocks
        of which p is a convex combination, then sum p_k v_k <= s (c_0 + sum p_k c_k), and so
        <L, VV'> / s <= c(P) if <L, VV'> >= 0. With a forced order these are the sets of its first
        blocks; else all sets, of which the first blocks by falling v_k / c_k have the largest
        v(S) / (c_0 + c(S)).
        """
        expect(type(self.evidence) is dict, "no evidence for the optimum")
        V = [integers(row) for row in entries(self.evidence["dual"])]
        expect(len(V) == self.d and len({len(row) for row in V}) == 1, "a dual of another size")
        value = 0
        squares = [Fraction(0)] * self.B
        for i, row in enumerate(V):
            squares[self.block_of[i]] += sum(map(mul, row, row))
            for j, entry in self.rows[i].items():
                value += entry * sum(map(mul, row, V[j]))
        sequence = self.order
        if sequence is None:
            sequence = sorted(range(self.B), key=lambda k: squares[k] / self.c[k], reverse=True)
        factor = Fraction(0)
        squares_so_far = Fraction(0)
        cost_so_far = self.overhead
        for k in sequence:
            squares_so_far += squares[k]
            cost_so_far += self.c[k]
            factor = max(factor, squares_so_far / cost_so_far)
        require(value >= 0 and factor > 0, "a dual point that proves nothing")
        uppers = []
        for listed in entries(self.evidence["points"]):
            point = self.per_block(listed, most=1)
            if self.order is not None:
                ranked = [point[k] for k in self.order]
                require(ranked == sorted(ranked, reverse=True), "probabilities against the order")
            uppers.append((self.top(point) * self.cost_at(point)).high)
        expect(len(uppers) > 0, "no probabilities for the optimum")
        return Value(self.unit * value / factor, min(uppers))

    # ---- 6. Claims

    def evaluate(self, tree: Any) -> Any:
        """A Value, or a list of one Value per block; equal expressions have the same Value."""
        if type(tree) is str:
            return self.quantity(tree) if tree in QUANTITIES else Value(fraction(tree))
        key = json.dumps(tree)
        if key not in self.values:
            match tree:
                case ["**", ["sum", ["sqrt", terms]], "2"] if self.is_per_block(terms):
                    self.values[key] = self.square_of_root_sum(self.evaluate(terms))
                case [name, *arguments]:
                    self.values[key] = self.apply(name, [self.evaluate(one) for one in arguments])
        return self.values[key]

    def is_per_block(self, tree: Any) -> bool:
        return isinstance(self.evaluate(tree), list)

    def apply(self, name: str, arguments: list[Any]) -> Any:
        """An operator or function; block by block where an argument is a list."""
        has_list = any(isinstance(argument, list) for argument in arguments)
        if name in ("sum", "min", "max") and len(arguments) == 1:
            expect(has_list, f"{name} of a single number")
            return REDUCE[name](arguments[0])
        if not has_list:
            return OPERATE[name](*arguments)
        results = []
        for k in range(self.B):
            row = [one[k] if isinstance(one, list) else one for one in arguments]
            results.append(OPERATE[name](*row))
        return results

    def verdict(self, claim: Any) -> str:
        """PROVED, REFUTED or UNDECIDED, from an interval of the right side minus the left side."""
        relation, left_tree, right_tree = claim
        left = self.evaluate(left_tree)
        right = self.evaluate(right_tree)
        expect(isinstance(left, Value) and isinstance(right, Value), "a claim on lists")
        gap = left - right if relation in (">", ">=") else right - left
        if relation in ("<", ">"):
            proved = gap.low > 0
            refuted = gap.high <= 0
        elif relation in ("<=", ">="):
            proved = gap.low >= 0
            refuted = gap.high < 0
        else:
            proved = gap.low == 0 and gap.high == 0
            refuted = gap.low > 0 or gap.high < 0
        if claim == CAUCHY_SCHWARZ and all(value.low >= 0 for value in self.quantity("L")):
            proved = True  # for all L >= 0; an equality at the closed form, where intervals overlap
        if proved:
            return "PROVED"
        return "REFUTED" if refuted else "UNDECIDED"


CLOSED_BOUND: list[Any] = ["**", ["sum", ["sqrt", ["*", "c", "L"]]], "2"]
# The inequality (sum sqrt(c_k L_k))^2 <= sum(L_k / p_k) sum(p_k c_k) of Cauchy and Schwarz.
CAUCHY_SCHWARZ: list[Any] = [
    "<=",
    CLOSED_BOUND,
    ["*", ["sum", ["/", "L", "p"]], ["sum", ["*", "p", "c"]]],
]

OPERATE: dict[str, Callable[..., Value]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": truediv,
    "**": pow,
    "sqrt": square_root,
    "abs": absolute,
    "min": lambda *values: minimum(list(values)),
    "max": lambda *values: maximum(list(values)),
}
REDUCE = {"sum": total, "min": minimum, "max": maximum}

# Each name of a claim: its meaning as it is printed, and its value.
QUANTITIES: dict[str, tuple[str, Callable[[Proof], Any]]] = {
    "d": ("the number of coordinates", lambda proof: Value(proof.d)),
    "B": ("the number of blocks", lambda proof: Value(proof.B)),
    "c": ("c_k, the costs below", lambda proof: [Value(c) for c in proof.c]),
    "p": ("p_k, the probabilities below", lambda proof: [Value(p) for p in proof.p]),
    "q": (
        "q_k, the probability that the sampling updates block k",
        lambda proof: [Value(proof.pairs[k, k]) for k in range(proof.B)],
    ),
    "L": ("L_k = lambda_max(diagonal block k of L)", Proof.block_constants),
    "lmax": ("lambda_max(L)", lambda proof: proof.top(proof.ones)),
    "mu": ("lambda_min(L)", Proof.least_eigenvalue),
    # P^-1/2 L P^-1/2 <= t means L <= t P.
    "L_P": ("lambda_max(P^-1/2 L P^-1/2), P with p_k on block k", lambda proof: proof.top(proof.p)),
    # E[CLC] has the blocks p_kl L_kl / (p_k p_l), so E[CLC] <= t means [p_kl L_kl] <= t P^2.
    "L_M": (
        "lambda_max(E[CLC]), C with 1/p_k on the blocks k that the sampling updates, else 0",
        lambda proof: proof.top([p * p for p in proof.p], proof.pairs),
    ),
    "cost": ("c_0 + sum p_k c_k", lambda proof: proof.cost_at(proof.p)),
    "c_P": ("L_P cost", lambda proof: proof.number("L_P") * proof.number("cost")),
    "c_M": ("L_M cost", lambda proof: proof.number("L_M") * proof.number("cost")),
    "closed": ("(sum sqrt(c_k L_k))^2", lambda proof: proof.evaluate(CLOSED_BOUND)),
    "c_rounded": ("c_P at p = p_near, listed below", Proof.cost_of_rounded_form),
    "c_closed": ("c_P at p_k proportional to sqrt(L_k / c_k)", Proof.cost_of_closed_form),
    "xLx": ("x'Lx", Proof.value_at_x),
    "g": ("g_k, the sum of squares of (Lx)_i over i in block k", Proof.gradient_squares),
    "optimum": (
        "the infimum of lambda_max(P^-1/2 L P^-1/2) (c_0 + sum p_k c_k) over all p with "
        "0 < p_k <= 1, nonincreasing along the order if one is forced",
        Proof.optimum,
    ),
}


# ---- 7. Printing: the text determines the statement

SHOWN_WHOLE = 16
SHOWN_OF_MORE = 8


def decimal_text(value: Fraction) -> str:
    """The decimal digits of a fraction; after 12 of them the rest is cut, which "..." marks."""
    size = abs(value)
    exponent = len(str(size.numerator)) - len(str(size.denominator))
    if size < Fraction(10) ** exponent:
        exponent -= 1
    scaled = size * Fraction(10) ** (11 - exponent)
    digits = str(int(scaled))
    ending = "..."
    if scaled.denominator == 1:
        digits = digits.rstrip("0")
        ending = ""
    sign = "-" if value < 0 else ""
    if exponent < -4 or exponent > 10:
        return f"{sign}{digits[0]}.{digits[1:] or '0'}{ending}e{exponent}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}{ending}"
    digits = digits.ljust(exponent + 2, "0")
    return f"{sign}{digits[: exponent + 1]}.{digits[exponent + 1 :]}{ending}"


def number_text(value: Fraction) -> str:
    """An integer, or a fraction with its decimals."""
    return str(value) if value.denominator == 1 else f"{value} [= {decimal_text(value)}]"


def list_text(texts: list[str]) -> str:
    """A short list whole; of a long one the beginning, and a digest that stands for all of it."""
    if len(texts) <= SHOWN_WHOLE:
        return ", ".join(texts) or "none"
    rest = f"... ({len(texts) - SHOWN_OF_MORE} more; sha256 of all {len(texts)}: {digest(texts)})"
    return ", ".join([*texts[:SHOWN_OF_MORE], rest])


def numbers_text(values: list[Fraction] | list[int]) -> str:
    return list_text([number_text(Fraction(value)) for value in values])


def infix(tree: Any, inside: bool = False) -> str:
    """An expression as it is usually written, with all its parentheses."""
    if type(tree) is str:
        text = tree if tree in QUANTITIES else number_text(fraction(tree))
        simple = text.isidentifier() or text.isdigit()
    elif tree[0] in OPERATORS:
        text = f"{infix(tree[1], True)} {tree[0]} {infix(tree[2], True)}"
        simple = False
    else:
        text = f"{tree[0]}({', '.join(infix(argument) for argument in tree[1:])})"
        simple = True
    return f"({text})" if inside and not simple else text


def statement_text(statement: Statement, used: set[str]) -> list[str]:
    """Lines from which the whole statement can be read, the matrix by its digest."""
    stated = statement.stated
    lines = []
    for (relation, left, right), verdict in statement.claims:
        lines.append((verdict, f"{infix(left)} {relation} {infix(right)}"))
    for name, (meaning, _) in QUANTITIES.items():
        if name in used:
            lines.append(("where", f"{name} = {meaning}"))
    matrix = f"{statement.d} x {statement.d}, sha256 {digest([stated['unit'], stated['rows']])}"
    lines.append(("matrix", f"L is {matrix}"))
    if statement.gram is not None:
        scale, shift = map(number_text, statement.gram)
        lines.append(("data", f"L is said to be ({scale}) A'A + ({shift}) I; see --file"))
    lines.append(("blocks", "sizes " + numbers_text(statement.blocks)))
    if statement.names is not None:
        lines.append(("names", list_text([json.dumps(name) for name in statement.names])))
    if statement.arrangement is not None:
        places = numbers_text(statement.arrangement)
        lines.append(("moved", f"coordinates of L, counting from 0 in the user's matrix: {places}"))
    lines.append(("c", numbers_text(statement.c)))
    lines.append(("c_0", number_text(statement.overhead)))
    order = "not forced" if statement.order is None else "blocks " + numbers_text(statement.order)
    lines.append(("order", order))
    lines.append(("p", numbers_text(statement.p)))
    if statement.p_near is not None:
        lines.append(("p_near", numbers_text(statement.p_near)))
    sampling = stated["sampling"]
    if not isinstance(sampling, str):
        outcomes = []
        for probability, blocks in statement.outcomes:
            updated = " ".join(map(str, blocks)) or "nothing"
            outcomes.append(f"{updated} with {number_text(probability)}")
        sampling = "of blocks " + list_text(outcomes)
    lines.append(("sampling", sampling))
    if statement.x is not None:
        lines.append(("x", numbers_text(statement.x)))
    lines.append(("digest", f"of the whole statement, sha256 {digest(stated)}"))
    return [f"{head:8s} {text}" for head, text in lines]


# ---- 8. Comparison with the user's file

Entries = dict[tuple[int, int], Fraction]
Table = tuple[int, int, Entries]  # with the numbers of rows and columns
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
NUMPY_TYPES = ("b1", "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
NUMPY_CODES = dict(zip(NUMPY_TYPES, "?efdbhiqBHIQ", strict=True))


def decimal(cell: str) -> Fraction:
    """A decimal number exactly as it is written."""
    expect(bool(NUMBER.fullmatch(cell)), f"a cell that is no decimal number: {cell[:40]!r}")
    return Fraction(cell)


def read_text_table(text: str) -> Table:
    """Cells between semicolons, commas or blanks; "#" starts a comment, names may stand on top."""
    lines = [line.strip() for line in text.removeprefix("\ufeff").splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    expect(len(lines) > 0, "a file without numbers")
    separator = ";" if ";" in lines[0] else "," if "," in lines[0] else None
    table = [[cell.strip() for cell in line.split(separator)] for line in lines]
    if separator == ";":
        table = [[cell.replace(",", ".") for cell in row] for row in table]
    if not any(NUMBER.fullmatch(cell) for cell in table[0]):
        table = table[1:]
    width = max((len(row) for row in table), default=0)
    expect(all(len(row) == width for row in table), "rows of different length")
    found = {(i, j): decimal(cell) for i, row in enumerate(table) for j, cell in enumerate(row)}
    return len(table), width, found


def read_matrix_market(text: str) -> Table:
    banner, *lines = text.splitlines() or [""]
    words = banner.lower().split()
    expect(len(words) == 5 and words[:2] == ["%%matrixmarket", "matrix"], "no Matrix Market banner")
    layout, field, symmetry = words[2:]
    known = layout in ("array", "coordinate") and symmetry in ("general", "symmetric")
    expect(known and field in ("real", "double", "integer"), "an unknown kind of .mtx file")
    cells = [line.split() for line in lines if line.strip() and not line.lstrip().startswith("%")]
    expect(len(cells) > 0 and all(re.fullmatch("[0-9]+", word) for word in cells[0]), "no sizes")
    rows, columns, *_ = map(int, cells[0])
    body = cells[1:]
    if layout == "array":
        places = []
        for j in range(columns):
            places += [(i, j) for i in range(j if symmetry == "symmetric" else 0, rows)]
        expect(all(len(line) == 1 for line in body), "lines of more than one number")
        values = [line[0] for line in body]
    else:
        expect(all(len(line) == 3 for line in body), "lines that are not row, column, value")
        places = [(int(line[0]) - 1, int(line[1]) - 1) for line in body]
        values = [line[2] for line in body]
        expect(len(body) == int(cells[0][2]), "another number of entries than announced")
    found = {}
    for (i, j), value in zip(places, values, strict=True):
        expect(0 <= i < rows and 0 <= j < columns, "a place outside the matrix")
        for place in {(i, j), (j, i)} if symmetry == "symmetric" else {(i, j)}:
            expect(place not in found, "an entry that is given twice")
            found[place] = decimal(value)
    return rows, columns, found


def read_numpy(content: bytes) -> Table:
    """An array of a .npy file; a float stands for exactly the binary fraction that it is."""
    expect(content[:6] == b"\x93NUMPY" and content[6] in (1, 2), "no .npy file")
    start = 10 if content[6] == 1 else 12
    end = start + int.from_bytes(content[8:start], "little")
    header = ast.literal_eval(content[start:end].decode("latin-1"))
    code = NUMPY_CODES.get(str(header["descr"])[1:])
    expect(code is not None and len(header["shape"]) == 2, f"an array of {header['descr']!r}")
    rows, columns = header["shape"]
    layout = f"{'>' if header['descr'][0] == '>' else '<'}{rows * columns}{code}"
    expect(len(content) - end == struct.calcsize(layout), "an array of another length")
    numbers = struct.unpack(layout, content[end:])
    found = {}
    for n, number in enumerate(numbers):
        i, j = divmod(n, columns)
        if header["fortran_order"]:
            j, i = divmod(n, rows)
        found[i, j] = Fraction(number)
    return rows, columns, found


def read_table(path: str) -> Table:
    kind = path.lower().rpartition(".")[2]
    try:
        expect(kind in ("csv", "txt", "npy", "mtx"), "a file that is not .csv, .txt, .npy or .mtx")
        content = read_bytes(path)
        if kind == "npy":
            return read_numpy(content)
        if kind == "mtx":
            return read_matrix_market(content.decode("latin-1"))
        return read_text_table(content.decode("utf-8"))
    except (OSError, ValueError, LookupError, TypeError, ArithmeticError, SyntaxError) as error:
        raise UnreadableMatrix(f"{error}"[:200]) from None


def compare_with_file(statement: Statement, path: str, table: Table) -> str:
    """Compare every entry of L with the user's file; Unproved if one differs."""
    rows, columns, found = table
    d = statement.d
    note = ""
    if statement.gram is not None:
        if columns != d:
            raise UnreadableMatrix(
                f"L is derived from data with {d} columns, and the file has {columns}: "
                "cannot be compared unless the columns that were not used are left out"
            )
        scale, shift = statement.gram
        data = [[found.get((i, j), Fraction(0)) for i in range(rows)] for j in range(d)]
        found = gram_matrix(data, scale, shift)
        note = f", as ({scale}) A'A + ({shift}) I of its {rows} rows A"
    else:
        require((rows, columns) == (d, d), f"L is {d} x {d}, and the file {rows} x {columns}")
    place = list(range(d))
    for here, there in enumerate(statement.arrangement or place):
        place[there] = here
    for i in range(d):
        for j in range(i + 1):
            one = found.get((i, j), Fraction(0))
            other = found.get((j, i), Fraction(0))
            if one != other:
                note = ", as the symmetric part (F + F')/2 of the matrix F there"
            expected = (one + other) / 2
            entry = statement.unit * statement.rows[place[i]].get(place[j], 0)
            where = f"row {i + 1}, column {j + 1}"
            difference = f"{number_text(entry)} in L, {number_text(expected)} in the file"
            require(entry == expected, f"L is not the matrix of the file: {where}: {difference}")
    return f"file     L is exactly the matrix of {json.dumps(path)}{note}"


def gram_matrix(columns: list[list[Fraction]], scale: Fraction, shift: Fraction) -> Entries:
    """scale A'A + shift I, by sums of integers over a common denominator."""
    unit = math.lcm(*(x.denominator for column in columns for x in column))
    whole = [[int(x * unit) for x in column] for column in columns]
    products = {}
    for i, a in enumerate(whole):
        for j, b in enumerate(whole):
            products[i, j] = scale * Fraction(sum(map(mul, a, b)), unit * unit)
        products[i, i] += shift
    return products


# ---- The whole check


def check(path: str, file: str | None = None) -> str:
    """The statement of a certificate in words, all of it checked.

    Raises ValueError if there is no certificate that can be read, Unproved if it proves too little.
    """
    try:
        document = read_document(path)
        stated = document["statement"]
        proof = Proof(stated, document["witnesses"], document["optimum"])
        digests = {"matrix": digest([stated["unit"], stated["rows"]]), "statement": digest(stated)}
        expect(document["digests"] == digests, "the digest of another matrix or statement")
        for claim, verdict in proof.claims:
            shown = f"{infix(claim[1])} {claim[0]} {infix(claim[2])}"
            require(proof.verdict(claim) == verdict, f"not {verdict}: {shown}")
        needed = not proof.used.isdisjoint({"c_closed", "c_rounded"})
        expect(needed == (proof.p_near is not None), "p_near without a claim that needs it")
        lines = statement_text(proof, proof.used)
        if file is not None:
            lines.append(compare_with_file(proof, file, read_table(file)))
        return "\n".join([*lines, "yes: all of this follows"])
    except (MemoryError, RecursionError):
        raise ValueError("it takes more memory or deeper nesting than there is") from None
    except (OSError, zlib.error, LookupError, TypeError, ArithmeticError) as error:
        raise ValueError(f"{type(error).__name__}: {error}"[:200]) from None


def main() -> int:
    parser = argparse.ArgumentParser(description="Check a certificate of rpttheory.")
    parser.add_argument("certificate")
    parser.add_argument("--file", help="compare the matrix with this .csv, .txt, .npy or .mtx file")
    options = parser.parse_args()
    try:
        print(check(options.certificate, options.file))
    except Unproved as reason:
        print(f"no: {reason}")
        return 1
    except ValueError as error:
        compared = isinstance(error, UnreadableMatrix)
        what = "no matrix that can be compared" if compared else "no certificate that can be read"
        print(f"checker: error: {what}\n  found: {error}", file=sys.stderr)
        print("  try:   python checker.py proof.json --file L.csv", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
