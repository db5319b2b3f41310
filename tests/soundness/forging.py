"""Forged certificates: random statements, witnesses and claims, signed like honest ones.

A forger makes claims at the very ends of what its witnesses prove, then changes numbers. Whatever
the checker accepts must be true by the judge, which shares no code with it.
"""

import json
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from rpttheory.certificates.checker import FORMAT, Proof, Unproved, check, digest

from .certificates import truth_of
from .printed import evaluate, is_true
from .reals import gram_of
from .truth import Truth

NAMES = ("lmax", "L_P", "L_M", "mu", "c_P", "c_M", "closed", "cost", "xLx", "B", "optimum")
OVER_BLOCKS = ("L", "p", "c", "g", "q", ["*", "c", "L"], ["sqrt", ["*", "c", "L"]], ["-", "L", "1"])
RELATIONS = ("<=", "<", ">=", ">", "==")


class Forger(Proof):
    """The checker with invented witnesses: tight, loose or wrong."""

    rng: random.Random

    def eigenvalue(self, matrix: list[list[int]], weights: list[int]) -> Any:
        rng = self.rng
        M = np.array(matrix, dtype=float)
        W = np.array(weights, dtype=float)
        values, vectors = np.linalg.eigh(M / np.sqrt(np.outer(W, W)))
        vector = vectors[:, -1] / np.sqrt(W) * 10 ** rng.randint(0, 12)
        spread = rng.choice((1e-9, 1e-6, 1e-3, 0.1, 9.0))
        level = Fraction(float(values[-1]) + rng.randint(-2, 30) * spread)
        shifts, directions = np.linalg.eigh(np.diag(W) * float(level) - M)
        share = rng.choice((0, 0.9, 0.999999, 1))
        columns = directions * np.sqrt(np.maximum(shifts * share, 0)) * 2.0**30
        witness = {
            "vector": [int(x) for x in np.rint(vector)],
            "level": str(level),
            "factor": [[int(x) for x in row] for row in np.rint(columns)],
            "scale": [f"1/{4**30}"] * len(matrix),
        }
        self.witnesses.setdefault(digest([matrix, weights]), witness)
        return super().eigenvalue(matrix, weights)


def random_statement(rng: random.Random) -> dict[str, Any]:
    blocks = rng.choice([[1], [2], [1, 1], [1, 2], [2, 1], [2, 2], [1, 1, 1]])
    d = sum(blocks)
    B = len(blocks)
    data = [[rng.choice([0, 1, -1, 2, 3]) for _ in range(d)] for _ in range(rng.randint(1, d + 1))]
    matrix = gram_of(data)
    if rng.random() < 0.1:
        matrix[0][0] -= rng.randint(1, 4)
    p = [Fraction(rng.randint(1, 6), 6) for _ in range(B)]
    levels = sorted({Fraction(0), Fraction(1), *p})
    nested = [
        [str(high - low), [k for k in range(B) if p[k] >= high]] for low, high in pairwise(levels)
    ]
    return {
        "unit": str(Fraction(1, rng.randint(1, 7))),
        "rows": [
            [x for j in range(i + 1) if matrix[i][j] for x in (j, int(matrix[i][j]))]
            for i in range(d)
        ],
        "arrangement": None,
        "gram": None,
        "blocks": blocks,
        "block_names": None,
        "c": [str(Fraction(rng.randint(1, 9), rng.randint(1, 9))) for _ in range(B)],
        "overhead": rng.choice(["0", "0", "1/2", "7"]),
        "order": rng.sample(range(B), B) if rng.random() < 0.3 else None,
        "p": [str(x) for x in p],
        "p_near": None,
        "sampling": rng.choice(["nested", "independent", nested]),
        "x": [rng.randint(-3, 3) for _ in range(d)],
        "claims": [[["==", "B", str(B)], "PROVED"]],
    }


def random_tree(rng: random.Random, depth: int = 0) -> Any:
    style = rng.random()
    if depth > 1 or style < 0.35:
        return rng.choice(NAMES)
    if style < 0.45:
        return str(Fraction(rng.randint(-6, 9), rng.randint(1, 4)))
    if style < 0.6:
        return [rng.choice(["sum", "min", "max"]), rng.choice(OVER_BLOCKS)]
    first = random_tree(rng, depth + 1)
    if style < 0.7:
        return [rng.choice(["sqrt", "abs"]), first]
    if style < 0.78:
        return ["**", first, str(rng.choice([0, 1, 2, 2, 3, 4]))]
    return [rng.choice(["+", "-", "*", "/", "min", "max"]), first, random_tree(rng, depth + 1)]


def forge(rng: random.Random) -> dict[str, Any]:
    """A certificate whose claims lie at the ends of what its witnesses prove."""
    statement = random_statement(rng)
    ones = ["1"] * len(statement["blocks"])
    evidence = {
        "dual": [[rng.randint(-4, 6) for _ in range(2)] for _ in range(sum(statement["blocks"]))],
        "points": [statement["p"], ones] if statement["order"] is None else [ones],
    }
    forger = Forger(statement, {}, evidence)
    forger.rng = rng
    claims = []
    for _ in range(8):
        left = random_tree(rng)
        right = random_tree(rng)
        try:
            if rng.random() < 0.8:
                value = forger.evaluate(left)
                end = rng.choice([value.low, value.high, (value.low + value.high) / 2])
                nudge = Fraction(rng.choice([-1, 0, 0, 1]), 10 ** rng.choice([1, 3, 9, 30]))
                right = str((end + nudge).limit_denominator(10**40))
            claim = [rng.choice(RELATIONS), left, right]
            verdict = forger.verdict(claim if rng.random() < 0.5 else [claim[0], right, left])
        except (Unproved, ValueError, AttributeError):
            continue
        if verdict != "UNDECIDED":
            claims.append([claim, verdict])
    return {
        "format": FORMAT,
        "digests": None,
        "statement": statement | {"claims": claims},
        "witnesses": forger.witnesses,
        "optimum": evidence,
    }


def places(tree: Any) -> list[tuple[Any, Any]]:
    """All parts of a document, as the object or list that holds each and its key there."""
    result: list[tuple[Any, Any]] = []
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        result.append((tree, key))
        if isinstance(value, dict | list):
            result += places(value)
    return result


def is_number(value: Any) -> bool:
    """True for an integer and for a fraction in quotes."""
    return isinstance(value, int) or (isinstance(value, str) and value.lstrip("-")[:1].isdigit())


def mutate(content: dict[str, Any], rng: random.Random) -> None:
    """Change a few numbers, or the relation or verdict of a claim."""
    for _ in range(rng.choice([0, 1, 1, 2])):
        part = rng.choice(["witnesses", "witnesses", "optimum", "statement", "claims"])
        if part == "claims":
            item = rng.choice(content["statement"]["claims"])
            if rng.random() < 0.5:
                item[1] = "REFUTED" if item[1] == "PROVED" else "PROVED"
            else:
                item[0][0] = rng.choice(RELATIONS)
            continue
        numbers = [(tree, key) for tree, key in places(content[part]) if is_number(tree[key])]
        if numbers:
            tree, key = rng.choice(numbers)
            value = tree[key]
            if isinstance(value, int):
                tree[key] = rng.choice([value + 1, -value, value * 2, 0, 10**9, value - 1])
            else:
                factor = rng.choice([Fraction(1, 2), Fraction(99, 100), -1, 2, Fraction(101, 100)])
                tree[key] = str(Fraction(value) * factor)


def contradicts(truth: Truth, claim: Any, verdict: str) -> bool | None:
    """True if a verdict is false; None where the two sides are too close to tell."""
    try:
        holds = is_true(truth, evaluate(claim[1], truth), claim[0], evaluate(claim[2], truth))
    except ArithmeticError:  # a side has no value; of the optimum only an interval is known
        return None if "optimum" in json.dumps(claim) else True
    return None if holds is None else holds != (verdict == "PROVED")


def attack(
    seed: str, amount: int, folder: Path, checker: Callable[[str], str] = check
) -> tuple[Counter[str], list[Any]]:
    """Return counts of forged certificates, and the accepted statements with a false claim."""
    counts: Counter[str] = Counter()
    false = []
    path = folder / "forged.json"
    for index in range(amount):
        rng = random.Random(f"{seed} {index}")
        content = forge(rng)
        statement = content["statement"]
        if not statement["claims"]:
            continue
        mutate(content, rng)
        content["digests"] = {
            "matrix": digest([statement["unit"], statement["rows"]]),
            "statement": digest(statement),
        }
        path.write_text(json.dumps(content))
        counts["forged"] += 1
        try:
            checker(str(path))
        except Unproved:
            counts["not proved"] += 1
            continue
        except ValueError:
            counts["not read"] += 1
            continue
        counts["accepted"] += 1
        truth = truth_of(content)
        for claim, verdict in statement["claims"]:
            wrong = contradicts(truth, claim, verdict)
            counts["claims not judged" if wrong is None else "claims judged"] += 1
            if wrong:
                false.append((statement, claim, verdict))
    return counts, false
