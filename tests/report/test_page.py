"""Pages: one style for every command, nothing from elsewhere, and pictures with a name and
tooltips.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest
from program import Run
from refusals import refuses

from rpttheory import compare
from rpttheory.report.figure import inline, tip

from .pages import Page

L = np.array([[9.0, 1.0, 0.5], [1.0, 4.0, 0.25], [0.5, 0.25, 1.0]])


@pytest.mark.parametrize(
    ("command", "code", "pictures"),
    [("verify --claim L_P<=lmax/2", 1, 1), ("compare", 0, 2), ("rates", 0, 1)],
)
def test_a_page_answers_and_stands_alone(
    command: str, code: int, pictures: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    source = Path("<b>&.csv")
    np.savetxt(source, L, delimiter=",")
    words = [*command.split(), str(source), "--blocks", "1,2", "--output", "page.html"]
    assert run(words).code == code
    text = Path("page.html").read_text(encoding="utf-8")
    page = Page(text)
    printed = "".join(page.text)
    assert [url for url in page.loads if not url.startswith("data:image/png")] == []
    assert "<script" not in text and text.count("<main>") == 1 and "<b>&" not in text
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    for fact in ("1970-01-02 00:00 UTC", digest, f"rpttheory {words[0]} "):
        assert fact in printed
    assert text.count('<svg role="img" aria-label="') == pictures
    assert len(re.findall(r"<g[^>]*><title>", text)) >= 3
    assert ('<td class="bad" style="text-align:left">REFUTED</td>' in text) == (code == 1)


def test_a_tip_becomes_a_tooltip_and_ids_do_not_clash() -> None:
    axes = compare(L, [1, 2]).plot(kind="costs")
    tip(axes.lines[0], 'a "quoted" <tip>')
    text = inline(axes.figure, "name & more")
    assert (
        "<title>a 'quoted' &lt;tip&gt;</title>" in text and 'aria-label="name &amp; more"' in text
    )
    assert '<g id="' not in text and text.startswith("<svg ") and "min-width:calc(" in text


@pytest.mark.parametrize("count", [40, 41])
def test_every_kind_of_picture_is_told_apart_without_color(count: int) -> None:
    result = compare(np.diag(np.arange(1.0, count + 1)), "each")
    axes = result.plot()
    cues = [bar.get_hatch() for bar in axes.patches[::count]] or [
        line.get_linestyle() for line in axes.lines
    ]
    assert len(axes.patches) == (120 if count == 40 else 0) and len(set(cues)) == 3
    with refuses("kind", found="pie"):
        result.plot(kind="pie")
    costs = result.plot(kind="costs")
    assert len({mark.get_marker() for mark in costs.lines} - {"None"}) == 2
    names = [label.get_text() for label in costs.get_yticklabels()]
    assert {"optimum of c(P)", "one block at a time", "no sampling is below"} <= set(names)
