"""Tables of text: aligned columns, or one value per line where those do not fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from .text import Paint, wrap

# Rows of a table about blocks that text lists one by one; beyond, the first and the last few.
_LISTED = 100
_FIRST = 12
_LAST = 3

# What a word in a cell of its own tells at a glance: its color, and on a page a sign.
TONES = {
    **dict.fromkeys(("PROVED", "verified"), "good"),
    "argued": "fair",
    "corrected": "mended",
    **dict.fromkeys(("REFUTED", "refuted", "error"), "bad"),
    **dict.fromkeys(("UNDECIDED", "undecided", "open"), "unsure"),
}


@dataclass(frozen=True)
class Table:
    """Rows of text under a header; columns in `right` are numbers, and a remark stands below its
    row.

    Where rows are blocks, text leaves the middle of a long table out; pages show all of it.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: frozenset[int] = frozenset()
    remarks: Mapping[int, str] = field(default_factory=dict)
    blocks: bool = False

    def lines(self, width: int | None = None, paint: Paint = str) -> list[str]:
        """Return the table as aligned text; where a line would be wider than `width`, return one
        line per value instead, with the title of its column.
        """
        rows = list(self.rows)
        if self.blocks and len(rows) > _LISTED:
            gap = ("...", *[""] * (len(self.header) - 1))
            rows = [*rows[:_FIRST], gap, *rows[-_LAST:]]
        widths = [max(map(len, column)) for column in zip(self.header, *rows, strict=True)]
        if width is not None and sum(widths) + 2 * len(widths) > width:
            return self._value_by_value(rows, width, paint)
        lines = [self._aligned(self.header, widths, paint)]
        for index, row in enumerate(rows):
            lines.append(self._aligned(row, widths, paint))
            if index in self.remarks:
                lines.append(f"      {self.remarks[index]}")
        return lines

    def _aligned(self, row: Sequence[str], widths: Sequence[int], paint: Paint) -> str:
        line = ""
        for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
            room = " " * (width - len(cell))
            line += "  " + (room + paint(cell) if column in self.right else paint(cell) + room)
        return line.rstrip()

    def _value_by_value(self, rows: Sequence[Sequence[str]], width: int, paint: Paint) -> list[str]:
        title_width = max(map(len, self.header))
        lines = []
        for index, row in enumerate(rows):
            remark = self.remarks.get(index)
            pairs = [*zip(self.header, row, strict=True), *([("", remark)] if remark else [])]
            for title, cell in pairs:
                first, *more = wrap(cell, max(width - title_width - 4, 1))
                lines.append(f"  {title:<{title_width}}  {paint(first)}".rstrip())
                lines += [" " * (title_width + 4) + part for part in more]
            lines.append("")
        return lines[:-1]

    def html(self) -> str:
        """The table as HTML without scripts; it brings its alignment, and verdicts as classes."""

        def cell(index: int, text: str, tag: str) -> str:
            side = "right" if index in self.right else "left"
            tone = TONES.get(text, "")
            mark = f' class="{tone}"' if tone else ""
            return f'<{tag}{mark} style="text-align:{side}">{escape(text)}</{tag}>'

        def cells(row: Sequence[str], tag: str) -> str:
            return "".join(cell(index, text, tag) for index, text in enumerate(row))

        body = []
        for index, row in enumerate(self.rows):
            body.append(f"<tr>{cells(row, 'td')}</tr>")
            if index in self.remarks:
                remark = escape(self.remarks[index])
                body.append(
                    f'<tr><td colspan="{len(row)}"'
                    f' style="text-align:left"><em>{remark}</em></td></tr>'
                )
        header = cells(self.header, "th")
        return f"<table><thead><tr>{header}</tr></thead><tbody>{''.join(body)}</tbody></table>"
