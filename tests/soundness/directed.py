"""Small inputs on which the package was once wrong, or easily could be: the attack begins with these."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction

from rpttheory.certify import Bracket
from rpttheory.errors import InvalidInput

from .reals import rational
from .scope import command
from .trial import Tally, Trial, check_untouched, snapshot


@dataclass(frozen=True)
class Known:
    """The caller's lines, lines in which he goes on with his arrays, a question and what is true.

    A fraction is to be enclosed; a verdict may also be UNDECIDED; None says that only a refusal is right. Any input may
    be refused.
    """

    name: str
    lines: tuple[str, ...]
    ask: str
    truth: Fraction | str | None


def verdict(*arguments: str) -> str:
    """The verdict of the last claim of `rpttheory verify ...`."""
    code, out, complaint = command("verify", *arguments, "--json")
    if code == 2:
        raise InvalidInput(complaint)
    if code not in (0, 1, 3):
        raise RuntimeError(complaint)
    return str(json.loads(out)["claims"][-1]["verdict"])


def by_command(cells: list[list[str]], *arguments: str) -> str:
    return f"verdict(table('m.csv', {cells!r}), *{list(arguments)!r})"


def by_verify(matrix: str, claim: str, more: str = "") -> str:
    return f"verify({matrix}, Blocks([1] * len({matrix})), claims=[{claim!r}]{more}).claims[-1].verdict.value"


_BIG = 2**53 + 1
_EYE = [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]]
_TENTH = [["0.1", "0"], ["0", "0.05"]]
_DATA = ("A = np.array([[1.0], [3.0], [5.0]])",)
_MOMENTS = "ExplicitSampling([[1, 1], [1, 0], [0, 1]], [1, 1e-20, 1e-20])"
_CSR = "A = sp.csr_array((data, np.array({indices}), np.array({indptr})), shape=({n}, {n}))"


def _csr(data: str, indices: list[int], indptr: list[int], *, frozen: bool = False) -> tuple[str, ...]:
    lines = f"data = np.array({data})", _CSR.format(indices=indices, indptr=indptr, n=len(indptr) - 1)
    locks = "data.flags.writeable = A.indices.flags.writeable = A.indptr.flags.writeable = False"
    return (*lines, locks) if frozen else lines


def _after(made: str, meddling: str, effort: str, truth: Fraction, first: tuple[str, ...] = _DATA) -> Known:
    """An answer, then the caller changes his array, then the same question."""
    lines = (*first, f"L = {made}", "lambda_max(L)", meddling)
    return Known("6 the caller's array, changed later", lines, f"lambda_max(L, effort={effort!r})", truth)


def _costs(source: str, truth: Fraction | None) -> Known:
    return Known("9 numbers that are no floats", (f"c = {source}",), "expected_cost([1.0, 1.0], c)", truth)


def _probabilities(source: str, truth: Fraction | None) -> Known:
    return Known("9 numbers that are no floats", (f"p = {source}",), "expected_cost(p, [1.0, 1.0])", truth)


def _scale(source: str, truth: Fraction | None) -> Known:
    lines = ("A = np.array([[1.0]])", f"scale = {source}")
    return Known("9 numbers that are no floats", lines, "lambda_max(gram(A, scale), effort='exact')", truth)


KNOWN = (
    Known("1 the scale 2/n", (), by_command([["1"]] * 3, "--data", "--blocks=1", "--claim=lmax < 2"), "REFUTED"),
    Known("1 the scale 2/n", (), by_command([["1"]] * 3, "--data", "--blocks=1", "--claim=lmax == 2"), "PROVED"),
    Known("1 the scale 2/n", (), "lambda_max(gram([[1.0]] * 3, Fraction(2, 3)))", Fraction(2)),
    Known(
        "1 the shift 2X",
        (),
        by_command([["1"]], "--data", "--blocks=1", "--ridge=0.1", "--claim=lmax == 2.2"),
        "PROVED",
    ),
    Known("2 shares", (), by_command(_EYE, "--blocks=each", "--p=1,1,1", "--claim=c_P < lmax"), "REFUTED"),
    Known(
        "2 shares",
        (),
        "Problem(np.eye(3), Blocks([1, 1, 1]), probabilities=[1.0, 1.0, 1.0]).total_cost",
        Fraction(1),
    ),
    Known("2 shares", (), by_verify("np.eye(3)", "cost >= 1", ", probabilities=[1.0, 1.0, 1.0]"), "PROVED"),
    Known("3 decimals", (), by_command(_TENTH, "--blocks=each", "--claim=lmax <= 0.1"), "PROVED"),
    Known("3 decimals", (), by_command(_EYE, "--blocks=each", "--p=0.1,1,1", "--claim=pmin <= 0.1"), "PROVED"),
    Known("3 decimals", (), f"lambda_max(read_matrix(table('m.csv', {_TENTH!r})))", Fraction(1, 10)),
    Known("3 decimals", (), f"lambda_max(read_matrix(market({_TENTH!r}, 'array', 'general')))", Fraction(1, 10)),
    Known(
        "3 decimals",
        (),
        by_command(_EYE, "--blocks=each", "--costs=0.1,0.2,0.7", "--p=1,1,1", "--claim=cost == 1"),
        "PROVED",
    ),
    Known("4 integers beyond 2^53", (), f"lambda_max(read_matrix(table('m.csv', [['{_BIG}']])))", Fraction(_BIG)),
    Known("4 integers beyond 2^53", (), f"lambda_max(np.array([[{_BIG}]]))", Fraction(_BIG)),
    Known("4 integers beyond 2^53", (), f"lambda_max([[{_BIG}, 0], [0, 1]])", Fraction(_BIG)),
    Known("4 integers beyond 2^53", (), f"lambda_max(diagonal([{_BIG}, 1]))", Fraction(_BIG)),
    Known("4 integers beyond 2^53", (), f"expected_cost([1.0, 1.0], [{_BIG}, 1])", Fraction(_BIG + 1)),
    Known("4 integers beyond 2^53", (), f"lambda_max(gram([[{_BIG}]]))", Fraction(_BIG) ** 2),
    Known(
        "5 masses of very different size",
        (),
        by_verify("[[2.0, 1.0], [1.0, 2.0]]", "L_M == L_P", f", sampling={_MOMENTS}"),
        "REFUTED",
    ),
    _after("gram(A)", "A *= 10", "exact", Fraction(35)),
    _after("gram(A)", "A *= 10", "fast", Fraction(35)),
    _after("gram(A.T)", "A *= 10", "exact", Fraction(35)),
    _after("diagonal(A[:, 0])", "A *= 10", "exact", Fraction(5)),
    _after("as_smoothness(A)", "A *= 10", "exact", Fraction(2), ("A = np.ones((2, 2))",)),
    _after(
        "as_smoothness(A)", "data *= 10", "exact", Fraction(3), _csr("[2.0, 1.0, 1.0, 2.0]", [0, 1, 0, 1], [0, 2, 4])
    ),
    _after("gram(A)", "data *= 10", "exact", Fraction(9), _csr("[3.0, 1.0]", [0, 1], [0, 1, 2])),
    Known("8 the root of a negative L_k", (), by_verify("np.diag([1.0, -1e-11])", "closed < 0.5"), "UNDECIDED"),
    Known("8 the root of a negative L_k", (), by_verify("np.diag([1.0, -1e-11])", "closed >= 0.5"), "UNDECIDED"),
    *(
        ask(source, truth)
        for source, truth in (
            ("[Fraction(1, 3), Fraction(2, 3)]", Fraction(1)),
            ("[Decimal('0.1'), Decimal('0.2')]", Fraction(3, 10)),
            ("['0.1', '0.2']", Fraction(3, 10)),
            ("np.array(['0.1', '0.2'])", Fraction(3, 10)),
            ("np.array([Fraction(1, 3), Decimal('0.1')], dtype=object)", Fraction(13, 30)),
            ("np.array([1, 1], dtype=np.longdouble) - np.longdouble(2) ** -60", 2 - Fraction(1, 2**59)),
            ("[0.5 + 0j, 0.25 + 0j]", Fraction(3, 4)),
            ("[0.5 + 1j, 0.25 + 0j]", None),
            ("np.array([0.5 + 1j, 0.25])", None),
            ("np.ma.masked_array([0.5, 0.25], mask=[True, False])", None),
            ("[float('nan'), 1.0]", None),
            ("[[0.5], [0.25]]", None),
        )
        for ask in (_costs, _probabilities)
    ),
    _scale("Fraction(1, 3)", Fraction(1, 3)),
    _scale("Decimal('0.1')", Fraction(1, 10)),
    _scale("np.longdouble(1) + np.longdouble(2) ** -60", 1 + Fraction(1, 2**60)),
    _scale("2 ** 53 + 1", Fraction(_BIG)),
    _scale("'0.1'", Fraction(1, 10)),
    _scale("0.5 + 1j", None),
    _scale("np.ma.masked", None),
    Known("10 sparse", _csr("[1.0, 2.0]", [1, 0], [0, 2, 2], frozen=True), "lambda_max(gram(A))", Fraction(5)),
    Known(
        "10 sparse",
        _csr("[1.0, 2.0, 2.0, 1.0]", [1, 0, 1, 0], [0, 2, 4], frozen=True),
        "lambda_max(A, effort='exact')",
        Fraction(3),
    ),
    Known("10 sparse", _csr("[1.0, 2.0, 2.0, 1.0]", [1, 0, 1, 0], [0, 2, 4]), "lambda_max(A)", Fraction(3)),
    Known("10 sparse", _csr("[2.0 ** 53, 1.0]", [0, 0], [0, 2]), "lambda_max(A)", Fraction(_BIG)),
    Known("10 sparse", _csr("[100, 100], dtype=np.int8", [0, 0], [0, 2]), "lambda_max(A)", Fraction(200)),
    Known("10 sparse", _csr("[200, 200], dtype=np.uint8", [0, 0], [0, 2]), "lambda_max(gram(A))", Fraction(160000)),
)


def attack_known(tally: Tally) -> None:
    """Ask each of them once."""
    for number, known in enumerate(KNOWN):
        trial = Trial(tally, f"known {number}")
        trial.inputs = known.name
        trial.at["verdict"] = verdict
        trial.count("known")
        ready = all(trial.do(line) for line in known.lines)
        before = snapshot(trial.at)
        answer = trial.ask(known.ask) if ready else None
        check_untouched(trial, before)
        if answer is None:
            continue
        if known.truth is None:
            trial.find(known.ask, str(answer), "InvalidInput")
        elif isinstance(answer, Bracket):
            assert isinstance(known.truth, Fraction)
            trial.judge(known.ask, answer, rational(known.truth))
        elif answer not in (known.truth, "UNDECIDED"):
            trial.find(known.ask, answer, f"{known.truth}")
