"""How results are shown: text, tables of a notebook, data frames and pictures; it knows nothing of any result."""

from .document import Document, Shown, Table, as_html, as_text, check_rows_path, write_rows
from .figure import check_plot_path, new_axes, write_picture
from .text import number, sides, table

__all__ = [
    "Document",
    "Shown",
    "Table",
    "as_html",
    "as_text",
    "check_plot_path",
    "check_rows_path",
    "new_axes",
    "number",
    "sides",
    "table",
    "write_picture",
    "write_rows",
]
