"""The dependency graph of the ledger in the DOT language of Graphviz."""

import json
from collections.abc import Sequence

from .entry import Kind, Status
from .judgement import Judgement

# Statuses that are drawn in color; other entries are gray.
_COLORS = {
    Status.VERIFIED: "darkgreen",
    Status.ARGUED: "darkgreen",
    Status.CORRECTED: "darkorange",
    Status.REFUTED: "red",
    Status.ERROR: "red",
}


def dot(judgements: Sequence[Judgement]) -> str:
    """Return the graph of all entries that claim or define something; edges lead to what rests on
    an entry, and a dashed frame says that something below it is open.
    """
    shown = [judged for judged in judgements if judged.claim.kind is not Kind.PLACE]
    labels = {judged.claim.label for judged in shown}
    lines = ["digraph ledger {", "  rankdir=LR; node [shape=box];"]
    for judged in shown:
        label = judged.claim.label
        color = _COLORS.get(judged.statement, "gray")
        style = "solid" if judged.whole else "dashed"
        tooltip = json.dumps(f"{judged.claim.title}: {judged.statement}")
        lines.append(f'  "{label}" [color={color}, style={style}, tooltip={tooltip}];')
        lines += [f'  "{below}" -> "{label}";' for below in sorted(judged.claim.below & labels)]
    return "\n".join([*lines, "}"])
