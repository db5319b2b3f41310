"""`rpttheory verify`: which of the paper's bounds, and of yours, hold on a matrix."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import click

from .output import emit

if TYPE_CHECKING:
    from ..verification import Verification


@click.command()
@click.argument("file", type=click.Path())
@click.option("--blocks", required=True, help="Block sizes: 10,50,250, or 20x50 (twenty of size 50), or 'each'.")
@click.option("--costs", default="size", show_default=True, help="Costs per block: 'size', 'equal' or numbers.")
@click.option("--p", "probabilities", default=None, help="Probabilities per block.  [default: the closed form]")
@click.option("--sampling", type=click.Choice(["nested", "independent", "single"]), default="nested", show_default=True)
@click.option("--data", is_flag=True, help="FILE is a data matrix A, and L = (2/n) A'A + 2 X I (ridge regression).")
@click.option("--ridge", type=float, default=None, help="X, with --data.  [default: 0]")
@click.option("--claim", "claims", multiple=True, help="Your own conjecture, such as 'L_P <= 1.02*lmax'; repeatable.")
@click.option("--symmetrize", is_flag=True, help="Use (L + L')/2 where FILE is not symmetric.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON (schema rpttheory/verify/1).")
def verify(
    file: str,
    blocks: str,
    costs: str,
    probabilities: str | None,
    sampling: str,
    data: bool,
    ridge: float | None,
    claims: tuple[str, ...],
    symmetrize: bool,
    as_json: bool,
) -> int:
    """Decide every bound of the paper on the matrix in FILE: PROVED, REFUTED or UNDECIDED.

    FILE is .npy, .npz, .csv, .txt, .mtx or .mat. Claims may use lmax, pmin, L_P, L_M, cost
    (sum p_k c_k), c_P, closed (the closed-form bound), sumL, maxL, sumcL (sum c_k L_k), d and B, with
    numbers, + - * / sqrt() and one comparison.

    Exit code: 0 nothing refuted, 1 something refuted, 2 bad input, 3 something undecided.
    """
    from ..conjecture import parse_conjecture
    from ..errors import InvalidInput
    from ..io import parse_blocks, parse_costs, parse_probabilities, read_data, read_matrix
    from ..report import render_verification
    from ..smoothness import SmoothnessLike, gram
    from ..verification import verify as decide

    # What costs nothing to check comes before a file that may take minutes to read.
    conjectures = [parse_conjecture(claim) for claim in claims]
    if ridge is not None and not data:
        raise InvalidInput("--ridge needs --data", f"--ridge {ridge:g}", "--data, or leave --ridge out")
    if symmetrize and data:
        raise InvalidInput("--symmetrize is for a matrix L", "--symmetrize with --data", "one of the two")
    notes: list[str] = []
    L: SmoothnessLike
    if data:
        read = read_data(file)
        rows = read.values.shape[0]
        L = gram(read.values, 2 / rows, 2 * (ridge or 0.0))
        notes.append(f"L = (2/{rows}) A'A + 2*{ridge or 0.0:g} I from {rows} rows of {read.values.shape[1]} columns")
        notes += [f"column '{name}' is not part of A" for name in read.left_out]
        dimension = int(read.values.shape[1])
    else:
        L = read_matrix(file, symmetrize=symmetrize)
        dimension = int(L.shape[0])
    partition = parse_blocks(blocks, dimension)
    result = decide(
        L,
        partition,
        costs=parse_costs(costs, partition),
        probabilities=None if probabilities is None else parse_probabilities(probabilities, partition),
        sampling=sampling,
        claims=conjectures,
    )
    if as_json:
        emit(json.dumps(result.to_dict(), indent=2, allow_nan=False))
    else:
        emit(render_verification(result, os.path.basename(file), notes))
    return exit_code(result)


def exit_code(result: Verification) -> int:
    """0 all proved, 1 something refuted, 3 something undecided."""
    from ..certify import Verdict

    return {Verdict.PROVED: 0, Verdict.REFUTED: 1, Verdict.UNDECIDED: 3}[result.verdict]
