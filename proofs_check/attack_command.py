"""The command `rpttheory attack`."""

from __future__ import annotations

import json
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


_QUESTION = "Is there an instance on which this inequality fails?"
_HOW = "The search in floats proves nothing; the worst instance is decided with every rounding accounted for."


@click.command(cls=SpeaksOfClaims)
@click.argument("label", required=False)
@click.option("--claim", default=None, help="Attack a claim of your own about all matrices, such as 'L_P <= 2*lmax'.")
@click.option(
    "--where", multiple=True, help="A condition on the problems tried for --claim; repeatable, or with commas."
)
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), default=5.0, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--searches", type=int, default=1, show_default=True, help="Independent ones, shared among workers.")
@worker_options
@written_option("--save", "Write the worst instance as JSON.")
@click.option("--recheck", default=None, metavar="FILE", help="Decide a saved instance again, instead of searching.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON (schema rpttheory/attack/1, of a claim counterexample/1)."
)
@html_option
@wide_option
def attack(
    label: str | None,
    claim: str | None,
    where: tuple[str, ...],
    seconds: float,
    seed: int,
    searches: int,
    workers: Workers,
    save: str | None,
    recheck: str | None,
    as_json: bool,
    html: str | None,
) -> int:
    """Try to break an inequality, or to show it tight, over matrices, probabilities and blocks.

    LABEL is one of the paper's or ours, such as lem:twoBounds or lem:twoBounds/upper; without it all are listed. The
    instance with the largest left / right is decided rigorously: a ratio in floats proves nothing. Ctrl-C keeps the
    worst so far.

    --claim takes any claim about all positive semidefinite L, partitions, probabilities and costs that add up to 1. The
    worst problem is shown in small fractions. --where takes a comparison in the language of claims, such as 'B = 2' or
    'pmin >= 0.1', and 'p = closed', 'p = equal', 'c = equal', 'c = sizes', 'L diagonal', 'L block-diagonal' and
    'sampling = independent' (or nested, single, any).

    Exit code: 0 it stands (PROVED on the worst instance), 1 broken (REFUTED there), 3 undecided there.
    """
    from rpttheory import Verdict
    from rpttheory.report import Page, Table
    from rpttheory.theory.attack import find_counterexample

    from . import attack as library

    if not seconds <= LONGEST:
        raise InvalidInput("--seconds must be a number", f"{seconds:g}", f"at most {LONGEST:g}")
    _require_sense(label, claim, where, save, recheck)
    if claim is not None and (searches, workers) != (1, Workers()):
        raise InvalidInput("--claim is attacked by one search in this process", claim, "more --seconds instead")
    found: AttackResult | Counterexample
    if recheck is not None:
        found = library.recheck(recheck)
    elif label is None and claim is None:
        rows = [(one.name, one.text, "yes" if one.tight else "no") for one in library.INEQUALITIES]
        emit([Table(("name", "statement", "tight"), rows)])
        return 0
    else:
        with workers.open() as opened, progress("attack", quiet=as_json) as watch:
            executor = None if searches == 1 and workers.scheduler is None else opened
            if claim is not None:
                found = find_counterexample(claim, where=where, seconds=seconds, seed=seed, watch=watch)
            else:
                found = library.attack(
                    str(label), seconds=seconds, seed=seed, searches=searches, executor=executor, watch=watch
                )
        if save is not None:
            library.save(found, save)
    name, text = (found.name, _render(found)) if isinstance(found, library.AttackResult) else (found.claim, str(found))
    if recheck is not None:
        text = f"decided again from {recheck}; what is said of the search is as it was saved\n{text}"
    if html is not None:
        answer = f"{name} is {found.verdict} on the worst of {found.evaluations} instances: {found.ratio:.10g}."
        document = [line for line in text.split("\n") if line]
        write_html(html, Page(f"attack {name}", _QUESTION, answer, document, proved=(_HOW,)))
    if as_json:
        emit_json(found.to_dict())
    else:
        emit(text)
    if not isinstance(found, library.AttackResult) and found.verdict is Verdict.UNDECIDED and not found.undecided:
        return 0  # a tie: nothing was found against the claim
    return {Verdict.PROVED: 0, Verdict.REFUTED: 1, Verdict.UNDECIDED: 3}[found.verdict]


def _require_sense(
    label: str | None, claim: str | None, where: tuple[str, ...], save: str | None, recheck: str | None
) -> None:
    """Refuse options that do not go together."""
    if recheck is not None and not label is claim is save is None:
        other = label or (f"--save {save}" if claim is None else f"--claim {claim!r}")
        raise InvalidInput("--recheck decides a saved instance and nothing else", other, "--recheck FILE alone")
    if label is not None and any(sign in label for sign in "<>="):
        raise InvalidInput("a claim of your own comes after --claim", repr(label), f"--claim {label!r}")
    if (label is not None and claim is not None) or (where and claim is None):
        said = f"{label} beside --claim" if claim is not None else f"--where {where[0]!r} without --claim"
        raise InvalidInput("either LABEL or --claim, and --where with --claim alone", said, "rpttheory attack --help")


def _render(found: AttackResult) -> str:
    lines = [
        f"{found.name}: {found.statement}",
        f"  largest left / right: {found.ratio:.10g}  ({found.evaluations} problems, {found.restarts} restarts, "
        f"seed {found.seed}{', interrupted' if found.interrupted else ''})",
        f"  on this instance:     {found.verdict}",
        f"  known to be tight:    {'yes' if found.tight else 'no'}: {found.reason}",
        *(
            f"  tried:                {name}: {ratio:.10g}"
            for name, ratio in found.tried.items()
            if len(found.tried) > 1
        ),
        "  instance:",
    ]
    return "\n".join([*lines, *(f"    {name} = {json.dumps(value)}" for name, value in found.instance.items())])
