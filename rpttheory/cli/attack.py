"""`rpttheory attack`: search for a counterexample to an inequality."""

from __future__ import annotations

from typing import Any

import click

from ..errors import InvalidInput
from .options import ClaimCommand, Output, Workers, output_options, worker_options
from .output import emit
from .present import present
from .progress import progress


@click.command(cls=ClaimCommand)
@click.argument("statement", required=False)
@click.option(
    "--where", multiple=True, help="A condition on the problems; repeatable, or with commas."
)
@click.option(
    "--max-evaluations",
    type=click.IntRange(min=1),
    help="Number of problems, rounded up to whole batches."
    "  [default: 200000, or 50000 if the statement names the optimum]",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    help="Seconds after which the search ends.",
)
@click.option("--rng", type=click.IntRange(min=0), default=0, help="Random seed.")
@click.option(
    "--searches",
    type=click.IntRange(min=1),
    default=1,
    help="Number of independent searches, shared among the workers.",
)
@worker_options
@output_options(".html", ".json", digits=True, verbose=True, latex=True)
def attack(
    statement: str | None,
    where: tuple[str, ...],
    searches: int,
    workers: Workers,
    output: Output,
    **options: Any,
) -> int:
    """Search for a counterexample to an inequality.

    The search is over matrices, probabilities, costs and blocks.

    STATEMENT is a label such as lem:twoBounds or lem:twoBounds/upper, its number in the paper
    ('Lemma 4'), or a claim of your own such as 'L_P <= 2*lmax'. Without it, all labels are listed.
    A claim is about all positive semidefinite L, all partitions, all probabilities, and all costs
    whose sum is 1. The problem with the largest ratio left / right is shown in small fractions and
    decided rigorously, since a ratio in floats proves nothing.

    --where takes a comparison in the language of claims, such as 'B = 2' or 'min(p) >= 0.1', and 'p
    = closed', 'p = equal', 'c = equal', 'c = sizes', 'L diagonal', 'L block-diagonal' and 'sampling
    = independent' (or nested, single, tau-nice, groups, explicit, any). Claims that name L_M, c_M,
    q or tau are about every sampling unless a condition says otherwise.

    The same --rng gives the same result unless --time-limit or Ctrl-C ends the search; the result
    then says so. A search that finds no counterexample proves nothing about other problems.

    Exit code: 0 no counterexample was found, 1 REFUTED on the problem shown, 3 undecided there, or
    the search was stopped early.
    """
    from .. import attack as library
    from ..report import Page, Table
    from ..statements.numbering import NUMBERS

    if statement is None:
        if where:
            raise InvalidInput(
                "needs a statement", repr(where[0]), "a statement before it", argument="where"
            )
        rows = [
            (label.name, NUMBERS.get(label.label, ""), label.text, "yes" if label.tight else "no")
            for label in library.LABELED
        ]
        emit([Table(("name", "paper", "statement", "tight"), rows)], wide=output.wide)
        return 0
    with workers.open() as opened, progress("attack", quiet=output.as_json) as callback:
        result = library.find_counterexample(
            statement,
            where=where,
            searches=searches,
            executor=None if searches == 1 and workers.scheduler is None else opened,
            progress=callback,
            **options,
        )
    document = result.lines(output.detail)
    return present(
        result,
        document,
        lambda: Page(
            f"attack {result.name}",
            "Is there a problem on which this inequality fails?",
            f"{result.name}: {result.headline}.",
            document,
            proved=(
                "The search in floats proves nothing; the worst problem is decided with every"
                " rounding accounted for.",
            ),
        ),
        output,
    )
