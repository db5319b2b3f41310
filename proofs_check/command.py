"""The command `rpttheory proofs`.

The rpttheory program finds it through its entry points, so that the package itself never imports
the ledger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rpttheory import __version__
from rpttheory.cli.options import Command, Output, Workers, output_options, worker_options
from rpttheory.cli.output import remark
from rpttheory.cli.present import present
from rpttheory.cli.progress import progress
from rpttheory.errors import InvalidInput
from rpttheory.machine import usable_processors

if TYPE_CHECKING:
    from rpttheory.report import Document

    from .engine.judgement import Judgement

DEPTHS = {"default": 1, "deep": 100}
SCHEMA = "rpttheory/proofs/4"
INTERRUPTED = 130
# Seconds; the clock that ends a check cannot be set to more.
LONGEST = 1e6


@dataclass(frozen=True)
class _Ledger:
    """The judged entries and the settings of the run, for `present`."""

    judgements: Sequence[Judgement]
    settings: Mapping[str, Any]
    missing: Sequence[str]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe values."""
        from .engine.text import counts

        return {
            "schema": SCHEMA,
            "version": __version__,
            **self.settings,
            "missing": list(self.missing),
            "counts": counts(self.judgements),
            "claims": [judged.to_dict() for judged in self.judgements],
        }

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return INTERRUPTED if self.missing else exit_code(self.judgements)


@click.command(cls=Command)
@click.argument("labels", nargs=-1, metavar="[LABEL]...")
@click.option(
    "--rng",
    "seed",
    type=click.IntRange(min=0),
    default=0,
    help="Seed of the random instances.",
)
@click.option(
    "--depth",
    type=click.Choice(list(DEPTHS)),
    default="default",
    help="'deep' tries 100 times as many instances.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    help="Seconds that one check may take.",
)
@click.option(
    "--formal",
    is_flag=True,
    help="Also compile the proofs in Coq, which decide what they state.",
)
@click.option(
    "--cache-dir",
    metavar="DIR",
    help="Folder for compiled proofs.  [default: in the user's cache]",
)
@click.option("--resume", is_flag=True, help="Resume an interrupted run of the same command.")
@worker_options
@output_options(".html", ".json")
def proofs(
    labels: tuple[str, ...],
    seed: int,
    depth: str,
    time_limit: float | None,
    formal: bool,
    cache_dir: str | None,
    resume: bool,
    workers: Workers,
    output: Output,
) -> int:
    """Check every statement of the paper and every printed line of its proofs.

    With LABELs only these are checked, and what they rest on.

    Exit code: 0 every status is as recorded, 1 one has changed, 3 a check gave no answer, 70 a
    check crashed (or Coq does not confirm what was recorded), 130 Ctrl-C: finished checks are
    printed, and saved for --resume.
    """
    from dataclasses import replace

    from .engine import kept as interrupted
    from .engine.judgement import judge
    from .engine.page import ledger_page
    from .formal import recorded, user_cache
    from .ledger import entries, select
    from .runner import BUDGET, run_checks

    claims = entries(labels)
    _check_options(time_limit, formal, cache_dir)
    times = DEPTHS[depth]
    settings: dict[str, Any] = {"seed": seed, "depth": times, "budget": time_limit or BUDGET}
    place = user_cache().with_name("proofs-interrupted.json")
    outcomes = interrupted.kept(place, settings) if resume else {}
    with workers.open() as opened, progress("checks", quiet=output.as_json) as show_progress:
        executor = None if workers.jobs == 1 else opened
        results = run_checks(
            claims, executor=executor, progress=show_progress, found=outcomes, **settings
        )
    # An entry can be judged if it and everything that it rests on is done.
    done = [
        claim
        for claim in claims
        if all(needed.label in results for needed in select(claims, [claim.label]))
    ]
    missing = [claim.label for claim in claims if claim not in done]
    theorems = recorded()
    folder = user_cache() if cache_dir is None else Path(cache_dir)
    if formal and not missing:
        try:
            names = [claim.label for claim in claims if claim.label in theorems]
            theorems |= _compiled(names, folder, workers, output.as_json)
        except KeyboardInterrupt:
            missing = [f"the formal proofs ({folder} has what is compiled)"]
    judgements = judge(done, results, theorems)
    ledger = _Ledger(judgements, {"seed": seed, "depth": times}, missing)
    code = present(
        ledger,
        _document(judgements, labels, seed, times),
        lambda: ledger_page(judgements, seed=seed, depth=times),
        replace(output, files=()) if missing else output,
    )
    if missing:
        interrupted.keep(place, outcomes, settings)
        remark("rpttheory: interrupted")
        remark(f"  found: not done: {', '.join(missing)}")
        remark(f"  try:   the same command with --resume, after {len(outcomes)} checks")
    return code


def _document(
    judgements: Sequence[Judgement], labels: Sequence[str], seed: int, times: int
) -> Document:
    """Return the entries with these labels in full, or a table of all entries."""
    from .engine.text import document, render_entry, summary

    if not labels:
        return document(judgements, seed=seed, depth=times)
    entries = [render_entry(judged) for judged in judgements if judged.claim.label in labels]
    return "\n\n".join([*entries, summary(judgements, seed=seed, depth=times)]).split("\n")


def _compiled(labels: Sequence[str], folder: Path, workers: Workers, quiet: bool) -> dict[str, Any]:
    """Return what Coq says of the theorems with these labels."""
    from .formal import formal_status

    with progress("formal proofs", quiet=quiet) as show_progress:
        return formal_status(
            labels,
            build=folder,
            workers=workers.jobs or usable_processors(),
            progress=show_progress,
        )


def _check_options(time_limit: float | None, formal: bool, cache_dir: str | None) -> None:
    """Raise before a long run if its options cannot be met."""
    if time_limit is not None and not time_limit <= LONGEST:
        raise InvalidInput(
            f"must be at most {LONGEST:g} seconds",
            f"{time_limit:g}",
            argument="time_limit",
            suggest={"time_limit": 60},
        )
    if formal:
        from .formal import coqc

        coqc()
    elif cache_dir is not None:
        raise InvalidInput(
            "needs `formal`", cache_dir, "--formal --cache-dir DIR", argument="cache_dir"
        )


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
