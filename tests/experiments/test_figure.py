"""Figures: both formats, the same bytes for the same results, everything drawn."""

import io
import re
from functools import cache

import pytest

from rpttheory.experiments.figure import LOOKS, Curve, Panel, draw


def panels(count: int, labels: tuple[str, ...] = ("GD", "RPT")) -> list[Panel]:
    curves = [
        Curve(label, [0.5, 1.0, 10.0 * k], [1.0, 0.1, 1e-8])
        for k, label in enumerate(labels, start=1)
    ]
    return [Panel(f"panel {k}", curves) for k in range(count)]


@cache
def pictures_of(count: int) -> dict[str, bytes]:
    """At most four panels side by side."""
    return draw(panels(count), 4, title="Title")


@pytest.mark.parametrize("count", [1, 5])
def test_both_formats_have_every_panel_and_curve(count: int) -> None:
    pictures = pictures_of(count)
    assert pictures[".png"].startswith(b"\x89PNG")
    svg = pictures[".svg"].decode()
    assert svg.rstrip().endswith("</svg>") and len(re.findall("<!-- panel", svg)) == count
    for label in ("GD", "RPT"):
        # Once in the legend and once in every panel.
        line = (
            f"stroke: {LOOKS[label]['color'].lower()}; stroke-(?:opacity: 0.7; stroke-)?width:"
            " (?:0.9|1.8)"
        )
        assert len(re.findall(line, svg)) == count + 1
    assert "<!-- CBCD -->" not in svg and "<!-- RPT -->" in svg


def test_equal_results_are_equal_files() -> None:
    assert draw(panels(1), 4, title="Title") == pictures_of(1)


def test_the_colours_differ_in_brightness_too() -> None:
    def brightness(colour: str) -> float:
        red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
        return 0.3 * red + 0.59 * green + 0.11 * blue

    assert len({round(brightness(look["color"])) for look in LOOKS.values()}) == len(LOOKS)
    assert len({str(look["linestyle"]) for look in LOOKS.values()}) == len(LOOKS)


def test_png_opens() -> None:
    from matplotlib.image import imread

    image = imread(io.BytesIO(pictures_of(5)[".png"]), format="png")
    assert image.shape[0] > 300 and image.shape[1] > 600 and image[..., :3].min() < 0.1
