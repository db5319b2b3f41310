"""A small part of the attack on what commands print, and wrong printing that it must find."""

import json
import random
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from rpttheory import Bracket
from rpttheory.report.text import number

from .attacks import ATTACKS, run
from .printed import Misprint, Printed, is_true, numbers, shown_interval
from .reals import rows_of
from .scope import command
from .step_counts import Constants, needs_more
from .trial import Tally, Trial
from .truth import Truth

AMOUNTS = {"certificates": 15, "rates": 3, "interrupts": 20}


def attack(kind: str, amount: int, **replaced: Any) -> Tally:
    return run(kind, amount, (f"{kind} 0 {index}" for index in range(10**6)), **replaced)


@pytest.mark.parametrize("kind", AMOUNTS)
def test_nothing_is_found(kind: str) -> None:
    tally = attack(kind, AMOUNTS[kind])
    assert not tally.findings, "\n".join(map(str, tally.findings[:3]))
    assert tally.counts["printed claims, not judged"] <= tally.counts["printed claims"] / 50
    assert tally.counts["step counts, not judged"] <= tally.counts["step counts"] / 50


def changed(name: str, pattern: str, by: str) -> Callable[..., Any]:
    """A command that prints something else."""

    def wrong(*arguments: str) -> tuple[int, str, str]:
        code, out, complaint = command(*arguments)
        return code, re.sub(pattern, by, out) if arguments[0] == name else out, complaint

    return wrong


def fewer(*arguments: str) -> tuple[int, str, str]:
    """`rates` with one step less than the theorems need."""
    code, out, complaint = command(*arguments)
    if "--json" in arguments and code == 0:
        result = json.loads(out)
        for row in result["predictions"]:
            row["steps"]["lower"] -= 1
            row["steps"]["upper"] -= 1
        out = json.dumps(result)
    return code, out, complaint


def trusting(*arguments: str) -> tuple[int, str, str]:
    """`rates` that does not look at mu."""
    code, out, complaint = command(*arguments)
    if arguments[0] == "rates" and "--mu" in arguments and code == 2:
        place = arguments.index("--mu")
        return command(*arguments[:place], *arguments[place + 2 :])
    return code, out, complaint


def careless(*arguments: str) -> tuple[int, str, str]:
    """An interrupted command that exits as if it had finished."""
    code, out, complaint = command(*arguments)
    return 0 if code == 3 else code, out, complaint


def forgetful(*arguments: str) -> tuple[int, str, str]:
    """A command that takes a byte order mark for a part of the first label."""
    if "--labels" in arguments:
        path = arguments[arguments.index("--labels") + 1]
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        with open(path, "w", encoding="utf-8", newline="") as stream:
            stream.write(text.replace("\ufeff", "\u200b"))
    return command(*arguments)


WRONG: dict[str, tuple[str, Callable[..., Any]]] = {
    "swapped verdicts": ("certificates", changed("check", r"(?m)^PROVED  ", "REFUTED ")),
    "strict": ("certificates", changed("check", r"(?m)^(PROVED .*) <= ", r"\1 < ")),
    "no overhead": ("certificates", changed("check", r"(?m)^c_0 .*", "c_0      0")),
    "not moved": ("certificates", changed("check", r"(?m)^moved .*\n", "")),
    "other costs": ("certificates", changed("check", r"(?m)^(c  .*?)\d", r"\g<1>7")),
    "another digest": ("certificates", changed("check", r"sha256 .", "sha256 x")),
    "another meaning": ("certificates", changed("check", r"= lambda_min\(L\)", "= lambda_max(L)")),
    "other decimals": ("certificates", changed("check", r"\[= (\d)", r"[= 1\1")),
    "refuted theorems": ("certificates", changed("verify", r"  PROVED", "  REFUTED")),
    "a larger lmax": ("certificates", changed("verify", r"(?m)^  (lmax +)(\d)", r"  \g<1>1\2")),
    "a smaller limit": (
        "certificates",
        changed("compare", r"RPT more than \S+ times", "RPT more than 0.5 times"),
    ),
    "a mark in a label": ("certificates", forgetful),
    "a step less": ("rates", fewer),
    "another table": (
        "rates",
        changed("rates", r"(?m)^(  thm:rcdConvex +GD  +)(\d)", r"\g<1>1\2"),
    ),
    "any mu": ("rates", trusting),
    "exit code 0": ("interrupts", careless),
    "no mark of interruption": ("interrupts", changed("compare", r"interrupted, ", "")),
    "another interval": ("interrupts", changed("rates", r"value is in \[", "value is in [9")),
}
MOST_TRIALS = 150


@pytest.mark.parametrize("name", WRONG)
def test_wrong_printing_is_found(name: str) -> None:
    kind, wrong = WRONG[name]
    tally = Tally()
    for index in range(MOST_TRIALS):
        ATTACKS[kind](Trial(tally, f"{kind} 0 {index}", command=wrong))
        if tally.findings:
            return
    pytest.fail("nothing was found")


def test_the_judge_reads_printed_numbers() -> None:
    assert numbers("2/3 [= 0.666666666666...], 5") == [Fraction(2, 3), 5]
    for wrong in ("2/3 [= 0.666666666667...]", "1/2 [= 0.51]", "1/2 [= 0.5...]", "-1/2 [= 0.5]"):
        with pytest.raises(Misprint):
            numbers(wrong)
    assert shown_interval("[1.5, 2.25]") == (Fraction("1.5"), Fraction("2.25"))
    assert shown_interval("9") == (Fraction("8.995"), Fraction("9.005"))
    assert shown_interval("1.234e-05") == (Fraction("1.2335e-05"), Fraction("1.2345e-05"))


def test_printed_numbers_hold_their_brackets() -> None:
    rng = random.Random(5)
    for _ in range(500):
        low = Fraction(rng.uniform(-9, 9)) * Fraction(10) ** rng.randint(-9, 9)
        high = low + abs(low) * Fraction(10) ** -rng.randint(0, 14)
        least, most = shown_interval(number(Bracket(low, high)))
        assert least <= low and high <= most


def test_the_judge_reads_printed_claims() -> None:
    lines = [
        "where    lmax = lambda_max(L)",
        "where    L = L_k = lambda_max(diagonal block k of L)",
    ]
    printed = Printed("\n".join([*lines, "yes: all of this follows"]))
    ones = rows_of([[1, 1], [1, 1]])
    truth = Truth(rows_of([[2, 1], [1, 2]]), [1, 1], ones, [Fraction(1), Fraction(1)])
    expected = {
        "lmax <= 3": True,
        "lmax < 3": False,
        "sum(L) == 4": True,
        "max(L, lmax) >= 3": None,
        "max(lmax, 1/3 [= 0.333333333333...]) > 3": False,
        "sqrt(sum(L * L)) ** 2 == 8": True,
        "abs((-3) + lmax) == 0": True,
        "(lmax - 5) ** 2 / 2 == 2": True,
    }
    for text, answer in expected.items():
        left, relation, right = printed.claim(text, truth)
        if answer is None:
            assert isinstance(left, list)
        else:
            assert is_true(truth, left, relation, right) is answer, text
    with pytest.raises(Misprint):
        printed.claim("mu <= 3", truth)


def test_the_judge_counts_steps() -> None:
    """L = [[9, 1], [1, 2]], mu = 2 is above lambda_min = 1.86, and promised 10 steps that are too
    few.
    """
    lmax = Fraction(914005494464026, 10**14)
    constants = Constants(
        *[(lmax, lmax)] * 3, [Fraction(1)] * 2, Fraction(2), Fraction(1), (lmax / 2, lmax / 2)
    )
    eps = Fraction(1, 100)
    assert needs_more("our:stronglyConvexSharp", 9, eps, constants) is True
    assert needs_more("our:stronglyConvexSharp", 10, eps, constants) is False
    assert needs_more("our:convexSharp", 456, eps, constants) is True
    assert needs_more("our:convexSharp", 457, eps, constants) is False
