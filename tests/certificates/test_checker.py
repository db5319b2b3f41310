"""The checker accepts what is proved, and nothing else; soundness/test_forging.py goes further."""

import gzip
import json
import random
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refuses
from soundness.reals import Top, rows_of

from certificates.documents import CASES, L, accepted, answer, document, result_of, sign
from rpttheory import InvalidInput, compare, verify
from rpttheory.certificates import checker
from rpttheory.certificates.checker import FORMAT, MOST_COORDINATES, Proof, Unproved, bounds, check
from rpttheory.certificates.writer import certificate, write_certificate
from rpttheory.cli.main import commands, guarded
from rpttheory.numbers import Verdict
from rpttheory.statements.trees import tree
from rpttheory.statements.verify import Verification


def stated_claims(result: Any) -> list[list[Any]]:
    """Each claim that a certificate of the result must state, once, with its verdict."""
    if not isinstance(result, Verification):
        optimum = result.optimal
        ends = ((">=", optimum.lower), ("<=", optimum.upper))
        return [[[sign, "optimum", str(Fraction(end))], "PROVED"] for sign, end in ends]
    stated = [
        [tree(result._written_and_stated(decision)[1]), decision.verdict.value]
        for decision in result.claims
        if decision.verdict is not Verdict.UNDECIDED
    ]
    return [claim for place, claim in enumerate(stated) if claim not in stated[:place]]


@pytest.mark.parametrize("name", CASES)
def test_every_verdict_is_accepted(name: str, tmp_path: Path) -> None:
    content = document(name)
    assert content["statement"]["claims"] == stated_claims(result_of(name))
    assert accepted(tmp_path, content), answer(tmp_path, content)
    for place in range(len(content["statement"]["claims"])):
        wrong = document(name)
        claim = wrong["statement"]["claims"][place]
        claim[1] = "REFUTED" if claim[1] == "PROVED" else "PROVED"
        assert answer(tmp_path, sign(wrong)).startswith("no: "), claim


def test_compressed_certificates_are_read(tmp_path: Path) -> None:
    path = tmp_path / "c"
    content = json.dumps(document("nested")).encode()
    path.write_bytes(gzip.compress(content))
    whole = check(str(path))
    path.write_bytes(content)
    assert check(str(path)) == whole
    packed = gzip.compress(content)
    for damaged in (packed[:-1], packed + b"x", packed * 2):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"cut|incorrect"):
            check(str(path))


def test_no_witness_proves_what_is_false() -> None:
    rng = random.Random(2)
    believed = 0
    for _ in range(3000):
        a, b, c, *G = (rng.randint(-3, 3) for _ in range(7))
        matrix = [[a, b], [b, c]]
        w = [rng.randint(1, 3), rng.randint(1, 3)]
        level = Fraction(rng.randint(-8, 12), 2)
        scale = [str(Fraction(rng.randint(-1, 3), 2)) for _ in range(2)]
        vector = [rng.randint(0, 1), rng.randint(-1, 1)]
        witness = {"vector": vector, "level": str(level), "factor": [G[:2], G[2:]], "scale": scale}
        with suppress(Unproved):
            low, high = bounds(matrix, w, witness)
            believed += 1
            top = Top(rows_of(matrix), list(map(Fraction, w)))
            assert high == level and top.sign(high) <= 0 <= top.sign(low)
    assert believed > 100


@pytest.mark.parametrize(
    "change",
    [
        {"vector": [1]},
        {"vector": [1, 0, 0]},
        {"vector": [1, "0"]},
        {"vector": [True, 0]},
        {"factor": [[1]]},
        {"factor": [[1, 1, 1], [1]]},
        {"factor": [["x"] * 2, [1]]},
        {"scale": ["1"]},
        {"scale": ["1", 1]},
        {"level": 12},
        {"level": "12.5"},
        {"level": "12/0"},
    ],
)
def test_a_witness_of_another_form_is_refused(change: dict[str, Any]) -> None:
    good: dict[str, Any] = {
        "vector": [1, 0],
        "level": "12",
        "factor": [[1, 0], [0, 1]],
        "scale": ["1", "1"],
    }
    assert bounds([[4, 1], [1, 3]], [1, 1], good) == (4, 12)
    with pytest.raises(ValueError, match=r"expected|size|scale"):
        bounds([[4, 1], [1, 3]], [1, 1], good | change)


def test_a_witness_that_would_be_too_long_is_refused_by_the_writer() -> None:
    p = [1, 1, Fraction(1, 10**300), 1, Fraction(1, 10**150), 1, 1]
    with refuses():
        verify(np.ones((7, 7)), "each", probabilities=p).certificate()


def test_no_package_is_needed(tmp_path: Path) -> None:
    write_certificate(str(tmp_path / "c"), document("overhead"))
    source = Path(checker.__file__).read_text(encoding="utf-8")
    assert max(map(len, source.splitlines())) <= 100
    (tmp_path / "alone.py").write_text(source, encoding="utf-8")
    (tmp_path / "L.csv").write_text("4,1,.5\n1,3,.25\n.5,.25,2\n")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "-S", "alone.py", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    good = run("c")
    assert good.returncode == 0 and good.stdout.splitlines()[-1].startswith("yes: ")
    changed = run("c", "--file", "L.csv")
    assert (
        changed.returncode == 1
        and changed.stdout.startswith("no: ")
        and "row 3, column 3" in changed.stdout
    )
    (tmp_path / "empty").write_bytes(b"")
    for arguments in (["empty"], ["absent"], ["c", "--file", "absent.csv"], []):
        assert run(*arguments).returncode == 2


def test_what_is_no_certificate_exits_2_in_three_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = json.dumps(document("nested")).encode()
    changed = document("nested")
    changed["statement"]["rows"][0][1] += 1
    dearer = document("nested")
    dearer["statement"]["c"][0] = "3/7"
    texts = [
        good[:-9],
        gzip.compress(good)[:-200],
        json.dumps(changed).encode(),
        json.dumps(dearer).encode(),
        good.replace(b'"1/4"', b"0.25"),
    ]
    texts += [b"", b"{}", b"[1.5]", b"NaN", b"9" * 9999, b"[" * 100_000, b"\x1f\x8b\x00", b"7"]
    texts += [good.replace(FORMAT.encode(), b"rpttheory certificate 1")]
    for text in texts:
        (tmp_path / "c").write_bytes(text)
        code = guarded(commands, ["check", str(tmp_path / "c")])
        printed = capsys.readouterr().err.splitlines()
        assert (code, len(printed)) == (2, 3) and printed[0].startswith("rpttheory: error: "), text[
            :40
        ]
    assert "rpttheory certificate 1" in printed[1] and FORMAT in printed[1]
    arguments = ["absent.csv", "--blocks", "each", "--certificate", str(tmp_path)]
    assert guarded(commands, ["verify", *arguments]) == 2, "before anything is read"
    assert "a folder" in capsys.readouterr().err


def test_exhausted_memory_is_not_a_refutation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("rpttheory.certificates.checker.bounds", exhausted)
    assert answer(tmp_path, document("nested")).startswith("error: ")


def test_a_certificate_needs_a_claim() -> None:
    problem = compare(L, [1, 2]).problem
    with pytest.raises(InvalidInput):
        certificate(problem, [])


def one_claim() -> dict[str, Any]:
    return verify(np.eye(2), [1, 1], [1, 1], claims="lmax == 1").certificate()


WRONG_CLAIMS: list[Any] = [
    ["=<", "lmax", "1"],
    ["<=", "lmax", "1", "1"],
    {"<=": "lmax", "0": "1", "1": "1"},
    ["<=", "lmax", 1],
    ["<=", "lmax", "1.5"],
    ["<=", [], "1"],
    ["<=", ["top", "1"], "1"],
    ["<=", ["+", "1"], "1"],
    ["<=", ["-", "1", "1", "1"], "1"],
    ["<=", ["sqrt", "1", "1"], "1"],
    ["<=", ["sum", "p", "c"], "9"],
    ["<=", ["sum", "lmax"], "9"],
    ["<=", ["sum", "lmax", "1"], "99"],
    ["<=", ["max"], "9"],
    ["<=", "p", "p"],
    ["<=", "nosuch", "nosuch"],
    ["<=", "optimum", "optimum"],
]
WRONG_STATEMENTS: list[dict[str, Any]] = [
    {"sampling": [["5", [0]], ["5", [1]]]},
    {"sampling": [["-1", [0]], ["2", [1]]]},
    {"sampling": [["1/2", [0, 1]], ["1/2", [0, 1]], ["1", []]]},
    {"sampling": [["1", [0, 0, 1, 1]]]},
    {"sampling": [["1", [0, 1, 2]]]},
    {"sampling": [["1", [-1, 0, 1]]]},
    {"sampling": [["1", [0, 1], "and more"]]},
    {"sampling": [["1/2", [0, 1]], ["1/2", [0]]]},
    {"sampling": []},
    {"sampling": "single"},
    {"blocks": [1, 4]},
    {"blocks": [2, 0]},
    {"blocks": [True, True]},
    {"blocks": []},
    {"blocks": [MOST_COORDINATES, 1]},
    {"c": ["1"]},
    {"c": ["1", "0"]},
    {"c": [1, 1]},
    {"c": ["1", "1/0"]},
    {"c": ["1", "\u0661"]},
    {"p": ["1", "2"]},
    {"p": ["1", "0"]},
    {"p_near": ["1"]},
    {"p_near": ["1", "0"]},
    {"p_near": None},
    {"overhead": "-1"},
    {"order": [0]},
    {"order": [0, 2]},
    {"arrangement": [0, 0]},
    {"arrangement": [0]},
    {"gram": ["1"]},
    {"block_names": ["a"]},
    {"block_names": ["a", 2]},
    {"x": [1]},
    {"x": None},
    {"unit": "0"},
    {"rows": [[0, 1], [1, 1, 1, 1]]},
    {"rows": [[0, 1], [2, 1]]},
    {"rows": [[0, 1], [-1, 1]]},
    {"rows": [[0, 1], [1]]},
    {"rows": [[0, 1]]},
    {"rows": [[0, 1], [1, True]]},
    {"names": {}},
    {"claims": []},
    {"claims": [["<=", "PROVED"]]},
    {"claims": [[["<=", "lmax", "1"], "UNDECIDED"]]},
    {"claims": [[["<=", "lmax", "1"], "PROVED", "surely"]]},
    *({"claims": [[claim, "PROVED"]]} for claim in WRONG_CLAIMS),
]
UNPROVED_CLAIMS: list[Any] = [
    ["==", ["/", "1", "0"], ["/", "1", "0"]],
    ["==", ["sqrt", "-1"], ["sqrt", "-1"]],
    ["==", ["**", "2", "-1"], ["/", "1", "2"]],
    ["==", ["**", "4", "1/2"], "2"],
    ["==", ["**", "2", "1000000"], ["**", "2", "1000000"]],
]


@pytest.mark.parametrize("forged", WRONG_STATEMENTS)
def test_a_malformed_statement_is_no_certificate(forged: dict[str, Any], tmp_path: Path) -> None:
    content = one_claim()
    assert accepted(tmp_path, content)
    content["statement"] |= forged
    printed = answer(tmp_path, sign(content))
    assert printed.startswith("error: "), printed


@pytest.mark.parametrize("claim", UNPROVED_CLAIMS)
def test_what_has_no_value_is_not_proved(claim: Any, tmp_path: Path) -> None:
    content = one_claim()
    content["statement"] |= {"claims": [[claim, "PROVED"]], "p_near": None}
    assert answer(tmp_path, sign(content)).startswith("no: ")


@pytest.mark.parametrize("key", ["format", "digests", "statement", "witnesses", "optimum", "more"])
def test_parts_are_neither_missing_nor_unknown(key: str, tmp_path: Path) -> None:
    content = one_claim()
    if content.pop(key, None) is None:
        content[key] = None
    if key == "optimum":
        del content[key]
    assert answer(tmp_path, content).startswith("error: ")


def test_keys_that_appear_twice_are_refused(tmp_path: Path) -> None:
    text = json.dumps(one_claim())
    for key in ("overhead", "statement", "format"):
        place = text.index(f'"{key}": ')
        (tmp_path / "c").write_text(f'{text[:place]}"{key}": "0", {text[place:]}')
        with pytest.raises(ValueError, match="twice"):
            check(str(tmp_path / "c"))


# Diagonal L with r = sqrt(L / c), where c(R) = max(L / r) sum(r c) is a + sqrt(b).
CLOSED_FORMS = {
    "irrational": ([2, 3], [1, 1], 3, 6),  # r = (sqrt 2, sqrt 3)
    "one root is rational": ([4, 2], [1, 1], 4, 8),  # r = (2, sqrt 2)
    "costs": ([2, 3], [4, 1], 8, 24),  # r = (sqrt 2 / 2, sqrt 3)
}


def closed_form_statement(name: str, **changes: Any) -> dict[str, Any]:
    diagonal, costs, _, _ = CLOSED_FORMS[name]
    statement: dict[str, Any] = document("nested")["statement"]
    matrix = {"unit": "1/1", "rows": [[0, diagonal[0]], [1, diagonal[1]]], "blocks": [1, 1]}
    problem = {"c": list(map(str, costs)), "p": ["1", "1"], "sampling": "nested", "x": None}
    return statement | matrix | problem | {"p_near": ["1", "1"]} | changes


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_the_closed_form_holds_whatever_probabilities_bound_it(name: str) -> None:
    _, _, a, b = CLOSED_FORMS[name]
    for p in (["1", "1"], ["4/5", "1"], ["1/7", "1"], ["1", "1/9"]):
        value = Proof(closed_form_statement(name, p_near=p), {}, None).quantity("c_closed")
        assert (max(value.low, Fraction(a)) - a) ** 2 <= b <= (value.high - a) ** 2


@pytest.mark.parametrize("changes", [{"overhead": "1"}, {"order": [0, 1]}])
def test_there_is_no_closed_form_with_an_overhead_or_an_order(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="closed form"):
        Proof(closed_form_statement("irrational", **changes), {}, None).quantity("c_closed")


def test_there_is_no_closed_form_where_a_block_is_zero() -> None:
    with pytest.raises(Unproved):
        Proof(closed_form_statement("irrational", rows=[[0, 2], []]), {}, None).quantity("c_closed")
