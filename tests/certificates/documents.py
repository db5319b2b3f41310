"""Certificates for the tests of the checker: made, changed, signed again, and given to it."""

import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rpttheory import Blocks, compare, datasets, gram, verify
from rpttheory.certificates.checker import Unproved, check, digest
from rpttheory.certificates.writer import write_certificate

L = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 1.0]]
LABELS = Blocks.from_labels(["u", "v\n", "u"])
DECOUPLED = np.kron(np.diag([2.0, 1.0]), [[2.0, 1.0], [1.0, 3.0]])
CLAIMS = [
    "L_P <= 1.02*lmax",
    "lmax/closed >= 5.65",
    "sum(sqrt(c*L))^2 == closed",
    "min(mu, 1/2) < abs(c_M - 9)^-2",
]
TIES = ["lmax == 4", "mu == 0", "lmax == sum(L)", "max(L) < 2", "B*sum(c*L) == closed"]
CASES: dict[str, Callable[[], Any]] = {
    "nested": lambda: verify(L, [1, 2], claims=CLAIMS),
    "independent": lambda: verify(L, "each", sampling="independent", claims=CLAIMS),
    "single": lambda: verify(L, [2, 1], [Fraction(1, 3), 2], sampling="single"),
    "many blocks": lambda: verify(
        np.diag(np.arange(1.0, 14)) + 1, "each", sampling="independent", claims=CLAIMS
    ),
    "more than 40 blocks": lambda: verify(
        np.diag(np.arange(1.0, 42)), "each", claims="closed > 42/40"
    ),
    "ties": lambda: verify(np.ones((4, 4)), [2, 2], claims=TIES),
    "irrational roots": lambda: verify(
        2 * np.eye(2), [1, 1], [1, 1], claims="B*sum(c*L) == closed"
    ),
    "a long fraction": lambda: verify(
        np.ones((2, 2)), [1, 1], sampling="single", probabilities=[0.4, 0.6]
    ),
    "zero": lambda: verify(np.zeros((2, 2)), [1, 1], claims="optimum == 0"),
    "a zero block": lambda: verify(np.diag([2.0, 0.0]), [1, 1], claims="c_closed > 1/3"),
    "decoupled": lambda: verify(DECOUPLED, [2, 2], probabilities=[Fraction(1, 3)] * 2),
    "close eigenvalues": lambda: verify(
        np.eye(3) + 2.0**-36 * (1 - np.eye(3)), "each", probabilities=[1, 0.5, 0.5]
    ),
    "one block": lambda: verify(L, [3], probabilities=[Fraction(2, 3)], claims="c_P == closed"),
    "tiny": lambda: verify(
        L, "each", probabilities=[Fraction(1, 10**20), 1, Fraction(1, 10**300)], claims=CLAIMS
    ),
    "scattered": lambda: verify(L, LABELS, claims=["optimum <= lmax", "2*optimum < closed"]),
    "ridge": lambda: verify(
        gram(datasets.load("prostate").values, Fraction(2, 97), Fraction(1, 5)), [4, 4]
    ),
    "beam": lambda: verify(datasets.load("LFAT5").values, "7x2", claims="L_P <= 1.02*lmax"),
    "max-cut": lambda: compare(datasets.load("mcp100").values, "each"),
    "overhead": lambda: compare(L, [1, 2], overhead=Fraction(1, 10)),
    "order": lambda: compare(L, "each", [Fraction(1, 3), 1, 0.2], order=[2, 0, 1], overhead=0.3),
}


@cache
def result_of(name: str) -> Any:
    return CASES[name]()


@cache
def certificate_text(name: str) -> str:
    return json.dumps(result_of(name).certificate())


def document(name: str) -> dict[str, Any]:
    """A fresh copy of the certificate of a case."""
    return json.loads(certificate_text(name))  # type: ignore[no-any-return]


def sign(content: dict[str, Any]) -> dict[str, Any]:
    """Replace the digests by those of the content, as a forger would."""
    statement = content["statement"]
    content["digests"] = {
        "matrix": digest([statement["unit"], statement["rows"]]),
        "statement": digest(statement),
    }
    return content


def answer(folder: Path, content: dict[str, Any], file: str | None = None) -> str:
    """The text of the checker, which begins with "no: " or "error: " if it does not accept."""
    path = folder / "certificate.json"
    write_certificate(str(path), content)
    try:
        return check(str(path), file)
    except Unproved as reason:
        return f"no: {reason}"
    except ValueError as error:
        return f"error: {error}"


def accepted(folder: Path, content: dict[str, Any]) -> bool:
    return answer(folder, content).endswith("\nyes: all of this follows")
