"""The ledger as one HTML page that works offline and without scripts: the graph, then a section an entry."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from rpttheory.files import write_whole
from rpttheory.provenance import provenance, provenance_rows

from .entry import Kind, Status
from .graph import COLOURS, draw
from .judgement import Judgement
from .text import MEANING, differences, rests_on, summary, tight


def write_page(path: str, judgements: Sequence[Judgement], *, seed: int, depth: int) -> None:
    """Write the page whole, or leave what was there."""
    text = render_page(judgements, seed=seed, depth=depth)
    write_whole(Path(path), text.encode())


def render_page(judgements: Sequence[Judgement], *, seed: int, depth: int) -> str:
    """The page as a string."""
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["mathml"] = mathml
    environment.filters["differences"] = differences
    environment.filters["tight"] = tight
    environment.filters["rests_on"] = rests_on
    return environment.get_template("page.html.jinja").render(
        judgements=[judged for judged in judgements if judged.claim.kind is not Kind.PLACE],
        places=[judged for judged in judgements if judged.claim.kind is Kind.PLACE],
        graph=draw(judgements),
        colours={status.value: colour for status, colour in COLOURS.items()},
        meaning=MEANING,
        legend=[status for status in Status if any(status in (j.statement, j.proof) for j in judgements)],
        summary=summary(judgements, seed=seed, depth=depth),
        computed_with=provenance_rows(provenance()),
    )


@cache
def mathml(latex: str) -> str:
    """A formula as MathML, which browsers draw by themselves."""
    from latex2mathml.converter import convert

    return str(convert(latex, display="block"))
