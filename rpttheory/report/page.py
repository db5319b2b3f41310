"""A result as one page: it works offline and without scripts, in light and dark, on a phone and on
paper.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..files import write_whole
from .document import Document, as_html
from .figure import inline
from .table import TONES

TEMPLATE = "page.html.jinja"


@dataclass(frozen=True)
class Page:
    """What stands on a page, from the question to how to cite it.

    Attributes
    ----------
    title, question, answer : str
        The answer in a sentence.
    document : Document
        The tables and lines of the result.
    pictures : sequence of (caption, figure)
        Figures of matplotlib, or SVG as bytes.
    proved : sequence of str
        How it is known.
    command : str
        What repeats it.
    facts : sequence of (name, text)
        What it was computed from and with.
    """

    title: str
    question: str
    answer: str
    document: Document = ()
    pictures: Sequence[tuple[str, Any]] = ()
    proved: Sequence[str] = ()
    command: str = ""
    facts: Sequence[tuple[str, str]] = field(default_factory=list)


def render_page(
    page: Page, *, folder: Path | None = None, template: str = TEMPLATE, **more: Any
) -> str:
    """The page as text; a template of another folder may extend this one."""
    from jinja2 import Environment, FileSystemLoader

    folders = [Path(__file__).parent, *([] if folder is None else [folder])]
    environment = Environment(
        loader=FileSystemLoader(folders), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"inline": inline, "document": as_html, **more.pop("filters", {})}
    return environment.get_template(template).render(page=page, tones=TONES, **more)


def write_page(path: str, page: Page, **more: Any) -> None:
    """Write the page whole, or leave what was there."""
    write_whole(Path(path), render_page(page, **more).encode())
