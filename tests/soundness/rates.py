"""`rpttheory rates`: printed numbers of steps, derived again."""

import json
import math
from fractions import Fraction
from typing import Any

from .certificates import rows_of_tables
from .notation import decimal_text
from .printed import shown_interval
from .reals import Multiple, Pair, order, rational
from .step_counts import FIRST, Constants, needs_more
from .trial import Trial, digits_of
from .truth import Truth
from .typed import Typed, draw_typed


def rates(trial: Trial) -> None:
    """One problem with its printed table and its printed JSON."""
    rng = trial.rng
    typed = draw_typed(trial)
    if not typed.moderate:
        return
    eps = rng.choice(
        ("0.01", "1e-3", "0.5", "3", "1/7", decimal_text(rng, Fraction(1, rng.randint(2, 10**6))))
    )
    options = [*typed.options, "--eps", eps]
    distance = rng.choice(("1", "0.3", "25"))
    options += ["--squared-distance", distance]
    truth = None
    if typed.matrix is not None:
        truth = typed.truth("nested", [Fraction(1)] * len(typed.sizes))
    mu = "" if truth is None or rng.random() < 0.4 else _draw_mu(trial, truth)
    options += ["--mu", mu] * bool(mu)
    gap = rng.choice(("", "", "0.7"))
    options += ["--gap", gap] * bool(gap)
    call = f"command('rates', path, *{options!r}, '--json')"
    trial.program.append(call)
    code, out, complaint = trial.ask(call) or (70, "", "failed")
    if code == 2:
        trial.count("rates, refused")
        return
    if code not in (0, 3):
        trial.find(call, f"exit code {code}: {complaint}", "exit code 0, 2 or 3")
        return
    if typed.matrix is None or truth is None or not any(map(any, typed.matrix)):
        trial.find(call, out, "refused: labels, columns or a zero matrix")
        return
    trial.count("rates")
    if mu:
        trial.count("rates with mu")
        if order(rational(Fraction(mu)), truth.mu) == 1:
            trial.find(call, "accepted", f"refused, for lambda_min is {digits_of(truth.mu)}")
            return
    result = json.loads(out)
    if not mu and result["mu"] is not None:  # a bound of its own, which JSON rounds to a double
        trial.count("rates with a proved mu")
        mu = result["mu"]
        if order(rational(Fraction(mu) * (1 - Fraction(1, 2**52))), truth.mu) == 1:
            trial.find(call, f"mu = {mu}", f"lambda_min is {digits_of(truth.mu)}")
            return
    start = Fraction(distance), Fraction(gap) if gap else None, Fraction(mu or 0)
    _judge(trial, typed, truth, Fraction(eps), start, result)
    code, text, complaint = trial.ask(f"command('rates', path, *{options!r}, '--wide')") or (
        70,
        "",
        "failed",
    )
    _judge_text(trial, text, f"exit code {code}: {complaint}")


def _draw_mu(trial: Trial, truth: Truth) -> str:
    """Decimals next to lambda_min."""
    rng = trial.rng
    low, high = truth.mu(200)
    if high <= 0:
        return rng.choice(("1e-30", "0.1"))
    if low == high and rng.random() < 0.3:
        return str(low)
    factor = 1 + rng.choice((-1, -1, 1)) * Fraction(10) ** -rng.choice((1, 1, 2, 3, 6, 12, 16, 25))
    return (
        decimal_text(rng, low * factor)
        if rng.random() < 0.5
        else str(Fraction(float(low * factor)))
    )


def _judge(
    trial: Trial,
    typed: Typed,
    truth: Truth,
    eps: Fraction,
    start: tuple[Fraction, Fraction | None, Fraction],
    result: dict[str, Any],
) -> None:
    """Judge every printed prediction."""
    trial.at["counts"] = {}
    for choice, listed in result["probabilities"].items():
        p = [Fraction(q) for q in listed]
        constants = _constants(typed, p, truth, start)
        for row in (row for row in result["predictions"] if row["choice"] == choice):
            if row["steps"]["rigor"] == "NUMERICAL":
                trial.count("step counts, NUMERICAL")
                continue
            low, high = _ends(row["steps"])
            _judge_steps(trial, row["label"], choice, (low, high), eps, constants)
            trial.at["counts"][row["label"], choice] = eps, constants
            cost = truth.cost_of_step(p)
            cheap, dear = _ends(row["cost"])
            if (dear is not None and dear < low * cost) or (
                high is not None and cheap > high * cost
            ):
                trial.find(
                    f"the cost of {row['label']}, {choice}", str(row["cost"]), f"steps times {cost}"
                )


def _ends(printed: dict[str, Any]) -> tuple[Fraction, Fraction | None]:
    upper = printed["upper"]
    return Fraction(printed["lower"]), None if upper is None else Fraction(upper)


def _constants(
    typed: Typed, p: list[Fraction], truth: Truth, start: tuple[Fraction, Fraction | None, Fraction]
) -> Constants:
    nested = typed.truth("nested", p)
    distance, gap, mu = start
    lmax = truth.lmax(300)
    gaps: Pair = (gap, gap) if gap is not None else Multiple(truth.lmax, distance / 2)(300)
    return Constants(lmax, nested.L_P(300), nested.L_M(300), p, mu, distance, gaps)


def _judge_steps(
    trial: Trial,
    label: str,
    choice: str,
    printed: tuple[Any, Any],
    eps: Fraction,
    constants: Constants,
) -> None:
    """The upper end must suffice, and less than the lower end must not."""
    trial.count("step counts")
    low, high = printed
    least = FIRST.get(label, 0)
    if high is not None:
        enough = needs_more(label, max(least, int(high)), eps, constants)
        trial.count("step counts, not judged", int(enough is None))
        if enough or high < least:
            trial.find(f"steps of {label}, {choice}", f"{low} to {high}", "more steps are needed")
    below = math.ceil(low) - 1
    if below >= least and needs_more(label, below, eps, constants) is False:
        trial.find(f"steps of {label}, {choice}", f"{low} to {high}", f"{below} are enough")


def _judge_text(trial: Trial, text: str, otherwise: str) -> None:
    """Judge the same numbers in the table for people: one row per theorem and choice."""
    rows = rows_of_tables(text)
    header = ["theorem", "choice", "steps", "cost", "stepsize"]
    if rows.count(header) != 1:
        trial.find("the printed table", text, otherwise)
        return
    label, count = "", 0
    for cells in rows[rows.index(header) + 1 :]:
        choice, steps = cells[-4:-2] if len(cells) in {4, 5} else ("", "")
        if choice == "GD":
            choice, label = "gradient descent", cells[0]
        if (label, choice) in trial.at["counts"]:
            eps, constants = trial.at["counts"][label, choice]
            low, high = shown_interval(steps)
            count += 1
            if isinstance(low, Fraction) and isinstance(high, Fraction):
                _judge_steps(trial, label, choice, (low, high), eps, constants)
    if count != len(trial.at["counts"]):
        trial.find(
            "the printed table", text, f"{len(trial.at['counts'])} numbers of steps, not {count}"
        )
