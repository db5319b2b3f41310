"""The command `rpttheory proofs`.

The rpttheory program finds it through its entry points, so the package never imports the ledger.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rpttheory.cli.options import Command, Output, Workers, output_options, worker_options
from rpttheory.cli.output import remark
from rpttheory.cli.present import present
from rpttheory.cli.progress import progress
from rpttheory.errors import InvalidInput
from rpttheory.machine import usable_processors

DEPTHS = {"default": 1, "deep": 100}
INTERRUPTED = 130
# Seconds; the timer that ends a check takes no more.
MAX_TIME_LIMIT = 1e6


@click.command(cls=Command)
@click.argument("labels", nargs=-1, metavar="[LABEL]...")
@click.option(
    "--rng",
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
    type=click.FloatRange(min=0, min_open=True, max=MAX_TIME_LIMIT),
    default=30.0,
    help="Seconds that a check may take.",
)
@click.option("--formal", is_flag=True, help="Also compile the proofs in Coq.")
@click.option(
    "--cache-dir",
    default=None,
    metavar="DIR",
    help="Folder for compiled proofs.  [default: in the user's cache]",
)
@click.option("--resume", is_flag=True, help="Resume an interrupted run of the same command.")
@worker_options
@output_options(".html", ".json")
def proofs(
    labels: tuple[str, ...],
    rng: int,
    depth: str,
    time_limit: float,
    formal: bool,
    cache_dir: str | None,
    resume: bool,
    workers: Workers,
    output: Output,
) -> int:
    """Check every statement of the paper and every printed line of its proofs, or those of LABEL
    and what it depends on.

    Exit code: 0 every status is as recorded, 1 one has changed, 3 a check gave no answer, 70 a
    check crashed (or Coq does not confirm what was recorded), 130 Ctrl-C: what is done is printed
    and saved for --resume.
    """
    from dataclasses import replace

    from rpttheory.report import Page

    from .engine.render import Ledger
    from .engine.status import judge
    from .formal import coqc, formal_status, recorded, user_cache
    from .ledger import entries, select
    from .runner import load_outcomes, run_checks, save_outcomes

    claims = entries(labels)
    if formal:
        coqc()  # raises before a long run
    elif cache_dir is not None:
        raise InvalidInput(
            "needs `formal`", cache_dir, "--formal --cache-dir DIR", argument="cache_dir"
        )
    cache = user_cache() if cache_dir is None else Path(cache_dir)
    times = DEPTHS[depth]
    settings: dict[str, Any] = {"rng": rng, "depth": times, "time_limit": time_limit}
    saved = user_cache().parent
    outcomes = load_outcomes(saved, settings) if resume else {}
    with workers.open() as opened, progress("checks", quiet=output.as_json) as show_progress:
        executor = None if workers.jobs == 1 else opened
        finished = run_checks(
            claims, executor=executor, progress=show_progress, outcomes=outcomes, **settings
        )
    # An entry has a status if it and everything it depends on are finished.
    done = [
        claim
        for claim in claims
        if all(needed.label in finished for needed in select(claims, [claim.label]))
    ]
    missing = [claim.label for claim in claims if claim not in done]
    theorems = recorded(done)
    if formal and not missing:
        try:
            with progress("formal proofs", quiet=output.as_json) as show_progress:
                count = workers.jobs or usable_processors()
                theorems = formal_status(done, build=cache, workers=count, progress=show_progress)
        except KeyboardInterrupt:
            missing = [f"the formal proofs ({cache} has those that are compiled)"]
    ledger = Ledger(judge(done, finished, theorems), labels, rng, times, missing)
    code = present(
        ledger,
        ledger.render(),
        lambda: Page(
            "The ledger of claims",
            "Which statements of the paper, and which of ours, are proved, and how?",
            ledger.summary() + ".",
            ledger.page(),
        ),
        replace(output, files=()) if missing else output,
    )
    if not missing:
        return code
    save_outcomes(saved, outcomes, settings)
    remark("rpttheory: interrupted")
    remark(f"  found: not done: {', '.join(missing)}")
    remark(f"  try:   the same command with --resume, after {len(outcomes)} checks")
    return INTERRUPTED
