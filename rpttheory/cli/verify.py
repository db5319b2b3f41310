"""`rpttheory verify`: which of the paper's bounds, and of yours, hold on a matrix."""

from __future__ import annotations

import click

from ..errors import errors_at
from .inputs import MatrixOptions, matrix_options
from .options import PICTURES, ClaimCommand, Output, output_options, time_limit_option
from .present import present
from .progress import progress

_EXPLANATION = (
    "PROVED and REFUTED are decided by brackets that contain both sides, with every rounding"
    " accounted for; where the brackets overlap, a statement is UNDECIDED.",
    "Rigor: exact (rational arithmetic), verified (floating point with proved error bounds) or"
    " numerical (nothing is proved from it).",
    "An undecided claim is tried again with residuals computed exactly, and in rational arithmetic"
    " up to d = 60.",
)


@click.command(cls=ClaimCommand)
@matrix_options
@click.option(
    "--p",
    help="Probabilities per block, for nested, independent or single.  [default: the closed form,"
    " scaled to sum 1 for single]",
)
@click.option(
    "--sampling",
    metavar="NAME",
    default="nested",
    help="How blocks are drawn: nested, independent, single, tau-nice:TAU (any TAU blocks) or"
    " groups:TAU (one block of each of TAU groups).",
)
@click.option(
    "--claim",
    "claims",
    multiple=True,
    help="Your own conjecture, such as 'L_P <= 1.02*lmax'; repeatable.",
)
@time_limit_option
@output_options(
    ".html", ".csv", ".json", *PICTURES, certificate=True, digits=True, verbose=True, latex=True
)
def verify(
    matrix: MatrixOptions, p: str | None, sampling: str, claims: tuple[str, ...], output: Output
) -> int:
    """Decide the paper's inequalities for the matrix in FILE.

    Each is PROVED, REFUTED or UNDECIDED. Lemmas 2 and 3 are decided at one vector x only. The
    convergence theorems are not among them: see the commands rates and proofs.

    FILE is .npy, .npz, .csv, .txt or .mtx, or dataset:NAME, or - for standard input.

    Exit code: 0 nothing refuted, 1 something refuted, 2 bad input, 3 something undecided, or the
    run was ended by Ctrl-C or the time limit.
    """
    from ..report import Page, draw
    from ..statements import parse
    from ..statements.verify import verify as decide

    # Check claims before reading a file, which may take minutes.
    parsed_claims = [parse(claim) for claim in claims]
    read = matrix.read()
    with errors_at(read.name, "L"), progress("verify", quiet=output.as_json):
        result = decide(
            read.L,
            read.blocks,
            read.costs,
            probabilities=p,
            sampling=sampling,
            claims=parsed_claims,
        )
    document = result.render(read.name, read.notes, output.detail, L=read.numbers)
    caption = "How much room each bound leaves: its left side over its right side"
    return present(
        result,
        document,
        lambda: Page(
            f"verify {read.name}",
            "Which bounds of the paper, and which claims of yours, hold on this matrix?",
            result.answer,
            document,
            [(caption, draw(result.plot))],
            _EXPLANATION,
        ),
        output,
        read=read,
    )
