"""Claims through the command line, where everything is text."""

import json
import math
from fractions import Fraction

from rpttheory.numbers import Bracket, Rigour

from .claims import draw_claim, judge_verdicts
from .families import dimension
from .forms import draw_matrix
from .laws import block_sizes, costs_per_block, probabilities_per_block
from .notation import decimal_text
from .trial import Trial
from .truth import Truth


def claims_by_command(trial: Trial) -> None:
    """The same through `rpttheory verify FILE`, where everything is text."""
    rng = trial.rng
    trial.inputs = "command line"
    d = dimension(rng)
    sizes = block_sizes(rng, d)
    data = rng.random() < 0.5
    matrix = draw_matrix(rng, d, semidefinite=True, form="data file" if data else "file")
    for line in matrix.lines:
        trial.write(line)
    arguments = ["--symmetrize"] * ("symmetrize" in matrix.make)
    arguments += [
        "--blocks",
        "each" if sizes == [1] * d and rng.random() < 0.5 else ",".join(map(str, sizes)),
    ]
    if data:
        n = len(trial.at["A"])
        ridge = rng.choice(("", "0", "0.1", "1e-18", "3"))
        trial.at["scale"] = Fraction(2, n)
        trial.at["shift"] = 2 * Fraction(ridge or 0)
        arguments += ["--data", *(["--ridge", ridge] if ridge else [])]
    style = rng.choice(("size", "equal", "numbers", "numbers"))
    prices = [Fraction(size) if style == "size" else Fraction(1) for size in sizes]
    if style == "numbers":
        typed = [decimal_text(rng, cost) for cost in costs_per_block(rng, sizes)]
        prices = [Fraction(item) for item in typed]
        arguments += ["--costs", ",".join(typed)]
    elif style == "equal" or rng.random() < 0.5:
        arguments += ["--costs", style]
    whole = Fraction(1) if style == "numbers" else sum(prices, Fraction(0))
    costs = [price / whole for price in prices]
    typed = [decimal_text(rng, p) for p in probabilities_per_block(rng, len(sizes))]
    p = [Fraction(item) for item in typed]
    sampling = rng.choice(("nested", "independent"))
    pairs = [
        [a if i == j else min(a, b) if sampling == "nested" else a * b for j, b in enumerate(p)]
        for i, a in enumerate(p)
    ]
    truth = Truth(matrix.meaning(trial.at), sizes, pairs, costs)
    asked = [draw_claim(rng, truth) for _ in range(rng.randint(5, 20))]
    arguments += ["--p", ",".join(typed), "--sampling", sampling, "--json"]
    arguments += [f"--claim={claim.text}" for claim in asked]
    call = f"command('verify', {matrix.file}, *{arguments!r})"
    answer = trial.ask(call)
    if answer is None:
        return
    code, out, complaint = answer
    if code == 2:
        trial.count("refused")
        trial.count("commands, refused")
        return
    if code not in (0, 1, 3):
        trial.find(call, complaint, "exit code 0, 1, 2 or 3")
        return
    trial.count("commands")
    result = json.loads(out)
    judge_verdicts(trial, truth, asked, [claim["verdict"] for claim in result["claims"]], call)
    for name, ends in result["quantities"].items():
        low, high = (
            side if ends[key] is None else Fraction(ends[key])
            for key, side in (("lower", -math.inf), ("upper", math.inf))
        )
        trial.judge(
            f"{name} of {call}", Bracket(low, high, Rigour[ends["rigour"]]), getattr(truth, name)
        )
