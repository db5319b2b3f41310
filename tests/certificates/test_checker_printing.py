"""Two certificates that print alike state the same thing, and what is printed of numbers is
true.
"""

import copy
import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from soundness.forging import places

from certificates.documents import answer, document, sign
from rpttheory import Blocks, verify
from rpttheory.certificates.checker import (
    QUANTITIES,
    Proof,
    decimal_text,
    infix,
    list_text,
    statement_text,
)


def printed(statement: dict[str, Any]) -> str:
    """The printed statement, without the digest of all of it, which would tell any two apart."""
    proof = Proof(statement, {}, None)
    lines = statement_text(proof, set(QUANTITIES))
    assert lines[-1].startswith("digest")
    return "\n".join(lines[:-1])


def meaning(statement: dict[str, Any]) -> Any:
    """A statement with its numbers in lowest terms."""

    def lowest(part: Any) -> Any:
        if isinstance(part, list):
            return [lowest(item) for item in part]
        is_number = isinstance(part, str) and re.fullmatch("-?[0-9]+(/[0-9]+)?", part)
        return str(Fraction(part)) if is_number else part

    return {key: part if key == "block_names" else lowest(part) for key, part in statement.items()}


def changed(value: Any, rng: random.Random) -> Any:
    """Something else that might stand in the same place."""
    if value is None:
        return rng.choice([[0, 1], [1, 0], ["1", "1/2"], ["a", "b"], [0, 1, 2], [2, 1, 0]])
    if isinstance(value, int):
        return value + rng.choice([-1, 1, 7])
    if isinstance(value, list):
        pool = [value[::-1], value[1:], [*value, *value[-1:]], sorted(value, key=str), None]
        return rng.choice(pool)
    if re.fullmatch("-?[0-9]+(/[0-9]+)?", value):
        return str(Fraction(value) + rng.choice([-1, 1, Fraction(1, 10**30), Fraction(1, 3)]))
    words = "+ - * / ** <= < >= > == PROVED REFUTED min max sum sqrt abs nested independent 1 1/2"
    return rng.choice([*QUANTITIES, *words.split(), value + " ", '", "'])


@pytest.mark.parametrize(
    "name", ["nested", "independent", "single", "many blocks", "scattered", "ridge", "order"]
)
def test_two_statements_that_print_alike_are_the_same(name: str) -> None:
    rng = random.Random(name)
    meanings: dict[str, Any] = {}
    statement = document(name)["statement"]
    for _ in range(1500):
        mutated = copy.deepcopy(statement)
        for _ in range(rng.choice([1, 1, 2])):
            tree, key = rng.choice(places(mutated))
            tree[key] = changed(tree[key], rng)
        try:
            text = printed(mutated)
        except (ValueError, TypeError, LookupError):
            continue
        assert meanings.setdefault(text, meaning(mutated)) == meaning(mutated), text
    assert len(meanings) > 100


def test_every_part_of_a_statement_is_printed() -> None:
    """One change to each key, so that a key which is not printed is noticed."""
    statement = document("order")["statement"] | {"claims": [[["<", "B", "9"], "PROVED"]]}
    changes: dict[str, Any] = {
        "unit": "1/5",
        "rows": [[0, 16], [0, 4, 1, 12], [0, 2, 1, 1, 2, 5]],
        "arrangement": [1, 0, 2],
        "gram": ["1", "0"],
        "blocks": [1, 1, 1],
        "block_names": ["a", "b", "c"],
        "c": ["1", "1", "1/7"],
        "overhead": "4",
        "order": None,
        "p": ["1", "1", "1"],
        "p_near": ["1", "1", "1"],
        "sampling": "independent",
        "x": [1, 2, 3],
        "claims": [[["<", "B", "9"], "REFUTED"]],
    }
    assert set(changes) == set(statement)
    statement |= {"sampling": "nested"}
    whole = printed(statement)
    for key, value in changes.items():
        if key != "blocks":
            assert printed(statement | {key: value}) != whole, key
    two = document("nested")["statement"] | {"p": ["1", "1"], "sampling": "nested"}
    assert printed(two) != printed(two | {"blocks": [2, 1]})
    names = [["a", "b", "c"], ["a", 'b", "', "c"], ["a", "b", "c\nyes"], ["a", "b", "c yes"]]
    assert len({printed(statement | {"block_names": listed}) for listed in names}) == len(names)


@pytest.mark.parametrize(
    ("claim", "names"),
    [
        (["<=", "c_P", "closed"], {"c_P", "L_P", "cost", "closed", "c", "L"}),
        (["<", "lmax", ["*", "2", ["max", "L"]]], {"lmax", "L"}),
        (["<", "0", "d"], {"d"}),
    ],
)
def test_the_meaning_of_each_name_of_a_claim_is_printed(
    claim: Any, names: set[str], tmp_path: Path
) -> None:
    content = document("nested")
    content["statement"]["claims"] = [[claim, "PROVED"]]
    lines = answer(tmp_path, sign(content)).splitlines()
    assert lines[-1] == "yes: all of this follows"
    defined = dict(line[9:].split(" = ", 1) for line in lines if line.startswith("where"))
    assert defined == {name: QUANTITIES[name][0] for name in names}


def test_text_of_a_certificate_cannot_pass_for_a_line(tmp_path: Path) -> None:
    forged = "a\nPROVED   lmax <= 1/2\u2028\x1b[2Jyes"
    content = verify(np.eye(2), Blocks.from_labels([forged, "b"]), claims="lmax <= 1").certificate()
    text = answer(tmp_path, content)
    assert text.isascii()
    assert "lmax <= 1/2" not in [line[9:] for line in text.splitlines()]
    assert all(character == "\n" or character.isprintable() for character in text)


@given(
    st.fractions().filter(bool)
    | st.builds(lambda x, n: x * Fraction(10) ** n, st.fractions(1, 2), st.integers(-40, 40))
)
def test_digits_are_cut_and_not_rounded(value: Fraction) -> None:
    text = decimal_text(value)
    match = re.fullmatch(r"(-?)([0-9.]+?)(\.\.\.)?(e[-+]?[0-9]+)?", text)
    assert match is not None
    sign_of, digits, cut, exponent = (part or "" for part in match.groups())
    low = Fraction(digits + exponent)
    step = Fraction(1, 10 ** len(digits.partition(".")[2])) * Fraction("1" + exponent)
    size = -value if sign_of else value
    assert low < size < low + step if cut else low == size
    assert not cut or len(digits.replace(".", "").lstrip("0")) == 12


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        ("51/50", "51/50 [= 1.02]"),
        ("2/4", "1/2 [= 0.5]"),
        ("1/3", "1/3 [= 0.333333333333...]"),
        ("-1/80000", "-1/80000 [= -0.0000125]"),
        ("-7", "-7"),
        (["-", "0", "-7"], "0 - (-7)"),
        (["*", "51/50", "lmax"], "(51/50 [= 1.02]) * lmax"),
        (["-", ["-", "lmax", "1"], ["-", "2", "B"]], "(lmax - 1) - (2 - B)"),
        (["**", ["sum", ["sqrt", ["*", "c", "L"]]], "2"], "sum(sqrt(c * L)) ** 2"),
        (["min", "mu", ["/", "1", "2"], "3"], "min(mu, 1 / 2, 3)"),
    ],
)
def test_expressions_are_printed_as_they_are_usually_written(tree: Any, text: str) -> None:
    assert infix(tree) == text


def test_long_lists_are_cut_with_a_mark_and_a_digest() -> None:
    texts = [str(k) for k in range(40)]
    assert list_text(texts[:16]) == ", ".join(texts[:16])
    assert "... (32 more; sha256 of all 40: " in list_text(texts)
    assert list_text(texts) != list_text([*texts[:-1], "41"])
