"""`rpttheory rates`: how many steps every theorem promises, and at what cost."""

from pathlib import Path
from typing import Any

import click

from ..errors import errors_at
from .inputs import matrix_options, one_number, read_input
from .output import emit, emit_json, remark
from .page import html_option, write_html
from .progress import watched


@click.command()
@matrix_options
@click.option(
    "--eps",
    default="1e-3",
    show_default=True,
    help="What each theorem's left-hand side is brought down to.",
)
@click.option(
    "--mu",
    default=None,
    help="Strong convexity; refused above the least eigenvalue of L.  [default: not used]",
)
@click.option(
    "--distance", default="1", show_default=True, help="The squared distance ||x_0 - x*||^2."
)
@click.option(
    "--gap",
    default=None,
    help="f(x_0) - f*.  [default: the most that L allows, lmax ||x_0 - x*||^2 / 2]",
)
@click.option("--plot", default=None, metavar="FILE", help="Draw the costs: .svg, .png or .pdf.")
@html_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON (schema rpttheory/rates/1)."
)
def rates(
    file: str,
    blocks: str | None,
    costs: str,
    eps: str,
    mu: str | None,
    distance: str,
    gap: str | None,
    plot: str | None,
    html: str | None,
    as_json: bool,
    **options: Any,
) -> int:
    """How many steps it will take, on the matrix in FILE, by every theorem of the paper and our
    sharper ones.

    Stepsize, number of steps and expected cost for gradient descent, the closed form and the
    probabilities of least c(P). Ctrl-C ends the search for those: the last column is then the best
    so far.

    Exit code: 0 the search was finished, 2 bad input, 3 it was not.
    """
    from ..report import Page, check_plot_path, write_picture
    from ..runs.progress import Event
    from ..theory.rates.prediction import rates as predict

    if plot is not None:
        check_plot_path(plot)
    numbers = {
        "eps": one_number(eps, "--eps"),
        "squared_distance": one_number(distance, "--distance"),
    }
    numbers |= {} if mu is None else {"mu": one_number(mu, "--mu")}
    numbers |= {} if gap is None else {"gap": one_number(gap, "--gap")}
    given = read_input(file, blocks, costs, **options)
    with errors_at(given.name, "L"), watched(as_json) as (callback, watch):
        watch(Event("optimum of c(P)"))
        result = predict(given.L, given.blocks, given.costs, callback=callback, **numbers)
    if plot is not None:
        write_picture(result.plot().figure, Path(plot))
        remark(f"wrote {plot}")
    document = result.document(given.name, (f"L is {given.numbers}, taken exactly", *given.notes))
    if html is not None:
        pictures = [
            ("Expected cost by theorem, relative to gradient descent", result.plot().figure)
        ]
        question = "How many steps will it take, and at what cost?"
        how = (
            (
                "Steps and costs are brackets: each theorem is evaluated at both ends of its"
                " constants, in arithmetic that accounts for every rounding."
            ),
            "The theorems themselves are in the ledger: rpttheory proofs LABEL.",
        )
        write_html(
            html,
            Page(f"rates {given.name}", question, result.answer, document, pictures, how),
            source=file,
        )
    if as_json:
        emit_json({**result.to_dict(), "input": given.to_dict()})
    else:
        emit(document)
    return 0 if result.settled else 3
