"""Certificates of random problems: written, checked, and what `check` prints judged."""

import hashlib
import json
import math
import random
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from rpttheory.numbers import Bracket, Rigor

from .claims import Claim, draw_claim, judge_claim, judge_verdicts
from .laws import pairs, probabilities_per_block
from .notation import decimal_text, exact_vector
from .optima import dual_value
from .printed import Misprint, Printed, contains, shown_interval
from .reals import Multiple, Real, rational, semidefinite
from .trial import Trial, digits_of
from .truth import Truth
from .typed import Typed, draw_typed


def certificates(trial: Trial) -> None:
    """One certificate of `verify` or `compare`."""
    typed = draw_typed(trial)
    if trial.rng.random() < 0.6:
        _of_verify(trial, typed)
    else:
        _of_compare(trial, typed)


def _of_verify(trial: Trial, typed: Typed) -> None:
    rng = trial.rng
    count = len(typed.sizes)
    sampling = rng.choice(("nested", "independent", "single"))
    decimals = _draw_probabilities(rng, count, sampling)
    p = exact_vector(decimals) or [Fraction(1)] * count
    claims = []
    if typed.matrix is not None:
        truth = typed.truth(sampling, p)
        claims = [draw_claim(rng, truth) for _ in range(rng.randint(1, 8))]
    options = [*typed.options, "--sampling", sampling]
    options += ["--p", ",".join(decimals)] * bool(decimals)
    options += [f"--claim={claim.text}" for claim in claims]
    out = _run(trial, typed, "verify", options)
    if out is None:
        return
    checked = judge_check(trial, typed, {"p": p if decimals else None, "sampling": sampling})
    if checked is not None:
        judge_verify(trial, checked, out)
    if decimals:
        judge_verdicts_in_table(trial, truth, claims, out)
        judge_json(trial, truth, claims, f"command('verify', path, *{options!r}, '--json')")


def _of_compare(trial: Trial, typed: Typed) -> None:
    rng = trial.rng
    count = len(typed.sizes)
    overhead = decimal_text(rng, Fraction(rng.randint(1, 30), 10)) if rng.random() < 0.3 else "0"
    order = rng.sample(range(count), count) if rng.random() < 0.3 else None
    options = [*typed.options, "--overhead", overhead, *rng.choice(([], ["--orders"]))]
    options += [] if order is None else ["--order", ",".join(map(str, order))]
    out = _run(trial, typed, "compare", options)
    checked = None
    if out is not None:
        checked = judge_check(trial, typed, {"overhead": Fraction(overhead), "order": order})
    if checked is not None:
        judge_compare(trial, checked, out)


def _draw_probabilities(rng: random.Random, count: int, sampling: str) -> list[str]:
    """Decimals that one types, or none for the closed form."""
    if rng.random() < 0.3:
        return []
    if sampling == "single":
        parts = [rng.randint(1, 9) for _ in range(count)]
        parts[-1] = 100 - sum(parts[:-1])
        return [f"{part / 100:.2f}" for part in parts]
    return [decimal_text(rng, p) for p in probabilities_per_block(rng, count)]


def _run(trial: Trial, typed: Typed, name: str, options: list[str]) -> str | None:
    """The text that a command prints, its certificate in `proof`; None if it was refused."""
    trial.at["proof"] = trial.at["write_file"]("proof.json", "")
    call = f"command({name!r}, path, *{options!r}, '--wide', '--certificate', proof)"
    trial.program.append(call)
    answer = trial.ask(call)
    if answer is None:
        return None
    code, out, complaint = answer
    if code == 2:
        trial.count("certificates, refused")
        return None
    if code not in (0, 1, 3):
        trial.find(call, f"exit code {code}: {complaint}", "exit code 0, 1, 2 or 3")
        return None
    if typed.matrix is None:
        trial.find(call, out, "refused: labels, columns or an empty matrix")
        return None
    return out


# ---- Judging


def judge_check(trial: Trial, typed: Typed, expected: dict[str, Any]) -> Truth | None:
    """Judge what `check` prints of the certificate `proof`; the numbers that it speaks of."""
    against = (
        f", '--file', {trial.at['path']!r}" if typed.comparable and trial.rng.random() < 0.5 else ""
    )
    call = f"command('check', proof{against})"
    code, out, complaint = trial.ask(call) or (70, "", "failed")
    if code != 0:
        if "" == Path(trial.at["proof"]).read_text(encoding="utf-8"):
            return None
        trial.find(
            call, f"exit code {code}: {out}{complaint}", "a certificate just written follows"
        )
        return None
    trial.count("certificates")
    trial.count(f"certificates, {trial.inputs}")
    try:
        printed = Printed(out)
        truth = _stated_truth(trial, typed, printed, expected)
        _judge_claims(trial, printed, truth)
        if against and not printed.parts["file"].startswith("L is exactly the matrix of"):
            raise Misprint(printed.parts["file"])
    except (Misprint, LookupError, SyntaxError) as error:
        trial.find(
            call, f"{type(error).__name__}: {error}", f"text that is true and can be read:\n{out}"
        )
        return None
    return truth


def _stated_truth(trial: Trial, typed: Typed, printed: Printed, expected: dict[str, Any]) -> Truth:
    """The numbers of the printed statement, which must be those of the problem that was typed."""
    document = json.loads(Path(trial.at["proof"]).read_text(encoding="utf-8"))
    truth = truth_of(document)
    statement = document["statement"]
    d = len(truth.matrix)
    matrix = f"L is {d} x {d}, sha256 "
    matrix += _digest([statement["unit"], statement["rows"]])
    p = truth.p if expected.get("p") is None else expected["p"]
    sampling = expected.get("sampling", "nested")
    moved = printed.numbers("moved") if "moved" in printed.parts else list(range(d))
    p_near = printed.numbers("p_near") if "p_near" in printed.parts else None
    x = printed.numbers("x") if "x" in printed.parts else []
    listed = statement["sampling"]
    if len(listed) > 16 and not isinstance(listed, str):
        listed = listed[:8]  # and a digest of all
    names = None if typed.labels is None else list(dict.fromkeys(typed.labels))
    for what, text, value in (
        ("digest", printed.parts["digest"], f"of the whole statement, sha256 {_digest(statement)}"),
        ("matrix", printed.parts["matrix"], matrix),
        ("entries", truth.matrix, typed.arranged),
        ("blocks", printed.numbers("blocks"), typed.sizes),
        ("names", printed.names, names),
        ("coordinates", moved, typed.arrangement),
        ("costs", printed.numbers("c"), typed.costs),
        ("overhead", printed.numbers("c_0"), [expected.get("overhead", 0)]),
        ("order", printed.order, expected.get("order")),
        ("p", printed.numbers("p"), p),
        ("p_near", p_near, truth.p_near),
        ("x", x, truth.x),
        ("outcomes", printed.outcomes, listed),
        ("sampling", truth.pairs, pairs(sampling, p)),
    ):
        if text != value:
            raise Misprint(f"{what}: {text}, not {value}")
    return truth


def truth_of(document: dict[str, Any]) -> Truth:
    """The numbers of a certificate's statement, computed from its text alone."""
    statement = document["statement"]
    d = len(statement["rows"])
    unit = Fraction(statement["unit"])
    matrix = [[Fraction(0)] * d for _ in range(d)]
    for i, row in enumerate(statement["rows"]):
        for j, entry in zip(row[::2], row[1::2], strict=True):
            matrix[i][j] = matrix[j][i] = unit * entry
    p = exact_vector(statement["p"])
    sampling = statement["sampling"]
    if isinstance(sampling, str):
        joint = pairs(sampling, p)
    else:
        joint = [[Fraction(0)] * len(p) for _ in p]
        for mass, updated in sampling:
            for k in updated:
                for m in updated:
                    joint[k][m] += Fraction(mass)
    truth = Truth(matrix, statement["blocks"], joint, exact_vector(statement["c"]))
    if not isinstance(sampling, str):
        sizes = [len(updated) for mass, updated in sampling if Fraction(mass) > 0]
        truth.tau = rational(Fraction(max(sizes)))
    truth.overhead = Fraction(statement["overhead"])
    truth.order = statement["order"]
    truth.p_near = None if statement["p_near"] is None else exact_vector(statement["p_near"])
    truth.x = exact_vector(statement["x"] or [])
    evidence = document["optimum"]
    if evidence is not None:
        truth.dual_bound = dual_value(truth, evidence["dual"])
        points = [exact_vector(point) for point in evidence["points"]]
        truth.points = [point for point in points if _is_admissible(point, truth.order)]
    return truth


def _is_admissible(point: Sequence[Fraction], order: Sequence[int] | None) -> bool:
    ranked = [point[k] for k in order or ()]
    return 0 < min(point) <= max(point) <= 1 and ranked == sorted(ranked, reverse=True)


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def _judge_claims(trial: Trial, printed: Printed, truth: Truth) -> None:
    for verdict, text in printed.claims:
        trial.count("printed claims")
        trial.count(f"printed claims, {verdict}")
        left, relation, right = printed.claim(text, truth)
        judge_claim(trial, truth, Claim(text, left, relation, right), verdict, "printed claims")


# ---- The tables of `verify` and `compare`


def rows_of_tables(text: str) -> list[list[str]]:
    """The cells of every indented line, which two blanks or more separate."""
    return [re.split(r" {2,}", line.strip()) for line in text.splitlines() if line.startswith("  ")]


def judge_verify(trial: Trial, truth: Truth, out: str) -> None:
    """Judge the printed quantities, and that no theorem is refuted."""
    quantities = {
        name: getattr(truth, name) for name in ("lmax", "L_P", "L_M", "cost", "c_P", "closed")
    }
    for cells in rows_of_tables(out):
        if cells[0] in quantities and len(cells) >= 4 and cells[2] != "numerical":
            judge_cell(trial, f"the printed {cells[0]}", cells[1], quantities[cells[0]])
    for label, verdict in _labeled_verdicts(out):
        if not label.startswith("claim:") and verdict == "REFUTED" and semidefinite(truth.matrix):
            trial.find(f"the printed {label}", verdict, "a theorem, and L is semidefinite")


def _labeled_verdicts(out: str) -> list[tuple[str, str]]:
    """The label of each statement, which stands below it, and its verdict."""
    table = out[out.index("\n  statement ") :]
    rows = re.findall(r"(?m)^  \S.*  (PROVED|REFUTED|UNDECIDED)((?:\n  \S.*)*)\n {6}(\S.*)$", table)
    return [(label, verdict) for verdict, _, label in rows]


def judge_verdicts_in_table(
    trial: Trial, truth: Truth, requested: Sequence[Claim], out: str
) -> None:
    """Judge the printed verdict of each claim that was asked."""
    verdicts = [verdict for label, verdict in _labeled_verdicts(out) if label.startswith("claim:")]
    if len(verdicts) != len(requested):
        trial.find("the printed claims", str(verdicts), f"{len(requested)} of them")
        return
    for claim, verdict in zip(requested, verdicts, strict=True):
        trial.count("verdicts in tables")
        if verdict != "UNDECIDED":
            judge_claim(trial, truth, claim, verdict, "verdicts in tables")


def judge_json(trial: Trial, truth: Truth, requested: Sequence[Claim], call: str) -> None:
    """Judge the verdicts and the quantities of a JSON result."""
    result = json.loads(trial.ask(call)[1])
    judge_verdicts(trial, truth, requested, [claim["verdict"] for claim in result["claims"]], call)
    for name, ends in result["quantities"].items():
        low, high = (
            side if ends[key] is None else Fraction(ends[key])
            for key, side in (("lower", -math.inf), ("upper", math.inf))
        )
        bracket = Bracket(low, high, Rigor[ends["rigor"]])
        trial.judge(f"{name} of {call}", bracket, getattr(truth, name))


def judge_cell(trial: Trial, what: str, cell: str, number: Real) -> None:
    """Judge one printed number."""
    trial.count("printed numbers")
    if not contains(cell, number):
        trial.find(what, cell, digits_of(number))


def judge_compare(trial: Trial, truth: Truth, out: str) -> None:
    """Judge the printed costs and the printed limit of what can be saved."""
    rows = {
        cells[0]: cells
        for cells in rows_of_tables(out)
        if len(cells) > 3 and cells[3] != "numerical"
    }
    judge_cell(
        trial, "the printed gradient descent", rows["gradient descent"][1], truth.gradient_descent
    )
    points = [[Fraction(1)] * len(truth.sizes), *truth.points]
    for name, cells in rows.items():
        if name.startswith("optimum of c(P)"):
            judge_cell(trial, "the printed optimum", cells[1], truth.best)
            _judge_lower_end(trial, cells[1], [truth.complexity(p) for p in points])
        if name.startswith("nested, least c_M"):
            _judge_lower_end(trial, cells[1], [truth.nested_complexity(p) for p in points])
    for most in re.findall(r"By c\(P\), .*?make RPT more than (\S+) times", out):
        trial.count("printed numbers")
        ratio = (
            truth.gradient_descent(200)[0] / truth.best(200)[1]
            if truth.best(200)[1]
            else Fraction(0)
        )
        if most != "inf" and Fraction(most) < ratio:
            trial.find("the printed limit", most, f"at least {float(ratio)!r} times")


def _judge_lower_end(trial: Trial, cell: str, costs: Sequence[Multiple]) -> None:
    """No cost that is attained may be below a printed optimum."""
    trial.count("printed numbers")
    low = shown_interval(cell)[0]
    for cost in costs:
        if low > -math.inf and cost.sign(Fraction(low)) < 0:
            trial.find("the printed optimum", cell, f"a cost of {digits_of(cost)} is attained")
