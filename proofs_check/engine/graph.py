"""The dependency graph of the ledger as one SVG: what rests on what, coloured by status.

Entries stand in columns: whatever an entry rests on is to its left. Rows are ordered so that edges run level.
"""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import TopologicalSorter
from html import escape

from .entry import Kind, Status
from .judgement import Judgement

COLOURS = {
    Status.VERIFIED: "#2a7a3f",
    Status.ARGUED: "#4a8a7f",
    Status.DEFINITIONAL: "#777777",
    Status.SUPPORTED: "#3a6ea5",
    Status.CORRECTED: "#b8860b",
    Status.REFUTED: "#b03030",
    Status.OPEN: "#7a4a9e",
    Status.CITED: "#777777",
    Status.NONE: "#777777",
    Status.UNDECIDED: "#d06000",
    Status.ERROR: "#000000",
}

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 190, 24, 70, 12, 16


def draw(judgements: Sequence[Judgement]) -> str:
    """The graph of all entries that claim or define something."""
    kept = [judged for judged in judgements if judged.claim.kind is not Kind.PLACE]
    below = {judged.claim.label: judged.claim.below for judged in kept}
    columns = _columns(below)
    place = {
        label: (_MARGIN + x * (_WIDTH + _GAP_X), _MARGIN + y * (_HEIGHT + _GAP_Y))
        for x, column in enumerate(columns)
        for y, label in enumerate(column)
    }
    width = 2 * _MARGIN + len(columns) * (_WIDTH + _GAP_X) - _GAP_X
    height = 2 * _MARGIN + max(map(len, columns)) * (_HEIGHT + _GAP_Y) - _GAP_Y
    edges = [_edge(place[other], place[label]) for label, others in below.items() for other in sorted(others)]
    nodes = [_node(judged, *place[judged.claim.label]) for judged in kept]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="sans-serif" font-size="12" role="img" aria-label="dependency graph">',
            *edges,
            *nodes,
            "</svg>",
        ]
    )


def _columns(below: dict[str, set[str]]) -> list[list[str]]:
    """Labels by the longest chain under them, each column in the order of its neighbours' mean row."""
    depth: dict[str, int] = {}
    for label in TopologicalSorter(below).static_order():
        depth[label] = 1 + max((depth[other] for other in below[label]), default=-1)
    columns: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for label, level in depth.items():
        columns[level].append(label)
    above: dict[str, set[str]] = {label: {k for k, v in below.items() if label in v} for label in below}
    for sweep in range(8):
        neighbours = below if sweep % 2 == 0 else above
        row = {label: y / max(len(column), 1) for column in columns for y, label in enumerate(column)}
        for column in columns:
            column.sort(key=lambda label: _mean([row[other] for other in neighbours[label]], row[label]))
    return columns


def _mean(values: list[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _edge(start: tuple[int, int], end: tuple[int, int]) -> str:
    x, y = start[0] + _WIDTH, start[1] + _HEIGHT // 2
    to_x, to_y = end[0], end[1] + _HEIGHT // 2
    bend = (x + to_x) // 2
    return (
        f'<path d="M{x},{y} C{bend},{y} {bend},{to_y} {to_x},{to_y}" fill="none" stroke="#999" '
        'stroke-width="1" stroke-opacity="0.55"/>'
    )


def _node(judged: Judgement, x: int, y: int) -> str:
    """A box filled by the statement's status and framed by the proof's, which links to the entry's section."""
    label = judged.claim.label
    fill, frame = COLOURS[judged.statement], COLOURS[judged.proof]
    dashes = "" if judged.whole else ' stroke-dasharray="4 2"'
    return (
        f'<a href="#{escape(label)}"><title>{escape(f"{label}: {judged.claim.title}")}</title>'
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="5" fill="{fill}" fill-opacity="0.16" '
        f'stroke="{frame}" stroke-width="2"{dashes}/>'
        f'<text x="{x + _WIDTH // 2}" y="{y + 16}" text-anchor="middle" fill="{fill}">{escape(label)}</text></a>'
    )
