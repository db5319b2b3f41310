"""Formulas in running text: `sqrt(L_k / c_k)` in a sentence of the ledger becomes LaTeX."""

from __future__ import annotations

import re

GREEK = frozenset(
    ("alpha", "beta", "gamma", "delta", "eta", "theta", "kappa", "lambda", "mu", "nu", "rho")
) | {"sigma", "tau", "phi", "omega"}
FUNCTIONS = frozenset(("max", "min", "log", "exp", "sum"))
TOKEN = re.compile(
    r"""(?P<root>sqrt(?=\())
    | (?P<name>[A-Za-z]+'?(?:_(?:\{[^{}]*\}|[A-Za-z]*\d+|[A-Za-z]{1,4}(?![A-Za-z_])|closed\b))?
        (?:\^(?:\{[^{}]*\}|-?\w+|\*))?(?:\*(?![\w(]))?)(?!\w|:\w|'\w|\.\w|-[A-Za-z])
    | (?P<number>\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?(?!\w\w|:\w))
    | (?P<operator><=|>=|:=|\*\*|->|[-+*/=<>^|()\[\]])
    | (?P<space>\ +)
    | (?P<end>[^\s]+?(?=[\s(),;:.]|$)|.)""",
    re.VERBOSE | re.DOTALL,
)
OPERATORS = {
    "<=": r"\le ",
    ">=": r"\ge ",
    "*": r"\cdot ",
    "->": r"\to ",
    "<": r"\lt ",
    ">": r"\gt ",
}


def with_formulas(text: str) -> list[tuple[str, str]]:
    """Return the text as pairs of kind ("text" or "formula") and content, in LaTeX for formulas."""
    parts: list[tuple[str, str]] = []
    run: list[tuple[str, str]] = []

    def add(tokens: list[tuple[str, str]]) -> None:
        first, last = _trimmed(tokens)
        latex = _latex(tokens[first:last])
        plain = [token for _, token in tokens]
        if latex:
            parts.append(("text", "".join(plain[:first])))
            parts.append(("formula", latex))
        else:
            parts.append(("text", "".join(plain[:last])))
        if last and last < len(tokens):
            add(tokens[last:])
        elif not last:
            parts.append(("text", "".join(plain)))

    def flush() -> None:
        add(run)
        run.clear()

    for match in TOKEN.finditer(text):
        kind, token = str(match.lastgroup), match[0]
        article = token == "A" and re.match(" [a-z]", text[match.end() :])
        if kind == "end" or (kind == "name" and (article or not _mathematical(token))):
            flush()
            parts.append(("text", token))
        else:
            run.append((kind, token))
    flush()
    return parts


def _mathematical(name: str) -> bool:
    base = re.split(r"[_^*']", name)[0]
    if name == base:
        return base in GREEK | FUNCTIONS | {"eps", "lmax"} or (len(base) == 1 and base != "a")
    return len(base) <= 2 or base in GREEK | FUNCTIONS | {"eps", "slack", "log"}


def _trimmed(run: list[tuple[str, str]]) -> tuple[int, int]:
    """Return the ends of a run without spaces, operators and brackets that lack a partner."""
    first, last = 0, len(run)
    while first < last:
        depth, lowest = 0, 0
        for _, token in run[first:last]:
            depth += (token in "([") - (token in ")]")
            lowest = min(lowest, depth)
        head, tail = run[first], run[last - 1]
        if head[0] == "space" or (head[0] == "operator" and head[1] not in ("(", "[", "|", "-")):
            first += 1
        elif lowest < 0 or tail[0] == "space" or (tail[0] == "operator" and tail[1] not in ")]|"):
            last -= 1
        elif depth > 0:
            first += 1
        else:
            break
    return first, last


def _latex(run: list[tuple[str, str]]) -> str:
    """Return LaTeX, or nothing for a run that only has numbers, words or bars."""
    names = [token for kind, token in run if kind in ("name", "root")]
    if not any(name not in FUNCTIONS for name in names):
        return ""
    if sum(token == "|" for _, token in run) % 2:
        return ""
    words: list[str] = []
    closing: list[int] = []
    depth = 0
    for index, (kind, token) in enumerate(run):
        depth += token == "("
        if kind == "root" and run[index + 1 : index + 2] != [("operator", "(")]:
            return ""
        if kind == "root":
            words.append(r"\sqrt")
            closing.append(depth + 1)
        elif token == "(" and index and run[index - 1][0] == "root":
            words.append("{")
        elif token == ")" and closing and closing[-1] == depth:
            words.append("}")
            closing.pop()
        elif kind == "name":
            words.append(_name(token))
        else:
            words.append(OPERATORS.get(token, token if kind != "space" else " "))
        depth -= token == ")"
    return "" if closing or words[-1] == r"\sqrt" else "".join(words).strip()


def _name(token: str) -> str:
    match = re.fullmatch(
        r"([A-Za-z]+)('?)(?:_(\{.*?\}|[^^*]+))?(?:\^(\{.*?\}|[^*]+|\*))?(\*?)", token
    )
    assert match is not None, token
    base, prime, low, high, star = match.groups()
    if base in GREEK | FUNCTIONS:
        base = rf"\{base} "
    elif base == "eps":
        base = r"\varepsilon "
    elif base == "lmax":
        base = r"\lambda_{\max}"
    elif len(base) > 2:
        base = rf"\mathrm{{{base}}}"
    low, high = _script(low), _script(high) + star
    return base + prime + (f"_{{{low}}}" if low else "") + (f"^{{{high}}}" if high else "")


def _script(text: str | None) -> str:
    """Return a subscript or superscript; words are upright."""
    text = (text or "").strip("{}")
    if text in FUNCTIONS | GREEK:
        return rf"\{text}"
    return rf"\mathrm{{{text}}}" if len(text) > 2 and text.isalpha() else text
