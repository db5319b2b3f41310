"""Interrupted searches: what is printed must be true, and say that it is unfinished."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from .certificates import judge_check, judge_compare
from .families import gram_rows
from .printed import StatedTruth, contains
from .trial import Trial, shown
from .typed import Typed, draw_typed

MODULES = {name: sys.modules[f"rpttheory.cli.{name}"] for name in ("compare", "rates")}


class Interruption:
    """Stands in the place of a command's progress: KeyboardInterrupt at the n-th bracket that a
    search reports.
    """

    def __init__(self, at: int) -> None:
        self.at = at
        self.calls = 0

    @property
    def happened(self) -> bool:
        return self.calls >= self.at

    @contextlib.contextmanager
    def watched(
        self, quiet: bool
    ) -> Iterator[tuple[Callable[[float, float], None], Callable[[Any], None]]]:
        yield self.show, lambda event: None

    def show(self, lower: float, upper: float) -> None:
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt

    def replacing(self, command: str) -> AbstractContextManager[Any]:
        return mock.patch.object(MODULES[command], "search_progress", self.watched)


def interrupts(trial: Trial) -> None:
    """`compare` and `rates` on one problem, both interrupted."""
    typed = draw_typed(trial)
    if typed.matrix is None or not any(map(any, typed.matrix)) or not typed.moderate:
        return
    trial.at["proof"] = trial.at["written"]("proof.json", "")
    at = trial.rng.choice((1, 1, 2, 3, 5, 8, 15, 25, 40))
    interruption = Interruption(at)
    objective = "both" if len(typed.sizes) <= 4 else "c_P"  # many blocks have many orders
    call = (
        f"command('compare', path, *{typed.options!r}, '--objective', {objective!r},"
        " '--certificate', proof)"
    )
    trial.program += [f"# KeyboardInterrupt at the {at}th bracket", call]
    with interruption.replacing("compare"):
        answer = trial.ask(call)
    if answer is None or answer[0] == 2:
        return
    truth = _judge_compare(trial, typed, answer, interrupted=interruption.happened)
    if truth is not None:
        _rates(trial, typed, truth)


def _judge_compare(
    trial: Trial, typed: Typed, answer: tuple[int, str, str], *, interrupted: bool
) -> StatedTruth | None:
    code, out, complaint = answer
    trial.count("interrupts")
    trial.count("interrupts, too late", int(not interrupted))
    if code not in (0, 3):
        trial.find(
            "compare, interrupted", f"exit code {code}: {out}{complaint}", "exit code 0 or 3"
        )
        return None
    truth = judge_check(trial, typed, {})
    if truth is None:
        return None
    judge_compare(trial, truth, out)
    unfinished = re.findall(r"(?m)^  (optimum of \S+).* \(interrupted\)", out)
    if interrupted and bool(unfinished) != (code == 3):
        trial.find(
            "compare, interrupted",
            f"exit code {code}: {out}",
            "exit code 3 with a row marked (interrupted)",
        )
    low, high = truth.best(200)  # type: ignore[misc]
    if "optimum of c(P)" not in unfinished and code == 0 and high - low > high / 10**5:
        trial.find("compare, interrupted", out, f"unfinished: [{float(low)}, {float(high)}]")
    return truth


def _rates(trial: Trial, typed: Typed, truth: StatedTruth) -> None:
    at = trial.rng.choice((1, 1, 2, 3, 5, 8))
    interruption = Interruption(at)
    call = f"command('rates', path, *{typed.options!r})"
    trial.program += [f"# KeyboardInterrupt at the {at}th bracket", call]
    with interruption.replacing("rates"):
        code, out, complaint = trial.ask(call) or (70, "", "failed")
    if code == 2:
        return
    trial.count("interrupts")
    trial.count("interrupts, too late", int(not interruption.happened))
    last = re.search(r"its least value (is|seems to be) in (\[.*\])\.$", out.rstrip())
    marked = (
        last is not None
        and "best so far" in out
        and "UNFINISHED" in out
        and "steps, optimum" not in out
    )
    if code not in (0, 3) or marked != (code == 3):
        trial.find(
            "rates, interrupted",
            f"exit code {code}: {out}{complaint}",
            "exit code 3, marked as unfinished",
        )
    elif last is not None and last[1] == "is" and not contains(last[2], truth.best):
        trial.find("rates, interrupted", last[2], f"the optimum is {shown(truth.best)}")


# ---- Ctrl-C to a process


def signals(trial: Trial) -> None:
    """SIGINT to a running `rpttheory compare`, at a random time."""
    rng = trial.rng
    d = rng.randint(8, 15)
    rows = gram_rows([[rng.randint(-5, 5) for _ in range(d)] for _ in range(d)])
    text = "".join(",".join(str(x) for x in row) + "\n" for row in rows)
    path = trial.at["written"]("signal.csv", text)
    proof = trial.at["written"]("proof.json", "")
    trial.at |= {"path": path, "proof": proof}
    delay = rng.uniform(0.2, 4)
    trial.inputs = "SIGINT"
    trial.program += [f"# {text!r}", f"# SIGINT to compare after {delay} s"]
    command = [
        sys.executable,
        "-m",
        "rpttheory",
        "compare",
        path,
        "--blocks",
        "each",
        "--objective",
        "both",
    ]
    process = subprocess.Popen(
        [*command, "--certificate", proof],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=partial(
            signal.signal, signal.SIGINT, signal.SIG_DFL
        ),  # ignored where this runs behind "&"
    )
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    out, complaint = process.communicate()
    trial.count("signals")
    trial.count(f"signals, exit code {process.returncode}")
    if process.returncode in (130, -signal.SIGINT):
        if out:
            trial.find("compare, SIGINT", out, "nothing on standard output")
        return
    if process.returncode not in (0, 3):
        trial.find(
            "compare, SIGINT",
            f"exit code {process.returncode}: {complaint}",
            "exit code 0, 3 or 130",
        )
        return
    shares = [Fraction(1, d)] * d
    typed = Typed(text, [], rows, [1] * d, list(range(d)), None, shares, comparable=True)
    if Path(proof).read_text(encoding="utf-8"):
        _judge_compare(
            trial, typed, (process.returncode, out, complaint), interrupted=process.returncode == 3
        )
