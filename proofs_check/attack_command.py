"""The command `rpttheory attack`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rpttheory.cli.output import SpeaksOfClaims, emit, emit_json, wide_option
from rpttheory.cli.page import html_option, write_html, written_option
from rpttheory.cli.progress import progress
from rpttheory.cli.workers import Workers, worker_options
from rpttheory.errors import InvalidInput

from .command import LONGEST

if TYPE_CHECKING:
    from rpttheory.theory.attack import Counterexample

    from .attack import AttackResult


_LABEL_SECONDS = 5.0
_QUESTION = "Is there an instance on which this inequality fails?"
_HOW = (
    "The search in floats proves nothing; the worst instance is decided with every rounding"
    " accounted for."
)


@click.command(cls=SpeaksOfClaims)
@click.argument("label", required=False)
@click.option(
    "--claim",
    default=None,
    help="Attack a claim of your own about all matrices, such as 'L_P <= 2*lmax'.",
)
@click.option(
    "--where",
    multiple=True,
    help="A condition on the problems tried for --claim; repeatable, or with commas.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=None,
    help="Time limit.  [default: 5 for LABEL, none for --claim]",
)
@click.option(
    "--evaluations",
    type=click.IntRange(min=1),
    default=None,
    help="Problems to try for --claim.  [default: 200000, or 50000 if it names the optimum]",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--searches",
    type=int,
    default=1,
    show_default=True,
    help="Independent ones, shared among workers.",
)
@worker_options
@written_option("--save", "Write the worst instance as JSON.")
@click.option(
    "--recheck",
    default=None,
    metavar="FILE",
    help="Decide a saved instance again, instead of searching.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON (schema rpttheory/attack/1, of a claim counterexample/1).",
)
@html_option
@wide_option
def attack(
    label: str | None,
    claim: str | None,
    where: tuple[str, ...],
    seconds: float | None,
    evaluations: int | None,
    seed: int,
    searches: int,
    workers: Workers,
    save: str | None,
    recheck: str | None,
    as_json: bool,
    html: str | None,
) -> int:
    """Try to break an inequality, or to show it tight, over matrices, probabilities and blocks.

    LABEL is one of the paper's or ours, such as lem:twoBounds or lem:twoBounds/upper; without it
    all are listed. The instance with the largest left / right is decided rigorously: a ratio in
    floats proves nothing. Ctrl-C keeps the worst so far.

    --claim takes any claim about all positive semidefinite L, partitions, probabilities and costs
    that add up to 1. The worst problem is shown in small fractions. --where takes a comparison in
    the language of claims, such as 'B = 2' or 'min(p) >= 0.1', and 'p = closed', 'p = equal', 'c =
    equal', 'c = sizes', 'L diagonal', 'L block-diagonal' and 'sampling = independent' (or nested,
    single, any).

    The same seed gives the same result for --claim unless --seconds or Ctrl-C ends the search; it
    then says so. A search that finds no counterexample proves nothing about other problems.

    Exit code: 0 no counterexample was found, 1 REFUTED on the instance shown, 3 undecided there, or
    the search for a --claim was stopped early.
    """
    from rpttheory import Verdict
    from rpttheory.report import Page, Table
    from rpttheory.theory.attack import Counterexample

    from . import attack as library

    one_search = (searches, workers) == (1, Workers())
    _require_sense(seconds, evaluations, label, claim, where, save, recheck, one_search=one_search)
    found: AttackResult | Counterexample
    if recheck is not None:
        found = library.recheck(recheck)
    elif label is None and claim is None:
        rows = [(one.name, one.text, "yes" if one.tight else "no") for one in library.INEQUALITIES]
        emit([Table(("name", "statement", "tight"), rows)])
        return 0
    else:
        found = _searched(
            label, claim, where, seconds, evaluations, seed, searches, workers, as_json
        )
        if save is not None:
            library.save(found, save)
    text = str(found)
    if recheck is not None:
        text = (
            f"decided again from {recheck}; what is said of the search is as it was saved\n{text}"
        )
    if html is not None:
        answer = (
            f"{found.name} is {found.verdict} on the worst of {found.evaluations} instances:"
            f" {found.ratio:.10g}."
        )
        if isinstance(found, Counterexample):
            answer = f"{found.name}: {found.headline}."
        document = [line for line in text.split("\n") if line]
        write_html(html, Page(f"attack {found.name}", _QUESTION, answer, document, proved=(_HOW,)))
    if as_json:
        emit_json(found.to_dict())
    else:
        emit(text)
    if found.verdict is Verdict.REFUTED:
        return 1
    unfinished = isinstance(found, Counterexample) and found.unfinished
    return 3 if found.undecided or unfinished else 0


def _searched(
    label: str | None,
    claim: str | None,
    where: tuple[str, ...],
    seconds: float | None,
    evaluations: int | None,
    seed: int,
    searches: int,
    workers: Workers,
    quiet: bool,
) -> AttackResult | Counterexample:
    from rpttheory.theory.attack import find_counterexample

    from .attack import attack as search

    with workers.open() as opened, progress("attack", quiet=quiet) as watch:
        if claim is not None:
            return find_counterexample(
                claim,
                where=where,
                seconds=seconds,
                max_evaluations=evaluations,
                seed=seed,
                watch=watch,
            )
        executor = None if searches == 1 and workers.scheduler is None else opened
        seconds = _LABEL_SECONDS if seconds is None else seconds
        return search(
            str(label),
            seconds=seconds,
            seed=seed,
            searches=searches,
            executor=executor,
            watch=watch,
        )


def _require_sense(
    seconds: float | None,
    evaluations: int | None,
    label: str | None,
    claim: str | None,
    where: tuple[str, ...],
    save: str | None,
    recheck: str | None,
    one_search: bool,
) -> None:
    """Refuse options that do not go together, and more time than the clock has."""
    if evaluations is not None and claim is None:
        raise InvalidInput(
            "--evaluations limits the search for --claim", str(evaluations), "--seconds for LABEL"
        )
    if seconds is not None and not seconds <= LONGEST:
        raise InvalidInput("--seconds must be a number", f"{seconds:g}", f"at most {LONGEST:g}")
    if recheck is not None and not label is claim is save is None:
        other = label or (f"--save {save}" if claim is None else f"--claim {claim!r}")
        raise InvalidInput(
            "--recheck decides a saved instance and nothing else", other, "--recheck FILE alone"
        )
    if label is not None and any(sign in label for sign in "<>="):
        raise InvalidInput(
            "a claim of your own comes after --claim", repr(label), f"--claim {label!r}"
        )
    if (label is not None and claim is not None) or (where and claim is None):
        said = (
            f"{label} beside --claim"
            if claim is not None
            else f"--where {where[0]!r} without --claim"
        )
        raise InvalidInput(
            "either LABEL or --claim, and --where with --claim alone",
            said,
            "rpttheory attack --help",
        )
    if claim is not None and not one_search:
        raise InvalidInput(
            "--claim is attacked by one search in this process", claim, "more --evaluations instead"
        )
