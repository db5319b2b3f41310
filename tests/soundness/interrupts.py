"""Interrupted searches: what is printed must be true, and say that it is unfinished."""

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from rpttheory.runs.progress import Event, ProgressCallback

from .certificates import judge_check, judge_compare
from .printed import contains
from .reals import gram_of
from .trial import Trial, digits_of
from .truth import Truth
from .typed import Typed, draw_typed

MODULES = {name: sys.modules[f"rpttheory.cli.{name}"] for name in ("compare", "rates")}


class Interruption:
    """Replaces a command's progress: KeyboardInterrupt at the n-th bracket of a search."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.calls = 0

    @property
    def happened(self) -> bool:
        return self.calls >= self.at

    @contextlib.contextmanager
    def watched(self, time_limit: float | None = None) -> Iterator[ProgressCallback]:
        yield self.show

    def show(self, event: Event) -> None:
        self.calls += event.bracket is not None
        if event.bracket is not None and self.calls == self.at:
            raise KeyboardInterrupt

    def replacing(self, command: str) -> AbstractContextManager[Any]:
        return mock.patch.object(MODULES[command], "search_progress", self.watched)


def interrupts(trial: Trial) -> None:
    """`compare` and `rates` on one problem, both interrupted."""
    typed = draw_typed(trial)
    if typed.matrix is None or not any(map(any, typed.matrix)) or not typed.moderate:
        return
    trial.at["proof"] = trial.at["write_file"]("proof.json", "")
    at = trial.rng.choice((1, 1, 2, 3, 5, 8, 15, 25, 40))
    interruption = Interruption(at)
    orders = ["--orders"] * (len(typed.sizes) <= 4)  # many blocks have many orders
    options = [*typed.options, *orders, "--wide"]
    call = f"command('compare', path, *{options!r}, '--certificate', proof)"
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
) -> Truth | None:
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
    unfinished = re.findall(r"(?m)^  (optimum of c\(P\)|nested, least c_M) .* interrupted", out)
    if interrupted and bool(unfinished) != (code == 3):
        trial.find(
            "compare, interrupted",
            f"exit code {code}: {out}",
            "exit code 3 with a row marked interrupted",
        )
    low, high = truth.best(200)  # type: ignore[misc]
    if "optimum of c(P)" not in unfinished and code == 0 and high - low > high / 10**5:
        trial.find("compare, interrupted", out, f"unfinished: [{float(low)}, {float(high)}]")
    return truth


def _rates(trial: Trial, typed: Typed, truth: Truth) -> None:
    at = trial.rng.choice((1, 1, 2, 3, 5, 8))
    interruption = Interruption(at)
    call = f"command('rates', path, *{typed.options!r}, '--wide')"
    trial.program += [f"# KeyboardInterrupt at the {at}th bracket", call]
    with interruption.replacing("rates"):
        code, out, complaint = trial.ask(call) or (70, "", "failed")
    if code == 2:
        return
    trial.count("interrupts")
    trial.count("interrupts, too late", int(not interruption.happened))
    last = re.search(r"its least value (is|seems to be) in (\[.*\])\.$", " ".join(out.split()))
    marked = (
        last is not None
        and "best so far" in out
        and "UNFINISHED" in out
        and not re.search(r"(?m)^ .*  optimum  ", out)
    )
    if code not in (0, 3) or marked != (code == 3):
        trial.find(
            "rates, interrupted",
            f"exit code {code}: {out}{complaint}",
            "exit code 3, marked as unfinished",
        )
    elif last is not None and last[1] == "is" and not contains(last[2], truth.best):
        trial.find("rates, interrupted", last[2], f"the optimum is {digits_of(truth.best)}")


# ---- Ctrl-C to a process


def signals(trial: Trial) -> None:
    """SIGINT to a running `rpttheory compare`, soon after it shows the first bracket."""
    rng = trial.rng
    d = rng.randint(8, 15)
    rows = gram_of([[rng.randint(-5, 5) for _ in range(d)] for _ in range(d)])
    text = "".join(",".join(str(x) for x in row) + "\n" for row in rows)
    path = trial.at["write_file"]("signal.csv", text)
    proof = trial.at["write_file"]("proof.json", "")
    trial.at |= {"path": path, "proof": proof}
    delay = rng.choice((0, rng.uniform(0, 2)))
    trial.inputs = "SIGINT"
    trial.program += [f"# {text!r}", f"# SIGINT to compare {delay} s after the first bracket"]
    options = ["--blocks", "each", "--orders", "--wide", "--certificate", proof]
    code, out, complaint = _interrupted_process(["compare", path, *options], delay)
    trial.count("signals")
    trial.count(f"signals, exit code {code}")
    if code in (130, -signal.SIGINT):
        if out:
            trial.find("compare, SIGINT", out, "nothing on standard output")
        return
    if code not in (0, 3):
        trial.find("compare, SIGINT", f"exit code {code}: {complaint}", "exit code 0, 3 or 130")
        return
    shares = [Fraction(1, d)] * d
    typed = Typed(text, [], rows, [1] * d, list(range(d)), None, shares, comparable=True)
    if Path(proof).read_text(encoding="utf-8"):
        trial.count("signals, judged")
        _judge_compare(trial, typed, (code, out, complaint), interrupted=code == 3)


def _interrupted_process(arguments: list[str], delay: float) -> tuple[int, str, str]:
    """The exit code, output and errors of a command that gets SIGINT after its first bracket.

    Brackets are shown on a terminal alone, so standard error is a pseudo-terminal.
    """
    terminal, standard_error = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "rpttheory", *arguments],
        stdout=subprocess.PIPE,
        stderr=standard_error,
        text=True,
        encoding="utf-8",
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "200", "TERM": "xterm"},
        # The signal is ignored by default where this runs behind "&".
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    os.close(standard_error)
    complaint = b""
    interrupted = False
    with contextlib.suppress(OSError):  # at the end of the process
        while piece := os.read(terminal, 4096):
            complaint += piece
            if not interrupted and b", gap " in complaint:
                interrupted = True
                time.sleep(delay)
                process.send_signal(signal.SIGINT)
    os.close(terminal)
    out, _ = process.communicate()
    return process.returncode, out, complaint.decode(errors="replace")
