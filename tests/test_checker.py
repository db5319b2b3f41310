"""The checker accepts what is proved and nothing else: a changed number is noticed, or harmless in exact arithmetic."""

import gzip
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rpttheory import Blocks, compare, datasets, gram, verify
from rpttheory.certify import Verdict
from rpttheory.certify.exact import definiteness
from rpttheory.checker import Statement, Unproved, bounds, check, digest
from rpttheory.cli.main import commands, guarded
from rpttheory.search.certified import write_certificate

L = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 1.0]]
DECOUPLED = np.kron(np.diag([2.0, 1.0]), [[2.0, 1.0], [1.0, 3.0]])
CLAIMS = ["L_P <= 1.02*lmax", "lmax/closed >= 5.65", "sum(sqrt(c*L))^2 == closed", "min(mu, 1/2) < abs(c_M - 9)^-2"]
TIES = ["lmax == 4", "mu == 0", "lmax == sum(L)", "max(L) < 2", "B*sum(c*L) == closed"]
CASES: dict[str, Callable[[], Any]] = {
    "nested": lambda: verify(L, [1, 2], claims=CLAIMS),
    "independent": lambda: verify(L, "each", sampling="independent", claims=CLAIMS),
    "single": lambda: verify(L, [2, 1], [Fraction(1, 3), 2], sampling="single"),
    "many blocks": lambda: verify(np.diag(np.arange(1.0, 14)) + 1, "each", sampling="independent", claims=CLAIMS),
    "ties": lambda: verify(np.ones((4, 4)), [2, 2], claims=TIES),
    "decoupled": lambda: verify(DECOUPLED, [2, 2], probabilities=[Fraction(1, 3)] * 2),
    "one block": lambda: verify(L, [3], probabilities=[Fraction(2, 3)], claims="c_P == closed"),
    "scattered": lambda: verify(L, Blocks.from_labels([0, 1, 0]), claims=["optimum <= lmax", "2*optimum < closed"]),
    "ridge": lambda: verify(gram(datasets.load("prostate").values, Fraction(2, 97), Fraction(1, 5)), [4, 4]),
    "beam": lambda: verify(datasets.load("LFAT5").values, "7x2", claims="L_P <= 1.02*lmax"),
    "max-cut": lambda: compare(datasets.load("mcp100").values, "each", nonconvex=False),
    "overhead": lambda: compare(L, [1, 2], overhead=Fraction(1, 10), nonconvex=False),
    "order": lambda: compare(L, "each", [Fraction(1, 3), 1, 0.2], order=[2, 0, 1], overhead=0.3, nonconvex=False),
}
SMALL = ("nested", "scattered", "order")


@cache
def result_of(name: str) -> Any:
    return CASES[name]()


@cache
def written(name: str) -> str:
    return json.dumps(result_of(name).certificate())


def document(name: str) -> dict[str, Any]:
    return json.loads(written(name))  # type: ignore[no-any-return]


def accepted(folder: Path, content: dict[str, Any], *, sealed: bool = True) -> bool:
    if not sealed:
        stated = content["statement"]
        content["digests"] = {"matrix": digest([stated["unit"], stated["rows"]]), "statement": digest(stated)}
    write_certificate(str(folder / "c"), content)
    try:
        return check(str(folder / "c")).endswith(content["digests"]["matrix"])
    except (ValueError, Unproved):
        return False


def verdicts(result: Any) -> list[str]:
    decided = [claim.verdict for claim in getattr(result, "claims", ())] or [Verdict.PROVED] * 2
    return [verdict.value for verdict in decided if verdict is not Verdict.UNDECIDED]


@pytest.mark.parametrize("name", CASES)
def test_every_verdict_is_accepted(name: str, tmp_path: Path) -> None:
    content = document(name)
    assert [verdict for _, verdict in content["statement"]["claims"]] == verdicts(result_of(name))
    assert accepted(tmp_path, content)
    for place in range(len(content["statement"]["claims"])):
        wrong = document(name)
        claim = wrong["statement"]["claims"][place]
        claim[1] = "REFUTED" if claim[1] == "PROVED" else "PROVED"
        assert not accepted(tmp_path, wrong, sealed=False), claim


def numbers(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document that holds a number."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        if isinstance(value, int) or (isinstance(value, str) and re.fullmatch("-?[0-9]+(/[0-9]+)?", value)):
            yield tree, key
        elif isinstance(value, dict | list):
            yield from numbers(value)


def changed(value: Any, rng: random.Random) -> Any:
    if isinstance(value, int):
        return rng.choice([value + 1, value - 1, -value - 1, 2 * value + 3, value * 257 // 256 + 1])
    return str(Fraction(value) * rng.choice([-1, 2, Fraction(997, 996)]) + rng.choice([0, Fraction(1, 997)]))


class Pencils(Statement):
    """The checker, which remembers the pencils that it needed."""

    def atom(self, matrix: list[list[int]], weights: list[int]) -> Any:
        self.seen = {**getattr(self, "seen", {}), digest([matrix, weights]): (matrix, weights)}
        return super().atom(matrix, weights)


@pytest.mark.parametrize("name", SMALL)
def test_a_changed_number_is_noticed_or_harmless(name: str, tmp_path: Path) -> None:
    rng, whole, harmless = random.Random(name), document(name), 0
    problem = Pencils(whole["statement"], whole["witnesses"], whole["optimum"])
    for claim, _ in whole["statement"]["claims"]:
        problem.verdict(claim)
    for _ in range(200):
        content = document(name)
        tree, key = rng.choice(list(numbers(content)))
        tree[key] = changed(tree[key], rng)
        if not accepted(tmp_path, content):
            continue
        harmless += 1
        assert content["statement"] == whole["statement"]
        for pencil, witness in content["witnesses"].items():
            matrix, w = (np.array(part, dtype=object) for part in problem.seen[pencil])
            x, level = np.array(witness["vector"], dtype=object), Fraction(witness["level"])
            for t, allowed in ((level, (0, 1)), (Fraction(x @ matrix @ x, w @ (x * x)), (0, -1))):
                rows = (np.diag(w) * t - matrix * Fraction(1)).tolist()
                assert definiteness([[Fraction(entry) for entry in row] for row in rows]) in allowed
    assert 0 < harmless < 115


def test_no_witness_proves_what_is_false() -> None:
    rng, believed = random.Random(2), 0
    for _ in range(3000):
        a, b, c, *G = (rng.randint(-3, 3) for _ in range(7))
        matrix, w, level = [[a, b], [b, c]], [rng.randint(1, 3), rng.randint(1, 3)], Fraction(rng.randint(-8, 12), 2)
        scale = [str(Fraction(rng.randint(-1, 3), 2)) for _ in range(rng.choice([1, 2, 2, 2]))]
        witness = {"vector": [1, rng.randint(-1, 1)], "level": str(level), "factor": [G[:2], G[2:]], "scale": scale}
        with suppress(Unproved):
            low, high = bounds(matrix, w, witness)
            believed += 1
            at_level, at_low = (
                [[t * w[0] - a, -b * Fraction(1)], [-b * Fraction(1), t * w[1] - c]] for t in (high, low)
            )
            assert high == level and definiteness(at_level) in (0, 1) and definiteness(at_low) in (0, -1)
    assert believed > 100


def test_a_changed_statement_is_true_where_it_is_accepted(tmp_path: Path) -> None:
    rng, believed = random.Random(1), 0
    for _ in range(60):
        content = document("nested")
        stated = content["statement"]
        tree, key = rng.choice([place for name in ("c", "p", "x", "rows") for place in numbers(stated[name])])
        tree[key] = changed(tree[key], rng)
        if accepted(tmp_path, content, sealed=False):
            believed += 1
            p, c = ([Fraction(value) for value in stated[name]] for name in ("p", "c"))
            assert verdicts(verify(L, [1, 2], c, probabilities=p, claims=CLAIMS)) == verdicts(result_of("nested"))
    assert believed > 5


def test_no_package_is_needed(tmp_path: Path) -> None:
    write_certificate(str(tmp_path / "c"), document("overhead"))
    checker = Path(__file__).parents[1] / "rpttheory" / "checker.py"
    assert len(checker.read_text(encoding="utf-8").splitlines()) < 300
    (tmp_path / "alone.py").write_bytes(checker.read_bytes())
    done = subprocess.run([sys.executable, "-I", "-S", "alone.py", "c"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.splitlines()[-1].startswith("yes: ")


def test_what_is_no_certificate_exits_2_in_three_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = json.dumps(document("nested")).encode()
    other = document("nested")
    other["statement"]["rows"][0][1] += 1
    texts = [good[:-9], gzip.compress(good)[:-200], json.dumps(other).encode(), good.replace(b'"1/4"', b"0.25")]
    texts += [b"", b"{}", b"[1.5]", b"NaN", b"9" * 9999, b"[" * 100_000, b"\x1f\x8b\x00"]
    for text in [*texts, good.replace(b"certificate 1", b"certificate 2")]:
        (tmp_path / "c").write_bytes(text)
        code, said = guarded(commands, ["check", str(tmp_path / "c")]), capsys.readouterr().err.splitlines()
        assert (code, len(said)) == (2, 3) and said[0].endswith("no certificate"), text[:40]
    wrong = document("nested")
    wrong["witnesses"] = {key: {**value, "level": "1"} for key, value in wrong["witnesses"].items()}
    write_certificate(str(tmp_path / "c"), wrong)
    assert guarded(commands, ["check", str(tmp_path / "c")]) == 1
    assert capsys.readouterr().out.startswith("no: ")
    assert guarded(commands, ["verify", "absent.csv", "--certificate", str(tmp_path)]) == 2, "before anything is read"
    assert "another --certificate FILE" in capsys.readouterr().err


@pytest.mark.parametrize(
    "forged",
    [
        {"names": {"a = 1\nPROVED   (<= lmax 1/2)\nwhere    b": "1"}, "claims": [[["<=", "lmax", "100"], "PROVED"]]},
        {"names": {"l,max": "0"}, "claims": [[["<=", "l,max", "1/2"], "PROVED"]]},
        {"sampling": [["5", [0]], ["5", [1]]], "claims": [[["<=", "L_M", "L_P"], "REFUTED"]]},
        {"sampling": [["-1", [0]], ["2", [1]]], "claims": [[["<", "L_M", "0"], "PROVED"]]},
        {"sampling": [["1", [0]], ["1", [1]]], "claims": [[["==", "L_M", "1"], "PROVED"]]},
        {"sampling": [["2", [0, 1]], ["-1", [0, 1]]], "claims": [[["==", "L_M", "1"], "PROVED"]]},
        {"sampling": [], "claims": [[["==", "L_M", "4"], "PROVED"]]},
        {"blocks": [1, 4], "claims": [[["==", "d", "5"], "PROVED"]]},
        {"claims": [[["==", ["/", "1", "0"], ["/", "1", "0"]], "PROVED"]]},
        {"claims": [[["<=", "nosuch", "nosuch"], "PROVED"]]},
    ],
)
def test_a_forged_statement_is_not_accepted(forged: dict[str, Any], tmp_path: Path) -> None:
    content = verify(np.eye(2), [1, 1], [1, 1], claims="lmax == 1").certificate()
    content["statement"] |= forged
    path = tmp_path / "forged.json"
    try:
        said = check(str(_sealed(content, path)))
    except (ValueError, Unproved):
        return
    # A name that nothing uses does no harm, and is not shown.
    assert "a = 1" in str(forged) and "1/2" not in said, said


def _sealed(content: dict[str, Any], path: Path) -> Path:
    stated = content["statement"]
    content["digests"] = {"matrix": digest([stated["unit"], stated["rows"]]), "statement": digest(stated)}
    write_certificate(str(path), content)
    return path
