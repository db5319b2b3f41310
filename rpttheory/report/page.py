"""A result as one HTML page, which works offline, without scripts, on a phone and on paper."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..files import write_whole
from .document import Document, as_html
from .figure import inline
from .table import TONES

TEMPLATE = Path(__file__).with_name("page.html.jinja")


@dataclass(frozen=True)
class Page:
    """The content of a page.

    Attributes
    ----------
    title, question, answer : str
        The answer in a sentence.
    document : Document
        The tables and lines of the result.
    pictures : sequence of (caption, figure)
        Figures of matplotlib, or SVG as bytes.
    proved : sequence of str
        Why the answer can be trusted.
    command : str
        The command that repeats the computation.
    facts : sequence of (name, text)
        The input and the provenance.
    template : Path
        A template in another folder may extend this one.
    context : mapping
        Further values, and `filters`, for the template.
    """

    title: str
    question: str
    answer: str
    document: Document = ()
    pictures: Sequence[tuple[str, Any]] = ()
    proved: Sequence[str] = ()
    command: str = ""
    facts: Sequence[tuple[str, str]] = ()
    template: Path = TEMPLATE
    context: Mapping[str, Any] = field(default_factory=dict)


def render_page(page: Page) -> str:
    """Return the page as HTML."""
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(
        loader=FileSystemLoader([TEMPLATE.parent, page.template.parent]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    context = dict(page.context)
    environment.filters |= {"inline": inline, "document": as_html, **context.pop("filters", {})}
    return environment.get_template(page.template.name).render(page=page, tones=TONES, **context)


def write_page(path: str, page: Page) -> None:
    """Write the page whole, or leave the old file."""
    write_whole(Path(path), render_page(page).encode())
