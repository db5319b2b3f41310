"""The command `rpttheory attack`."""

from __future__ import annotations

import click

from ..errors import InvalidInput
from .output import SpeaksOfClaims, emit
from .page import written_option
from .present import Output, output_options, present
from .progress import progress
from .workers import Workers, worker_options

_QUESTION = "Is there a problem on which this inequality fails?"
_METHOD = (
    "The search in floats proves nothing; the worst problem is decided with every rounding"
    " accounted for."
)


@click.command(cls=SpeaksOfClaims)
@click.argument("statement", required=False)
@click.option(
    "--where",
    multiple=True,
    help="A condition on the problems tried; repeatable, or with commas.",
)
@click.option(
    "--evaluations",
    type=click.IntRange(min=1),
    default=None,
    help="Problems to try.  [default: 200000, or 50000 if the statement names the optimum]",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=None,
    help="Seconds.  [default: none]",
)
@click.option("--rng", type=click.IntRange(min=0), default=0, show_default=True, help="The seed.")
@click.option(
    "--searches",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Independent ones, shared among workers.",
)
@worker_options
@written_option("--save", "Write the result as JSON.")
@click.option(
    "--recheck",
    default=None,
    metavar="FILE",
    help="Decide a saved result again, instead of searching.",
)
@output_options()
def attack(
    statement: str | None,
    where: tuple[str, ...],
    evaluations: int | None,
    time_limit: float | None,
    rng: int,
    searches: int,
    workers: Workers,
    save: str | None,
    recheck: str | None,
    output: Output,
) -> int:
    """Search for a counterexample to an inequality, over matrices, probabilities and blocks.

    STATEMENT is a label such as lem:twoBounds or lem:twoBounds/upper, or a claim of your own such
    as 'L_P <= 2*lmax'; without it all labels are listed. A claim is about all positive semidefinite
    L, partitions, probabilities and costs that add up to 1. The problem with the largest left /
    right is shown in small fractions and decided rigorously: a ratio in floats proves nothing.

    --where takes a comparison in the language of claims, such as 'B = 2' or 'min(p) >= 0.1', and 'p
    = closed', 'p = equal', 'c = equal', 'c = sizes', 'L diagonal', 'L block-diagonal' and 'sampling
    = independent' (or nested, single, any).

    The same --rng gives the same result unless --time-limit or Ctrl-C ends the search; it then says
    so. A search that finds no counterexample proves nothing about other problems.

    Exit code: 0 no counterexample was found, 1 REFUTED on the problem shown, 3 undecided there, or
    the search was stopped early.
    """
    from .. import attack as library
    from ..report import Page, Table

    if recheck is not None:
        other = statement or (f"--save {save}" if save is not None else "")
        if other:
            raise InvalidInput(
                "decides a saved result and nothing else",
                other,
                "--recheck FILE alone",
                argument="recheck",
            )
        result = library.recheck(recheck)
        text = f"decided again from {recheck}; the counts of the search are as saved\n{result}"
    elif statement is None:
        if where:
            raise InvalidInput(
                "limits the problems of one statement",
                repr(where[0]),
                "a statement before it",
                argument="where",
            )
        rows = [(one.name, one.text, "yes" if one.tight else "no") for one in library.LABELED]
        emit([Table(("name", "statement", "tight"), rows)])
        return 0
    else:
        with workers.open() as opened, progress("attack", quiet=output.as_json) as show:
            result = library.attack(
                statement,
                where=where,
                rng=rng,
                max_evaluations=evaluations,
                time_limit=time_limit,
                searches=searches,
                executor=None if searches == 1 and workers.scheduler is None else opened,
                progress=show,
            )
        text = str(result)
        if save is not None:
            result.save(save)
    document = text.split("\n")

    def page() -> Page:
        answer = f"{result.name}: {result.headline}."
        return Page(f"attack {result.name}", _QUESTION, answer, document, proved=(_METHOD,))

    return present(result, output, document, page)
