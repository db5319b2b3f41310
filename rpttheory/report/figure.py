"""Figures: new axes, one palette with a second cue, and pictures as files or inside a page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..files import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colors, which people with any kind of color vision can tell apart, darkest
# first; what has a color has a hatch, a line or a marker of its own as well, for those who see
# none.
INKS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#7F7F7F", "#56B4E9", "#E69F00")
HATCHES = ("", "///", "xx", "\\\\\\", "++", "--")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P")
_TIP = "tip:"
# Without these lines equal figures are equal files.
UNDATED = {".svg": {"Date": None}, ".png": {"Software": None}}


def new_figure(width: float, height: float) -> Figure:
    """Return a figure that no window manager knows, so that nothing has to be closed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def new_axes(width: float, height: float = 4.0) -> Axes:
    """Return the current axes of pyplot if they are empty, else the axes of a new figure.

    Notebooks, `plt.show()` and `plt.savefig()` show what is drawn on them.
    """
    import matplotlib.pyplot as plt

    if plt.get_fignums():
        axes = plt.gca()
        if not axes.has_data():
            return axes
    return plt.figure(figsize=(width, height), layout="constrained").subplots()


def draw(plot: Callable[..., Axes], **options: Any) -> Figure:
    """Return the figure that a plot method draws, without a window and unknown to pyplot."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure

    figure = plot(**options).figure
    assert isinstance(figure, Figure)
    plt.close(figure)
    return figure


def bars(axes: Axes, series: Sequence[tuple[str, Sequence[float]]], names: Sequence[str]) -> None:
    """Draw bars side by side, one group per name, each with a tooltip."""
    width = 0.8 / len(series)
    for index, (label, values) in enumerate(series):
        shift = (index - (len(series) - 1) / 2) * width
        artists = axes.bar(
            [place + shift for place in range(len(names))],
            values,
            width,
            label=label,
            hatch=HATCHES[index],
            facecolor="white" if HATCHES[index] else INKS[index],
            edgecolor=INKS[index],
        )
        for bar, name, value in zip(artists, names, values, strict=True):
            tip(bar, f"{name}, {label}: {value:.6g}")


def line(index: int) -> dict[str, Any]:
    """Return color and dashes of the curve with this number."""
    return {"color": INKS[index], "linestyle": LINES[index]}


def tip(artist: Any, text: str) -> None:
    """Give a part of a picture a tooltip, which pages show."""
    # `inline` looks for an attribute between double quotes.
    artist.set_gid(_TIP + text.replace('"', "'"))


def finish(axes: Axes, title: str = "", *, legend: bool = True) -> Axes:
    """Give axes the common style: two spines, a title at the left, a legend at the side."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, fontsize=10, loc="left", parse_math=False)
    if legend:
        axes.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return axes


def picture(figure: Any, suffix: str, *, fonts: str = "path", **options: Any) -> bytes:
    """Return a figure in the format of this suffix.

    SVG has letters as paths or, with fonts="none", as text.
    """
    import matplotlib as mpl

    stream = io.BytesIO()
    # A fixed salt names the parts of an SVG file alike every time.
    with mpl.rc_context({"svg.hashsalt": "rpttheory", "svg.fonttype": fonts}):
        figure.savefig(stream, format=suffix[1:], **options)
    return stream.getvalue()


def write_picture(figure: Any, target: Path) -> None:
    """Write a figure in the format that the suffix names, whole or not at all."""
    write_whole(target, picture(figure, target.suffix.lower()))


def inline(figure: Any, label: str) -> str:
    """Return a figure, or the bytes of an SVG file, as SVG inside a page.

    It scales with the page, has a label, and tips are tooltips.
    """
    if not isinstance(figure, bytes):
        figure = picture(figure, ".svg", fonts="none", metadata=UNDATED[".svg"])
    text = figure.decode()
    text = text[text.index("<svg") :]
    text = re.sub(rf'<g id="{_TIP}([^"]*)"([^>]*)>', r"<g\2><title>\1</title>", text)
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # On a phone a picture of several panels stays large enough to read, and scrolls.
    style = r"width:\2;min-width:calc(\2 * .6 - 7rem);max-width:100%;height:auto"
    return re.sub(
        r'<svg ([^>]*?)width="([^"]*)" height="[^"]*"',
        rf'<svg role="img" aria-label="{escape(label)}" style="{style}" \1',
        text,
        count=1,
    )
