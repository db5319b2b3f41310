"""Expressions as trees, and the words that they are made of: one table for the parser, the help and the pages."""

from dataclasses import dataclass, field
from fractions import Fraction

QUANTITIES = {
    "lmax": "lambda_max(L)",
    "pmin": "the smallest probability",
    "L_P": "lambda_max(P^-1/2 L P^-1/2)",
    "L_M": "lambda_max(E[CLC])",
    "cost": "sum p_k c_k, the expected cost of a step",
    "c_P": "c(P) = L_P sum p_k c_k",
    "closed": "(sum sqrt(L_k c_k))^2, the bound of the closed form",
    "sumL": "sum L_k",
    "maxL": "max L_k",
    "sumcL": "sum c_k L_k",
    "d": "the number of coordinates",
    "B": "the number of blocks",
    "mu": "lambda_min(L)",
    "c_M": "L_M sum p_k c_k",
    "c_closed": "c(P) at the closed form p_k ~ sqrt(L_k / c_k), rounded to doubles",
    "optimum": "the least c(P), certified",
}
PER_BLOCK = {"L": "L_k", "p": "p_k", "c": "c_k"}
FUNCTIONS = {
    "sqrt": "sqrt(x), the square root",
    "abs": "abs(x), the size without the sign",
    "min": "min(x, y) of numbers, min(p) over the blocks",
    "max": "max(x, y) of numbers, max(p) over the blocks",
    "sum": "over the blocks: sum(p*c), sum(sqrt(c*L))",
}
NAMES = tuple(QUANTITIES)


def words() -> dict[str, str]:
    """What may stand in a claim, and what it means."""
    within = {name: f"{text}, within sum, min or max" for name, text in PER_BLOCK.items()}
    signs = {"+ - * / ^": "arithmetic; the exponent of ^ or ** is an integer", "<= < >= > ==": "exactly one of them"}
    return {**QUANTITIES, **within, **FUNCTIONS, **signs}


def language() -> str:
    """The language of claims as a table."""
    return "\n".join(f"{word:14s}{meaning}" for word, meaning in words().items())


@dataclass(frozen=True)
class Expression:
    """A node of a parsed expression; `source` is the text it came from and plays no part in equality."""

    source: str = field(compare=False)


@dataclass(frozen=True)
class Number(Expression):
    """A decimal number, exactly."""

    value: Fraction


@dataclass(frozen=True)
class Name(Expression):
    """One of `NAMES`, or of `PER_BLOCK`."""

    name: str


@dataclass(frozen=True)
class Negative(Expression):
    """Minus an expression."""

    of: Expression


@dataclass(frozen=True)
class Power(Expression):
    """An expression to an integer power."""

    of: Expression
    exponent: int


@dataclass(frozen=True)
class Call(Expression):
    """One of `FUNCTIONS` of expressions; of a single one that has a number per block, over the blocks."""

    function: str
    arguments: tuple[Expression, ...]

    @property
    def over_blocks(self) -> bool:
        """Whether many numbers become one."""
        return self.function in ("sum", "min", "max") and len(self.arguments) == 1


@dataclass(frozen=True)
class Chain(Expression):
    """Sums and differences, or products and quotients, worked off from the left."""

    first: Expression
    rest: tuple[tuple[str, Expression], ...]


def parts(node: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is made of."""
    match node:
        case Negative() | Power():
            return (node.of,)
        case Call():
            return node.arguments
        case Chain():
            return (node.first, *(operand for _, operand in node.rest))
    return ()


def names_in(node: Expression) -> frozenset[str]:
    """The quantities that an expression names."""
    own = {node.name} if isinstance(node, Name) else set()
    return frozenset(own).union(*map(names_in, parts(node)))


def per_block(node: Expression) -> bool:
    """Whether an expression has one number per block."""
    if isinstance(node, Name):
        return node.name in PER_BLOCK
    return not (isinstance(node, Call) and node.over_blocks) and any(map(per_block, parts(node)))


def shown(text: str) -> str:
    """Text from the user on one line, shortened, with control characters made visible."""
    return repr(text if len(text) <= 80 else text[:77] + "...")
