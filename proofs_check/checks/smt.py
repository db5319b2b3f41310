"""The symbolic checks once more, by a program that shares nothing with sympy: z3, for all reals with the signs given.

z3 is asked for values that break a formula. That it finds none confirms the formula; values that it finds contradict
sympy. Roots, inverses and powers with a letter as exponent become new variables with their defining equations; of
powers, exponentials and logarithms z3 knows the sign only, so values found for those, or for whole numbers taken as
reals, contradict nothing.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import sympy
from sympy import Expr

from rpttheory.errors import InvalidInput
from rpttheory.machine import install

# Units of z3's own work, which do not depend on the machine as seconds do.
EFFORT = 2_000_000


class Recheck(StrEnum):
    """What z3 says of a check that sympy passed."""

    CONFIRMED = "confirmed"
    UNDECIDED = "not decided"
    NOT_APPLICABLE = "not applicable"


class Disagreement(Exception):
    """Values at which a formula that sympy accepted is false."""


def require_z3() -> None:
    """Raise where the extra is not installed."""
    try:
        import z3  # noqa: F401
    except ImportError as error:
        raise InvalidInput("`smt` needs the extra smt", str(error), install("smt")) from None


def recheck(sides: Sequence[tuple[Expr, ...]]) -> Recheck:
    """Whether no reals of the signs given break left = right, or left <= right and right - left = rewriting."""
    try:
        found = [_decide(*formula) for formula in sides]
    except _NotReal:
        return Recheck.NOT_APPLICABLE
    return Recheck.CONFIRMED if all(found) else Recheck.UNDECIDED


def _decide(left: Expr, right: Expr, rewriting: Expr | None = None) -> bool:
    import z3

    reals = _Reals()
    a, b = reals.of(left), reals.of(right)
    broken = a != b if rewriting is None else z3.Or(a > b, b - a != reals.of(rewriting))
    solver = z3.SolverFor("QF_NRA")
    solver.set("rlimit", EFFORT)
    solver.add(*reals.conditions, broken)
    answer = solver.check()
    if answer == z3.sat and not reals.loose:
        raise Disagreement(f"z3 breaks {left} {'=' if rewriting is None else '<='} {right} at {solver.model()}")
    return bool(answer == z3.unsat)


class _NotReal(Exception):
    """An expression that is not made of reals by + * and powers."""


class _Reals:
    """Expressions of sympy as terms of z3, with what is known of their variables."""

    def __init__(self) -> None:
        self.conditions: list[Any] = []
        self.loose = False
        self._variables: dict[Expr, Any] = {}

    def of(self, expression: Expr) -> Any:
        """The term; an expression met before keeps its variable."""
        import z3

        if isinstance(expression, sympy.Rational):
            return z3.RatVal(int(expression.p), int(expression.q))
        if isinstance(expression, sympy.Add):
            return z3.Sum([self.of(part) for part in expression.args])
        if isinstance(expression, sympy.Mul):
            return z3.Product([self.of(part) for part in expression.args])
        if isinstance(expression, sympy.Pow):
            return self._power(*expression.args)
        if isinstance(expression, (sympy.Symbol, sympy.exp, sympy.log)):
            self.loose |= not isinstance(expression, sympy.Symbol) or expression.is_integer is True
            return self._variable(expression)
        raise _NotReal(str(expression))

    def _power(self, base: Expr, exponent: Expr) -> Any:
        import z3

        if exponent.could_extract_minus_sign():
            inverse = z3.FreshReal("inverse")
            self.conditions.append(inverse * self._power(base, -exponent) == 1)
            return inverse
        if isinstance(exponent, sympy.Add):
            return z3.Product([self._power(base, part) for part in exponent.args])
        if not isinstance(exponent, sympy.Rational):
            self.loose = True
            return self._variable(base**exponent)
        factor = self.of(base)
        if exponent.q != 1:
            root = self._variable(sympy.root(base, exponent.q, evaluate=False))
            self.conditions += [root >= 0, z3.Product([root] * int(exponent.q)) == factor]
            factor = root
        return z3.Product([factor] * int(exponent.p))

    def _variable(self, expression: Expr) -> Any:
        import z3

        if expression.is_extended_real is not True:
            raise _NotReal(str(expression))
        if expression not in self._variables:
            variable = z3.FreshReal(str(expression))
            above = [(expression.is_positive, variable > 0), (expression.is_nonnegative, variable >= 0)]
            below = [(expression.is_negative, variable < 0), (expression.is_nonpositive, variable <= 0)]
            self.conditions += [condition for known, condition in (*above, *below) if known]
            self._variables[expression] = variable
        return self._variables[expression]
