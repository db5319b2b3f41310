"""Check a certificate of rpttheory: `python checker.py proof.json [--file L.csv]`.

This file is meant to be read instead of trusting the package that wrote the certificate. It imports
the standard library alone and computes in integers and fractions; no number here is a float.

A certificate states a symmetric matrix L, its division into blocks, costs c and probabilities p of
the blocks, and claims with verdicts, such as "L_P <= 2 * lmax" PROVED. Every quantity in a claim
consists of numbers top(M, w), the least t for which t Diag(w) - M is positive semidefinite. The
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
import decimal
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
# Limits, so that every check ends: bytes of a file, coordinates, entries of a .mtx file, bits of a
# number; and the bits to which a square root is computed.
MOST_BYTES = 1 << 29
MOST_COORDINATES = 4000
MOST_ENTRIES = 10**8
MOST_BITS = 200_000
ROOT_BITS = 500

Integers = list[int]
Fractions = list[Fraction]


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


def read_document(path: str) -> Any:
    """Return the certificate in a file of JSON, which may be compressed by gzip."""
    content = read_bytes(path)
    if content.startswith(b"\x1f\x8b"):
        unpacker = zlib.decompressobj(wbits=31)
        content = unpacker.decompress(content, MOST_BYTES)
        expect(unpacker.eof and not unpacker.unused_data, "a compressed file that is cut")
    document = json.loads(
        content, object_pairs_hook=unique_keys, parse_float=refuse, parse_constant=refuse
    )
    expect(type(document) is dict, "no object")
    version = str(document.get("format"))[:40]
    expect(version == FORMAT, f"format {version!r}; this checker reads only {FORMAT!r}")
    keys = {"format", "digests", "statement", "witnesses", "optimum"}
    expect(set(document) == keys, "parts of a certificate that are missing or unknown")
    return document


def digest(content: Any) -> str:
    """Return the sha256 of a part of a document, written as JSON without blanks."""
    return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def entries(values: Any) -> list[Any]:
    expect(type(values) is list, "something else where a list was expected")
    return list(values)


def integers(values: Any) -> Integers:
    for value in entries(values):
        expect(type(value) is int, f"{str(value)[:40]!r} where an integer was expected")
    return list(values)


def fraction(text: Any) -> Fraction:
    good = type(text) is str and re.fullmatch(r"-?[0-9]+(/0*[1-9][0-9]*)?", text)
    expect(bool(good), f"{str(text)[:40]!r} where a fraction in quotes was expected")
    return Fraction(text)


def fractions(values: Any) -> Fractions:
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
        require(self.bits() <= MOST_BITS, "numbers that are too long")
        self.exact = self.low == self.high
        self.terms: dict[Value | None, Fraction] = {self: Fraction(1)} if terms is None else terms
        if self.exact:
            self.terms = {None: self.low}

    def bits(self) -> int:
        """Return the length of the longest integer in the ends."""
        parts = (*self.low.as_integer_ratio(), *self.high.as_integer_ratio())
        return max(part.bit_length() for part in parts)

    def __add__(self, other: Value) -> Value:
        terms = dict(self.terms)
        for atom, coefficient in other.terms.items():
            terms[atom] = terms.get(atom, Fraction(0)) + coefficient
        return linear(terms)

    def __neg__(self) -> Value:
        return self * Value(-1)

    def __sub__(self, other: Value) -> Value:
        return self + -other

    def __mul__(self, other: Value) -> Value:
        if other.exact:
            return linear({atom: a * other.low for atom, a in self.terms.items()})
        if self.exact:
            return other * self
        # A product over two intervals is largest and smallest at their ends.
        corners = [x * y for x in (self.low, self.high) for y in (other.low, other.high)]
        return Value(min(corners), max(corners))

    def __truediv__(self, other: Value) -> Value:
        require(other.low > 0 or other.high < 0, "a division by what may be zero")
        # 1/y falls as y grows, on either side of zero.
        return self * Value(1 / other.high, 1 / other.low)

    def __pow__(self, exponent: Value) -> Value:
        n = int(exponent.low)
        require(exponent.exact and exponent.low == n and n >= 0, "a power that is no integer >= 0")
        require(self.bits() * n <= MOST_BITS, "a power that is too large")
        if n == 1:
            return self
        # x^n grows or falls on either side of 0, so it is largest and smallest at an end or at 0.
        powers = [self.low**n, self.high**n]
        if self.low < 0 < self.high:
            powers.append(Fraction(0) ** n)
        return Value(min(powers), max(powers))


def linear(terms: dict[Value | None, Fraction]) -> Value:
    """Return the sum of coefficient * atom; each end takes the matching end of every atom."""
    low = Fraction(0)
    high = Fraction(0)
    for atom, coefficient in terms.items():
        value = Value(1) if atom is None else atom
        ends = coefficient * value.low, coefficient * value.high
        low += min(ends)
        high += max(ends)
    return Value(low, high, terms)


def root_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Return fractions with low <= sqrt(x) <= high, equal where sqrt(x) is a fraction."""
    require(x >= 0, "the square root of what may be negative")
    # sqrt(n / d) = sqrt(n d) / d. With s = floor(sqrt(n d 4^b)): s <= sqrt(n d) 2^b < s + 1.
    scaled = (x.numerator * x.denominator) << (2 * ROOT_BITS)
    s = math.isqrt(scaled)
    unit = Fraction(1, x.denominator << ROOT_BITS)
    return s * unit, (s if s * s == scaled else s + 1) * unit


def square_root(value: Value) -> Value:
    return Value(root_bounds(value.low)[0], root_bounds(value.high)[1])


def maximum(first: Value, *more: Value) -> Value:
    """Return the value that is known to be the largest, else an interval of the largest ends."""
    best = first
    for value in more:
        if (value - best).low >= 0:
            best = value
        elif (best - value).low < 0:
            best = Value(max(best.low, value.low), max(best.high, value.high))
    return best


def minimum(*values: Value) -> Value:
    return -maximum(*(-value for value in values))


def absolute(value: Value) -> Value:
    return maximum(value, -value, Value(0))


def total(*values: Value) -> Value:
    return sum(values, Value(0))


# ---- 3. The statement: everything that a certificate speaks of, checked and complete

RELATIONS = ("<=", "<", ">=", ">", "==")
OPERATIONS: dict[str, Callable[..., Value]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": truediv,
    "**": pow,
    "sqrt": square_root,
    "abs": absolute,
    "sum": total,
    "min": minimum,
    "max": maximum,
}
KEYS = "unit rows arrangement gram blocks block_names c overhead order p p_near sampling x claims"


class Statement:
    """A matrix, blocks, costs, probabilities and claims, as the certificate writes them.

    The matrix L is `unit` times the integers of `rows`. Row i lists the places j <= i of its
    nonzero entries, each followed by its entry. Blocks are consecutive. Where the user's blocks are
    not, coordinate i here is coordinate arrangement[i] of the user, counting from 0. Lists that a
    certificate leaves out (null) are empty.
    """

    def __init__(self, fields: Any) -> None:
        expect(type(fields) is dict and set(fields) == set(KEYS.split()), "no statement")
        self.fields: dict[str, Any] = fields
        self.blocks = integers(fields["blocks"])
        self.B = len(self.blocks)
        self.d = sum(self.blocks)
        expect(self.B > 0 and min(self.blocks) > 0, "blocks that are no sizes")
        expect(self.d <= MOST_COORDINATES, f"more than {MOST_COORDINATES} coordinates")
        self.block_of = [k for k, size in enumerate(self.blocks) for _ in range(size)]
        self.unit = fraction(fields["unit"])
        expect(self.unit > 0, "a unit that is not positive")
        self.rows = self.read_rows()
        self.c = self.per_block(fields["c"])
        self.p = self.probabilities(fields["p"])
        self.p_near = self.optional("p_near", self.probabilities)
        self.overhead = fraction(fields["overhead"])
        expect(self.overhead >= 0, "a negative overhead")
        self.gram = self.optional("gram", fractions, 2)
        self.x = self.optional("x", integers, self.d)
        self.order = self.optional("order", permutation, self.B)
        self.arrangement = self.optional("arrangement", permutation, self.d)
        self.names = self.optional("block_names", entries, self.B)
        expect(all(type(name) is str for name in self.names), "a name of a block that is no text")
        self.tau = self.B
        self.pairs = self.read_sampling()
        self.claims = entries(fields["claims"])
        expect(len(self.claims) > 0, "no claim: it states nothing")
        for claim, verdict in map(entries, self.claims):
            expect(verdict in ("PROVED", "REFUTED"), "a claim without a verdict")
            relation, *sides = entries(claim)
            expect(relation in RELATIONS and len(sides) == 2, "a claim without a relation")

    def optional(
        self, key: str, read: Callable[[Any], list[Any]], length: int | None = None
    ) -> list[Any]:
        """Return a list that may be left out, of the given length."""
        if self.fields[key] is None:
            return []
        values = read(self.fields[key])
        expect(length in (None, len(values)), f"{key} of another length")
        return values

    def read_rows(self) -> list[dict[int, int]]:
        """Return the integers of the symmetric matrix; in each row, the entry by its place."""
        rows: list[dict[int, int]] = [{} for _ in range(self.d)]
        for i, listed in enumerate(map(integers, entries(self.fields["rows"]))):
            places = listed[0::2]
            expect(is_increasing(places, i + 1), "places that are not in a lower triangle")
            for j, entry in zip(places, listed[1::2], strict=True):
                rows[i][j] = entry
                rows[j][i] = entry
        expect(len(self.fields["rows"]) == self.d, "another number of rows than coordinates")
        return rows

    def per_block(self, listed: Any) -> Fractions:
        values = fractions(listed)
        expect(len(values) == self.B and min(values) > 0, "not one positive number per block")
        return values

    def probabilities(self, listed: Any) -> Fractions:
        values = self.per_block(listed)
        expect(max(values) <= 1, "probabilities above 1")
        return values

    def read_sampling(self) -> dict[tuple[int, int], Fraction]:
        """Return the probabilities that blocks k and m are updated in the same step."""
        blocks = range(self.B)
        pairs = {(k, m): Fraction(0) for k in blocks for m in blocks}
        sampling = self.fields["sampling"]
        if sampling in ("nested", "independent"):
            for k, m in pairs:
                a = self.p[k]
                b = self.p[m]
                pairs[k, m] = min(a, b) if sampling == "nested" or k == m else a * b
            return pairs
        # Else outcomes: each has a probability and the blocks that it updates.
        whole = Fraction(0)
        self.tau = 0
        for text, updated in map(entries, entries(sampling)):
            probability = fraction(text)
            expect(probability >= 0, "a negative probability")
            expect(is_increasing(integers(updated), self.B), "an outcome with other blocks")
            whole += probability
            if probability > 0:
                self.tau = max(self.tau, len(updated))
            for k in updated:
                for m in updated:
                    pairs[k, m] += probability
        expect(whole == 1, "outcomes whose probabilities do not add up to 1")
        marginals = [pairs[k, k] for k in blocks]
        expect(marginals == self.p, "a sampling with other probabilities than p")
        return pairs


def is_increasing(places: Integers, end: int) -> bool:
    """True if places are integers from 0 to end - 1, each larger than the one before."""
    return places == sorted(set(places)) and all(0 <= place < end for place in places)


def permutation(listed: Any) -> Integers:
    expect(sorted(integers(listed)) == list(range(len(listed))), "an order that is no permutation")
    return list(listed)


# ---- 4. Eigenvalues


def bounds(matrix: list[Integers], weights: Integers, witness: Any) -> tuple[Fraction, Fraction]:
    """Return bounds of the least t with t W - M positive semidefinite, where W = Diag(weights)."""
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
    # Above: with D = Diag(scale) >= 0, G D G' is positive semidefinite. So is the remainder
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
            size = abs(common * row[j] + sum(map(mul, factor[i], scaled[j])))
            room[i] -= size
            room[j] -= size
    require(min(room) >= 0, "a witness does not prove its upper bound")
    return Fraction(form, norm), level


def primitive(values: Fractions | Integers) -> tuple[Integers, Fraction]:
    """Return integers without a common factor, and the factor that makes them the values."""
    unit = math.lcm(*(value.denominator for value in values))
    whole = [int(value * unit) for value in values]
    factor = math.gcd(*whole) or 1
    return [value // factor for value in whole], Fraction(factor, unit)


class Proof(Statement):
    """A statement with its witnesses, each stored under the digest of its pencil (M, w)."""

    def __init__(self, fields: Any, witnesses: Any, optimum: Any) -> None:
        super().__init__(fields)
        self.witnesses = witnesses
        self.evidence = optimum
        self.eigenvalues: dict[str, Value] = {}
        self.values: dict[str, Any] = {}
        self.used: set[str] = set()

    def eigenvalue(self, matrix: list[Integers], weights: Integers) -> Value:
        """Return top(M, w) of integers. Equal pencils have the same number, so the same Value."""
        key = digest([matrix, weights])
        if key not in self.eigenvalues:
            require(key in self.witnesses, "an eigenvalue without a witness")
            self.eigenvalues[key] = Value(*bounds(matrix, weights, self.witnesses[key]))
        return self.eigenvalues[key]

    def top(
        self,
        weights: Fractions | None = None,
        pairs: dict[tuple[int, int], Fraction] | None = None,
        block: int | None = None,
    ) -> Value:
        """Return the least t with t Diag(w) - [pair_kl L_kl] positive semidefinite.

        `weights` has one number per block; weights and pairs default to 1. With `block`, L is cut
        down to that diagonal block. The number is the largest one of the connected parts of the
        matrix. Before the witness of a part is looked up, its matrix and its weights lose their
        common factors.
        """
        label = self.block_of
        weights = weights or [Fraction(1)] * self.B
        multiples, pair_unit = primitive(list((pairs or {}).values()))
        whole_pairs = dict(zip(pairs or {}, multiples, strict=True))

        def entry(i: int, j: int) -> int:
            multiple = 1 if pairs is None else whole_pairs[label[i], label[j]]
            return self.rows[i].get(j, 0) * multiple

        values = []
        unvisited = {i for i, k in enumerate(label) if block in (None, k)}
        while unvisited:
            part = [unvisited.pop()]
            for i in part:  # grows while it is read
                neighbors = [j for j in self.rows[i] if j in unvisited and entry(i, j) != 0]
                unvisited.difference_update(neighbors)
                part += neighbors
            part.sort()
            n = len(part)
            flat, entry_unit = primitive([entry(i, j) for i in part for j in part])
            diagonal, weight_unit = primitive([weights[label[i]] for i in part])
            value = Value(Fraction(flat[0], diagonal[0]))
            if n > 1:
                matrix = [flat[start : start + n] for start in range(0, n * n, n)]
                value = self.eigenvalue(matrix, diagonal)
            values.append(value * Value(self.unit * pair_unit * entry_unit / weight_unit))
        return maximum(*values)

    # ---- 5. Quantities: what the names in a claim mean; the table is at the end of part 6

    def quantity(self, name: str) -> Any:
        """Return a Value, or a list of one Value per block."""
        self.used.add(name)
        if name not in self.values:
            self.values[name] = QUANTITIES[name][1](self)
        return self.values[name]

    def cost_at(self, p: Fractions) -> Value:
        return Value(sum(map(mul, p, self.c), self.overhead))

    def complexity_at(self, p: Fractions) -> Value:
        """Return c(P) = L_P (c_0 + sum p_k c_k)."""
        expect(len(p) == self.B, "no p_near in the statement")
        return self.top(p) * self.cost_at(p)

    def closed_form_complexity(self) -> Value:
        """Return c(P) at r_k = sqrt(L_k / c_k), exactly where all r_k are fractions.

        Else by any p, here p_near: with a p <= r <= b p, L_R <= L_P / a and the cost grows at
        most b times, and the other way round, so that c(R) is within the factor b / a of c(P).
        """
        expect(self.overhead == 0 and not self.order, "a closed form with an overhead or an order")
        constants = self.quantity("L")
        require(all(L.low > 0 for L in constants), "a closed form where some L_k may be zero")
        roots = [square_root(L * Value(1 / c)) for c, L in zip(self.c, constants, strict=True)]
        p = [root.low for root in roots] if all(root.exact for root in roots) else self.p_near
        complexity = self.complexity_at(p)
        b = max(root.high / q for root, q in zip(roots, p, strict=True))
        a = min(root.low / q for root, q in zip(roots, p, strict=True))
        return complexity * Value(a / b, b / a)

    def image(self) -> Fractions:
        """Return Lx."""
        x = self.x
        expect(len(x) == self.d, "no point x in the statement")
        return [self.unit * sum(entry * x[j] for j, entry in row.items()) for row in self.rows]

    def gradient_squares(self) -> list[Value]:
        squares = [Fraction(0)] * self.B
        for k, number in zip(self.block_of, self.image(), strict=True):
            squares[k] += number * number
        return [Value(square) for square in squares]

    def optimum(self) -> Value:
        """Return the infimum of c(P) over 0 < p <= 1, nonincreasing along any forced order.

        Above: c(P) at any such probabilities.
        Below: L <= t P gives <L, VV'> <= t sum p_k v_k for every matrix V, where v_k is the sum of
        squares of V over the rows of block k. If v(S) <= s (c_0 + c(S)) for every set S of blocks
        of which p is a convex combination, then sum p_k v_k <= s (c_0 + sum p_k c_k), and so
        <L, VV'> / s <= c(P) if <L, VV'> >= 0. With a forced order these are the sets of its first
        blocks; else all sets, of which the first blocks by falling v_k / c_k have the largest
        v(S) / (c_0 + c(S)).
        """
        V = [integers(row) for row in entries(self.evidence["dual"])]
        expect(len(V) == self.d and len({len(row) for row in V}) == 1, "a dual of another size")
        value = 0
        squares = [Fraction(0)] * self.B
        for i, row in enumerate(V):
            squares[self.block_of[i]] += sum(map(mul, row, row))
            value += sum(entry * sum(map(mul, row, V[j])) for j, entry in self.rows[i].items())
        ratios = [square / c for square, c in zip(squares, self.c, strict=True)]
        falling = sorted(range(self.B), key=lambda k: ratios[k], reverse=True)
        factor = Fraction(0)
        squares_so_far = Fraction(0)
        cost_so_far = self.overhead
        for k in self.order or falling:
            squares_so_far += squares[k]
            cost_so_far += self.c[k]
            factor = max(factor, squares_so_far / cost_so_far)
        require(value >= 0 and factor > 0, "a dual point that proves nothing")
        uppers = []
        for point in map(self.probabilities, entries(self.evidence["points"])):
            ranked = [point[k] for k in self.order]
            require(ranked == sorted(ranked, reverse=True), "probabilities against the order")
            uppers.append(self.complexity_at(point).high)
        return Value(self.unit * value / factor, min(uppers))

    # ---- 6. Claims

    def evaluate(self, tree: Any) -> Any:
        """Return the value of a name, a fraction in quotes, or [operator, expressions...].

        It is a Value, or a list of one per block. Equal expressions have the same Value.
        """
        if type(tree) is str:
            return self.quantity(tree) if tree in QUANTITIES else Value(fraction(tree))
        key = json.dumps(tree)
        if key not in self.values:
            match tree:
                case ["**", ["sum", ["sqrt", terms]], "2"]:
                    self.values[key] = self.square_of_root_sum(self.evaluate(terms))
                case [name, *trees]:
                    self.values[key] = self.apply(name, [self.evaluate(part) for part in trees])
        return self.values[key]

    def square_of_root_sum(self, terms: Any) -> Value:
        """Return (sum sqrt(a_k))^2 as sum a_k + 2 sum_{m<k} sqrt(a_k a_m): more roots are exact.

        With many blocks there are too many pairs.
        """
        expect(type(terms) is list, "the sum of a single number")
        roots = [square_root(term) for term in terms]  # refuses negative numbers
        if self.B > 40:
            return total(*roots) ** Value(2)
        products = []
        for k, term in enumerate(terms):
            products += [square_root(term * earlier) * Value(2) for earlier in terms[:k]]
        return total(*terms, *products)

    def apply(self, name: str, arguments: list[Any]) -> Any:
        """Apply an operator or function; block by block where an argument is a list."""
        function = OPERATIONS[name]
        if name in ("sum", "min", "max") and len(arguments) == 1:
            expect(type(arguments[0]) is list, f"{name} of a single number")
            return function(*arguments[0])
        expect(name != "sum", "a sum of several lists")
        if not any(type(argument) is list for argument in arguments):
            return function(*arguments)
        columns = [part if type(part) is list else [part] * self.B for part in arguments]
        return [function(*row) for row in zip(*columns, strict=True)]

    def verdict(self, claim: Any) -> str:
        """Return PROVED, REFUTED or UNDECIDED, from an interval of one side minus the other."""
        relation, left_tree, right_tree = claim
        left = self.evaluate(left_tree)
        right = self.evaluate(right_tree)
        expect(type(left) is Value and type(right) is Value, "a claim on lists")
        gap = left - right if relation in (">", ">=") else right - left
        if relation == "==":
            proved = gap.low == 0 and gap.high == 0
            refuted = gap.low > 0 or gap.high < 0
        elif relation in ("<", ">"):
            proved = gap.low > 0
            refuted = gap.high <= 0
        else:
            proved = gap.low >= 0
            refuted = gap.high < 0
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

# Each name of a claim: its meaning as it is printed, and its value.
QUANTITIES: dict[str, tuple[str, Callable[[Proof], Any]]] = {
    "d": ("the number of coordinates", lambda proof: Value(proof.d)),
    "B": ("the number of blocks", lambda proof: Value(proof.B)),
    "tau": (
        "the largest number of blocks that the sampling updates in a step",
        lambda proof: Value(proof.tau),
    ),
    "c": ("c_k, the costs below", lambda proof: list(map(Value, proof.c))),
    "p": ("p_k, the probabilities below", lambda proof: list(map(Value, proof.p))),
    # Every sampling that can be read updates block k with probability p_k.
    "q": (
        "q_k, the probability that the sampling updates block k",
        lambda proof: list(map(Value, proof.p)),
    ),
    "L": (
        "L_k = lambda_max(diagonal block k of L)",
        lambda proof: [proof.top(block=k) for k in range(proof.B)],
    ),
    "lmax": ("lambda_max(L)", Proof.top),
    # lambda_min(L) = -lambda_max(-L).
    "mu": (
        "lambda_min(L)",
        lambda proof: -proof.top(pairs=dict.fromkeys(proof.pairs, Fraction(-1))),
    ),
    # P^-1/2 L P^-1/2 <= t means L <= t P.
    "L_P": ("lambda_max(P^-1/2 L P^-1/2), P with p_k on block k", lambda proof: proof.top(proof.p)),
    # E[CLC] has the blocks p_kl L_kl / (p_k p_l), so E[CLC] <= t means [p_kl L_kl] <= t P^2.
    "L_M": (
        "lambda_max(E[CLC]), C with 1/p_k on the blocks k that the sampling updates, else 0",
        lambda proof: proof.top([p * p for p in proof.p], proof.pairs),
    ),
    "cost": ("c_0 + sum p_k c_k", lambda proof: proof.cost_at(proof.p)),
    "c_P": ("L_P cost", lambda proof: proof.evaluate(["*", "L_P", "cost"])),
    "c_M": ("L_M cost", lambda proof: proof.evaluate(["*", "L_M", "cost"])),
    "closed": ("(sum sqrt(c_k L_k))^2", lambda proof: proof.evaluate(CLOSED_BOUND)),
    "c_rounded": (
        "c_P at p = p_near, listed below",
        lambda proof: proof.complexity_at(proof.p_near),
    ),
    "c_closed": ("c_P at p_k proportional to sqrt(L_k / c_k)", Proof.closed_form_complexity),
    "xLx": ("x'Lx", lambda proof: Value(sum(map(mul, proof.image(), proof.x)))),
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
    """Return the decimal digits of a fraction; "..." marks that all after the 12th are cut."""
    context = decimal.Context(prec=12, rounding=decimal.ROUND_DOWN, capitals=0)
    top, bottom = map(decimal.Decimal, value.as_integer_ratio())
    quotient = context.divide(top, bottom)
    text = context.to_sci_string(quotient)
    if quotient.adjusted() > 10:
        text = f"{quotient:e}"  # the dots stand behind the decimal point
    digits, exponent_mark, exponent = text.partition("e")
    cut = "" if Fraction(quotient) == value else "..."
    return f"{digits}{cut}{exponent_mark}{exponent}"


def number_text(value: Fraction | int) -> str:
    """Return an integer, or a fraction with its decimals."""
    exact = Fraction(value)
    return str(exact) if exact.denominator == 1 else f"{exact} [= {decimal_text(exact)}]"


def list_text(texts: list[str]) -> str:
    """Return a short list whole; of a long one the beginning, and a digest of all of it."""
    if len(texts) <= SHOWN_WHOLE:
        return ", ".join(texts)
    more = f"... ({len(texts) - SHOWN_OF_MORE} more; sha256 of all {len(texts)}: {digest(texts)})"
    return ", ".join([*texts[:SHOWN_OF_MORE], more])


def infix(tree: Any, inside: bool = False) -> str:
    """Return an expression as it is usually written, with all its parentheses."""
    if type(tree) is str:
        text = tree if tree in QUANTITIES else number_text(fraction(tree))
        simple = text.isidentifier() or text.isdigit()
    elif str.isalpha(tree[0]):
        text = f"{tree[0]}({', '.join(map(infix, tree[1:]))})"
        simple = True
    else:
        operator, left, right = tree
        text = f"{infix(left, True)} {operator} {infix(right, True)}"
        simple = False
    return f"({text})" if inside and not simple else text


def claim_text(claim: Any) -> str:
    relation, left, right = claim
    return f"{infix(left)} {relation} {infix(right)}"


def sampling_text(sampling: Any) -> str:
    if type(sampling) is str:
        return sampling
    outcomes = []
    for probability, updated in sampling:
        blocks = " ".join(map(str, updated)) or "nothing"
        outcomes.append(f"{blocks} with {number_text(fraction(probability))}")
    return f"of blocks {list_text(outcomes)}"


def statement_text(statement: Statement, used: set[str]) -> list[str]:
    """Return lines from which the whole statement can be read, the matrix by its digest."""
    fields = statement.fields
    lines = [(verdict, claim_text(claim)) for claim, verdict in statement.claims]
    lines += [
        ("where", f"{name} = {meaning}")
        for name, (meaning, _) in QUANTITIES.items()
        if name in used
    ]
    matrix = digest([fields["unit"], fields["rows"]])
    lines.append(("matrix", f"L is {statement.d} x {statement.d}, sha256 {matrix}"))
    if statement.gram:
        scale, shift = map(number_text, statement.gram)
        lines.append(("data", f"L is said to be ({scale}) A'A + ({shift}) I; see --file"))
    moved = "coordinates of L, counting from 0 in the user's matrix: "
    lists: list[tuple[str, str, Fractions | Integers]] = [
        ("blocks", "sizes ", statement.blocks),
        ("moved", moved, statement.arrangement),
        ("c", "", statement.c),
        ("c_0", "", [statement.overhead]),
        ("order", "blocks ", statement.order),
        ("p", "", statement.p),
        ("p_near", "", statement.p_near),
        ("x", "", statement.x),
    ]
    for head, prefix, values in lists:
        if values:
            lines.append((head, prefix + list_text([number_text(value) for value in values])))
    if not statement.order:
        lines.append(("order", "not forced"))
    if statement.names:
        lines.append(("names", list_text([json.dumps(name) for name in statement.names])))
    lines.append(("sampling", sampling_text(fields["sampling"])))
    lines.append(("digest", f"of the whole statement, sha256 {digest(fields)}"))
    return [f"{head:8s} {text}" for head, text in lines]


# ---- 8. Comparison with the user's file

Table = list[Fractions]
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
# The types of numpy, and the codes of the module struct for them.
NUMPY_TYPES = ("b1", "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
NUMPY_CODES = dict(zip(NUMPY_TYPES, "?efdbhiqBHIQ", strict=True))
# Whatever a damaged file makes the readers raise.
UNREADABLE = (
    OSError, ValueError, LookupError, TypeError, ArithmeticError, SyntaxError, struct.error,
)  # fmt: skip


def exact_decimal(cell: str) -> Fraction:
    """Return a decimal number exactly as it is written."""
    expect(bool(NUMBER.fullmatch(cell)), f"a cell that is no decimal number: {cell[:40]!r}")
    return Fraction(cell)


def read_text_table(text: str) -> tuple[Table, str]:
    """Read cells between semicolons, commas or blanks, and say which row is taken as names."""
    lines = [line.strip() for line in text.removeprefix("\ufeff").splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    separator = ";" if ";" in lines[0] else "," if "," in lines[0] else None
    if separator == ";":  # then a comma is a decimal point
        lines = [line.replace(",", ".") for line in lines]
    cells = [[cell.strip() for cell in line.split(separator)] for line in lines]
    note = ""
    if not any(map(NUMBER.fullmatch, cells[0])):
        names = [json.dumps(name) for name in cells.pop(0)]
        note = f", below the first row, taken as names: {list_text(names)}"
    return [[exact_decimal(cell) for cell in row] for row in cells], note


def read_matrix_market(text: str) -> Table:
    banner, *lines = text.splitlines()
    mark, kind, layout, field, symmetry = banner.lower().split()
    expect((mark, kind) == ("%%matrixmarket", "matrix"), "no Matrix Market banner")
    expect(field in ("real", "double", "integer"), f"entries of the kind {field!r}")
    expect(symmetry in ("general", "symmetric"), f"the symmetry {symmetry!r}")
    words = " ".join(line for line in lines if not line.startswith("%")).split()
    rows, columns = map(int, words[:2])
    expect(rows * columns <= MOST_ENTRIES, f"more than {MOST_ENTRIES} entries")
    if layout == "coordinate":
        values = words[5::3]
        expect(len(values) == int(words[2]), "another number of entries than announced")
        counted = zip(map(int, words[3::3]), map(int, words[4::3]), strict=True)
        places = [(i - 1, j - 1) for i, j in counted]
    else:
        expect(layout == "array", f"the layout {layout!r}")
        values = words[2:]
        lower = symmetry == "symmetric"
        places = [(i, j) for j in range(columns) for i in range(j if lower else 0, rows)]
    numbers = {}
    for (i, j), value in zip(places, values, strict=True):
        expect((i, j) not in numbers, "an entry that is given twice")
        numbers[i, j] = exact_decimal(value)
        if symmetry == "symmetric":
            numbers[j, i] = numbers[i, j]
    table = [[numbers.pop((i, j), Fraction(0)) for j in range(columns)] for i in range(rows)]
    expect(not numbers, "a place outside the matrix")
    return table


def read_numpy(content: bytes) -> Table:
    """Read an array of a .npy file; a float stands for exactly the binary fraction that it is."""
    expect(content[:6] == b"\x93NUMPY" and content[6] in (1, 2), "no .npy file")
    start = 10 if content[6] == 1 else 12
    end = start + int.from_bytes(content[8:start], "little")
    header = ast.literal_eval(content[start:end].decode("latin-1"))
    rows, columns = header["shape"]
    byte_order = ">" if header["descr"][0] == ">" else "<"
    layout = f"{byte_order}{rows * columns}{NUMPY_CODES[header['descr'][1:]]}"
    expect(len(content) - end == struct.calcsize(layout), "an array of another length")
    numbers = [Fraction(number) for number in struct.unpack(layout, content[end:])]
    if header["fortran_order"]:
        return [numbers[i::rows] for i in range(rows)]
    return [numbers[i * columns : (i + 1) * columns] for i in range(rows)]


def read_table(path: str) -> tuple[Table, str]:
    """Return the table of numbers in a file, and a remark on how it was read."""
    kind = path.lower().rpartition(".")[2]
    try:
        expect(kind in ("csv", "txt", "npy", "mtx"), "a file that is not .csv, .txt, .npy or .mtx")
        content = read_bytes(path)
        note = ""
        if kind == "npy":
            table = read_numpy(content)
        elif kind == "mtx":
            table = read_matrix_market(content.decode("latin-1"))
        else:
            table, note = read_text_table(content.decode("utf-8"))
        expect(len({len(row) for row in table}) == 1, "no rows, or rows of different length")
        return table, note
    except UNREADABLE as error:
        raise UnreadableMatrix(f"{type(error).__name__}: {error}"[:200]) from None


def gram_matrix(table: Table, scale: Fraction, shift: Fraction) -> Table:
    """Return scale A'A + shift I, by sums of integers over a common denominator."""
    unit = math.lcm(*(x.denominator for row in table for x in row))
    columns = [[int(x * unit) for x in column] for column in zip(*table, strict=True)]
    square = scale / (unit * unit)
    product = [[square * sum(map(mul, a, b)) for b in columns] for a in columns]
    for i, row in enumerate(product):
        row[i] += shift
    return product


def compare_with_file(statement: Statement, path: str) -> str:
    """Compare every entry of L with the user's file; raise Unproved if one differs."""
    table, note = read_table(path)
    d = statement.d
    if statement.gram:
        if len(table[0]) != d:
            raise UnreadableMatrix(
                f"L is derived from data with {d} columns, and the file has {len(table[0])}: "
                "cannot be compared unless the columns that were not used are left out"
            )
        scale, shift = statement.gram
        note += f", as ({scale}) A'A + ({shift}) I of its {len(table)} rows A"
        table = gram_matrix(table, scale, shift)
    shape = (len(table), len(table[0]))
    require(shape == (d, d), f"L is {d} x {d}, and the file {shape[0]} x {shape[1]}")
    if table != [list(column) for column in zip(*table, strict=True)]:
        note += ", as the symmetric part (F + F')/2 of the matrix F there"
    user_place = statement.arrangement or range(d)
    for i in range(d):
        for j in range(i + 1):
            row = user_place[i]
            column = user_place[j]
            entry = statement.unit * statement.rows[i].get(j, 0)
            expected = (table[row][column] + table[column][row]) / 2
            if entry != expected:
                numbers = f"{number_text(entry)} in L, {number_text(expected)} in the file"
                place = f"row {row + 1}, column {column + 1}"
                raise Unproved(f"L is not the matrix of the file: {place}: {numbers}")
    return f"file     L is exactly the matrix of {json.dumps(path)}{note}"


# ---- The whole check


def check(path: str, file: str | None = None) -> str:
    """Return the statement of a certificate in words, all of it checked.

    Raises ValueError if there is no certificate that can be read, Unproved if it proves too little.
    """
    try:
        document = read_document(path)
        fields = document["statement"]
        proof = Proof(fields, document["witnesses"], document["optimum"])
        digests = {"matrix": digest([fields["unit"], fields["rows"]]), "statement": digest(fields)}
        expect(document["digests"] == digests, "the digest of another matrix or statement")
        for claim, verdict in proof.claims:
            require(proof.verdict(claim) == verdict, f"not {verdict}: {claim_text(claim)}")
        lines = statement_text(proof, proof.used)
        if file is not None:
            lines.append(compare_with_file(proof, file))
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
