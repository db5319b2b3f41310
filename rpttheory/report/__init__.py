"""Presentation of results: tables, documents, figures and pages. It knows no result."""

from .document import Document, Report, as_html, as_text, heading
from .figure import bars, draw, finish, new_axes, new_figure, picture, write_picture
from .page import Page, render_page, write_page
from .table import Cell, Column, Table
from .text import BRIEF, Detail, number, sides

__all__ = [
    "BRIEF",
    "Cell",
    "Column",
    "Detail",
    "Document",
    "Page",
    "Report",
    "Table",
    "as_html",
    "as_text",
    "bars",
    "draw",
    "finish",
    "heading",
    "new_axes",
    "new_figure",
    "number",
    "picture",
    "render_page",
    "sides",
    "write_page",
    "write_picture",
]
