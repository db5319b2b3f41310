"""The command `rpttheory proofs`.

The rpttheory program finds it through its entry points, so the package never imports the ledger.
"""

from __future__ import annotations

from pathlib import Path

import click

from rpttheory.cli.options import Command, Output, Workers, output_options, worker_options
from rpttheory.cli.present import present
from rpttheory.cli.progress import progress
from rpttheory.errors import InvalidInput
from rpttheory.machine import usable_processors

DEPTHS = {"default": 1, "deep": 100}
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
    help="Time limit of each check, in seconds.",
)
@click.option("--formal", is_flag=True, help="Also compile the proofs in Coq.")
@click.option(
    "--cache-dir",
    default=None,
    metavar="DIR",
    help="Folder for compiled proofs.  [default: in the user's cache]",
)
@worker_options
@output_options(".html", ".json", verbose=True)
def proofs(
    labels: tuple[str, ...],
    rng: int,
    depth: str,
    time_limit: float,
    formal: bool,
    cache_dir: str | None,
    workers: Workers,
    output: Output,
) -> int:
    """Check every statement and every proof of the paper.

    Every printed line of the proofs is checked. With LABEL, only that statement and those that it
    depends on; LABEL is the LaTeX label of the paper, such as lem:upperBound, or its number there,
    'Lemma 5'.

    Exit code: 0 every status is as recorded, 1 one has changed, 3 a check gave no answer, 70 a
    check crashed (or Coq does not confirm what was recorded).
    """
    from rpttheory.report import Page
    from rpttheory.statements.numbering import as_label

    from .engine.render import Ledger
    from .engine.status import judge
    from .formal import coqc, formal_status, recorded, user_cache
    from .ledger import entries
    from .runner import run_checks

    labels = tuple(map(as_label, labels))
    claims = entries(labels)
    if formal:
        coqc()  # raises before a long run
    elif cache_dir is not None:
        raise InvalidInput(
            "needs `formal`", cache_dir, "--formal --cache-dir DIR", argument="cache_dir"
        )
    times = DEPTHS[depth]
    with workers.open() as opened, progress("checks", quiet=output.as_json) as show_progress:
        executor = None if workers.jobs == 1 else opened
        outcomes = run_checks(
            claims,
            rng=rng,
            depth=times,
            time_limit=time_limit,
            executor=executor,
            progress=show_progress,
        )
    if formal:
        with progress("formal proofs", quiet=output.as_json) as show_progress:
            theorems = formal_status(
                claims,
                build=user_cache() if cache_dir is None else Path(cache_dir),
                workers=workers.jobs or usable_processors(),
                progress=show_progress,
            )
    else:
        theorems = recorded(claims)
    ledger = Ledger(judge(claims, outcomes, theorems), labels, rng, times)
    return present(
        ledger,
        ledger.render(output.detail),
        lambda: Page(
            "The ledger of claims",
            "Which statements of the paper, and which of ours, are proved, and how?",
            ledger.summary() + ".",
            ledger.page(),
        ),
        output,
    )
