"""`rpttheory doctor`: what this installation is, for the top of a report."""

import click

from .output import emit, emit_json


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON (schema rpttheory/doctor/1).")
def doctor(as_json: bool) -> int:
    """Say what results are computed with here: versions, BLAS, processor, arithmetic and extras.

    Exit code: 0, or 2 where the arithmetic is such that nothing can be proved.
    """
    from ..provenance import SAFE, provenance, provenance_rows
    from ..report.text import table

    block = provenance()
    if as_json:
        emit_json({"schema": "rpttheory/doctor/1"})
    else:
        emit("\n".join(table(provenance_rows(block))))
    return 0 if block["arithmetic"] == SAFE else 2
