"""A campaign as a file: matrices, blocks, costs and probabilities, and what to compute for each."""

from __future__ import annotations

import glob
import hashlib
import inspect
import itertools
import json
import os
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InvalidInput, errors_at
from ...matrices.families import FAMILIES
from ...statements import parse

ACTIONS = ("verify", "compare", "rates")
_DEFAULTS: dict[str, Any] = {
    "seed": 0,
    "do": ["compare"],
    "claims": [],
    "blocks": [],
    "costs": ["size"],
    "probabilities": ["closed"],
    "tol": 1e-6,
    "eps": 1e-3,
    "matrices": [],
}
_SOURCES = ("kind", "file", "dataset")


@dataclass(frozen=True)
class Setting:
    """One task: a matrix (a file, or a kind with parameters and a number), blocks, costs and p.

    Everything is data that JSON can hold, so that it can be sent anywhere.
    """

    matrix: dict[str, Any]
    blocks: str | int
    costs: str
    probabilities: str

    @property
    def kind(self) -> str:
        """The group in the report: the kind of random matrix, the data set, or the file's name."""
        return str(next(self.matrix[source] for source in _SOURCES if source in self.matrix))

    @property
    def name(self) -> str:
        """The same for the same task in every run."""
        parameters = "".join(
            f" {name}={value}"
            for name, value in self.matrix.items()
            if name not in ("path", *_SOURCES)
        )
        return (
            f"{self.kind}{parameters}; blocks {self.blocks}; costs {self.costs};"
            f" p {self.probabilities}"
        )

    def seed(self, seed: int) -> int:
        """The seed of the matrix, the same for all blocks, costs and probabilities."""
        text = json.dumps({"seed": seed, **self.matrix}, sort_keys=True)
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


@dataclass(frozen=True)
class Grid:
    """A campaign; `content` is its file with every default filled in."""

    content: dict[str, Any]
    folder: Path

    def settings(self) -> list[Setting]:
        """All tasks, in the order of the file."""
        settings = [
            Setting(matrix, *choice)
            for entry in self.content["matrices"]
            for matrix in _matrices(entry, self.folder)
            for choice in itertools.product(
                entry.get("blocks", self.content["blocks"]),
                self.content["costs"],
                self.content["probabilities"],
            )
        ]
        for name, count in Counter(setting.name for setting in settings).items():
            if count > 1:
                raise InvalidInput("a grid must not ask the same twice", name, "one of the two")
        return settings


def read_grid(path: str | os.PathLike[str]) -> Grid:
    """Read a campaign from a TOML file; see docs/tutorials/campaign.md for one.

    Parameters
    ----------
    path : path

    Returns
    -------
    Grid
    """
    with errors_at(os.fspath(path)):
        try:
            content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            remedy = "a TOML file such as examples/closed_form.toml"
            raise InvalidInput("cannot be read as a campaign", str(error)[:200], remedy) from None
        grid = Grid(_checked(content), Path(path).absolute().parent)
        if not grid.settings():
            remedy = "[[matrices]] with kind, file or dataset"
            raise InvalidInput("nothing to do", "no matrices", remedy)
    return grid


def _checked(content: dict[str, Any]) -> dict[str, Any]:
    for name, value in content.items():
        _require_known(name, _DEFAULTS, "key")
        kind = type(_DEFAULTS[name])
        if type(value) is not kind:
            rule = f"must be a {kind.__name__}"
            raise InvalidInput(
                rule, repr(value)[:80], argument=name, suggest={name: _DEFAULTS[name]}
            )
    complete = _DEFAULTS | content
    for action in complete["do"]:
        _require_known(action, ACTIONS, "action")
    if complete["claims"] and "verify" not in complete["do"]:
        remedy = 'do = ["verify"]'
        raise InvalidInput("only verify decides claims", f"do = {complete['do']}", remedy)
    for claim in complete["claims"]:
        parse(str(claim))
    for entry in complete["matrices"]:
        _check_entry(entry)
        if not complete["blocks"] and "blocks" not in entry:
            remedy = 'blocks = ["4x3"], or [4] for four equal parts'
            raise InvalidInput("blocks must be given", str(entry)[:80], remedy)
    return complete


def _check_entry(entry: dict[str, Any]) -> None:
    text = str(entry)[:80]
    if len([name for name in _SOURCES if name in entry]) != 1:
        rule = "an entry of matrices needs one of kind, file and dataset"
        raise InvalidInput(rule, text, 'kind = "wishart"')
    keys = {"file", "dataset", "data", "ridge", "symmetrize", "blocks"}
    if "kind" in entry:
        keys = set.intersection(*map(_parameters, _as_list(entry["kind"])))
        keys |= {"kind", "count", "blocks"}
        if "dimension" not in entry:
            raise InvalidInput("a kind of matrix needs its dimension", text, "dimension = 12")
    for name in entry:
        _require_known(name, sorted(keys), "key of matrices")
    if entry.get("symmetrize") and entry.get("data"):
        raise InvalidInput("symmetrize is for a matrix L", text, "symmetrize or data, not both")


def _parameters(kind: str) -> set[str]:
    """The parameters of a kind of random matrix, apart from the random numbers."""
    _require_known(kind, FAMILIES, "kind of matrix")
    return set(list(inspect.signature(FAMILIES[kind]).parameters)[1:])


def _require_known(name: str, names: Any, what: str) -> None:
    if name not in names:
        raise InvalidInput(f"unknown {what}", repr(name), "one of " + ", ".join(names))


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _matrices(entry: dict[str, Any], folder: Path) -> Iterator[dict[str, Any]]:
    """Every matrix of an entry: a list as parameter is one matrix for each of its values."""
    matrix = {name: value for name, value in entry.items() if name not in ("blocks", "count")}
    if "file" in matrix:
        pattern = matrix["file"]
        for name in sorted(glob.glob(pattern, root_dir=folder, recursive=True)) or [pattern]:
            yield {**matrix, "file": name, "path": str(folder / name)}
    elif "dataset" in matrix:
        for name in _as_list(matrix["dataset"]):
            yield {**matrix, "dataset": name, "path": f"dataset:{name}"}
    else:
        for values in itertools.product(*map(_as_list, matrix.values())):
            for number in range(entry.get("count", 1)):
                yield {**dict(zip(matrix, values, strict=True)), "number": number}
