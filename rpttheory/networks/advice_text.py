"""Advice as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..report.text import number, table
from .curvature import CAVEAT

if TYPE_CHECKING:
    from .advice import Advice


def render_advice(advice: Advice) -> str:
    """Costs, curvature, choices, and the verdict last."""
    labels, curvature = advice.profile.labels, advice.curvature
    head = f"d = {sum(labels.sizes)}, B = {labels.count}, loss {advice.loss:.6g}"
    lines = [f"{advice.name}: {head}" if advice.name else head, "", advice.profile.table(), ""]
    lines.append(f"curvature ({curvature.kind}): {CAVEAT}")
    if curvature.shift:
        lines.append(
            f"  the Hessian H reaches down to {-curvature.shift:.3g}; H + {curvature.shift:.3g} I takes its place"
        )
    lines += [
        f"  lambda_max = {number(curvature.lambda_max)}, noise of products {curvature.noise:.1g}",
        "",
        *_blocks(advice),
        "",
        *_choices(advice),
        "",
    ]
    promise = f"{100 * advice.size_share.saving:.1f} %"
    lines += [
        f"By the paper's size-share costs the same curvature promises a saving of {promise}; measured costs decide:",
        advice.verdict,
    ]
    return "\n".join(lines)


def _blocks(advice: Advice) -> list[str]:
    labels = advice.profile.labels
    rows = [("block", "size", "lambda_max", *(f"optimal p, {one.name}" for one in advice.recommendations))]
    for k, name in enumerate(labels.names):
        chosen = [f"{one.search.probabilities[k]:.4g}" for one in advice.recommendations]
        rows.append((name, str(labels.sizes[k]), number(advice.curvature.block_lambda_max[k]), *chosen))
    return table(rows, right=frozenset(range(1, len(rows[0]))))


def _choices(advice: Advice) -> list[str]:
    """Costs over gradient descent's: below 1 is a saving."""
    rows = [("cost model", "optimum / GD", "rate 0.9 / GD", "gap", "search")]
    for one in (*advice.recommendations, advice.size_share):
        found, base = one.search, one.gradient_descent.midpoint
        rate = "" if one.paper_rate is None else f"{one.paper_rate.midpoint / base:.3f}"
        measured = "" if one is advice.size_share else ", measured"
        status = "" if found.status == "optimal" else f", {found.status}"
        how = f"{found.method}, {found.products} products{status}"
        rows.append((one.name + measured, f"{found.upper / base:.4f}", rate, f"{found.gap:.1g}", how))
    return table(rows, right=frozenset({1, 2, 3}))
