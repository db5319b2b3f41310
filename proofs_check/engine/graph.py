"""The dependency graph of the ledger as one SVG: what rests on what, coloured by status.

Entries stand in columns: whatever an entry rests on is to its left. An edge that passes a column
has a lane of its own there, so that none crosses a label. Edges that follow from others are left
out.
"""

from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter
from html import escape

from rpttheory.report.table import TONES

from .entry import Kind
from .judgement import Judgement

SIGNS = {
    "good": "\u2713 ",
    "fair": "\u223c ",
    "mended": "\u270e ",
    "bad": "\u2717 ",
    "unsure": "? ",
    "": "",
}
_WIDTH = 196
_HEIGHT = 24
_LANE = 3
_GAP_X = 64
_GAP_Y = 7
_MARGIN = 10

# An entry in its column, or the lane of the edges from an entry in a column to its right.
Place = tuple[str, int]


def draw(judgements: Sequence[Judgement]) -> str:
    """The graph of all entries that claim or define something."""
    kept = {
        judged.claim.label: judged for judged in judgements if judged.claim.kind is not Kind.PLACE
    }
    below = _reduced({label: judged.claim.below & kept.keys() for label, judged in kept.items()})
    depth: dict[str, int] = {}
    for label in TopologicalSorter(below).static_order():
        depth[label] = 1 + max((depth[other] for other in below[label]), default=-1)
    links = _links(below, depth)
    columns = _columns(depth, links)
    heights = [sum(_size(place, depth) for place in column) for column in columns]
    height = max(heights) + 2 * _MARGIN
    top = {}
    for column, used in zip(columns, heights, strict=True):
        y = _MARGIN + (max(heights) - used) // 2
        for place in column:
            top[place] = y
            y += _size(place, depth)
    middle = {place: y + (_size(place, depth) - _GAP_Y) / 2 for place, y in top.items()}
    edges = [_edge(start, end, middle) for start, end in links]
    edges += [
        f'<path d="M{_left(x)},{middle[label, x]:g} h{_WIDTH}"/>'
        for label, x in middle
        if x > depth[label]
    ]
    nodes = [_node(kept[label], _left(x), y) for (label, x), y in top.items() if x == depth[label]]
    width = _left(len(columns) - 1) + _WIDTH + _MARGIN
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
                ' font-family="sans-serif" font-size="12" role="group" aria-label="what rests on'
                ' what">'
            ),
            '<g class="edges" fill="none">',
            *edges,
            "</g>",
            *nodes,
            "</svg>",
        ]
    )


def _reduced(below: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Without what follows: an entry that another of the same list rests on."""
    reached: dict[str, set[str]] = {}
    for label in TopologicalSorter(below).static_order():
        reached[label] = set().union(*(reached[other] | {other} for other in below[label]))
    return {
        label: {one for one in others if not any(one in reached[other] for other in others)}
        for label, others in below.items()
    }


def _links(below: Mapping[str, set[str]], depth: Mapping[str, int]) -> list[tuple[Place, Place]]:
    """Edges from one column to the next, long ones through lanes that all edges of one entry
    share.
    """
    links: dict[tuple[Place, Place], None] = {}
    for label, others in below.items():
        for other in sorted(others):
            for x in range(depth[other], depth[label]):
                end = (label, x + 1) if x + 1 == depth[label] else (other, x + 1)
                links[(other, x), end] = None
    return list(links)


def _columns(depth: Mapping[str, int], links: Sequence[tuple[Place, Place]]) -> list[list[Place]]:
    """Entries and lanes by column, each column in the order of its neighbours' mean row."""
    places = dict.fromkeys([*depth.items(), *(place for link in links for place in link)])
    columns: list[list[Place]] = [[] for _ in range(max(depth.values()) + 1)]
    for place in places:
        columns[place[1]].append(place)
    before: dict[Place, list[Place]] = {place: [] for place in places}
    after: dict[Place, list[Place]] = {place: [] for place in places}
    for start, end in links:
        before[end].append(start)
        after[start].append(end)
    for sweep in range(16):
        near, order = (before, columns) if sweep % 2 == 0 else (after, columns[::-1])
        for column in order:
            row = {place: y / len(one) for one in columns for y, place in enumerate(one)}
            column.sort(
                key=lambda place: (
                    sum(row[o] for o in near[place]) / len(near[place])
                    if near[place]
                    else row[place]
                )
            )
    return columns


def _size(place: Place, depth: Mapping[str, int]) -> int:
    return (_HEIGHT if place[1] == depth[place[0]] else _LANE) + _GAP_Y


def _left(x: int) -> int:
    return _MARGIN + x * (_WIDTH + _GAP_X)


def _edge(start: Place, end: Place, middle: Mapping[Place, float]) -> str:
    x = _left(start[1]) + _WIDTH
    to_x = _left(end[1])
    y = middle[start]
    to_y = middle[end]
    bend = (x + to_x) // 2
    return f'<path d="M{x},{y:g} C{bend},{y:g} {bend},{to_y:g} {to_x},{to_y:g}"/>'


def _node(judged: Judgement, x: int, y: int) -> str:
    """A box framed by the statement's status, with its sign, which links to the entry's section."""
    label = judged.claim.label
    tone = TONES.get(judged.statement.value, "")
    dashes = "" if judged.whole else ' stroke-dasharray="4 2"'
    told = f"{label}: {judged.claim.title}; statement {judged.statement}, proof {judged.proof}"
    return (
        f'<a href="#{escape(label)}" class="node'
        f' {tone or "else"}"><title>{escape(told)}</title><rect x="{x}" y="{y}" width="{_WIDTH}"'
        f' height="{_HEIGHT}" rx="5"{dashes}/><text x="{x + _WIDTH // 2}" y="{y + 16}"'
        f' text-anchor="middle">{SIGNS[tone]}{escape(label)}</text></a>'
    )
