"""Certificates of random problems: written, checked, and what `check` prints judged."""

import hashlib
import json
import math
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import rpttheory.certificates.checker
from rpttheory.numbers import Bracket, Rigor

from .claims import Claim, draw_claim, judge_claim, judge_verdicts
from .laws import pairs, probabilities_per_block
from .notation import decimal_text, exact_vector
from .optima import dual_value
from .printed import Misprint, Printed, StatedTruth, contains, shown_interval
from .reals import Multiple, Real, semidefinite
from .trial import Trial, shown
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
        truth = Truth(typed.arranged, typed.sizes, pairs(sampling, p), typed.costs)
        claims = [draw_claim(rng, truth) for _ in range(rng.randint(1, 8))]
    options = [*typed.options, "--sampling", sampling]
    options += ["--p", ",".join(decimals)] * bool(decimals)
    options += [f"--claim={claim.text}" for claim in claims]
    out = _run(trial, typed, "verify", options)
    if out is None:
        return
    judged = judge_check(trial, typed, {"p": p if decimals else None, "sampling": sampling})
    if judged is not None:
        judge_verify(trial, judged, out)
    if decimals:
        judge_verdicts_in_table(trial, truth, claims, out)
        judge_json(trial, truth, claims, f"command('verify', path, *{options!r}, '--json')")


def _of_compare(trial: Trial, typed: Typed) -> None:
    rng = trial.rng
    count = len(typed.sizes)
    overhead = decimal_text(rng, Fraction(rng.randint(1, 30), 10)) if rng.random() < 0.3 else "0"
    order = rng.sample(range(count), count) if rng.random() < 0.3 else None
    options = [*typed.options, "--overhead", overhead, "--objective", rng.choice(("c_P", "both"))]
    options += [] if order is None else ["--order", ",".join(map(str, order))]
    out = _run(trial, typed, "compare", options)
    judged = None
    if out is not None:
        judged = judge_check(trial, typed, {"overhead": Fraction(overhead), "order": order})
    if judged is not None:
        judge_compare(trial, judged, out)


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
    trial.at["proof"] = trial.at["written"]("proof.json", "")
    call = f"command({name!r}, path, *{options!r}, '--certificate', proof)"
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


def judge_check(trial: Trial, typed: Typed, stated: dict[str, Any]) -> StatedTruth | None:
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
        truth = _stated_truth(trial, typed, printed, stated)
        _judge_claims(trial, printed, truth)
        if against and not printed.parts["file"].startswith("L is exactly the matrix of"):
            raise Misprint(printed.parts["file"])
    except (Misprint, LookupError, SyntaxError) as error:
        trial.find(
            call, f"{type(error).__name__}: {error}", f"text that is true and can be read:\n{out}"
        )
        return None
    if typed.comparable and trial.rng.random() < 0.2:
        _change_the_file(trial, typed)
    if trial.rng.random() < 0.02:
        lone = subprocess.run(
            [sys.executable, "-I", str(rpttheory.certificates.checker.__file__), trial.at["proof"]],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        trial.count("certificates by the lone checker")
        if not against and (lone.returncode, lone.stdout) != (0, out):
            trial.find("python checker.py", lone.stdout + lone.stderr, out)
    return truth


def _stated_truth(
    trial: Trial, typed: Typed, printed: Printed, stated: dict[str, Any]
) -> StatedTruth:
    """The numbers of the printed statement, which must be those of the problem that was typed."""
    document = json.loads(Path(trial.at["proof"]).read_text(encoding="utf-8"))
    truth = truth_of(document)
    statement = document["statement"]
    matrix = f"L is {truth.size} x {truth.size}, sha256 "
    matrix += _digest([statement["unit"], statement["rows"]])
    p = truth.p if stated.get("p") is None else stated["p"]
    sampling = stated.get("sampling", "nested")
    moved = printed.numbers("moved") if "moved" in printed.parts else list(range(truth.size))
    p_near = printed.numbers("p_near") if "p_near" in printed.parts else None
    x = printed.numbers("x") if "x" in printed.parts else []
    listed = statement["sampling"]
    if len(listed) > 16 and not isinstance(listed, str):
        listed = listed[:8]  # and a digest of all
    names = None if typed.labels is None else list(dict.fromkeys(typed.labels))
    for what, text, expected in (
        ("digest", printed.parts["digest"], f"of the whole statement, sha256 {_digest(statement)}"),
        ("matrix", printed.parts["matrix"], matrix),
        ("entries", truth.matrix, typed.arranged),
        ("blocks", printed.numbers("blocks"), typed.sizes),
        ("names", printed.names, names),
        ("coordinates", moved, typed.arrangement),
        ("costs", printed.numbers("c"), typed.costs),
        ("overhead", printed.numbers("c_0"), [stated.get("overhead", 0)]),
        ("order", printed.order, stated.get("order")),
        ("p", printed.numbers("p"), p),
        ("p_near", p_near, truth.chosen),
        ("x", x, truth.x),
        ("outcomes", printed.outcomes, listed),
        ("sampling", truth.pairs, pairs(sampling, p)),
    ):
        if text != expected:
            raise Misprint(f"{what}: {text}, not {expected}")
    return truth


def truth_of(document: dict[str, Any]) -> StatedTruth:
    """The numbers of a certificate's statement, computed from its text alone."""
    stated = document["statement"]
    d = len(stated["rows"])
    unit = Fraction(stated["unit"])
    matrix = [[Fraction(0)] * d for _ in range(d)]
    for i, row in enumerate(stated["rows"]):
        for j, entry in zip(row[::2], row[1::2], strict=True):
            matrix[i][j] = matrix[j][i] = unit * entry
    p = exact_vector(stated["p"])
    sampling = stated["sampling"]
    if isinstance(sampling, str):
        joint = pairs(sampling, p)
    else:
        joint = [[Fraction(0)] * len(p) for _ in p]
        for mass, updated in sampling:
            for k in updated:
                for m in updated:
                    joint[k][m] += Fraction(mass)
    truth = StatedTruth(matrix, stated["blocks"], joint, exact_vector(stated["c"]))
    truth.overhead = Fraction(stated["overhead"])
    truth.order = stated["order"]
    truth.chosen = None if stated["p_near"] is None else exact_vector(stated["p_near"])
    truth.x = exact_vector(stated["x"] or [])
    evidence = document["optimum"]
    if evidence is not None:
        truth.dual_bound = dual_value(truth, evidence["dual"], truth.overhead, truth.order)
        points = [exact_vector(point) for point in evidence["points"]]
        truth.points = [point for point in points if _is_admissible(point, truth.order)]
    return truth


def _is_admissible(point: Sequence[Fraction], order: Sequence[int] | None) -> bool:
    ranked = [point[k] for k in order or ()]
    return 0 < min(point) <= max(point) <= 1 and ranked == sorted(ranked, reverse=True)


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def _judge_claims(trial: Trial, printed: Printed, truth: StatedTruth) -> None:
    for verdict, text in printed.claims:
        trial.count("printed claims")
        trial.count(f"printed claims, {verdict}")
        left, relation, right = printed.claim(text, truth)
        judge_claim(trial, truth, Claim(text, left, relation, right), verdict, "printed claims")


def _change_the_file(trial: Trial, typed: Typed) -> None:
    """A file with another number must not be called the same matrix."""
    changed = re.sub(r"(?m)(^[\ufeff]?|[,; ])(-?[0-9.]+)", r"\g<1>77\g<2>", typed.text, count=1)
    if changed == typed.text:
        return
    path = trial.at["written"]("changed.csv", changed)
    code, out, complaint = trial.ask(f"command('check', proof, '--file', {path!r})") or (70, "", "")
    trial.count("changed files")
    if code not in (1, 2):
        trial.find(
            "check --file", f"exit code {code}: {out}{complaint}", f"another matrix: {changed!r}"
        )


# ---- The tables of `verify` and `compare`


def rows_of_tables(text: str) -> list[list[str]]:
    """The cells of every indented line, which two blanks or more separate."""
    return [re.split(r" {2,}", line.strip()) for line in text.splitlines() if line.startswith("  ")]


def judge_verify(trial: Trial, truth: StatedTruth, out: str) -> None:
    """Judge the printed quantities, and that no theorem is refuted."""
    quantities = {
        name: getattr(truth, name) for name in ("lmax", "L_P", "L_M", "cost", "c_P", "closed")
    }
    for cells in rows_of_tables(out):
        if cells[0] in quantities and len(cells) >= 4 and cells[2] != "numerical":
            judge_cell(trial, f"the printed {cells[0]}", cells[1], quantities[cells[0]])
        of_paper = not cells[0].startswith("claim:")
        if of_paper and cells[-1] == "REFUTED" and semidefinite(truth.matrix):
            trial.find(f"the printed {cells[0]}", "REFUTED", "a theorem, and L is semidefinite")


def judge_verdicts_in_table(trial: Trial, truth: Truth, asked: Sequence[Claim], out: str) -> None:
    """Judge the printed verdict of each claim that was asked."""
    verdicts = [cells[-1] for cells in rows_of_tables(out) if re.fullmatch(r"claim:\d+", cells[0])]
    if len(verdicts) != len(asked):
        trial.find("the printed claims", str(verdicts), f"{len(asked)} of them")
        return
    for claim, verdict in zip(asked, verdicts, strict=True):
        trial.count("verdicts in tables")
        if verdict != "UNDECIDED":
            judge_claim(trial, truth, claim, verdict, "verdicts in tables")


def judge_json(trial: Trial, truth: Truth, asked: Sequence[Claim], call: str) -> None:
    """Judge the verdicts and the quantities of a JSON result."""
    result = json.loads(trial.ask(call)[1])
    judge_verdicts(trial, truth, asked, [claim["verdict"] for claim in result["claims"]], call)
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
        trial.find(what, cell, shown(number))


def judge_compare(trial: Trial, truth: StatedTruth, out: str) -> None:
    """Judge the printed costs and the printed limit of what can be saved."""
    rows = {
        cells[0]: cells
        for cells in rows_of_tables(out)
        if len(cells) > 3 and cells[3] != "numerical"
    }
    judge_cell(trial, "the printed gradient descent", rows["gradient descent"][1], truth.descent)
    points = [[Fraction(1)] * len(truth.sizes), *truth.points]
    for name, cells in rows.items():
        if name.startswith("optimum of c(P)"):
            judge_cell(trial, "the printed optimum", cells[1], truth.best)
            _judge_lower_end(trial, cells[1], [truth.complexity(p) for p in points])
        if name.startswith("optimum of c_M, nested"):
            _judge_lower_end(trial, cells[1], [truth.nested_complexity(p) for p in points])
    for most in re.findall(r"By c\(P\), RPT can be at most (\S+) times cheaper", out):
        trial.count("printed numbers")
        ratio = truth.descent(200)[0] / truth.best(200)[1] if truth.best(200)[1] else Fraction(0)
        if most != "inf" and Fraction(most) < ratio:
            trial.find("the printed limit", most, f"at least {float(ratio)!r} times")


def _judge_lower_end(trial: Trial, cell: str, costs: Sequence[Multiple]) -> None:
    """No cost that is attained may be below a printed optimum."""
    trial.count("printed numbers")
    low = shown_interval(cell)[0]
    for cost in costs:
        if low > -math.inf and cost.sign(Fraction(low)) < 0:
            trial.find("the printed optimum", cell, f"a cost of {shown(cost)} is attained")
