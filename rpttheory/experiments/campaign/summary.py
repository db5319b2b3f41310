"""What a campaign found: counts, every open case, and the distributions that the matrices were
drawn for.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InvalidInput
from ...files import write_whole
from ...provenance import provenance_rows
from ...report import Document, Page, Report, Table, finish, new_axes, picture, render_page
from ...report.figure import INKS, UNDATED
from ...runs.store import Store

SCHEMA = "rpttheory/campaign/2"
STATUSES = ("PROVED", "DONE", "REFUTED", "UNDECIDED", "FAILED")
# What is drawn: the entry of a row's comparison, and how it is written.
RATIOS = {"closed_over_optimum": "c(P_closed) / c*", "speedup": "lambda_max / c*"}
_SHOWN = 50
_SLOWEST = 5


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Report):
    """The rows of a campaign, counted."""

    rows: Sequence[dict[str, Any]]
    computed: Sequence[dict[str, Any]]

    @property
    def counts(self) -> dict[str, int]:
        """Tasks by status."""
        found = Counter(row["status"] for row in self.rows)
        return {status: found[status] for status in STATUSES}

    @property
    def exit_code(self) -> int:
        """The exit code: 1 where something is refuted, else 3 where something is undecided or
        failed.
        """
        counts = self.counts
        return 1 if counts["REFUTED"] else 3 if counts["UNDECIDED"] + counts["FAILED"] else 0

    def values(self, ratio: str) -> dict[str, np.ndarray]:
        """The ratio on every matrix, by kind, as the middle of its bracket."""
        found: dict[str, list[float]] = {}
        for row in self.rows:
            ends = row["result"].get("compare", {}).get(ratio)
            if ends is not None and None not in ends:
                found.setdefault(row["kind"], []).append(sum(ends) / 2)
        return {kind: np.array(values) for kind, values in found.items()}

    def promises(self) -> dict[tuple[str, str], np.ndarray]:
        """Steps and costs by theorem and choice, one row per task, as the middles of their
        brackets.
        """
        found: dict[tuple[str, str], list[list[float]]] = {}
        for row in self.rows:
            for one in row["result"].get("rates", ()):
                ends = [[one[name]["lower"], one[name]["upper"]] for name in ("steps", "cost")]
                if None not in ends[0] + ends[1]:
                    found.setdefault((one["label"], one["choice"]), []).append(
                        [sum(pair) / 2 for pair in ends]
                    )
        return {key: np.array(values) for key, values in found.items()}

    def records(self) -> list[dict[str, Any]]:
        """One row per task."""
        return [
            {**{name: row[name] for name in ("task", "kind", "status", "seconds", "products")}}
            | {ratio: row["result"].get("compare", {}).get(ratio) for ratio in RATIOS}
            for row in self.rows
        ]

    def render(self, title: str = "", notes: Sequence[str] = ()) -> Document:
        """Counts, quantiles by kind, what theorems promise, every case that is open, and the
        slowest tasks.
        """
        told = ", ".join(
            f"{number} {status.lower()}" for status, number in self.counts.items() if number
        )
        parts: list[str | Table] = [
            f"{title or 'campaign'}: {len(self.rows)} tasks: {told}",
            *notes,
        ]
        parts += sorted(
            {
                f"  note: {row['kind']}: {n}"
                for row in self.rows
                for n in row["result"].get("notes", ())
            }
        )
        for ratio, name in RATIOS.items():
            values = self.values(ratio)
            if values:
                everything = {**values, "all": np.concatenate(list(values.values()))}
                rows = [
                    (kind, str(v.size), *(f"{q:.4g}" for q in _quantiles(v)))
                    for kind, v in everything.items()
                ]
                header = (name, "tasks", "least", "median", "95 %", "99 %", "largest")
                parts += ["", Table(header, rows, right=frozenset(range(1, 7)))]
        promised = [
            (
                *key,
                str(len(v)),
                *(f"{q:.4g}" for q in _quantiles(v[:, 0])[[0, 1, 4]]),
                f"{np.median(v[:, 1]):.4g}",
            )
            for key, v in self.promises().items()
        ]
        if promised:
            header = (
                "theorem",
                "choice",
                "tasks",
                "steps, least",
                "median",
                "largest",
                "cost, median",
            )
            parts += ["", Table(header, promised, right=frozenset(range(2, 7)))]
        open_rows = [row for row in self.rows if row["status"] in STATUSES[2:]]
        if open_rows:
            cells = [(row["status"], row["task"], _reason(row)) for row in open_rows[:_SHOWN]]
            parts += ["", Table(("status", "task", "what"), cells)]
            parts += [f"and {len(open_rows) - _SHOWN} more in the JSON"] * (len(open_rows) > _SHOWN)
        slowest = sorted(self.rows, key=lambda row: -row["seconds"])[:_SLOWEST]
        cells = [(f"{row['seconds']:.3g}", str(row["products"]), row["task"]) for row in slowest]
        return [
            *parts,
            "",
            Table(("seconds", "products", "slowest tasks"), cells, right=frozenset({0, 1})),
        ]

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values under the schema rpttheory/campaign/2."""
        quantiles = {
            ratio: {
                kind: [float(q) for q in _quantiles(v)] for kind, v in self.values(ratio).items()
            }
            for ratio in RATIOS
        }
        return {
            "schema": SCHEMA,
            "counts": self.counts,
            "quantiles": {"of": [0, 0.5, 0.95, 0.99, 1], **quantiles},
            "rates": [
                {
                    **dict(zip(("label", "choice"), key, strict=True)),
                    "steps": list(steps),
                    "cost": list(cost),
                }
                for key, (steps, cost) in (
                    (key, map(_quantiles, v.T)) for key, v in self.promises().items()
                )
            ],
            "open": [row for row in self.rows if row["status"] in STATUSES[2:]],
            "computed": list(self.computed),
        }

    def plot(self, ratio: str = "closed_over_optimum", ax: Any = None) -> Any:
        """The distribution of a ratio by kind: its range, its middle half and its median."""
        if ratio not in RATIOS:
            raise InvalidInput("ratio must be one that is kept", repr(ratio), " or ".join(RATIOS))
        values = dict(
            sorted(self.values(ratio).items(), key=lambda item: float(np.median(item[1])))
        )
        ax = ax if ax is not None else new_axes(8.0, 1.4 + 0.32 * len(values))
        style = {"color": INKS[2]}
        ax.boxplot(
            list(values.values()),
            orientation="horizontal",
            whis=(1, 99),
            flierprops={"marker": ".", "markersize": 2, "markeredgecolor": INKS[1]},
            medianprops={"color": INKS[1]},
            boxprops=style,
            whiskerprops=style,
            capprops=style,
            widths=0.6,
        )
        ax.set_yticks(range(1, len(values) + 1), list(values))
        if values and max(float(v.max()) for v in values.values()) > 4:
            ax.set_xscale("log")
        ax.set_xlabel(f"{RATIOS[ratio]}   (line: 1 to 99 %; box: the middle half; dots: the rest)")
        ax.grid(axis="x", alpha=0.3)
        return finish(ax, legend=False)


def summarize(store: Store) -> Summary:
    """Summarize the rows so far."""
    rows = [{"task": key, **row.value} for key, row in store.items()]
    return Summary(rows, [computed for computed in store.provenances() if computed])


def write_report(summary: Summary, folder: Path, title: str, command: str = "") -> list[str]:
    """Write the page, the JSON and the pictures beside the results; return their paths."""
    drawn = {ratio: summary.plot(ratio).figure for ratio in RATIOS if summary.values(ratio)}
    contents = {
        f"{ratio}.svg": picture(figure, ".svg", metadata=UNDATED[".svg"])
        for ratio, figure in drawn.items()
    }
    contents["report.json"] = json.dumps(summary.to_dict(), indent=1).encode()
    answer, *parts = summary.render(title)
    page = Page(
        title,
        "On how many matrices does it hold, and how are the ratios distributed?",
        str(answer),
        parts,
        [(RATIOS[ratio], figure) for ratio, figure in drawn.items()],
        (
            (
                "Each row is proved as verify and compare prove it; quantiles are of the middles of"
                " the brackets."
            ),
        ),
        command,
        list(dict.fromkeys(fact for block in summary.computed for fact in provenance_rows(block))),
    )
    contents["report.html"] = render_page(page).encode()
    for name, content in contents.items():
        write_whole(folder / name, content)
    return [str(folder / name) for name in contents]


def _quantiles(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.quantile(values, (0, 0.5, 0.95, 0.99, 1)))


def _reason(row: dict[str, Any]) -> str:
    result = row["result"]
    if "error" in result:
        return "; ".join(text for text in result["error"].values() if text)
    claims = result.get("verify", {}).get("open", [])
    return (
        ", ".join(f"{claim['statement']}: {claim['verdict']}" for claim in claims)
        or "the gap was not reached"
    )
