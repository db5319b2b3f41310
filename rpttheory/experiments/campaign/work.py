"""One task of a campaign, in a worker: make or read the matrix, and answer as JSON."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import InvalidInput, RptTheoryError
from ...io import read_data, read_matrix
from ...matrices.families import FAMILIES
from ...numbers import Bracket, Verdict
from ...numbers.parse import parse_numbers
from ...problem.arguments import as_blocks
from ...problem.blocks import Blocks
from ...problem.problem import Problem
from ...problem.smoothness import SmoothnessLike, gram
from ...provenance import provenance
from ...runs.parallel import Report
from ...search.comparison_report import quotient
from ...search.optimal import optimal_probabilities
from ...statements.verify import verify
from ...theorems.prediction import rates
from .grid import Setting

FAILED = "FAILED"
DONE = "DONE"
# Up to this dimension the matrix of an open case is stored with its row.
_MOST_STORED = 32


Row = dict[str, Any]


def perform(
    settings: Sequence[Setting], grid: Mapping[str, Any], report: Report
) -> tuple[dict[str, Row], dict[str, Any]]:
    """The rows of a batch by name, and their provenance; a task that fails does not end the others.

    A row holds `kind`, `status`, `result`, which a second run repeats to the last bit, `seconds`
    and `products`.
    """
    return {setting.name: _row(setting, grid) for setting in settings}, provenance()


def failed_row(setting: Setting, error: Exception, seconds: float = 0.0) -> Row:
    """Return the row of a task without an answer."""
    if not isinstance(error, RptTheoryError):
        error = RptTheoryError("the program itself failed", f"{type(error).__name__}: {error}")
    parts = dict(zip(("what", "found", "try"), error.parts(_as_toml), strict=True))
    row = {"status": FAILED, "result": {"error": parts}, "products": 0}
    return {"kind": setting.kind, **row, "seconds": seconds}


def _as_toml(name: str, *value: Any) -> str:
    """Spell an argument as a grid writes it."""
    return f"{name} = {json.dumps(value[0], default=str)}" if value else name


def _row(setting: Setting, grid: Mapping[str, Any]) -> Row:
    start = time.perf_counter()
    try:
        row = {"kind": setting.kind, **_answers(setting, grid)}
    except Exception as error:
        return failed_row(setting, error, time.perf_counter() - start)
    return {**row, "seconds": time.perf_counter() - start}


def _answers(setting: Setting, grid: Mapping[str, Any]) -> Row:
    """The status, the result and the number of products of a task."""
    notes: list[str] = []
    problem = _problem(setting, grid["seed"], notes)
    notes += problem.notes
    result: dict[str, Any] = {
        "dimension": problem.blocks.dimension,
        "blocks": list(problem.blocks.sizes),
    }
    result |= {"notes": notes} if notes else {}
    verdicts = set()
    for action in grid["do"]:
        if action == "verify":
            verified = verify(problem, claims=grid["claims"])
            verdicts.add(verified.verdict)
            unproved = (claim for claim in verified.claims if claim.verdict is not Verdict.PROVED)
            result["verify"] = {v.value: verified.count(v) for v in Verdict}
            result["verify"]["open"] = [
                {"statement": claim.statement, **claim.to_dict()} for claim in unproved
            ]
        elif action == "compare":
            optimal = optimal_probabilities(problem, tol=grid["tol"])
            verdicts.add(Verdict.PROVED if optimal.status == "optimal" else Verdict.UNDECIDED)
            result["compare"] = {
                "gradient_descent": _ends(problem.gradient_descent),
                "closed_form": _ends(problem.c_rounded),
                "optimum": _ends(optimal.bracket),
                "closed_over_optimum": _ends(problem.c_rounded / optimal.bracket),
                "speedup": _ends(quotient(problem.gradient_descent, optimal.bracket)),
                "rigor": optimal.rigor.name,
                "probabilities": optimal.probabilities.tolist(),
            }
        else:
            result["rates"] = [
                p.to_dict() for p in rates(problem, eps=grid["eps"], tol=grid["tol"]).predictions
            ]
    status = Verdict.PROVED.value if "verify" in grid["do"] else DONE
    for verdict in (Verdict.UNDECIDED, Verdict.REFUTED):
        if verdict in verdicts:
            status = verdict.value
            if problem.blocks.dimension <= _MOST_STORED:
                result["L"] = problem.smoothness.matmat(np.eye(problem.blocks.dimension)).tolist()
    return {"status": status, "result": result, "products": problem.smoothness.products}


def _problem(setting: Setting, seed: int, notes: list[str]) -> Problem:
    source = dict(setting.matrix)
    L: SmoothnessLike
    if "kind" in source:
        rng = np.random.default_rng(setting.seed(seed))
        L = FAMILIES[source.pop("kind")](
            rng, **{name: value for name, value in source.items() if name != "number"}
        )
    elif source.get("data"):
        values = read_data(source["path"], notes=notes).values
        (ridge,) = parse_numbers(str(source.get("ridge", 0)), "ridge")
        L = gram(values, Fraction(2, int(values.shape[0])), 2 * ridge)
    else:
        L = read_matrix(source["path"], symmetrize=bool(source.get("symmetrize")), notes=notes)
    blocks = _blocks(setting.blocks, int(L.shape[0]))
    probabilities = None if setting.probabilities == "closed" else setting.probabilities
    return Problem(L, blocks, setting.costs, probabilities=probabilities)


def _blocks(blocks: str | int, dimension: int) -> Blocks:
    """As everywhere, or a number of parts that are as equal as can be."""
    if isinstance(blocks, str):
        return as_blocks(blocks, dimension)
    if not 1 <= blocks <= dimension:
        raise InvalidInput(
            "must be between 1 and the dimension",
            f"{blocks} of {dimension}",
            "blocks = [4]",
            argument="blocks",
        )
    return Blocks([len(part) for part in np.array_split(np.arange(dimension), blocks)])


def _ends(bracket: Bracket) -> list[float | None]:
    return [end if math.isfinite(end) else None for end in (bracket.lower, bracket.upper)]
