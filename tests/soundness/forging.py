"""Forged certificates: random statements, witnesses and claims, signed like honest ones.

A forger chooses claims at the very ends of what its witnesses prove, then changes numbers. Whatever
the checker accepts must be true by the judge, which shares no code with it; optima of two blocks
come from a search on a line.
"""

import copy
import json
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from rpttheory.certificates.checker import FORMAT, Proof, Unproved, check, digest

from .laws import pairs as pairs_of
from .printed import StatedTruth, evaluate, is_true
from .reals import Real

NAMES = ("lmax", "L_P", "L_M", "mu", "c_P", "c_M", "closed", "cost", "xLx", "B")
OVER_BLOCKS = ("L", "p", "c", "g", "q")
RELATIONS = ("<=", "<", ">=", ">", "==")


class Forger(Proof):
    """The checker with witnesses that are made up: tight, loose or wrong."""

    rng: random.Random

    def eigenvalue(self, matrix: list[list[int]], weights: list[int]) -> Any:
        rng = self.rng
        n = len(matrix)
        vector = [rng.randint(-3, 3) for _ in range(n)]
        factor = [[0]] * n
        scale = ["0"]
        level = 2 * max(
            Fraction(sum(map(abs, row)), w) for row, w in zip(matrix, weights, strict=True)
        )
        if rng.random() < 0.7:
            root = np.sqrt(np.array(weights, dtype=float))
            values, vectors = np.linalg.eigh(np.array(matrix, dtype=float) / np.outer(root, root))
            vector = [int(x) for x in np.rint(vectors[:, -1] / root * 10 ** rng.randint(1, 12))]
            level = Fraction(float(values[-1])) + Fraction(
                rng.randint(-2, 30), 10 ** rng.randint(1, 9)
            )
            rest = np.diag(np.array(weights, dtype=float)) * float(level) - np.array(
                matrix, dtype=float
            )
            shifts, directions = np.linalg.eigh(rest)
            columns = np.rint(
                directions
                * np.sqrt(np.maximum(shifts * rng.choice([0.9, 0.999999, 1]), 0))
                * 2.0**30
            )
            factor = [[int(x) for x in row] for row in columns]
            scale = [f"1/{4**30}"] * n
        witness = {"vector": vector, "level": str(level), "factor": factor, "scale": scale}
        self.witnesses.setdefault(digest([matrix, weights]), witness)
        return super().eigenvalue(matrix, weights)


def random_statement(rng: random.Random) -> dict[str, Any]:
    blocks = rng.choice([[1], [2], [1, 1], [1, 2], [2, 1], [2, 2], [1, 1, 1]])
    d = sum(blocks)
    B = len(blocks)
    A = [[rng.choice([0, 1, -1, 2, 3]) for _ in range(d)] for _ in range(rng.randint(1, d + 1))]
    matrix = [[sum(row[i] * row[j] for row in A) for j in range(d)] for i in range(d)]
    if rng.random() < 0.1:
        matrix[0][0] -= rng.randint(1, 4)
    p = [Fraction(rng.randint(1, 6), 6) for _ in range(B)]
    sampling: Any = rng.choice(["nested", "independent", "outcomes"])
    if sampling == "outcomes":
        levels = sorted({Fraction(0), Fraction(1), *p})
        sampling = []
        for low, high in pairwise(levels):
            sampling.append([str(high - low), [k for k in range(B) if p[k] >= high]])
    return {
        "unit": str(Fraction(1, rng.randint(1, 7))),
        "rows": [
            [x for j in range(i + 1) if matrix[i][j] for x in (j, matrix[i][j])] for i in range(d)
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
        "sampling": sampling,
        "x": [rng.randint(-3, 3) for _ in range(d)],
        "claims": [[["==", "B", str(B)], "PROVED"]],
    }


def random_tree(rng: random.Random, names: tuple[str, ...], depth: int = 0) -> Any:
    style = rng.random()
    if depth > 1 or style < 0.35:
        return rng.choice(names)
    if style < 0.45:
        return str(Fraction(rng.randint(-6, 9), rng.randint(1, 4)))
    if style < 0.6:
        inner = rng.choice(
            [
                *OVER_BLOCKS,
                ["*", "c", "L"],
                ["/", "L", "p"],
                ["sqrt", ["*", "c", "L"]],
                ["-", "L", "1"],
            ]
        )
        return [rng.choice(["sum", "min", "max"]), inner]
    first = random_tree(rng, names, depth + 1)
    if style < 0.7:
        return [rng.choice(["sqrt", "abs"]), first]
    if style < 0.78:
        return ["**", first, str(rng.choice([0, 1, 2, 2, 3, 4]))]
    return [
        rng.choice(["+", "-", "*", "/", "min", "max"]),
        first,
        random_tree(rng, names, depth + 1),
    ]


def forge(rng: random.Random) -> dict[str, Any] | None:
    """A certificate whose claims lie at the ends of what its witnesses prove."""
    stated = random_statement(rng)
    B = len(stated["blocks"])
    d = sum(stated["blocks"])
    ones = ["1"] * B
    evidence = {
        "dual": [[rng.randint(-4, 6) for _ in range(2)] for _ in range(d)],
        "points": [stated["p"], ones],
    }
    if stated["order"] is not None:
        evidence["points"] = [ones]
    forger = Forger(stated, {}, evidence)
    forger.rng = rng
    claims = []
    for _ in range(8):
        names = (*NAMES, "optimum", "optimum", "optimum") if B <= 2 else NAMES
        left = random_tree(rng, names)
        right = random_tree(rng, names)
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
    if not claims:
        return None
    return {
        "format": FORMAT,
        "digests": None,
        "statement": stated | {"claims": claims},
        "witnesses": forger.witnesses,
        "optimum": evidence,
    }


def numbers(tree: Any) -> list[tuple[Any, Any]]:
    places: list[tuple[Any, Any]] = []
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        if isinstance(value, dict | list):
            places += numbers(value)
        elif isinstance(value, int) or (isinstance(value, str) and value.lstrip("-")[:1].isdigit()):
            places.append((tree, key))
    return places


def mutate(content: dict[str, Any], rng: random.Random) -> None:
    """Change a few numbers of the witnesses, of the evidence or of the statement, or what a claim
    says.
    """
    for _ in range(rng.choice([0, 1, 1, 2])):
        part = rng.choice(["witnesses", "witnesses", "optimum", "statement", "claims"])
        if part == "claims":
            item = rng.choice(content["statement"]["claims"])
            if rng.random() < 0.5:
                item[1] = "REFUTED" if item[1] == "PROVED" else "PROVED"
            else:
                item[0][0] = rng.choice(RELATIONS)
            continue
        places = numbers(content[part])
        if places:
            tree, key = rng.choice(places)
            if isinstance(tree[key], int):
                tree[key] = rng.choice(
                    [tree[key] + 1, -tree[key], tree[key] * 2, 0, 10**9, tree[key] - 1]
                )
            else:
                factor = rng.choice([Fraction(1, 2), Fraction(99, 100), -1, 2, Fraction(101, 100)])
                tree[key] = str(Fraction(tree[key]) * factor)


class ForgedTruth(StatedTruth):
    """The numbers of a statement, computed from its text alone."""

    def __init__(self, stated: dict[str, Any]) -> None:
        n = sum(stated["blocks"])
        unit = Fraction(stated["unit"])
        matrix = [[Fraction(0)] * n for _ in range(n)]
        for i, row in enumerate(stated["rows"]):
            for j, x in zip(row[::2], row[1::2], strict=True):
                matrix[i][j] = matrix[j][i] = x * unit
        costs, p = ([Fraction(x) for x in stated[name]] for name in ("c", "p"))
        sampling = stated["sampling"]
        if isinstance(sampling, str):
            pairs = pairs_of(sampling, p)
        else:
            blocks = range(len(p))
            outcomes = [(Fraction(mass), updated) for mass, updated in sampling]
            pairs = [
                [sum((q for q, u in outcomes if k in u and m in u), Fraction(0)) for m in blocks]
                for k in blocks
            ]
        super().__init__(matrix, stated["blocks"], pairs, costs)
        self.overhead = Fraction(stated["overhead"])
        self.order = stated["order"]
        self.x = [Fraction(x) for x in stated["x"]]

    @cached_property
    def best(self) -> Real:
        """The least c(P) of at most two blocks, by a search on a line: some 10^-6 are known."""
        matrix = np.array([[float(x) for x in row] for row in self.matrix])
        costs = np.array([float(c) for c in self.costs])

        def cost_at(*p: float) -> float:
            roots = np.sqrt(np.array(p)[self.label])
            top = float(np.linalg.eigvalsh(matrix / np.outer(roots, roots))[-1])
            return top * (float(self.overhead) + float(costs @ p))

        least = cost_at(*[1.0] * len(costs))
        sides = [] if len(costs) == 1 else [0, 1] if self.order is None else [self.order[0]]
        for side in sides:
            low = -14.0
            high = 0.0
            for _ in range(6):
                grid = np.linspace(low, high, 60)
                values = [cost_at(*[1.0, 10.0**t][:: 1 if side == 0 else -1]) for t in grid]
                k = int(np.argmin(values))
                least = min(least, values[k])
                low = grid[max(k - 1, 0)]
                high = grid[min(k + 1, 59)]
        room = (1 + abs(least)) * 1e-5
        ends = Fraction(least - room), Fraction(least + room)
        return lambda bits: ends


def contradicts(truth: StatedTruth, claim: Any, verdict: str) -> bool | None:
    """Whether a verdict is false; None where the two sides are too close to tell."""
    try:
        holds = is_true(truth, evaluate(claim[1], truth), claim[0], evaluate(claim[2], truth))
    except ArithmeticError:  # a side has no value; of the optimum few digits are known
        return None if "optimum" in json.dumps(claim) else True
    return None if holds is None else holds != (verdict == "PROVED")


def attack(
    seed: str, amount: int, folder: Path, checker: Callable[[str], str] = check
) -> tuple[Counter[str], list[Any]]:
    """Forge certificates; return counts, and the statements that were accepted with a false
    claim.
    """
    counts: Counter[str] = Counter()
    false = []
    path = folder / "forged.json"
    index = 0
    while counts["forged"] < amount:
        rng = random.Random(f"{seed} {index}")
        index += 1
        original = forge(rng)
        for _ in range(4 if original is not None else 0):
            content = copy.deepcopy(original)
            assert content is not None
            mutate(content, rng)
            stated = content["statement"]
            content["digests"] = {
                "matrix": digest([stated["unit"], stated["rows"]]),
                "statement": digest(stated),
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
            truth = ForgedTruth(stated)
            for claim, verdict in stated["claims"]:
                wrong = contradicts(truth, claim, verdict)
                counts["claims not judged" if wrong is None else "claims judged"] += 1
                if wrong:
                    false.append((stated, claim, verdict))
    return counts, false
