"""`rpttheory campaign`: one question asked of thousands of matrices, on this machine or on a
cluster.
"""

from pathlib import Path

import click

from .output import Interrupted, emit, emit_json, remark
from .page import said
from .progress import progress
from .workers import Workers, worker_options


@click.command()
@click.argument("grid", required=False, metavar="GRID.toml")
@click.option(
    "--out", default=None, type=click.Path(), help="Folder for results; made if it is not there."
)
@click.option(
    "--report",
    default=None,
    type=click.Path(),
    metavar="DIR",
    help="Show what is in DIR, and compute nothing.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the report as JSON (schema rpttheory/campaign/2).",
)
@worker_options
def campaign(
    grid: str | None, out: str | None, report: str | None, as_json: bool, workers: Workers
) -> int:
    """Verify, compare or rate every matrix of a grid: files, data sets and random matrices of ten
    kinds.

    Every result is a row of one SQLite file in --out, which a kill at any time leaves whole: the
    same command goes on. At the end, and with --report, there are a text, report.json, pictures and
    report.html beside it.

    Exit code: 0 nothing refuted, 1 something refuted, 2 bad input, 3 something undecided or failed.
    """
    from ..errors import InvalidInput
    from ..experiments.campaign import (
        read_grid,
        run_campaign,
        summarize,
        write_report,
    )
    from ..runs.store import Store

    if (grid is None) == (report is None) or (grid is None) != (out is None):
        given = " ".join(
            word for word in (grid, out and f"--out {out}", report and f"--report {report}") if word
        )
        raise InvalidInput(
            "a campaign is run, or reported",
            given or "neither",
            "GRID.toml --out DIR, or --report DIR",
        )
    if grid is not None and out is not None:
        chosen = read_grid(grid)
        try:
            store = Store(out, "campaign", chosen.content)
            with workers.open() as executor, progress("campaign", quiet=as_json) as watch:
                run_campaign(chosen, store, executor=executor, watch=watch)
        except (KeyboardInterrupt, click.Abort):
            raise Interrupted("the same command again; it goes on where it stopped") from None
    folder = Path(report or out or "")
    found = summarize(Store(folder, "campaign"))
    written = write_report(found, folder, Path(grid).stem if grid else folder.name, said())
    if as_json:
        emit_json(found.to_dict())
    else:
        emit(str(found))
        remark("wrote " + ", ".join(written))
    return found.exit_code
