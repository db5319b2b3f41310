"""Brackets of every quantity, against the number that they should contain."""

import random
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from .notation import exact_vector
from .reals import Real, rational
from .trial import Problem, Trial, check_untouched, draw_problem
from .truth import Truth

_PROPERTIES = (
    *("lmax", "L_P", "L_M", "cost", "total_cost", "gradient_descent", "c_P"),
    *("closed", "mu", "c_rounded", "c_closed"),
)


def brackets(trial: Trial) -> None:
    """Every quantity of one problem."""
    problem = draw_problem(trial, definite=False)
    if problem is None:
        return
    rng = trial.rng
    truth = problem.truth
    calls: list[tuple[str, Real]] = [
        ("lmax(L*)", truth.lmax),
        ("L_M(L, blocks, sampling=sampling*)", truth.L_M),
    ]
    if problem.costs != "None":
        calls += [
            ("sampling.expected_cost(c)", truth.cost),
            ("c_M(L, blocks, costs=c, sampling=sampling*)", truth.c_M),
            ("closed_form(L, blocks, c).bound", truth.closed),
        ]
    if "p" in trial.at:
        calls.append(("L_P(L, blocks, p*)", truth.L_P))
    if "p" in trial.at and problem.costs != "None":
        calls += [("cost(p, c)", truth.cost), ("c_P(L, blocks, p, c*)", truth.c_P)]
    asking: list[Callable[[], None]] = [
        partial(_ask_bracket, trial, call.replace("*", _effort(rng)), number)
        for call, number in calls
    ]
    asking += [partial(_ask_blocks, trial, truth), partial(_ask_instance, trial, problem)]
    rng.shuffle(asking)
    asking = asking[: rng.randint(2, len(asking))]
    if problem.matrix.is_wrapped and problem.matrix.meddling and rng.random() < 0.5:
        meddle = partial(_meddle, trial, problem.matrix.meddling)
        asking.insert(rng.randint(0, len(asking) - 1), meddle)
    for ask in asking:
        ask()
    check_untouched(trial, problem.before)


def _effort(rng: random.Random) -> str:
    return rng.choice(("", "", "", ", effort='sharp'", ", effort='sharp'", ", effort='exact'"))


def _meddle(trial: Trial, ways: Sequence[str]) -> None:
    """The caller goes on with his own arrays; the answers must stay what they were."""
    trial.write(trial.rng.choice(ways))
    trial.at["meddled"] = True


def _ask_bracket(trial: Trial, call: str, truth: Real) -> None:
    bracket = trial.ask(call)
    if bracket is not None:
        trial.judge(call, bracket, truth)


def _ask_blocks(trial: Trial, truth: Truth) -> None:
    call = f"block_L(L, blocks{_effort(trial.rng)})"
    for k, bracket in enumerate(trial.ask(call) or ()):
        trial.judge(f"{call}[{k}]", bracket, truth.block_L[k])


def _ask_instance(trial: Trial, problem: Problem) -> None:
    """The properties of an Instance, in random order, since they feed on each other."""
    rng = trial.rng
    truth = problem.truth
    law = problem.law_arguments(rng)
    effort = rng.choice(("", "", ".with_effort('sharp')", ".with_effort('exact')"))
    if not trial.do("instance", f"Problem(L, blocks, costs={problem.costs}, {law}){effort}"):
        return
    truth.p_near = exact_vector(trial.at["instance"].closed_form.probabilities)
    vectors = [
        name for name in ("c", "p", "masses") if isinstance(trial.at.get(name), (np.ndarray, list))
    ]
    meddled = rng.choice(vectors) if vectors and rng.random() < 0.3 else None
    if meddled is not None:
        trial.write(f"saved = list({meddled}); {meddled}[0] = 7")
    for name in rng.sample(_PROPERTIES, rng.randint(3, len(_PROPERTIES))):
        _ask_bracket(trial, f"instance.{name}", getattr(truth, name))
    for k, bracket in enumerate(trial.ask("instance.block_L") or ()):
        trial.judge(f"instance.block_L[{k}]", bracket, truth.block_L[k])
    for k, bracket in enumerate(trial.ask("instance.marginals") or ()):
        trial.judge(f"instance.marginals[{k}]", bracket, rational(truth.p[k]))
    if meddled is not None:
        trial.write(f"{meddled}[:] = saved")
