"""`rpttheory compare`: the certified optimum beside gradient descent and the closed form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .inputs import certificate_option, matrix_options, naming, one_number, read_input, write_certificate
from .output import emit, emit_json, remark
from .progress import watched


@click.command()
@matrix_options
@click.option(
    "--regime",
    type=click.Choice(["both", "convex"]),
    default="both",
    show_default=True,
    help="c(P) and c_M, or c(P) alone.",
)
@click.option("--tol", type=float, default=1e-6, show_default=True, help="Relative gap of the certified bracket.")
@click.option(
    "--overhead",
    default="0",
    show_default=True,
    help="Cost paid on every step, on the scale of the costs.",
)
@click.option(
    "--order", "forced", default=None, help="A forced order of the blocks, first to last, counting from 0: 2,0,1."
)
@certificate_option
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON (schema rpttheory/compare/1).")
@click.option(
    "--plot", type=click.Path(), default=None, help="Write a picture of the probabilities (.svg, .png, .pdf)."
)
def compare(
    file: str,
    blocks: str | None,
    costs: str,
    regime: str,
    tol: float,
    overhead: str,
    forced: str | None,
    as_json: bool,
    plot: str | None,
    certificate: str | None,
    **options: Any,
) -> int:
    """Find the probabilities of least cost c(P) for the matrix in FILE, with a certificate.

    Shows gradient descent, the paper's closed form and the global optimum side by side, for c(P) and,
    as the nonconvex optimum, for c_M = lambda_max(E[CLC]) sum p_k c_k, which may replace c(P) for
    nonconvex functions. Costs are taken as given.

    Exit code: 0 the gap was reached, 2 bad input, 3 it was not (or Ctrl-C during the search: the best bracket so far).
    """
    from ..errors import InvalidInput
    from ..io import parse_numbers
    from ..problem.blocks import BlockOrder
    from ..report import as_text, check_plot_path, write_picture
    from ..search.comparison import compare as run
    from ..search.optimal import check_options

    check_options(tol, "auto", "convex")
    charge = one_number(overhead, "--overhead")
    if plot is not None:
        check_plot_path(plot)
    given = read_input(file, blocks, costs, **options)
    order = None
    if forced is not None:
        ranks = parse_numbers(forced, "--order")
        if any(rank != int(rank) for rank in ranks):
            raise InvalidInput("--order must list blocks by number", forced, "0,1,2 counting from 0")
        order = BlockOrder([int(rank) for rank in ranks])
    with naming(given.name), watched(as_json) as callback:
        result = run(
            given.L,
            given.blocks,
            given.costs,
            overhead=charge,
            order=order,
            nonconvex=regime == "both",
            tol=tol,
            callback=callback,
        )
    write_certificate(certificate, result)
    if plot is not None:
        write_picture(result.plot(title=given.name).figure, Path(plot))
        remark(f"wrote {plot}")
    if as_json:
        emit_json(result.to_dict())
    else:
        emit(as_text(result.document(given.name, (f"L is {given.numbers}, taken exactly", *given.notes))))
    return 0 if result.settled else 3
