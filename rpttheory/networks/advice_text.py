"""Advice in lines and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..report import Document, Table, number
from .curvature import CAVEAT

if TYPE_CHECKING:
    from .advice import Advice


def document(advice: Advice, title: str, notes: Sequence[str]) -> Document:
    """Costs, curvature, choices, and the verdict last."""
    labels, curvature = advice.profile.labels, advice.curvature
    head = f"d = {sum(labels.sizes)}, B = {labels.count}, loss {advice.loss:.6g}"
    shift = f"  the Hessian H reaches down to {-curvature.shift:.3g}; H + {curvature.shift:.3g} I takes its place"
    return [
        f"{title}: {head}" if title else head,
        *(f"  note: {note}" for note in notes),
        "",
        *advice.profile.document(),
        "",
        f"curvature ({curvature.kind}): {CAVEAT}",
        *([shift] if curvature.shift else []),
        f"  lambda_max = {number(curvature.lambda_max)}, noise of products {curvature.noise:.1g}",
        "",
        _blocks(advice),
        "",
        _choices(advice),
        "",
        "By the paper's size-share costs the same curvature promises a saving of "
        f"{100 * advice.size_share.saving:.1f} %; measured costs decide:",
        advice.verdict,
    ]


def _blocks(advice: Advice) -> Table:
    labels, rows = advice.profile.labels, []
    for k, name in enumerate(labels.names):
        chosen = [f"{one.search.probabilities[k]:.4g}" for one in advice.recommendations]
        rows.append((name, str(labels.sizes[k]), number(advice.curvature.block_lambda_max[k]), *chosen))
    header = ("block", "size", "lambda_max", *(f"optimal p, {one.name}" for one in advice.recommendations))
    return Table(header, rows, frozenset(range(1, len(header))), blocks=True)


def _choices(advice: Advice) -> Table:
    """Costs over gradient descent's: below 1 is a saving."""
    rows = []
    for one in (*advice.recommendations, advice.size_share):
        found, base = one.search, one.gradient_descent.midpoint
        rate = "" if one.paper_rate is None else f"{one.paper_rate.midpoint / base:.3f}"
        measured = "" if one is advice.size_share else ", measured"
        status = "" if found.status == "optimal" else f", {found.status}"
        how = f"{found.method}, {found.products} products{status}"
        rows.append((one.name + measured, f"{found.upper / base:.4f}", rate, f"{found.gap:.1g}", how))
    header = ("cost model", "optimum / GD", "rate 0.9 / GD", "gap", "search")
    return Table(header, rows, frozenset({1, 2, 3}))
