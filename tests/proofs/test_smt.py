"""z3 on the expressions of the ledger: it confirms what is right and breaks what is wrong."""

from importlib.util import find_spec

import pytest
import sympy

import rpttheory.cli.main as program
from proofs_check.checks.smt import Disagreement, Recheck, recheck
from proofs_check.checks.symbolic import identity
from proofs_check.engine.entry import Entry, Kind, Status, Step
from proofs_check.engine.judgement import checks_of
from proofs_check.runner import run_checks

from .test_ledger import CLAIMS, WRONG

x, y = sympy.symbols("x y", positive=True)
real = sympy.Symbol("r", real=True)
n = sympy.Symbol("n", integer=True, positive=True)
# Where it is installed and cannot be imported these tests fail.
needs_z3 = pytest.mark.skipif(find_spec("z3") is None, reason="needs the extra smt")


def test_the_command_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(__import__("sys").modules, "z3", None)
    assert program.guarded(program.commands, ["proofs", "fact:rayleigh", "--smt"]) == 2
    assert ".[smt]" in capsys.readouterr().err


@needs_z3
@pytest.mark.parametrize(
    ("sides", "answer"),
    [
        ([(sympy.sqrt(x * y) ** 2 / x, y)], Recheck.CONFIRMED),
        ([(x ** (n + 1) / x, x**n)], Recheck.CONFIRMED),
        ([(2 * x * y, x**2 + y**2, (x - y) ** 2)], Recheck.CONFIRMED),
        # Only positive symbols: the signs are part of the question.
        ([(sympy.Integer(0), x * y, x * y)], Recheck.CONFIRMED),
        ([(sympy.Integer(0), x * real, x * real)], None),
        ([(x**2, x)], None),
        ([(x, y), (x, x)], None),
        # The inequality is right, its rewriting is not.
        ([(2 * x * y, x**2 + y**2, (x + y) ** 2)], None),
        # True of whole numbers, or of powers, is not for reals to contradict.
        ([(sympy.Integer(1), n, n - 1)], Recheck.UNDECIDED),
        ([((x**n) ** 2, x ** (3 * n))], Recheck.UNDECIDED),
        ([(sympy.Function("f")(x), sympy.Function("f")(x))], Recheck.NOT_APPLICABLE),
    ],
)
def test_what_z3_says(sides: list[tuple[sympy.Expr, ...]], answer: Recheck | None) -> None:
    if answer is None:
        with pytest.raises(Disagreement):
            recheck(sides)
    else:
        assert recheck(sides) is answer


@needs_z3
def test_a_disagreement_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Entry("a", "", "x", "", Status.SUPPORTED, Status.ARGUED, sort=Kind.LEMMA)
    claim = Entry(**{**claim.__dict__, "steps": (Step("x", "x", identity(lambda: [(x * (1 + y), x + x * y)], "all")),)})
    assert run_checks([claim], smt=True)["a"][0].recheck == "confirmed"
    monkeypatch.setattr("proofs_check.checks.symbolic.equal", lambda *_: True)
    wrong = Entry(**{**claim.__dict__, "steps": (Step("x", "x", identity(lambda: [(x, x**2)], "all")),)})
    (outcome,) = run_checks([wrong], smt=True)["a"]
    assert outcome.status is Status.ERROR and "z3 breaks x = x**2" in outcome.error


@needs_z3
def test_z3_tells_every_wrong_twin_from_its_check() -> None:
    """None is confirmed, and all but those about powers and whole numbers are broken by numbers."""
    broken = undecided = 0
    for label, twins in WRONG.items():
        for right, wrong in zip(checks_of(CLAIMS[label]), twins, strict=True):
            if right.sides is None or wrong.sides is None:
                continue
            try:
                assert recheck(wrong.sides()) is not Recheck.CONFIRMED, (label, wrong.sides())
                undecided += 1
            except Disagreement:
                broken += 1
    assert broken > 200 and undecided < 30
