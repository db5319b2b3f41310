"""Checks a certificate in integers and fractions alone: `python checker.py FILE` needs no package and trusts no float.

FILE states a matrix L, blocks, costs c, probabilities p, and claims with verdicts. (top w) is the least t for which
t Diag(w) - L is positive semidefinite; L holds it for each diagonal block and w = 1, and L_M is that of p_kl L_kl with
w = p^2. For each connected part of such a pencil (M, w) FILE holds an integer vector x, so that t >= x'Mx / x'Wx, and
a level t, integers G and a diagonal D >= 0 with t W - M - G D G' diagonally dominant. The optimum of c(P) is at most
c(P) at any probabilities, and at least <L, VV'> / s for every V whose block traces are at most s times the costs.
Claims are decided in intervals of fractions. Exit codes: 0 every claim follows, 1 one does not, 2 no certificate.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
import zlib
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import accumulate, chain, pairwise, product
from operator import add, mul, sub, truediv
from typing import Any

FORMAT = "rpttheory certificate 1"
MOST_BYTES, MOST_COORDINATES, MOST_BITS, ROOT_BITS = 1 << 29, 4000, 200_000, 500  # so that every check ends
PRODUCT = ["*", ["sum", ["/", "L", "p"]], ["sum", ["*", "p", "c"]]]
CAUCHY = ["<=", ["**", ["sum", ["sqrt", ["*", "c", "L"]]], "2"], PRODUCT]
Pairs = dict[tuple[int, int], Fraction]
Form = dict["Value | None", Fraction]


class Unproved(Exception):
    """Why a certificate does not prove what it says."""


def require(truth: bool, otherwise: str) -> None:
    if not truth:
        raise Unproved(otherwise)


class Value:
    """A number in [low, high], known exactly as a sum of coefficients times other values and, under None, one."""

    def __init__(self, low: Fraction | int, high: Fraction | None = None, form: Form | None = None) -> None:
        self.low, self.high = Fraction(low), Fraction(low if high is None else high)
        self.exact = self.low == self.high
        self.form: Form = {None: self.low} if self.exact else form or {self: Fraction(1)}
        self.bits = max(x.bit_length() for x in (*self.low.as_integer_ratio(), *self.high.as_integer_ratio()))
        require(self.bits <= MOST_BITS and self.low <= self.high, "numbers too long, or bounds that contradict")

    def __add__(self, other: Value) -> Value:
        return linear({a: self.form.get(a, Fraction()) + other.form.get(a, Fraction()) for a in self.form | other.form})

    def __mul__(self, other: Value) -> Value:
        of, factor = (self, other) if other.exact else (other, self)
        if factor.exact:
            return linear({atom: coefficient * factor.low for atom, coefficient in of.form.items()})
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Value(min(ends), max(ends))

    def __truediv__(self, other: Value) -> Value:
        require(other.low > 0 or other.high < 0, "a division by what may be zero")
        return self * Value(1 / other.high, 1 / other.low)

    def __sub__(self, other: Value) -> Value:
        return self + other * Value(-1)

    def __pow__(self, other: Value) -> Value:
        n = int(other.low)
        require(other.exact and 0 <= n == other.low and self.bits * n <= MOST_BITS, "a power that is no small integer")
        low, high = sorted((self.low**n, self.high**n))
        return Value(0 if n % 2 == 0 and self.low < 0 < self.high else low, high)


def linear(form: Form) -> Value:
    ends = [(c, c) if a is None else (c * a.low, c * a.high)[:: 1 if c > 0 else -1] for a, c in form.items()]
    return Value(sum((low for low, _ in ends), Fraction(0)), sum((high for _, high in ends), Fraction(0)), form)


def root(value: Value) -> Value:
    """The square root, exact for squares of fractions."""
    ends = []
    for end, up in ((value.low, 0), (value.high, 1)):
        require(end >= 0, "the root of what may be negative")
        top, bottom = math.isqrt(end.numerator), math.isqrt(end.denominator)
        if Fraction(top * top, bottom * bottom) != end:
            bottom = 1 << ROOT_BITS + max(0, end.denominator.bit_length() - end.numerator.bit_length())
            top = math.isqrt(end.numerator * bottom**2 // end.denominator) + up
        ends.append(Fraction(top, bottom))
    return Value(ends[0], ends[1])


def largest(values: Iterable[Value]) -> Value:
    """The maximum: one of the values where that is proved."""
    best, *rest = values
    for value in rest:
        if (value - best).low >= 0:
            best = value
        elif (best - value).low < 0:
            best = Value(max(best.low, value.low), max(best.high, value.high))
    return best


FUNCTIONS: dict[str, Callable[..., Value]] = {"max": largest, "sum": lambda values: sum(values, Value(0))}
FUNCTIONS["min"] = lambda values: largest([value * Value(-1) for value in values]) * Value(-1)
FUNCTIONS["pairs"] = lambda values: sum((root(a * b) for i, a in enumerate(values) for b in values[:i]), Value(0))
OPERATORS: dict[str, Callable[..., Any]] = {"+": add, "-": sub, "*": mul, "/": truediv, "**": pow, "sqrt": root}
OPERATORS["abs"] = lambda value: largest((value, value * Value(-1)))
OPERATORS |= {name: lambda *values, of=FUNCTIONS[name]: of(values) for name in ("max", "min")}


def bounds(matrix: list[list[int]], weights: list[int], witness: dict[str, Any]) -> tuple[Fraction, Fraction]:
    """What a witness proves of the largest eigenvalue of a pencil."""
    x, level, G, D = witness["vector"], number(witness["level"]), witness["factor"], list(map(number, witness["scale"]))
    form = sum(a * sum(map(mul, row, x)) for a, row in zip(x, matrix, strict=True))
    low = Fraction(form, sum(w * a * a for w, a in zip(weights, x, strict=True)))
    common = math.lcm(level.denominator, *(d.denominator for d in D))
    scaled = [[int(common * d) * a for d, a in zip(D, row, strict=False)] for row in G]
    lacking = [-int(common * level) * w for w in weights]
    for i, (row, own) in enumerate(zip(matrix, G, strict=True)):
        for j in range(i + 1):
            rest = common * row[j] + sum(map(mul, own, scaled[j]))
            for k in {i, j}:
                lacking[k] += rest if i == j else abs(rest)
    require(max(lacking) <= 0 <= min(D) and max(map(len, G)) <= len(D), "a witness does not prove its bound")
    return low, level


def number(text: Any) -> Fraction:
    if not re.fullmatch(r"-?[0-9]+(/[0-9]+)?", str(text)):
        raise ValueError("a fraction was expected")
    return Fraction(text)


def digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


class Statement:
    """What a certificate speaks of; `witnesses` are kept by the digest of their pencil."""

    def __init__(self, stated: dict[str, Any], witnesses: dict[str, Any], optimum: dict[str, Any]) -> None:
        self.stated, self.witnesses, self.optimum = stated, witnesses, optimum
        self.label = [k for k, size in enumerate(stated["blocks"]) for _ in range(min(size, 1 + MOST_COORDINATES))]
        self.lists = {name: [number(x) for x in stated[name]] for name in ("c", "p", "p_closed")}
        self.c, self.p, closed = self.lists.values()
        self.unit, self.overhead, self.order = number(stated["unit"]), number(stated["overhead"]), stated["order"]
        self.rows: list[dict[int, int]] = [{} for _ in self.label]
        for i, (row, _) in enumerate(zip(stated["rows"], self.label, strict=True)):
            for place, entry in zip(row[::2], row[1::2], strict=True):
                j = range(i + 1)[place]
                self.rows[i][j] = self.rows[j][i] = entry
        lengths = {len(x) for x in (self.c, self.p, closed, self.order or self.c, stated["blocks"])}
        require(len(lengths) == 1 and len(self.label) <= MOST_COORDINATES and max(*self.p, *closed) <= 1, "odd lists")
        require(min(*self.c, *self.p, *closed, *stated["blocks"], self.unit) > 0 <= self.overhead, "numbers below zero")
        self.x = stated["x"] or [0] * len(self.label)
        self.image = [self.unit * sum(entry * self.x[j] for j, entry in row.items()) for row in self.rows]
        self.known, self.atoms = dict[str, Any](), dict[str, Value]()

    def atom(self, matrix: list[list[int]], weights: list[int]) -> Value:
        """The largest eigenvalue of a connected pencil; pencils of the same numbers share it."""
        key = digest([matrix, weights])
        if key not in self.atoms:
            self.atoms[key] = Value(*bounds(matrix, weights, self.witnesses[key]))
        return self.atoms[key]

    def top(self, weights: list[Fraction], pairs: Pairs | None = None, block: int | None = None) -> Value:
        """The least t with t Diag(weights) - [p_kl L_kl] positive semidefinite, all pairs 1 by default."""
        label, tops, given = self.label, [], pairs or {}
        over, under = (math.lcm(*(x.denominator for x in values)) for values in (given.values(), weights))
        whole, alone = {place: int(x * over) for place, x in given.items()}, int(pairs is None)
        left = {i for i, k in enumerate(label) if block in (None, k)}
        while left:
            part = [left.pop()]
            for i in part:
                reached = {j for j in self.rows[i] if j in left and whole.get((label[i], label[j]), alone)}
                left -= reached
                part += reached
            part.sort()
            rows = [[self.rows[i].get(j, 0) * whole.get((label[i], label[j]), alone) for j in part] for i in part]
            w = [int(weights[label[i]] * under) for i in part]
            shared, divisor = math.gcd(*chain(*rows)) or 1, math.gcd(*w)
            rows, w = [[x // shared for x in row] for row in rows], [x // divisor for x in w]
            value = self.atom(rows, w) if len(part) > 1 else Value(Fraction(rows[0][0], w[0]))
            tops.append(value * Value(self.unit * under * shared / (over * divisor)))
        return largest(tops)

    def pairs(self) -> Pairs:
        """The probabilities that two blocks are both updated; what is left out is zero."""
        law, p, found = self.stated["sampling"], list(enumerate(self.p)), dict[tuple[int, int], Fraction]()
        if law in ("nested", "independent"):
            return {(k, m): min(a, b) if k == m or law == "nested" else a * b for (k, a), (m, b) in product(p, p)}
        for chance, blocks in law:
            found |= {place: found.get(place, 0) + number(chance) for place in product(blocks, repeat=2)}
        chances, marginals = [number(chance) for chance, _ in law], [found.get((k, k)) for k, _ in p]
        require(marginals == self.p and min(chances) >= 0 and sum(chances) == 1, "no sampling with probabilities p")
        return found

    def best(self) -> Value:
        """The optimum, between <L, VV'> over the factor by which block traces exceed the costs, and some c(P)."""
        V, traces, value = self.optimum["dual"], [Fraction(0)] * len(self.c), 0
        for i, (row, entries) in enumerate(zip(V, self.rows, strict=True)):
            traces[self.label[i]] += sum(map(mul, row, row))
            value += sum(entry * sum(map(mul, row, V[j])) for j, entry in entries.items())
        ranked = self.order or sorted(range(len(self.c)), key=lambda k: -traces[k] / self.c[k])
        mass, paid = (accumulate([values[k] for k in ranked]) for values in (traces, self.c))
        within = max(m / (c + self.overhead) for m, c in zip(mass, paid, strict=True))
        points = [[number(x) for x in point] for point in self.optimum["points"]]
        require(value >= 0 and sorted(ranked) == list(range(len(self.c))), "no dual point, or no order of the blocks")
        falling = all(p[b] <= p[a] for p in points for a, b in pairwise(self.order or ()))
        require(falling and all(0 < min(p) <= max(p) <= 1 for p in points), "probabilities out of range or order")
        uppers = [self.top(p).high * sum(map(mul, p, self.c), self.overhead) for p in points]
        return Value(self.unit * value / within, min(uppers))

    def quantity(self, name: str) -> Any:
        """A quantity by its name in a claim: a value, or a list of one per block."""
        ones, blocks, image = [Fraction(1)] * len(self.c), range(len(self.c)), self.image
        found: dict[str, Callable[[], Any]] = {
            "d": lambda: Value(len(self.label)),
            "B": lambda: Value(len(blocks)),
            "q": lambda: [Value(self.pairs()[k, k]) for k in blocks],
            "L": lambda: [self.top(ones, block=k) for k in blocks],
            "mu": lambda: self.top(ones, dict.fromkeys(product(blocks, blocks), Fraction(-1))) * Value(-1),
            "L_M": lambda: self.top([p * p for p in self.p], self.pairs()),
            "optimum": self.best,
            "xLx": lambda: Value(sum(map(mul, image, self.x))),
            "g": lambda: [Value(sum(y * y for y, k in zip(image, self.label, strict=True) if k == b)) for b in blocks],
        }
        require(name.isidentifier() and name.isascii(), "a name that is no word")
        if name in self.lists:
            return list(map(Value, self.lists[name]))
        if name not in self.known:
            self.known[name] = found[name]() if name in found else self.evaluate(self.stated["names"][name])
        return self.known[name]

    def evaluate(self, tree: Any) -> Any:
        """The value of an expression, or a list of one value per block."""
        if isinstance(tree, str):
            return Value(number(tree)) if re.match("[-0-9]", tree) else self.quantity(tree)
        name, *values = tree[0], *map(self.evaluate, tree[1:])
        if name in FUNCTIONS and len(values) == 1:
            return FUNCTIONS[name](values[0])
        lists = [value if isinstance(value, list) else [value] * len(self.c) for value in values]
        if name == "top" and all(value.exact and value.low > 0 for value in lists[0]):
            return self.top([value.low for value in lists[0]])
        if any(isinstance(value, list) for value in values):
            return [OPERATORS[name](*items) for items in zip(*lists, strict=True)]
        return OPERATORS[name](*values)

    def verdict(self, claim: Any) -> str:
        """PROVED, REFUTED or UNDECIDED."""
        relation, left, right = claim
        gap = (self.evaluate(right) - self.evaluate(left), Value(0))[left == right]
        low, high = (-gap.high, -gap.low) if relation[0] == ">" else (gap.low, gap.high)
        strict, loose, same = (low > 0, high <= 0), (low >= 0, high < 0), (low == high == 0, low > 0 or high < 0)
        proved, refuted = {"<": strict, ">": strict, "<=": loose, ">=": loose, "==": same}[relation]
        # The closed form attains the inequality of Cauchy and Schwarz, where no interval decides it.
        proved = proved or (claim == CAUCHY and all(L.low >= 0 for L in self.quantity("L")))
        return "PROVED" if proved else "REFUTED" if refuted else "UNDECIDED"


def check(path: str) -> str:
    """What a certificate proves, in words; ValueError if it is none, Unproved if it does not."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(MOST_BYTES)
        if content[:2] == b"\x1f\x8b":
            content = zlib.decompressobj(31).decompress(content, MOST_BYTES)
        document = json.loads(content, parse_float=number, parse_constant=number)
        stated, said = document["statement"], str(document["format"])[:40]
        found = {"matrix": digest([stated["unit"], stated["rows"]]), "statement": digest(stated)}
        if (said, found) != (FORMAT, document["digests"]):
            raise ValueError(f"{said!r} where {FORMAT!r} was expected, or the digest of another matrix or statement")
        statement = Statement(stated, document["witnesses"], document["optimum"])
        for claim, verdict in stated["claims"]:
            require(verdict in ("PROVED", "REFUTED") and statement.verdict(claim) == verdict, f"not {verdict}: {claim}")
        lines = [f"{verdict:8s} {json.dumps(claim)}" for claim, verdict in stated["claims"]]
        lines += [f"where    {n} = {json.dumps(t)}" for n, t in stated["names"].items() if n in statement.known]
        lines += [f"with     {n} = {str(stated[n])[:60]}" for n in ("blocks", "c", "p", "p_closed", "sampling")]
        lines += [f"yes: all of this follows for the matrix {found['matrix']}"]
        return "\n".join(lines).translate(str.maketrans("[]", "()", '",'))
    except (OSError, zlib.error, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"{type(error).__name__}: {error}"[:200]) from None


def main(path: str = "") -> int:
    try:
        print(check(path))
    except (ValueError, Unproved) as error:
        what = "does not prove what it says" if isinstance(error, Unproved) else "no certificate that can be read"
        print(f"checker: error: {what}\n  found: {error}\n  try:   python checker.py FILE", file=sys.stderr)
        return 1 if isinstance(error, Unproved) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
