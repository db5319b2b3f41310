"""`rpttheory compare`: the certified optimum beside gradient descent and the closed form."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import errors_at
from .inputs import (
    certificate_option,
    matrix_options,
    one_number,
    read_input,
    write_certificate,
)
from .output import emit, emit_json, remark
from .page import html_option, write_html
from .progress import watched

if TYPE_CHECKING:
    from ..problem.blocks import BlockOrder
    from ..report import Document, Page
    from ..search.comparison import Comparison

_CAPTIONS = {
    "costs": "The certified interval of the optimum, and every other cost that is known",
    "probabilities": "Probabilities of an update",
    "matrix": "The entries of L, with the borders of its blocks",
    "spectrum": (
        "Eigenvalues of P^-1/2 L P^-1/2 times the expected cost of a step; the largest is c(P)"
        " (numerical)"
    ),
}
_HOW = (
    (
        "Upper end: c(P) at the stated probabilities, with a proved bound of L_P ="
        " lambda_max(P^-1/2 L P^-1/2)."
    ),
    (
        "Lower end: a point of the dual semidefinite program, whose value is bounded with every"
        " rounding accounted for."
    ),
    "No solver is trusted: it proposes both points, and only these two bounds decide.",
)


@click.command()
@matrix_options
@click.option(
    "--regime",
    type=click.Choice(["auto", "both", "convex"]),
    default="auto",
    show_default=True,
    help="c(P) and c_M, or c(P) alone; auto leaves c_M out where its best order cannot be proved.",
)
@click.option(
    "--p",
    "probabilities",
    default=None,
    help="Probabilities per block of your own, judged beside the others.",
)
@click.option(
    "--tol",
    type=float,
    default=1e-6,
    show_default=True,
    help="Relative gap of the certified bracket.",
)
@click.option(
    "--time-limit",
    "limit",
    type=float,
    default=None,
    help="Seconds, after which the best bracket is shown.",
)
@click.option(
    "--overhead",
    default="0",
    show_default=True,
    help="Cost paid on every step, on the scale of the costs.",
)
@click.option(
    "--order",
    "forced",
    default=None,
    help="A forced order of the blocks, first to last, counting from 0: 2,0,1.",
)
@certificate_option
@html_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON (schema rpttheory/compare/1)."
)
@click.option(
    "--save-p",
    "save",
    default=None,
    metavar="FILE",
    help="Write all probabilities per block (.csv, .json).",
)
@click.option(
    "--plot",
    type=click.Path(),
    default=None,
    help="Write a picture of the probabilities (.svg, .png, .pdf).",
)
def compare(
    file: str,
    blocks: str | None,
    costs: str,
    regime: str,
    probabilities: str | None,
    tol: float,
    limit: float | None,
    overhead: str,
    forced: str | None,
    html: str | None,
    as_json: bool,
    save: str | None,
    plot: str | None,
    certificate: str | None,
    **options: Any,
) -> int:
    """Find the probabilities of least cost c(P) for the matrix in FILE, with a certificate.

    Shows gradient descent, the paper's closed form and the global optimum of c(P) side by side, and
    the optimum of c_M = lambda_max(E[CLC]) sum p_k c_k over nested samplings, which may replace
    c(P) for nonconvex functions. Costs are taken as given.

    Exit code: 0 the gap was reached, 2 bad input, 3 it was not (or Ctrl-C, or the time limit, ended
    the search: the best bracket so far).
    """
    from ..search.comparison import ASKED
    from ..search.comparison import compare as run

    _require_possible(tol, limit, save, plot)
    charge = one_number(overhead, "overhead")
    given = read_input(file, blocks, costs, **options)
    with errors_at(given.name, "L"), watched(as_json) as (callback, watch):
        result = run(
            given.L,
            given.blocks,
            given.costs,
            overhead=charge,
            order=None if forced is None else _order(forced),
            probabilities=probabilities,
            regime=regime,
            tol=tol,
            time_limit=limit,
            callback=callback,
            watch=watch,
        )
    write_certificate(certificate, result)
    result = replace(result, left_out=result.left_out.replace(ASKED, "--regime both"))
    _write(result, given.name, save, plot)
    document = result.document(given.name, (f"L is {given.numbers}, taken exactly", *given.notes))
    if html is not None:
        write_html(html, _page(result, given.name, document), source=file)
    if as_json:
        emit_json({**result.to_dict(), "input": given.to_dict()})
    else:
        emit(document)
    return 0 if result.settled else 3


def _require_possible(tol: float, limit: float | None, save: str | None, plot: str | None) -> None:
    """Raise before a long run where its options cannot be met."""
    from ..report import check_plot_path, check_rows_path
    from ..search.comparison import check_time_limit
    from ..search.optimal import check_options

    check_options(tol, "auto", "convex")
    if limit is not None:
        check_time_limit(limit)
    if save is not None:
        check_rows_path(save)
    if plot is not None:
        check_plot_path(plot)


def _write(result: Comparison, name: str, save: str | None, plot: str | None) -> None:
    from ..report import write_picture, write_rows

    if save is not None:
        write_rows(result.records(), save)
        remark(f"wrote {save}")
    if plot is not None:
        write_picture(result.plot(title=name).figure, Path(plot))
        remark(f"wrote {plot}")


def _order(forced: str) -> BlockOrder:
    from ..errors import InvalidInput
    from ..io import parse_numbers
    from ..problem.blocks import BlockOrder

    ranks = parse_numbers(forced, "order")
    if any(rank != int(rank) for rank in ranks):
        raise InvalidInput(
            "must list blocks by number",
            forced,
            "counting from 0",
            argument="order",
            suggest={"order": [0, 1, 2]},
        )
    return BlockOrder([int(rank) for rank in ranks])


def _page(result: Comparison, name: str, document: Document) -> Page:
    from ..report import Page
    from ..search.comparison_pictures import drawable
    from ..search.comparison_report import words

    kinds = [kind for kind in _CAPTIONS if drawable(result) or kind in ("probabilities", "costs")]
    pictures = [(_CAPTIONS[kind], result.plot(kind=kind).figure) for kind in kinds]
    question = (
        "Which probabilities make randomized progressive training cheapest here, and what do they"
        " save?"
    )
    how = [*_HOW, f"Optimum by {result.optimal.method}: {result.optimal.message}."]
    how += [result.left_out] if result.left_out else []
    return Page(f"compare {name}", question, " ".join(words(result)[:2]), document, pictures, how)
