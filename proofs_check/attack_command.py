"""The command `rpttheory attack`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from rpttheory.cli.output import emit, emit_json
from rpttheory.cli.progress import progress
from rpttheory.cli.workers import Workers, worker_options
from rpttheory.errors import InvalidInput

from .command import LONGEST

if TYPE_CHECKING:
    from .attack import AttackResult


@click.command()
@click.argument("label", required=False)
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), default=5.0, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--searches", type=int, default=1, show_default=True, help="Independent ones, shared among workers.")
@worker_options
@click.option("--save", default=None, metavar="FILE", help="Write the worst instance as JSON.")
@click.option("--recheck", default=None, metavar="FILE", help="Decide a saved instance again, instead of searching.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON (schema rpttheory/attack/1).")
def attack(
    label: str | None,
    seconds: float,
    seed: int,
    searches: int,
    workers: Workers,
    save: str | None,
    recheck: str | None,
    as_json: bool,
) -> int:
    """Try to break an inequality, or to show it tight, over matrices, probabilities and blocks.

    LABEL is one of the paper's or ours, such as lem:twoBounds or lem:twoBounds/upper; without it all are listed. The
    instance with the largest left / right is decided rigorously: a ratio in floats proves nothing.

    Exit code: 0 it stands (PROVED on the worst instance), 1 broken (REFUTED there), 3 undecided there.
    """
    from rpttheory import Verdict
    from rpttheory.files import require_writable
    from rpttheory.report.text import table

    from . import attack as library

    if not seconds <= LONGEST:
        raise InvalidInput("--seconds must be a number", f"{seconds:g}", f"at most {LONGEST:g}")
    if recheck is not None:
        if label is not None or save is not None:
            raise InvalidInput(
                "--recheck decides a saved instance and nothing else", label or f"--save {save}", "--recheck FILE alone"
            )
        found = library.recheck(recheck)
    elif label is None:
        rows = [("name", "statement", "tight")]
        rows += [(one.name, one.text, "yes" if one.tight else "no") for one in library.INEQUALITIES]
        emit("\n".join(table(rows)))
        return 0
    else:
        if save is not None:
            require_writable(save, "another --save FILE")
        with workers.open() as opened, progress("attack", quiet=as_json) as watch:
            executor = None if searches == 1 and workers.scheduler is None else opened
            found = library.attack(label, seconds=seconds, seed=seed, searches=searches, executor=executor, watch=watch)
        if save is not None:
            library.save(found, save)
    if as_json:
        emit_json(found.to_dict())
    else:
        emit(_render(found))
    return {Verdict.PROVED: 0, Verdict.REFUTED: 1, Verdict.UNDECIDED: 3}[found.verdict]


def _render(found: AttackResult) -> str:
    lines = [
        f"{found.name}: {found.statement}",
        f"  largest left / right: {found.ratio:.10g}  ({found.evaluations} problems, {found.restarts} restarts, "
        f"seed {found.seed})",
        f"  on this instance:     {found.verdict}",
        f"  known to be tight:    {'yes' if found.tight else 'no'}: {found.reason}",
        "  instance:",
    ]
    return "\n".join([*lines, *(f"    {name} = {json.dumps(value)}" for name, value in found.instance.items())])
