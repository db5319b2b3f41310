"""The command `rpttheory proofs`.

The rpttheory program finds it through its entry points, so that the package itself never imports
the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rpttheory import __version__
from rpttheory.cli.output import emit, emit_json, wide_option
from rpttheory.cli.page import html_option, write_html
from rpttheory.cli.progress import progress
from rpttheory.cli.workers import Workers, worker_options
from rpttheory.errors import InvalidInput
from rpttheory.machine import usable_processors

if TYPE_CHECKING:
    from .engine.judgement import Judgement

DEPTHS = {"default": 1, "deep": 100}
SCHEMA = "rpttheory/proofs/4"
INTERRUPTED = 130
# Seconds; beyond, the clock that ends a check cannot be set.
LONGEST = 1e6


@click.command()
@click.argument("labels", nargs=-1, metavar="[LABEL]...")
@click.option(
    "--json", "as_json", is_flag=True, help=f"Print the ledger as JSON (schema {SCHEMA})."
)
@html_option
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of the random instances.",
)
@click.option(
    "--depth",
    type=click.Choice(list(DEPTHS)),
    default="default",
    help="deep: 100 times the instances.",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True),
    default=None,
    help="Seconds a check may take.",
)
@click.option(
    "--formal",
    is_flag=True,
    help="Compile the proofs in Coq as well, which decide what they state.",
)
@click.option(
    "--kept",
    default=None,
    metavar="FOLDER",
    help="Of compiled proofs.  [default: in the user's cache]",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Go on with what the same command had found when Ctrl-C ended it.",
)
@worker_options
@wide_option
def proofs(
    labels: tuple[str, ...],
    as_json: bool,
    html: str | None,
    seed: int,
    depth: str,
    budget: float | None,
    formal: bool,
    kept: str | None,
    resume: bool,
    workers: Workers,
) -> int:
    """Check every statement of the paper and every printed line of its proofs, or those of LABEL
    and what it rests on.

    Exit code: 0 every status is as recorded, 1 one has changed, 3 a check gave no answer, 70 a
    check crashed (or Coq does not confirm what was recorded), 130 Ctrl-C: what is done is printed,
    and kept for --resume.
    """
    from .engine import kept as interrupted
    from .engine.judgement import judge
    from .engine.page import ledger_page
    from .engine.text import counts
    from .formal import recorded, user_cache
    from .ledger import entries, select
    from .runner import BUDGET, run_checks

    claims = entries(labels)
    _require_possible(budget, formal, kept)
    times = DEPTHS[depth]
    settings: dict[str, Any] = {"seed": seed, "depth": times, "budget": budget or BUDGET}
    place = user_cache().with_name("proofs-interrupted.json")
    known = interrupted.kept(place, settings) if resume else {}
    with workers.open() as opened, progress("checks", quiet=as_json) as watch:
        executor = None if workers.jobs == 1 else opened
        found = run_checks(claims, executor=executor, watch=watch, found=known, **settings)
    # An entry can be judged where it and everything that it rests on is done.
    done = [
        claim
        for claim in claims
        if all(one.label in found for one in select(claims, [claim.label]))
    ]
    missing = [claim.label for claim in claims if claim not in done]
    theorems = recorded()
    folder = user_cache() if kept is None else Path(kept)
    if formal and not missing:
        try:
            theorems |= _compiled(
                [c.label for c in claims if c.label in theorems], folder, workers, as_json
            )
        except KeyboardInterrupt:
            missing = [f"the formal proofs ({folder} keeps what is compiled)"]
    judgements = judge(done, found, theorems)
    if html is not None and not missing:
        page, more = ledger_page(judgements, seed=seed, depth=times)
        write_html(html, page, **more)
    if as_json:
        answer = {
            "schema": SCHEMA,
            "version": __version__,
            "seed": seed,
            "depth": times,
            "missing": missing,
        }
        emit_json(
            {
                **answer,
                "counts": counts(judgements),
                "claims": [judged.to_dict() for judged in judgements],
            }
        )
    else:
        _show(judgements, labels, seed, times)
    if not missing:
        return exit_code(judgements)
    interrupted.keep(place, known, settings)
    remedy = f"the same command with --resume, which goes on after {len(known)} checks"
    click.echo(
        f"rpttheory: interrupted\n  found: not done: {', '.join(missing)}\n  try:   {remedy}",
        err=True,
    )
    return INTERRUPTED


def _show(judgements: Sequence[Judgement], labels: Sequence[str], seed: int, times: int) -> None:
    from .engine.text import document, render_entry, summary

    if labels:
        chosen = [render_entry(judged) for judged in judgements if judged.claim.label in labels]
        emit("\n\n".join([*chosen, summary(judgements, seed=seed, depth=times)]))
    else:
        emit(document(judgements, seed=seed, depth=times))


def _compiled(labels: Sequence[str], folder: Path, workers: Workers, quiet: bool) -> dict[str, Any]:
    """What Coq says of the theorems of those labels."""
    from .formal import formal_status

    with progress("formal proofs", quiet=quiet) as watch:
        return formal_status(
            labels, build=folder, workers=workers.jobs or usable_processors(), watch=watch
        )


def _require_possible(budget: float | None, formal: bool, kept: str | None) -> None:
    """Raise before a long run where its options cannot be met."""
    if budget is not None and not budget <= LONGEST:
        raise InvalidInput(
            "--budget must be a number of seconds", f"{budget:g}", f"at most {LONGEST:g}"
        )
    if formal:
        from .formal import coqc

        coqc()
    elif kept is not None:
        raise InvalidInput("--kept is for --formal", kept, "--formal --kept FOLDER")


def exit_code(judgements: Sequence[Judgement]) -> int:
    """A crash comes before a change, a change before a check without an answer."""
    from .engine.entry import Status
    from .engine.judgement import broken

    statuses = {outcome.status for judged in judgements for outcome in judged.outcomes}
    if Status.ERROR in statuses or any(broken(judged.formal) for judged in judgements):
        return 70
    changed = [judged for judged in judgements if not judged.expected]
    if not changed:
        return 0
    found = [pair for judged in changed for pair in judged.statuses]
    # Where a check gives no answer what rests on it falls back to supported.
    weaker = (Status.UNDECIDED, Status.SUPPORTED)
    silent = all(status in (recorded, *weaker) for recorded, status in found)
    return 3 if silent and Status.UNDECIDED in statuses else 1
