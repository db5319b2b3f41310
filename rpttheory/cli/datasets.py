"""`rpttheory datasets`: the data that come with the package."""

import click

from .output import emit, wide_option


@click.command()
@wide_option
def datasets() -> None:
    """List the matrices and tables that dataset:NAME stands for in place of a FILE."""
    from ..datasets import about, names
    from ..report import Table

    rows = []
    for entry in map(about, names()):
        what = entry.title if entry.optimum is None else f"{entry.title}, optimum {entry.optimum}"
        rows.append((entry.name, entry.kind, f"{entry.rows} x {entry.columns}", what, entry.licence))
    emit([Table(("name", "kind", "size", "what", "licence"), rows, frozenset({2}))])
    emit("\nSources: rpttheory/datasets/SOURCES.md. Use:  rpttheory verify dataset:bcsstk01 --blocks 6x8")
