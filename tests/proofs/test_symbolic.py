"""What sympy decides, and what it must leave undecided."""

import pytest
import sympy

from proofs_check.checks.symbolic import Formulas, equal, formula, identity, inequality
from proofs_check.engine.entry import Check, Weight

from .trials import trial

x, y = sympy.symbols("x y", positive=True)
real = sympy.Symbol("real", real=True)


def test_equal() -> None:
    assert equal((x + y) ** 2, x**2 + 2 * x * y + y**2) is True
    assert equal(sympy.sqrt(x * y), sympy.sqrt(x) * sympy.sqrt(y)) is True
    assert (
        equal(1 / x + 1 / y, (x + y) / (x * y)) is True
        and equal((x + y) ** 2, x**2 + y**2) is False
    )
    assert equal(sympy.sqrt(x + y), sympy.sqrt(x) + sympy.sqrt(y)) is False


def test_a_true_identity_is_never_called_false() -> None:
    nested = (x * sympy.sqrt(2 + sympy.sqrt(3)), x * (sympy.sqrt(6) + sympy.sqrt(2)) / 2)
    cubic = (x * (sympy.cbrt(sympy.sqrt(5) + 2) - sympy.cbrt(sympy.sqrt(5) - 2)), x)
    angles = [sympy.cos(k * sympy.pi / 7) for k in (1, 2, 3)]
    for left, right in (nested, cubic, (angles[0] - angles[1] + angles[2], sympy.Rational(1, 2))):
        assert equal(left, right) is not False


def test_an_inequality_needs_a_rewriting_that_is_right_and_not_negative() -> None:
    square = (x - y) ** 2
    assert inequality(lambda: [(2 * x * y, x**2 + y**2, square)], "all").run(trial()).holds is True
    assert inequality(lambda: [(3 * x * y, x**2 + y**2, square)], "all").run(trial()).holds is False
    assert (
        inequality(lambda: [(2 * x * y, x**2 + y**2, x**2 + y**2 - 2 * x * y)], "all")
        .run(trial())
        .holds
        is None
    )
    assert inequality(lambda: [(x, y, y - x)], "all").run(trial()).holds is None


@pytest.mark.parametrize(
    ("check", "weight"),
    [
        (identity(lambda: [(x * y, y * x), (x, x)], ""), Weight.DEFINITIONAL),
        (identity(lambda: [(x, x), (x * (1 + y), x + x * y)], ""), Weight.ALGEBRA),
        # Twice the hypothesis is the hypothesis; a square, or a product to be expanded first, is
        # more.
        (inequality(lambda: [(y, y + 2 * x, 2 * x)], ""), Weight.DEFINITIONAL),
        (inequality(lambda: [(0 * x, real**2, real**2)], ""), Weight.INEQUALITY),
        (inequality(lambda: [(x * y, x * (y + x), x**2)], ""), Weight.INEQUALITY),
        (
            inequality(lambda: [(y, y + x, x), (2 * x * y, x**2 + y**2, (x - y) ** 2)], ""),
            Weight.INEQUALITY,
        ),
    ],
)
def test_weights_are_read_off_the_expressions(check: Check, weight: Weight) -> None:
    assert check.run(trial()).weight is weight


def test_an_identity_names_the_pair_that_fails() -> None:
    finding = identity(lambda: [(x, x), (x, y)], "all").run(trial())
    assert finding.holds is False and "x is not y" in finding.witness


@pytest.mark.parametrize(
    "text",
    [
        "a = a + b^2, by b^2",
        "0 = x*x = x^2",
        "a*b = b*a; a <= a + b^2, by b^2",
        "a*b = b*a; a - b >= 0",
        "a <= a + b",
        "a*b = b*a; gama > 0",
        "N := a + 1; a >= 0",
    ],
)
def test_what_is_neither_identity_nor_inequality_is_no_formula(text: str) -> None:
    with pytest.raises(ValueError, match=r"neither|nowhere else|states nothing"):
        Formulas(text)()


def test_a_formula_is_read_as_it_is_written() -> None:
    N = sympy.Symbol("N", nonnegative=True, integer=True)
    p = sympy.Symbol("p_{i+1}", positive=True)
    left = Formulas(
        "M := N + 1; p_{i+1}*M = M*p_{i+1}; sqrt(p_{i+1}^2) = p_{i+1}; p_{i+1} > 0, N >= 0 whole"
    )()
    assert left == [(p * (N + 1), p * (N + 1)), (p, p)]
    assert formula("sqrt(a^2) = a", "all").run(trial()).holds is not True  # any real number
    assert formula("a^2 - b^2 = (a - b)*(a - b)", "all").run(trial()).holds is False
