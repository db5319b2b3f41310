"""How results are shown: text, tables of a notebook, data frames and pictures; it knows nothing of any result."""

from .document import Document, Shown, Table, as_html, as_text
from .figure import check_plot_path, new_axes, write_picture
from .text import number, shown_blocks, sides, table

__all__ = [
    "Document",
    "Shown",
    "Table",
    "as_html",
    "as_text",
    "check_plot_path",
    "new_axes",
    "number",
    "shown_blocks",
    "sides",
    "table",
    "write_picture",
]
