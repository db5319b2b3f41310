"""The ledger as one page: all entries with a search, the graph in DOT, the errata of the paper,
then a section an entry.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from rpttheory.report.page import Page

from .entry import Kind, Status
from .graph import dot
from .judgement import Judgement
from .text import MEANING, differences, rests_on, severities, summary, tight


def ledger_page(judgements: Sequence[Judgement], *, seed: int, depth: int) -> Page:
    """Return the page of the ledger."""
    shown = [judged for judged in judgements if judged.claim.kind is not Kind.PLACE]
    context = {
        "filters": {
            "mathml": mathml,
            "differences": differences,
            "tight": tight,
            "rests_on": rests_on,
            "severities": severities,
        },
        "judgements": shown,
        "places": [judged for judged in judgements if judged.claim.kind is Kind.PLACE],
        "graph": dot(judgements),
        "meaning": MEANING,
        "legend": [
            status for status in Status if any(status in (j.statement, j.proof) for j in shown)
        ],
    }
    return Page(
        "The ledger of claims",
        "What of the paper, and of what we add to it, is proved, and how is it known?",
        summary(judgements, seed=seed, depth=depth) + ".",
        template=Path(__file__).with_name("ledger.html.jinja"),
        context=context,
    )


@cache
def mathml(latex: str) -> str:
    """A formula as MathML, which browsers draw by themselves."""
    from latex2mathml.converter import convert

    return str(convert(latex, display="block"))
