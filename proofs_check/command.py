"""The command `rpttheory proofs`.

The rpttheory program finds it through its entry points, so that the package itself never imports the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rpttheory.cli.output import emit, emit_json, remark
from rpttheory.cli.progress import progress
from rpttheory.cli.workers import Workers, worker_options
from rpttheory.errors import InvalidInput
from rpttheory.files import require_writable
from rpttheory.machine import usable_processors

if TYPE_CHECKING:
    from .engine.judgement import Judgement

DEPTHS = {"default": 1, "deep": 100}
SCHEMA = "rpttheory/proofs/3"
INTERRUPTED = 130
# Seconds; beyond, the clock that ends a check cannot be set.
LONGEST = 1e6


@click.command()
@click.argument("labels", nargs=-1, metavar="[LABEL]...")
@click.option("--json", "as_json", is_flag=True, help=f"Print the ledger as JSON (schema {SCHEMA}).")
@click.option("--html", default=None, metavar="FILE", help="Also write a page that works offline, with the graph.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the random instances.")
@click.option("--depth", type=click.Choice(list(DEPTHS)), default="default", help="deep: 100 times the instances.")
@click.option("--budget", type=click.FloatRange(min=0, min_open=True), default=None, help="Seconds a check may take.")
@click.option("--smt", is_flag=True, help="Let z3 decide the symbolic checks as well (extra smt).")
@click.option("--formal", is_flag=True, help="Compile the proofs in Coq as well, which decide what they state.")
@click.option("--kept", default=None, metavar="FOLDER", help="Of compiled proofs.  [default: in the user's cache]")
@worker_options
def proofs(
    labels: tuple[str, ...],
    as_json: bool,
    html: str | None,
    seed: int,
    depth: str,
    budget: float | None,
    smt: bool,
    formal: bool,
    kept: str | None,
    workers: Workers,
) -> int:
    """Check every statement of the paper and every printed line of its proofs, or those of LABEL and what it rests on.

    Exit code: 0 every status is as recorded, 1 one has changed, 3 a check gave no answer, 70 a check crashed (or z3
    contradicts it, or Coq does not confirm what was recorded), 130 Ctrl-C: what is done is printed.
    """
    from .engine.judgement import judge
    from .engine.runner import BUDGET, run_checks
    from .engine.text import counts, render_entry, render_ledger, summary
    from .formal import coqc, formal_status, recorded, user_cache
    from .ledger import all_entries, select

    claims = select(all_entries(), labels)
    if budget is not None and not budget <= LONGEST:
        raise InvalidInput("--budget must be a number of seconds", f"{budget:g}", f"at most {LONGEST:g}")
    times = DEPTHS[depth]
    if html is not None:
        require_writable(html, "another --html FILE")
    if smt:
        from .checks.smt import require_z3

        require_z3()
    if formal:
        coqc()
    elif kept is not None:
        raise InvalidInput("--kept is for --formal", kept, "--formal --kept FOLDER")
    with workers.open() as opened, progress("checks", quiet=as_json) as watch:
        executor = None if workers.jobs == 1 else opened
        found = run_checks(
            claims, seed=seed, depth=times, budget=budget or BUDGET, executor=executor, smt=smt, watch=watch
        )
    # An entry can be judged where it and everything that it rests on is done.
    done = [claim for claim in claims if all(one.label in found for one in select(claims, [claim.label]))]
    missing = [claim.label for claim in claims if claim not in done]
    theorems = recorded()
    if formal and not missing:
        wanted = [claim.label for claim in claims if claim.label in theorems]
        folder = user_cache() if kept is None else Path(kept)
        try:
            with progress("formal proofs", quiet=as_json) as watch:
                count = workers.jobs or usable_processors()
                theorems |= formal_status(wanted, build=folder, workers=count, watch=watch)
        except KeyboardInterrupt:
            missing = [f"the formal proofs ({folder} keeps what is compiled)"]
    judgements = judge(done, found, theorems)
    if html is not None and not missing:
        from .engine.page import write_page

        write_page(html, judgements, seed=seed, depth=times)
        remark(f"wrote {html}")
    if as_json:
        answer = {"schema": SCHEMA, "seed": seed, "depth": times, "missing": missing, "counts": counts(judgements)}
        emit_json({**answer, "claims": [judged.to_dict() for judged in judgements]})
    elif labels:
        entries_text = [render_entry(judged) for judged in judgements if judged.claim.label in labels]
        emit("\n\n".join([*entries_text, summary(judgements, seed=seed, depth=times)]))
    else:
        emit(render_ledger(judgements, seed=seed, depth=times))
    if missing:
        click.echo(f"rpttheory: interrupted\n  found: not done: {', '.join(missing)}", err=True)
        return INTERRUPTED
    return exit_code(judgements)


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
