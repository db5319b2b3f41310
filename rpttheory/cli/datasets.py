"""`rpttheory datasets`: the data that come with the package."""

from __future__ import annotations

import click

from .output import emit


@click.command()
def datasets() -> None:
    """List the matrices and tables that dataset:NAME stands for in place of a FILE."""
    from ..datasets import about, names
    from ..report.text import table

    rows = [("name", "kind", "size", "what", "licence")]
    for entry in map(about, names()):
        what = entry.title if entry.optimum is None else f"{entry.title}, optimum {entry.optimum}"
        rows.append((entry.name, entry.kind, f"{entry.rows} x {entry.columns}", what, entry.licence))
    emit("\n".join(table(rows, right=frozenset({2}))))
    emit("\nSources: rpttheory/datasets/SOURCES.md. Use:  rpttheory verify dataset:bcsstk01 --blocks 6x8")
