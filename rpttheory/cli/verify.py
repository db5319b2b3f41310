"""`rpttheory verify`: which of the paper's bounds, and of yours, hold on a matrix."""

from __future__ import annotations

from typing import Any

import click

from ..errors import errors_at
from .inputs import certificate_option, matrix_options, read_input, write_certificate
from .output import SpeaksOfClaims, emit, emit_json
from .page import html_option, write_html

HOW_VERDICTS = (
    (
        "PROVED and REFUTED are decided by brackets that hold both sides with every rounding"
        " accounted for; where they overlap, a statement is UNDECIDED."
    ),
    (
        "Rigour: exact (rational arithmetic), rounded (floating point with proved error bounds) or"
        " numerical (nothing is proved from it)."
    ),
    (
        "An undecided claim is looked at again with residuals computed exactly, and in rational"
        " arithmetic up to d = 60."
    ),
)


@click.command(cls=SpeaksOfClaims)
@matrix_options
@click.option(
    "--p",
    "probabilities",
    default=None,
    help="Probabilities per block.  [default: the closed form]",
)
@click.option(
    "--sampling",
    type=click.Choice(["nested", "independent", "single"]),
    default="nested",
    show_default=True,
)
@click.option(
    "--claim",
    "claims",
    multiple=True,
    help="Your own conjecture, such as 'L_P <= 1.02*lmax'; repeatable.",
)
@certificate_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON (schema rpttheory/verify/1)."
)
@html_option
def verify(
    file: str,
    blocks: str | None,
    costs: str,
    probabilities: str | None,
    sampling: str,
    claims: tuple[str, ...],
    as_json: bool,
    certificate: str | None,
    html: str | None,
    **options: Any,
) -> int:
    """Decide every bound of the paper on the matrix in FILE: PROVED, REFUTED or UNDECIDED.

    FILE is .npy, .npz, .csv, .txt or .mtx, or dataset:NAME.

    Exit code: 0 nothing refuted, 1 something refuted, 2 bad input, 3 something undecided.
    """
    from ..numbers import Verdict
    from ..report import Page
    from ..statements import parse
    from ..statements.verify import verify as decide

    # What costs nothing to check comes before a file that may take minutes to read.
    parsed_claims = [parse(claim) for claim in claims]
    given = read_input(file, blocks, costs, **options)
    with errors_at(given.name, "L"):
        result = decide(
            given.L,
            given.blocks,
            given.costs,
            probabilities=probabilities,
            sampling=sampling,
            claims=parsed_claims,
        )
    write_certificate(certificate, result)
    document = result.document(given.name, given.notes, L=given.numbers)
    if html is not None:
        pictures = [
            (
                "How much room each bound leaves: its left side over its right side",
                result.plot().figure,
            )
        ]
        question = "Which bounds of the paper, and which claims of yours, hold on this matrix?"
        page = Page(
            f"verify {given.name}", question, result.answer, document, pictures, HOW_VERDICTS
        )
        write_html(html, page, source=file)
    if as_json:
        emit_json({**result.to_dict(), "input": given.to_dict()})
    else:
        emit(document)
    return {Verdict.PROVED: 0, Verdict.REFUTED: 1, Verdict.UNDECIDED: 3}[result.verdict]
