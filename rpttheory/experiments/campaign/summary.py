"""The summary of a campaign: counts, every open case, and distributions over the matrices."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...files import write_whole
from ...provenance import provenance_rows
from ...report import BRIEF, Detail, Document, Page, Report, Table, render_page
from ...runs.store import Store

SCHEMA = "rpttheory/campaign/2"
STATUSES = ("PROVED", "DONE", "REFUTED", "UNDECIDED", "FAILED")
# Entries of a row's comparison that are summarized, with their formulas.
RATIOS = {"closed_over_optimum": "c(P_closed) / c*", "speedup": "lambda_max / c*"}
_QUANTILES = (0, 0.5, 0.95, 0.99, 1)
_MOST_OPEN_ROWS = 50
_SLOWEST = 5


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Report):
    """The rows of a campaign, counted."""

    rows: Sequence[dict[str, Any]]
    computed: Sequence[dict[str, Any]]

    @property
    def counts(self) -> dict[str, int]:
        """Tasks by status."""
        counter = Counter(row["status"] for row in self.rows)
        return {status: counter[status] for status in STATUSES}

    @property
    def open_rows(self) -> list[dict[str, Any]]:
        """The rows that are refuted, undecided or failed."""
        return [row for row in self.rows if row["status"] in STATUSES[2:]]

    @property
    def exit_code(self) -> int:
        """1 where something is refuted, else 3 where something is undecided or failed."""
        return 1 if self.counts["REFUTED"] else 3 if self.open_rows else 0

    def values(self, ratio: str) -> dict[str, np.ndarray]:
        """The ratio on every matrix, by kind, as the middle of its bracket."""
        values: dict[str, list[float]] = {}
        for row in self.rows:
            ends = row["result"].get("compare", {}).get(ratio, [None])
            if None not in ends:
                values.setdefault(row["kind"], []).append(sum(ends) / 2)
        return {kind: np.array(middles) for kind, middles in values.items()}

    def rates(self) -> dict[tuple[str, str], np.ndarray]:
        """Steps and costs by theorem and choice, one row per task, as middles of brackets."""
        rates: dict[tuple[str, str], list[list[float]]] = {}
        for row in self.rows:
            for rate in row["result"].get("rates", ()):
                ends = [[rate[name]["lower"], rate[name]["upper"]] for name in ("steps", "cost")]
                if None not in ends[0] + ends[1]:
                    key = (rate["label"], rate["choice"])
                    rates.setdefault(key, []).append([sum(pair) / 2 for pair in ends])
        return {key: np.array(middles) for key, middles in rates.items()}

    def records(self) -> list[dict[str, Any]]:
        """One row per task."""
        return [
            {name: row[name] for name in ("task", "kind", "status", "seconds", "products")}
            | {ratio: row["result"].get("compare", {}).get(ratio) for ratio in RATIOS}
            for row in self.rows
        ]

    def render(
        self, title: str = "", notes: Sequence[str] = (), detail: Detail = BRIEF
    ) -> Document:
        """Counts, quantiles by kind, rates by theorem, the open cases and the slowest tasks."""
        counts = [f"{number} {status.lower()}" for status, number in self.counts.items() if number]
        file_notes = {
            f"  note: {row['kind']}: {note}"
            for row in self.rows
            for note in row["result"].get("notes", ())
        }
        headline = f"{title or 'campaign'}: {len(self.rows)} tasks: {', '.join(counts)}"
        tables = self._distributions()
        open_rows = [(r["status"], r["task"], _reason(r)) for r in self.open_rows]
        if open_rows:
            tables.append(Table(("status", "task", "reason"), open_rows[:_MOST_OPEN_ROWS]))
        slowest = sorted(self.records(), key=lambda record: -record["seconds"])[:_SLOWEST]
        cells = [(record["seconds"], str(record["products"]), record["task"]) for record in slowest]
        tables.append(Table(("seconds", "products", "slowest tasks"), cells, frozenset({0, 1})))
        parts: list[str | Table] = [headline, *notes, *sorted(file_notes)]
        for table in tables:
            parts += ["", table]
        if len(open_rows) > _MOST_OPEN_ROWS:
            parts += ["", f"{len(open_rows)} open tasks in all; report.json has every one"]
        return parts

    def _distributions(self) -> list[Table]:
        """Quantiles of the ratios by kind, and of steps and cost by theorem."""
        tables = []
        for ratio, formula in RATIOS.items():
            values = self.values(ratio)
            if values:
                values["all"] = np.concatenate(list(values.values()))
                rows: list[tuple[Any, ...]] = [
                    (kind, str(v.size), *_quantiles(v)) for kind, v in values.items()
                ]
                header = (formula, "tasks", "least", "median", "95 %", "99 %", "largest")
                tables.append(Table(header, rows, frozenset(range(1, 7)), digits=[4] * 7))
        rates: list[tuple[Any, ...]] = [
            (*key, str(len(v)), *np.quantile(v[:, 0], (0, 0.5, 1)).tolist(), np.median(v[:, 1]))
            for key, v in self.rates().items()
        ]
        if rates:
            steps = ("steps, least", "median", "largest")
            header = ("theorem", "choice", "tasks", *steps, "cost, median")
            tables.append(Table(header, rates, frozenset(range(2, 7)), digits=[4] * 7))
        return tables

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values under the schema rpttheory/campaign/2."""
        quantiles = {
            ratio: {kind: _quantiles(values) for kind, values in self.values(ratio).items()}
            for ratio in RATIOS
        }
        rates = [
            {
                "label": label,
                "choice": choice,
                "steps": _quantiles(v[:, 0]),
                "cost": _quantiles(v[:, 1]),
            }
            for (label, choice), v in self.rates().items()
        ]
        return {
            "schema": SCHEMA,
            "counts": self.counts,
            "quantiles": {"of": list(_QUANTILES), **quantiles},
            "rates": rates,
            "open": self.open_rows,
            "computed": list(self.computed),
        }


def summarize(store: Store) -> Summary:
    """Summarize the rows so far.

    Parameters
    ----------
    store : Store

    Returns
    -------
    Summary
    """
    rows = [{"task": key, **row.value} for key, row in store.items()]
    return Summary(rows, [computed for computed in store.provenances() if computed])


def write_report(summary: Summary, folder: Path, title: str, command: str = "") -> list[str]:
    """Write the page and the JSON beside the results; return their paths.

    Parameters
    ----------
    summary : Summary
    folder : Path
    title, command : str
        The heading of the page, and the command that it shows.

    Returns
    -------
    list of str
    """
    answer, *parts = summary.render(title)
    rule = (
        "Each row is proved as verify and compare prove it; quantiles are of middles of brackets."
    )
    page = Page(
        title,
        "On how many matrices does it hold, and how are the ratios distributed?",
        str(answer),
        parts,
        [],
        (rule,),
        command,
        list(dict.fromkeys(fact for block in summary.computed for fact in provenance_rows(block))),
    )
    contents = {
        "report.json": json.dumps(summary.to_dict(), indent=1).encode(),
        "report.html": render_page(page).encode(),
    }
    for name, content in contents.items():
        write_whole(folder / name, content)
    return [str(folder / name) for name in contents]


def _quantiles(values: np.ndarray) -> list[float]:
    quantiles: list[float] = np.quantile(values, _QUANTILES).tolist()
    return quantiles


def _reason(row: dict[str, Any]) -> str:
    """Return why a row is open: the error, or the claims that are not proved."""
    result = row["result"]
    if "error" in result:
        return "; ".join(text for text in result["error"].values() if text)
    claims = result.get("verify", {}).get("open", [])
    verdicts = ", ".join(f"{claim['statement']}: {claim['verdict']}" for claim in claims)
    return verdicts or "the gap was not reached"
