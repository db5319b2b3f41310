"""`--latex` prints formulas that convert, balanced, and with the digest of the certificate."""

import json
import re
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path

import pytest
from latex2mathml.converter import convert
from program import Run

from rpttheory import verify
from rpttheory.certificates.checker import digest
from rpttheory.certificates.problem_latex import escaped, value
from rpttheory.numbers import Bracket

COMMANDS = [
    "verify L.npy --blocks 1,2 --claim 'L_P <= lmax'",
    "compare L.npy --blocks 1,2",
    "rates L.npy --blocks 1,2",
    "attack 'c_closed <= 1.1*c_P' --max-evaluations 3000",
    "attack thm:rcdConvex --max-evaluations 200",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_its_formulas_convert(command: str, run: Run) -> None:
    text = run(f"{command} --latex").out
    formulas = re.findall(r"\\\[(.*?)\\\]|\$(.*?)\$", text, re.DOTALL)
    formulas += [(line, "") for line in re.findall(r"^(.*?&&.*?)(?: \\\\)?$", text, re.MULTILINE)]
    assert len(formulas) >= 3 and "pmatrix" in text and r"\cite{rpttheory}" in text
    for display, inline in formulas:
        source = (display or inline).replace("&&", r"\quad")
        shown = "".join(ET.fromstring(convert(source)).itertext())
        assert r"\text{" in source or "\\" not in shown, source
    begun, ended = (re.findall(rf"\\{word}\{{([a-z*]+)\}}", text) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended) and text.count("{") == text.count("}")


def test_the_digest_is_that_of_the_certificate(run: Run) -> None:
    for command in COMMANDS[:2]:
        text = run(f"{command} --latex --certificate proof.json").out
        statement = json.loads(Path("proof.json").read_text(encoding="utf-8"))["statement"]
        assert digest(statement) in text and digest(statement) in run("check proof.json").out
    refuted = run(f"{COMMANDS[0]} --latex").out.splitlines()
    assert [line for line in refuted if r"\not\leq" in line] == [
        line for line in refuted if "claim:1" in line
    ]


def test_numbers_and_names() -> None:
    assert value(Bracket(2.0**-30, 2.0**-29)) == r"[9.313 \cdot 10^{-10}, 1.863 \cdot 10^{-9}]"
    assert escaped("a_b^2 {c} 5%") == r"a\_b\textasciicircum{}2 \{c\} 5\%"
    text = verify([[0.1, 0.0], [0.0, 1 / 3]], "each").latex()
    assert r"{pmatrix} 0.1 & 0 \\ 0 & 0.3333333333333333 \end" in text and "nearest double" in text
    text = verify([[Fraction(1, 3), 0], [0, Fraction("0.25")]], "each").latex()
    assert r"{pmatrix} \frac{1}{3} & 0 \\ 0 & 0.25 \end" in text and "nearest" not in text
    assert (
        "pmatrix"
        not in verify([[float(i == k) for k in range(11)] for i in range(11)], "each").latex()
    )


def test_a_comparison_states_its_cost_model(run: Run) -> None:
    text = run("compare L.npy --blocks each --backprop --overhead 0.3 --budget 1 --latex").out
    assert "c_0 = 0.3" in text and "deepest" in text and "at most 1 " in text
    assert "$0, 1, 2$" in text and "exceeds the budget" in text
    assert len(re.findall(r"every sampling.* & \$\\ge [\d.]+\$", text)) == 2
    plain = run("compare L.npy --blocks each --latex").out
    assert "c_0" not in plain and "deepest" not in plain and "budget" not in plain
    assert r"c \approx (0.333333, 0.333333, 0.333333)$" in plain and r"\text{" not in plain


def test_rates_state_where_they_start(run: Run) -> None:
    text = run("rates L.npy --blocks 1,2 --mu 0.25 --gap 2 --latex").out
    assert r"$f(x_0) - f^* = 2$" in text and r"$\mu = 0.25$" in text
    assert r"\mu" not in run("rates L.npy --blocks 1,2 --mu none --latex").out
