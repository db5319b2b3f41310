"""`rpttheory campaign`: one question about thousands of matrices."""

from pathlib import Path

import click

from .options import (
    Command,
    Output,
    Workers,
    out_option,
    output_options,
    time_limit_option,
    worker_options,
)
from .output import Interrupted, as_json, emit, remark
from .present import command_line
from .progress import progress


@click.command(cls=Command)
@click.argument("grid", required=False, metavar="GRID.toml")
@out_option()
@worker_options
@time_limit_option
@output_options()
def campaign(grid: str | None, out: str, workers: Workers, output: Output) -> int:
    """Run verify, compare or rates on every matrix of a grid.

    A grid lists files (.npy, .npz, .csv, .txt or .mtx), data sets and random matrices. Every result
    is a row of one SQLite file in the folder --out, so a run may be killed at any time and resumed.
    At the end the folder has report.json and report.html. Without GRID.toml nothing is computed:
    the report is made from the existing rows.

    Exit code: 0 nothing refuted, 1 something refuted, 2 bad input, 3 something undecided, failed
    or interrupted.
    """
    from ..experiments.campaign import (
        read_grid,
        run_campaign,
        summarize,
        write_report,
    )
    from ..runs.store import Store

    if grid is not None:
        settings = read_grid(grid)
        try:
            store = Store(out, "campaign", settings.content)
            with (
                workers.open() as executor,
                progress("campaign", quiet=output.as_json) as show_progress,
            ):
                run_campaign(settings, store, executor=executor, progress=show_progress)
        except (KeyboardInterrupt, click.Abort):
            raise Interrupted("the same command again, which resumes the run") from None
    folder = Path(out)
    summary = summarize(Store(folder, "campaign"))
    title = Path(grid).stem if grid else folder.name
    paths = write_report(summary, folder, title, command_line())
    if output.as_json:
        emit(as_json(summary.to_dict()))
    else:
        emit(summary.render(), wide=output.wide)
        remark("wrote " + ", ".join(paths))
    return summary.exit_code
