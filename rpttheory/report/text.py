"""Plain aligned text: it reads the same in a terminal, a pipe and a file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from ..certify import Bracket, Rigour, Verdict, arithmetic_problem
from ..problem.instance import Instance
from ..theory.bounds import Claim
from ..theory.verification import Verification

# Blocks listed one by one; beyond, the first and the last few.
_LISTED_BLOCKS = 12
_MOST_DIGITS = 30


def table(rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()) -> list[str]:
    """Rows padded to columns two spaces apart; columns in `right` are aligned to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def number(bracket: Bracket) -> str:
    """As many digits as both ends share, at most ten; or the two ends."""
    for digits in range(10, 2, -1):
        low, high = f"{bracket.lower:.{digits}g}", f"{bracket.upper:.{digits}g}"
        if low == high:
            return low
    return f"[{bracket.lower:.4g}, {bracket.upper:.4g}]"


def sides(left: Bracket, right: Bracket) -> tuple[str, str]:
    """Two numbers, with more digits where ten would show two different ones alike."""
    shown = number(left), number(right)
    if shown[0] == shown[1]:
        for digits in range(15, _MOST_DIGITS, 5):
            ends = [_digits(end, digits) for end in (left.low, left.high, right.low, right.high)]
            if ends[0] == ends[1] != ends[2] == ends[3]:
                return ends[0], ends[2]
    return shown


def _digits(end: Fraction | float, digits: int) -> str:
    if not isinstance(end, Fraction):
        return str(end)
    with localcontext(prec=digits):
        return f"{(Decimal(end.numerator) / Decimal(end.denominator)).normalize():g}"


def numbers_line(L: str, instance: Instance) -> str:
    """What the verdicts are about, in one line."""
    sampling, blocks = instance.sampling, instance.blocks
    own = sampling.marginals.exact is None and np.array_equal(
        instance.probabilities, instance.closed_form.probabilities
    )
    p = "the closed form, rounded to doubles" if own else "as given"
    c = "block sizes over d" if instance.costs.fractions() == blocks.shares.fractions() else "as given"
    return f"  numbers: L {L}; p {p}; c {c}; each taken exactly"


def render_verification(
    result: Verification, title: str = "", notes: Sequence[str] = (), *, L: str = "as given"
) -> str:
    """The whole report of a verification, ending in one line that counts the verdicts.

    `L` says in words what the entries of L are.
    """
    instance = result.instance
    lines = [f"{title}: " if title else ""]
    lines[0] += f"d = {instance.blocks.dimension}, B = {instance.blocks.count}, {_sampling_name(instance)} sampling"
    lines += [numbers_line(L, instance), *(f"  note: {note}" for note in notes)]
    problem = arithmetic_problem(instance.blocks.dimension)
    if problem:
        lines.append(f"  note: nothing can be proved in this process: {problem}")
    lines += ["", *_quantities(instance), "", *_blocks(instance), "", *_claims(result.claims), ""]
    counts = ", ".join(f"{result.count(verdict)} {verdict.value.lower()}" for verdict in Verdict)
    lines.append(counts)
    return "\n".join(lines)


def _sampling_name(instance: Instance) -> str:
    name = type(instance.sampling).__name__.removesuffix("Sampling").removesuffix("Block")
    return name.lower()


def _quantities(instance: Instance) -> list[str]:
    entries = [
        ("lmax", instance.lmax, "largest eigenvalue of L: the cost of gradient descent"),
        ("L_P", instance.L_P, "lambda_max(P^-1/2 L P^-1/2)"),
        ("L_M", instance.L_M, "lambda_max(E[CLC])"),
        ("cost", instance.cost, "expected cost of a step, sum p_k c_k"),
        ("c_P", instance.c_P, "L_P cost: the cost of RPT at these probabilities"),
        ("closed", instance.closed, "(sum sqrt(L_k c_k))^2: the paper's bound on its optimum"),
    ]
    rows = [(name, number(value), value.rigour.name.lower(), meaning) for name, value, meaning in entries]
    return table([("quantity", "value", "rigour", "meaning"), *rows], right=frozenset({1}))


def shown_blocks(count: int) -> list[int | None]:
    """The blocks a table lists: all, or the first and the last few with None for the gap."""
    if count <= _LISTED_BLOCKS:
        return list(range(count))
    return [*range(_LISTED_BLOCKS - 3), None, *range(count - 2, count)]


def _blocks(instance: Instance) -> list[str]:
    rows = [("block", "size", "cost", "L_k", "p_k")]
    for k in shown_blocks(instance.blocks.count):
        if k is None:
            rows.append(("...", "", "", "", ""))
            continue
        rows.append(
            (
                str(k),
                str(instance.blocks.sizes[k]),
                f"{instance.costs.near[k]:.6g}",
                number(instance.block_L[k]),
                f"{instance.probabilities[k]:.6g}",
            )
        )
    return table(rows, right=frozenset({1, 2, 3, 4}))


def _claims(claims: Sequence[Claim]) -> list[str]:
    rows = [("claim", "statement", "left", "right", "verdict")]
    remarks: dict[int, str] = {}
    for claim in claims:
        name = claim.label if claim.part == claim.statement else f"{claim.label} {claim.part}".strip()
        rows.append((name, claim.statement, *sides(claim.left, claim.right), claim.verdict.value))
        if claim.verdict is Verdict.UNDECIDED:
            remarks[len(rows) - 1] = f"      undecided: {why_undecided(claim)}"
    lines = []
    for index, line in enumerate(table(rows, right=frozenset({2, 3}))):
        lines.append(line)
        if index in remarks:
            lines.append(remarks[index])
    return lines


def why_undecided(claim: Claim) -> str:
    """What stands in the way of a verdict, in one line."""
    left, right = claim.left, claim.right
    if claim.rigour is Rigour.NUMERICAL:
        apart = "" if left.low <= right.high and right.low <= left.high else ", which differ by more than their error"
        return f"the sides are numerical approximations{apart}; nothing is proved from those"
    if math.inf in (left.high, -left.low, right.high, -right.low):
        return "a side has no value: the root of a number that may be negative, or a division by one that may be zero"
    if left.high < right.low or right.high < left.low:
        return "the statement is about positive semidefinite L, and this one is so only up to rounding"
    size = max(abs(left.lower), abs(left.upper), abs(right.lower), abs(right.upper))
    overlap = max(left.upper - right.lower, right.upper - left.lower)
    if size > 0 and overlap < 1e-6 * size:
        return f"a tie: the sides agree to {overlap / size:.1g} relative, as closely as they are known"
    return (
        f"the brackets overlap: left [{left.lower:.8g}, {left.upper:.8g}], right [{right.lower:.8g}, {right.upper:.8g}]"
    )
