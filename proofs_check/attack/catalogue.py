"""Every inequality that can be attacked, by label, and the attack itself."""

import difflib
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path

from rpttheory import Verdict
from rpttheory.errors import InvalidInput
from rpttheory.runs.parallel import Report, Task, run_tasks
from rpttheory.runs.progress import Watch, unwatched
from rpttheory.theory.attack import SCHEMA, Counterexample, read_counterexample

from .construction import REACHABLE
from .function_statements import FUNCTION_STATEMENTS
from .inequality import Inequality
from .matrix_statements import MATRIX_STATEMENTS
from .result import AttackResult, content, load
from .search import search

_Key = tuple[str, int]

INEQUALITIES: tuple[Inequality, ...] = (*MATRIX_STATEMENTS, REACHABLE, *FUNCTION_STATEMENTS)


# Proofs of ours that repair the paper's: the statement attacked is the same. The last two say more.
SAME = {
    "our:keyQuantity": "lem:key_quantity/left",
    "our:generalizedSmoothness": "lem:generalizedSmoothness",
    "our:stronglyConvex": "thm:rcdStronglyConvex",
    "our:twoBounds": "lem:twoBounds/upper",
    "our:tightness": "prop:reachable_upper_bound",
    "our:polyakLojasiewicz": "our:functionValues",
    "our:proximal": "thm:rcdStronglyConvex",
}


def inequalities(label: str) -> tuple[Inequality, ...]:
    """The inequalities under a label, or the one named "label/part"; raises with the nearest names
    otherwise.
    """
    label = SAME.get(label, label)
    found = tuple(one for one in INEQUALITIES if label in (one.label, one.name))
    if not found:
        names = sorted({name for one in INEQUALITIES for name in (one.label, one.name)})
        near = difflib.get_close_matches(label, names, n=3, cutoff=0.4) or names[:3]
        raise InvalidInput("no inequality has this label", repr(label), ", ".join(near))
    return found


def attack(
    label: str,
    *,
    seconds: float = 5.0,
    seed: int = 0,
    max_evaluations: int | None = None,
    searches: int = 1,
    executor: Executor | None = None,
    watch: Watch = unwatched,
) -> AttackResult:
    """Try to break an inequality, or to show it tight.

    Parameters
    ----------
    label : str
        "lem:twoBounds" or, for one of its inequalities, "lem:twoBounds/upper". Where a label has
        several, the budget is shared among them and the one that came nearest to falling is
        returned, with what all came to in `tried`. Ctrl-C ends the search, and the worst instance
        so far is returned.
    seconds : float
        Wall-clock limit.
    seed : int
    max_evaluations : int, optional
        Another limit. Runs that it ends, and not the time, are repeatable.
    searches : int
        Independent searches, each with this much time and random numbers of its own, of which the
        best is returned.
    executor : Executor, optional
        Where they run; by default one after another in this process.
    watch : callable, optional
        Called with an `Event` that tells the largest ratio so far; its `done` is the number of
        problems evaluated.

    Examples
    --------
    >>> found = attack("lem:twoBounds/upper", seconds=60, seed=1, max_evaluations=3000)
    >>> print(found.ratio > 0.9999, found.verdict)
    True PROVED
    """
    if not seconds > 0 or (max_evaluations is not None and max_evaluations < 1):
        raise InvalidInput(
            "an attack needs time",
            f"{seconds} seconds, {max_evaluations} evaluations",
            suggest={"seconds": 5},
        )
    if searches < 1:
        raise InvalidInput(
            "must be at least 1", str(searches), argument="searches", suggest={"searches": 1}
        )
    chosen = inequalities(label)
    share = None if max_evaluations is None else -(-max_evaluations // len(chosen))
    keys = [(one.name, number) for number in range(searches) for one in chosen]
    found, stopped = _searches(keys, (seconds / len(chosen), seed, share), executor, watch)
    # In the order of the keys, not of their coming: the first of equals is always the same.
    results = [found[key] for key in keys if key in found]
    worst = max(results, key=lambda result: (result.verdict is Verdict.REFUTED, result.ratio))
    tried = {
        one.name: max(result.ratio for result in results if result.name == one.name)
        for one in results
    }
    return replace(
        worst, interrupted=stopped or any(result.interrupted for result in results), tried=tried
    )


def _searches(
    keys: list[_Key], budget: tuple[float, int, int | None], executor: Executor | None, watch: Watch
) -> tuple[dict[_Key, AttackResult], bool]:
    """What each search found, and whether Ctrl-C left some of them out."""
    found: dict[_Key, AttackResult] = {}
    if executor is None:
        for name, number in keys:
            found[name, number] = _search(name, number, *budget, watch)
            if found[name, number].interrupted:
                break
        return found, False
    tasks = [
        Task(key, _search_in_worker, (*key, *budget), f"{key[0]}, search {key[1] + 1}")
        for key in keys
    ]
    try:
        found.update(run_tasks(tasks, executor, watch))
    except KeyboardInterrupt:
        if not found:
            raise
        return found, True
    return found, False


def _search(
    name: str, number: int, seconds: float, seed: int, share: int | None, watch: Watch = unwatched
) -> AttackResult:
    (one,) = (each for each in INEQUALITIES if each.name == name)
    return search(
        one, seconds=seconds, seed=seed, max_evaluations=share, number=number, watch=watch
    )


def _search_in_worker(
    name: str, number: int, seconds: float, seed: int, share: int | None, report: Report
) -> AttackResult:
    return _search(name, number, seconds, seed, share, lambda event: report(event.doing))


def recheck(path: str | Path) -> AttackResult | Counterexample:
    """A saved result, of an attack on a label or on a claim, with ratio and verdict computed from
    the instance alone.

    Raises `InvalidInput` where the instance does not meet the assumptions of its statement.
    """
    found = content(path)
    if isinstance(found, dict) and found.get("schema") == SCHEMA:
        return read_counterexample(found)
    saved = load(path)
    matching = [one for one in inequalities(saved.label) if one.part == saved.part]
    if not matching:
        raise InvalidInput(
            f"{path}: no such part of {saved.label}", repr(saved.part), "the file as it was saved"
        )
    case = matching[0].space.read(saved.instance)
    ratio = float(matching[0].ratios(case.floats())[0])
    # The words are the catalogue's too: a file may say anything.
    one = matching[0]
    return replace(
        saved,
        statement=one.text,
        tight=one.tight,
        reason=one.reason,
        ratio=ratio,
        verdict=one.decide(case),
    )
