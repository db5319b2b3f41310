"""One way to draw: axes at hand or new ones, one palette with a second cue, and a picture whole or
not at all.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..files import require_writable, write_whole

_FORMATS = (".svg", ".png", ".pdf")
# Okabe and Ito's colors, which people with any kind of color vision can tell apart, darkest
# first; what has a color has a hatch, a line or a marker of its own as well, for those who see
# none.
INKS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#7F7F7F")
HATCHES = ("", "///", "xx", "\\\\\\", "++", "--")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P")
_TIP = "tip:"
# Without these lines equal figures are equal files.
UNDATED = {".svg": {"Date": None}, ".png": {"Software": None}}


def new_figure(width: float, height: float) -> Any:
    """A figure that no window manager knows, so that nothing has to be closed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def new_axes(width: float, height: float = 4.0) -> Any:
    """Axes of such a figure."""
    return new_figure(width, height).subplots()


def bars(axes: Any, series: Sequence[tuple[str, Sequence[float]]], names: Sequence[str]) -> None:
    """Bars side by side, one group for each name, with a tooltip each."""
    width = 0.8 / len(series)
    for index, (label, values) in enumerate(series):
        shift = (index - (len(series) - 1) / 2) * width
        look = {"facecolor": "white" if HATCHES[index] else INKS[index], "edgecolor": INKS[index]}
        drawn = axes.bar(
            [place + shift for place in range(len(names))],
            values,
            width,
            label=label,
            hatch=HATCHES[index],
            **look,
        )
        for bar, name, value in zip(drawn, names, values, strict=True):
            tip(bar, f"{name}, {label}: {value:.6g}")


def line(index: int) -> dict[str, Any]:
    """Color and dashes of the curve with this number."""
    return {"color": INKS[index], "linestyle": LINES[index]}


def tip(artist: Any, text: str) -> None:
    """Say something of a part of a picture, which a page shows where the pointer rests on it."""
    artist.set_gid(
        _TIP + text.replace('"', "'")
    )  # an attribute between double quotes, which `inline` looks for


def finish(axes: Any, title: str = "", *, legend: bool = True) -> Any:
    """What all axes share: two spines, a title to the left and a legend beside."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, fontsize=10, loc="left", parse_math=False)
    if legend:
        axes.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return axes


def check_plot_path(path: str) -> None:
    """Refuse a picture that we could not write before any work is done."""
    target = Path(path)
    if target.suffix.lower() not in _FORMATS:
        raise InvalidInput(
            "unknown picture format",
            repr(target.name),
            "a name that ends in " + ", ".join(_FORMATS),
        )
    require_writable(path, "a place that can be written")


def picture(figure: Any, suffix: str, *, fonts: str = "path", **options: Any) -> bytes:
    """A figure in the format of this suffix; SVG has its letters as paths, or with fonts="none" as
    letters.
    """
    import matplotlib as mpl

    stream = io.BytesIO()
    # A fixed salt names the parts of an SVG file alike every time.
    with mpl.rc_context({"svg.hashsalt": "rpttheory", "svg.fonttype": fonts}):
        figure.savefig(stream, format=suffix[1:], **options)
    return stream.getvalue()


def write_picture(figure: Any, target: Path) -> None:
    """Write a figure in the format that the name ends in, whole or not at all."""
    write_whole(target, picture(figure, target.suffix.lower()))


def inline(drawn: Any, label: str) -> str:
    """A figure, or the bytes of an SVG file, for the middle of a page: it scales, has a name, and
    tips are tooltips.
    """
    from html import escape

    text = (
        drawn
        if isinstance(drawn, bytes)
        else picture(drawn, ".svg", fonts="none", metadata=UNDATED[".svg"])
    ).decode()
    text = text[text.index("<svg") :]
    text = re.sub(rf'<g id="{_TIP}([^"]*)"([^>]*)>', r"<g\2><title>\1</title>", text)
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # On a phone a picture of several panels keeps a size at which it can be read, and is scrolled.
    style = r"width:\2;min-width:calc(\2 * .6 - 7rem);max-width:100%;height:auto"
    return re.sub(
        r'<svg ([^>]*?)width="([^"]*)" height="[^"]*"',
        rf'<svg role="img" aria-label="{escape(label)}" style="{style}" \1',
        text,
        count=1,
    )
