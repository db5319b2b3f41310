"""Small commands: `rpttheory demo`, `datasets`, `doctor` and `cite`."""

import click

from .. import __version__
from .options import Command, Output, output_options
from .output import as_json, emit

# Row 3 of table:quad_functions: block sizes, smoothness constants, and the printed speed-up.
_SIZES = (10, 100, 1000)
_CONSTANTS = (256.7, 54.8, 11.0)
_PRINTED = "5.7"
_CLAIMS = ("lmax / closed >= 5.65", "lmax / closed >= 5.4", "lmax / c_P >= 11.8")


@click.command(cls=Command)
@output_options(as_json=False, digits=True, verbose=True)
def demo(output: Output) -> None:
    """Check a row of the paper's quadratic table in a few seconds."""
    import numpy as np

    from ..problem.blocks import Blocks
    from ..problem.smoothness import diagonal
    from ..statements.verify import verify

    blocks = Blocks(_SIZES)
    result = verify(diagonal(np.repeat(_CONSTANTS, _SIZES)), blocks, claims=_CLAIMS)
    problem = result.problem
    bound = problem.lmax / problem.closed
    exact = problem.lmax / problem.c_P
    printed, *_ = (claim for claim in result.claims if claim.label == "claim:1")
    emit(result.render("table:quad_functions, row 3", detail=output.detail), wide=output.wide)
    emit(
        f"\nThe paper prints a theoretical speed-up of {_PRINTED} over gradient descent for this"
        f" row. The claim\nthat its formula gives at least 5.65 is {printed.verdict}. It gives"
        f" {bound.midpoint:.4f}, and the exact\nspeed-up at the paper's own probabilities is"
        f" {exact.midpoint:.4f}.\n\nNow your matrix:  rpttheory verify L.npy --blocks 10,50,250"
    )


@click.command(cls=Command)
@output_options(as_json=False)
def datasets(output: Output) -> None:
    """List the matrices and tables that come with the package.

    Write dataset:NAME in place of FILE to use one.
    """
    from ..datasets import about, names
    from ..report import Table

    rows = []
    for entry in map(about, names()):
        what = entry.title if entry.optimum is None else f"{entry.title}, optimum {entry.optimum}"
        rows.append(
            (entry.name, entry.kind, f"{entry.rows} x {entry.columns}", what, entry.license)
        )
    table = Table(("name", "kind", "size", "description", "license"), rows, frozenset({2}))
    emit([table], wide=output.wide)
    emit(
        "\nSources: rpttheory/datasets/SOURCES.md. Example:  rpttheory verify dataset:bcsstk01"
        " --blocks 6x8"
    )


@click.command(cls=Command)
@output_options()
def doctor(output: Output) -> int:
    """Show the versions, BLAS, processor and arithmetic in use.

    Exit code: 0, or 2 if nothing can be proved with this arithmetic.
    """
    from ..provenance import SAFE, provenance, provenance_rows
    from ..report import Table

    block = provenance()
    if output.as_json:
        emit(as_json({"schema": "rpttheory/doctor/1"}))
    else:
        first, *rows = provenance_rows(block)
        emit([Table(first, rows)], wide=output.wide)
    return 0 if block["arithmetic"] == SAFE else 2


_BIBTEX = r"""@article{szlendak2023progressive,
  title = {Understanding Progressive Training Through the Framework of
           Randomized Coordinate Descent},
  author = {Szlendak, Rafa{\l} and Gasanov, Elnur and Richt{\'a}rik, Peter},
  journal = {arXiv preprint arXiv:2306.03626},
  year = {2023}
}

@software{rpttheory,
  title = {rpttheory: numerically verified theory of randomized coordinate descent and
           randomized progressive training},
  author = {{The rpttheory contributors}},
  version = {%s},
  year = {2026}
}"""


@click.command()
def cite() -> None:
    """Print BibTeX entries of the paper and of this program."""
    emit(_BIBTEX % __version__)
