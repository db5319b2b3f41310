"""The tie between a line of the ledger and its check.

A reader sees LaTeX and a status; the status comes from the check. Three things keep them together:

- `lines.json` records a digest of each line and one of its checks: their formulas, arguments and
  the code of their functions. A line or a check that was edited without the other being read again
  is reported by every run. `python -m proofs_check.record_lines` writes the file anew.
- A check in letters must use a letter of its line, in a formula and not only in its words. This
  holds for all lines, and the file is not written while one breaks it.
- Lines of the paper are compared with its source, where that is at hand: `occurs` says whether a
  line stands there after `normalized` has undone what differs in notation only. The record keeps
  the answer.
"""

import ast
import hashlib
import inspect
import json
import re
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any

from .entry import Check, Entry, Kind

RECORD = Path(__file__).with_name("lines.json")


@dataclass(frozen=True)
class Line:
    """A displayed line with its checks, and its place in the entry: "statement" or "step 3"."""

    place: str
    latex: str
    checks: tuple[Check, ...]


def lines_of(claim: Entry) -> list[Line]:
    """Return the statement and the steps of an entry, with their corrections."""
    statement = Line("statement", claim.latex, (*claim.checks, *claim.corrected))
    steps = [
        Line(
            f"step {number}",
            "\n".join(filter(None, [step.latex, step.correction])),
            (step.check,) if step.mended is None else (step.check, step.mended),
        )
        for number, step in enumerate(claim.steps, 1)
    ]
    return [statement, *steps]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def line_digest(line: Line) -> str:
    """Return a digest of the LaTeX without blanks."""
    return _digest(re.sub(r"\s+", "", line.latex))


def check_digest(line: Line) -> str:
    """Return a digest of the checks of a line: formulas, arguments and the code of functions."""
    return _digest("\n".join(_signature(check) for check in line.checks))


def _signature(check: Check) -> str:
    evidence = check.evidence.name.replace("_", " ")
    return " ".join([evidence, _content((check.function, *check.arguments), set())])


def _content(value: Any, visited: set[str]) -> str:
    """Return a value as text: a function with its code and all of the ledger's code that it uses.

    Functions of `checks` and of other packages stand for themselves: each is used by many lines,
    and the mutants of these lines test it.
    """
    if isinstance(value, partial):
        return _content((value.func, *value.args, sorted(value.keywords.items())), visited)
    if isinstance(value, (tuple, list)):
        return f"({' '.join(_content(part, visited) for part in value)})"
    if isinstance(value, dict):
        return _content(list(value.items()), visited)
    if hasattr(value, "words"):
        return f"{value.text} {value.words}"
    if not hasattr(value, "__qualname__"):
        return (
            str(value) if isinstance(value, (str, int, float, Fraction)) else type(value).__name__
        )
    name = f"{value.__module__}.{value.__qualname__}"
    node = definitions(value.__module__).get(value.__qualname__)
    if name in visited or node is None:
        return name
    visited.add(name)
    used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    module_names = vars(sys.modules[value.__module__])
    parts = [_content(module_names[part], visited) for part in sorted(used & module_names.keys())]
    return " ".join([name, _code(node), *parts])


@cache
def definitions(module: str) -> dict[str, ast.stmt]:
    """Return the functions and classes of a module of entries, or of the statements about runs."""
    of_entries = re.match(r"proofs_check\.(?!checks|engine)|rpttheory\.statements\.runs", module)
    if not of_entries:
        return {}
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {
        node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }


def _code(node: Any) -> str:
    """Return a syntax tree as text without docstrings, the same in all versions of Python."""
    if isinstance(node, list):
        return f"[{' '.join(map(_code, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return ""
    fields = (_code(value) for _, value in ast.iter_fields(node) if value not in (None, []))
    return f"{type(node).__name__}({' '.join(fields)})"


# Letters that the two languages write differently.
_SAME = {"varepsilon": "epsilon", "eps": "epsilon", "ln": "log", "grad": "nabla"}
_GREEK_NAMES = """
    alpha beta gamma delta epsilon varepsilon zeta eta theta kappa lambda mu nu xi rho sigma tau
    phi chi psi omega
    Lambda Sigma Delta Theta nabla eps
"""
_GREEK = frozenset(_GREEK_NAMES.split())


def latex_letters(latex: str) -> set[str]:
    """Return the letters of a line, without their indices."""
    symbols = re.sub(r"\\(?:text|mathrm|mathbb|begin|end)\s*\{[^{}]*\}", " ", latex)
    symbols = re.sub(r"_(?:\{[^{}]*\}|\\?[A-Za-z0-9]+)", " ", symbols)
    commands = set(re.findall(r"\\([A-Za-z]+)", symbols))
    plain = set(re.findall(r"[A-Za-z]", re.sub(r"\\[A-Za-z]+", " ", symbols)))
    letters = {_SAME.get(name, name) for name in commands & _GREEK} | plain
    # In formulas the gradient is g, and the entries of P are p.
    aliases = {"nabla": "g", "P": "p"}
    return letters | {alias for letter, alias in aliases.items() if letter in letters}


def check_letters(check: Check) -> set[str] | None:
    """Return the letters of a check's formulas, without its words; None for other checks."""
    if check.formulas is None:
        return None
    names = re.findall(r"[A-Za-z]\w*", check.formulas.text)
    bases = {name.partition("_")[0] for name in names}
    return {_SAME.get(base, base) for base in bases if len(base) == 1 or base in _GREEK}


def objections(claim: Entry) -> list[str]:
    """Return what breaks the tie between the lines of an entry and their checks, in words."""
    lines = lines_of(claim)
    rows = record().get(claim.label)
    result = [words for line in lines for words in unrelated(line)]
    if rows is None:
        return result
    if len(rows) != len(lines):
        return [*result, f"{len(lines) - 1} steps are printed, {len(rows) - 1} are recorded"]
    for row, line in zip(rows, lines, strict=True):
        if row["line"] != line_digest(line):
            result.append(f"{line.place}: the LaTeX differs from the line recorded with its check")
        if row["check"] != check_digest(line):
            result.append(f"{line.place}: the check differs from the one recorded with its line")
    return result


def unrelated(line: Line) -> list[str]:
    """Return an objection for every check in letters that uses none of its line's."""
    letters = [check_letters(check) for check in line.checks]
    spoken = latex_letters(line.latex)
    return [
        f"{line.place}: the check uses no letter of its line"
        for used in letters
        if used is not None and not used & spoken
    ]


@cache
def record() -> dict[str, list[dict[str, Any]]]:
    """Return the record: for each line of a label the two digests, and whether the paper prints
    it.
    """
    content: dict[str, list[dict[str, Any]]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return content


def is_printed(claim: Entry, number: int) -> bool | None:
    """Return whether the paper prints line `number` (0: the statement) as shown; None if that is
    not recorded.
    """
    rows = record().get(claim.label, [])
    return rows[number]["printed"] if number < len(rows) else None


def recorded_lines(claim: Entry, source: str | None) -> list[dict[str, Any]]:
    """Return the record of an entry; without the paper's source `printed` stays as it is.

    The lines of the paper's claims are compared with the source, the names of places are not.
    """
    latex = [claim.latex, *(step.latex for step in claim.steps)]
    of_the_paper = claim.origin.startswith("the paper") and claim.kind is not Kind.PLACE
    rows = []
    for number, line in enumerate(lines_of(claim)):
        printed = None
        if of_the_paper:
            printed = is_printed(claim, number) if source is None else occurs(latex[number], source)
        rows.append({"line": line_digest(line), "check": check_digest(line), "printed": printed})
    return rows


# The paper's macros in plain LaTeX.
_MACROS = {
    r"\lambdamax": r"\lambda_{\max}",
    r"\eqdef": "=",
    r"\RR": r"\mathbb{R}",
    r"\avein": r"\frac{1}{n}\sum_{i=1}^n",
    r"\argmin": "argmin",
    r"\Diag": "Diag",
    r"\Prob": "Prob",
    r"\cost": "cost",
    r"\star": "*",
    r"\bLambda": r"\Lambda",
    r"\bSigma": r"\Sigma",
    **{rf"\b{letter}": letter for letter in "IACLMPW"},
}


def normalized(latex: str) -> str:
    """Return LaTeX without mere notation, for comparing a line with the paper's source.

    Comments, labels, alignment, spacing, sizes of brackets, braces, brackets of expectations and
    bold type are dropped, the paper's macros expanded, the kinds of fractions and of dots made one.
    """
    text = re.sub(r"(?<!\\)%.*", "", latex)
    text = re.sub(r"\\(?:label|cite[a-z]*)\s*\{[^{}]*\}", "", text)
    text = re.sub(r"\\(?:STATE|FOR|ENDFOR)(?![A-Za-z])", " ", text)
    for name, value in _MACROS.items():
        text = re.sub(re.escape(name) + r"(?![A-Za-z])", f" {value} ".replace("\\", r"\\"), text)
    text = re.sub(r"\\(?:begin|end)\s*\{[a-z]*matrix\}", " matrix ", text)
    text = re.sub(r"\\(?:begin|end)\s*\{[^{}]*\}|\\(?:left|right|big|Big)(?![A-Za-z])", " ", text)
    text = text.replace(r"\|", "|")
    # An argument with up to two levels of braces in it.
    argument = r"((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)"
    for _ in range(6):
        text = re.sub(rf"\\norm\{{{argument}\}}", r"|\1|", text)
        text = re.sub(
            r"\\inp\{((?:[^{}]|\{[^{}]*\})*)\}\s*\{((?:[^{}]|\{[^{}]*\})*)\}",
            r"\\langle \1,\2\\rangle ",
            text,
        )
    text = re.sub(r"\\Exp(?![A-Za-z])", r"\\mathbb{E}", text)
    text = re.sub(
        r"\\(?:text|mathrm|mathbf|emph|substack|quad|qquad|color\{red\})(?![A-Za-z])", " ", text
    )
    text = re.sub(r"\\[td]frac", r"\\frac", text)
    text = re.sub(r"\\(?:ldots|cdots|dots)(?![A-Za-z])", "...", text)
    text = re.sub(r"\\mid(?![A-Za-z])", "|", text)
    text = text.replace(r"\mathbb{E}", "E")
    text = re.sub(r"\\[\\,;: ]", "", text)
    return re.sub(r"[\s{}\[\]$&~]", "", text)


def occurs(latex: str, source: str) -> bool:
    """Return whether every formula of a line is in the normalized source of the paper.

    Formulas are what stands between wide spaces and implications. One that begins inside an
    expectation of the source, or ends before an exponent or index, is another formula.
    """
    parts = re.split(r"\\q?quad(?![A-Za-z])|\\implies(?![A-Za-z])", latex)
    formulas = [normalized(part).strip(",.;:") for part in parts]
    return all(re.search(rf"(?<!E){re.escape(formula)}(?![\^_])", source) for formula in formulas)


def paper_source(folder: Path) -> str:
    """Return the normalized source of the paper: the .txt files of a folder."""
    return normalized(
        "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt")))
    )
