"""A finished result: on the terminal or as JSON, in the files that were asked for, and as an exit
code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .output import emit, emit_json, remark, wide_option
from .page import html_option, write_html, written_option

if TYPE_CHECKING:
    from ..report import Document, Page

_OPTIONS = {
    "as_json": click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
    "html": html_option,
    "plot": click.option(
        "--plot", default=None, metavar="FILE", help="Write a picture (.svg, .png, .pdf)."
    ),
    "rows": click.option(
        "--save-p",
        "rows",
        default=None,
        metavar="FILE",
        help="Write all probabilities per block (.csv, .json).",
    ),
    "certificate": written_option(
        "--certificate", "Write what proves the result, for `rpttheory check FILE`."
    ),
}


@dataclass(frozen=True)
class Output:
    """Where a result goes; a file that could not be written is refused when this is made."""

    as_json: bool = False
    html: str | None = None
    plot: str | None = None
    rows: str | None = None
    certificate: str | None = None

    def __post_init__(self) -> None:
        from ..report import check_plot_path, check_rows_path

        if self.plot is not None:
            check_plot_path(self.plot)
        if self.rows is not None:
            check_rows_path(self.rows)


def output_options(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --json, --html, --wide and the options with these names; the command gets `output`."""
    chosen = ("as_json", "html", *names)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_output(*arguments: Any, **options: Any) -> Any:
            output = Output(**{name: options.pop(name) for name in chosen})
            return command(*arguments, output=output, **options)

        decorated: Callable[..., Any] = wide_option(with_output)
        for field in reversed(fields(Output)):
            if field.name in chosen:
                decorated = _OPTIONS[field.name](decorated)
        return decorated

    return decorate


def present(
    result: Any,
    output: Output,
    document: Document,
    page: Callable[[], Page],
    *,
    source: str | None = None,
    details: Mapping[str, Any] | None = None,
) -> int:
    """Write and print a result.

    Parameters
    ----------
    document : Document
        The result in lines and tables, as the terminal shows it.
    page : callable
        Makes the page of --html, with its pictures.
    source : str, optional
        The file that was read, whose digest the page shows.
    details : mapping, optional
        What JSON says besides the result.

    Returns
    -------
    int
        The exit code.
    """
    from ..certificates.writer import write_certificate
    from ..report import write_picture, write_rows

    if output.certificate is not None:
        write_certificate(output.certificate, result.certificate())
        remark(f"wrote {output.certificate}")
    if output.rows is not None:
        write_rows(result.records(), output.rows)
        remark(f"wrote {output.rows}")
    if output.plot is not None:
        write_picture(result.plot().figure, Path(output.plot))
        remark(f"wrote {output.plot}")
    if output.html is not None:
        write_html(output.html, page(), source=source)
    if output.as_json:
        emit_json({**result.to_dict(), **(details or {})})
    else:
        emit(document)
    code: int = result.exit_code
    return code
