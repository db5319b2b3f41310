"""How results are shown: text, tables of a notebook, data frames and pictures; it knows nothing of
any result.
"""

from .document import Document, Report, as_html, as_text, check_rows_path, write_rows
from .figure import bars, check_plot_path, finish, new_axes, new_figure, picture, write_picture
from .page import Page, render_page, write_page
from .table import Table
from .text import number, sides

__all__ = [
    "Document",
    "Page",
    "Report",
    "Table",
    "as_html",
    "as_text",
    "bars",
    "check_plot_path",
    "check_rows_path",
    "finish",
    "new_axes",
    "new_figure",
    "number",
    "picture",
    "render_page",
    "sides",
    "write_page",
    "write_picture",
    "write_rows",
]
