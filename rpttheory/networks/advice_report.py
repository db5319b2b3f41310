"""What advice says: costs, curvature, the choices, and the verdict last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..report import Document, Table, number
from .curvature import CAVEAT
from .priced import CURRENCIES

if TYPE_CHECKING:
    from .advice import Advice

_PEAK = (
    "  note: a mean over steps; the most that a step takes is that of a full one, however rarely it"
    " is drawn"
)


def document(advice: Advice, title: str, notes: Sequence[str]) -> Document:
    """The whole report in lines and tables."""
    labels = advice.profile.labels
    curvature = advice.curvature
    head = f"d = {sum(labels.sizes)}, B = {labels.count}, loss {advice.loss:.6g}"
    shifted = []
    if curvature.shift:
        below = f"{-curvature.shift:.3g}"
        shift = f"{curvature.shift:.3g}"
        shifted = [f"  the Hessian H reaches down to {below}; H + {shift} I takes its place"]
    paid = CURRENCIES[advice.profile.currency]
    promise = f"{100 * advice.size_share.saving:.1f} %"
    return [
        f"{title}: {head}" if title else head,
        *(f"  note: {note}" for note in notes),
        "",
        *advice.profile.render(),
        "",
        f"curvature ({curvature.kind}): {CAVEAT}",
        *shifted,
        f"  lambda_max = {number(curvature.lambda_max)}, noise of products {curvature.noise:.1g}",
        "",
        _blocks(advice),
        "",
        _choices(advice),
        "",
        (
            f"By the paper's size-share costs the same curvature promises a saving of {promise};"
            f" you pay in {paid}:"
        ),
        *([_PEAK] if advice.profile.currency == "memory" else []),
        advice.verdict,
    ]


def _blocks(advice: Advice) -> Table:
    labels = advice.profile.labels
    header = (
        "block",
        "size",
        "lambda_max",
        *(f"optimal p, {one.name}" for one in advice.recommendations),
    )
    rows = []
    for k, name in enumerate(labels.names):
        chosen = [f"{one.search.probabilities[k]:.4g}" for one in advice.recommendations]
        rows.append(
            (name, str(labels.sizes[k]), number(advice.curvature.block_lambda_max[k]), *chosen)
        )
    return Table(header, rows, frozenset(range(1, len(header))), blocks=True)


def _choices(advice: Advice) -> Table:
    """Costs over gradient descent's: below 1 is a saving."""
    rows = []
    for one in (*advice.recommendations, advice.size_share):
        found = one.search
        base = one.gradient_descent.midpoint
        rate = "" if one.paper_rate is None else f"{one.paper_rate.midpoint / base:.3f}"
        measured = "" if one is advice.size_share else f", {advice.profile.currency}"
        status = "" if found.status == "optimal" else f", {found.status}"
        how = f"{found.method}, {found.products} products{status}"
        rows.append(
            (one.name + measured, f"{found.upper / base:.4f}", rate, f"{found.gap:.1g}", how)
        )
    return Table(
        ("cost model", "optimum / GD", "rate 0.9 / GD", "gap", "search"), rows, frozenset({1, 2, 3})
    )
