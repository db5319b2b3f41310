"""One way to draw: axes at hand or new ones, one palette, and a picture on disk whole or not at all."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..files import require_writable, write_whole

_FORMATS = (".svg", ".png", ".pdf")


def new_axes(width: float, height: float = 4.0) -> Any:
    """Axes of a new figure that no window manager knows, so that nothing has to be closed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure.subplots()


def check_plot_path(path: str) -> None:
    """Refuse a picture that we could not write before any work is done."""
    target = Path(path)
    if target.suffix.lower() not in _FORMATS:
        raise InvalidInput("unknown picture format", repr(target.name), "a name that ends in " + ", ".join(_FORMATS))
    require_writable(path, "a place that can be written")


def write_picture(figure: Any, target: Path) -> None:
    """Write a figure in the format that the name ends in, whole or not at all."""
    stream = io.BytesIO()
    figure.savefig(stream, format=target.suffix[1:])
    write_whole(target, stream.getvalue())
