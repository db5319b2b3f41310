"""A campaign as a file: which matrices, which blocks, costs and probabilities, and what to do with
each of them.
"""

from __future__ import annotations

import glob
import hashlib
import inspect
import itertools
import json
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InvalidInput
from ...matrices.families import FAMILIES
from ...statements import parse

ACTIONS = ("verify", "compare", "rates")
_TOP: dict[str, tuple[type, ...]] = {
    "seed": (int,),
    "do": (list,),
    "claims": (list,),
    "blocks": (list,),
    "costs": (list,),
    "probabilities": (list,),
    "tol": (float,),
    "eps": (float,),
    "matrices": (list,),
}
_SOURCES = ("kind", "file", "dataset")
_FILES = {"file", "dataset", "data", "ridge", "symmetrize", "blocks"}


@dataclass(frozen=True)
class Setting:
    """One task: a matrix (by its file, or by its kind, parameters and number), and what is asked of
    it.

    Everything is data that JSON can say, so that it can be sent anywhere.
    """

    matrix: dict[str, Any]
    blocks: str | int
    costs: str
    probabilities: str

    @property
    def kind(self) -> str:
        """What the report puts together: the kind of random matrix, the data set, or the file as it
        was named.
        """
        return str(next(self.matrix[source] for source in _SOURCES if source in self.matrix))

    @property
    def name(self) -> str:
        """The same for the same task in every run."""
        left_out = ("path", *_SOURCES)
        given = "".join(
            f" {name}={value}" for name, value in self.matrix.items() if name not in left_out
        )
        return (
            f"{self.kind}{given}; blocks {self.blocks}; costs {self.costs}; p {self.probabilities}"
        )

    def seed(self, seed: int) -> int:
        """Of the matrix: the same for all blocks, costs and probabilities."""
        known = json.dumps({"seed": seed, **self.matrix}, sort_keys=True)
        return int.from_bytes(hashlib.sha256(known.encode()).digest()[:8], "big")


@dataclass(frozen=True)
class Grid:
    """A campaign as its file says it; `content` has every default filled in."""

    content: dict[str, Any]
    folder: Path

    def settings(self) -> list[Setting]:
        """All tasks, in the order of the file."""
        found = [
            Setting(matrix, *chosen)
            for entry in self.content["matrices"]
            for matrix in _matrices(entry, self.folder)
            for chosen in itertools.product(
                entry.get("blocks", self.content["blocks"]),
                self.content["costs"],
                self.content["probabilities"],
            )
        ]
        names = [setting.name for setting in found]
        if len(set(names)) < len(names):
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            raise InvalidInput("a grid must not ask the same twice", twice, "one of the two")
        return found


def read_grid(path: str | os.PathLike[str]) -> Grid:
    """Read a campaign from a TOML file; see docs/tutorials/campaign.md for one."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except (OSError, ValueError) as error:
        what = f"{os.fspath(path)}: not a campaign"
        raise InvalidInput(
            what, str(error)[:200], "a TOML file such as examples/closed_form.toml"
        ) from None
    grid = Grid(_checked(content, os.fspath(path)), Path(path).absolute().parent)
    if not grid.settings():
        raise InvalidInput(
            f"{os.fspath(path)}: nothing to do",
            "no matrices",
            "[[matrices]] with kind, file or dataset",
        )
    return grid


def _checked(content: dict[str, Any], path: str) -> dict[str, Any]:
    defaults: dict[str, Any] = {
        "seed": 0,
        "do": ["compare"],
        "claims": [],
        "costs": ["size"],
        "probabilities": ["closed"],
    }
    defaults |= {"tol": 1e-6, "eps": 1e-3, "matrices": []}
    for name, value in content.items():
        if name not in _TOP:
            raise InvalidInput(f"{path}: unknown key", repr(name), "one of " + ", ".join(_TOP))
        if not isinstance(value, _TOP[name]) or isinstance(value, bool):
            raise InvalidInput(
                f"{path}: {name} must be a {_TOP[name][0].__name__}", repr(value)[:80], "see --help"
            )
    whole = defaults | content
    for action in whole["do"]:
        if action not in ACTIONS:
            raise InvalidInput(
                f"{path}: unknown action", repr(action), "do = " + json.dumps(ACTIONS)
            )
    if whole["claims"] and "verify" not in whole["do"]:
        raise InvalidInput(
            f"{path}: claims are decided by verify alone", f"do = {whole['do']}", 'do = ["verify"]'
        )
    for claim in whole["claims"]:
        parse(str(claim))
    for entry in whole["matrices"]:
        _check_entry(entry, path, has_blocks="blocks" in {*whole, *entry})
    return whole


def _check_entry(entry: dict[str, Any], path: str, *, has_blocks: bool) -> None:
    shown = json.dumps(entry, default=str)[:80]
    sources = [name for name in _SOURCES if name in entry]
    if len(sources) != 1:
        raise InvalidInput(
            f"{path}: an entry of matrices needs one of kind, file and dataset",
            shown,
            'kind = "wishart"',
        )
    known = _FILES
    if sources == ["kind"]:
        kinds = entry["kind"] if isinstance(entry["kind"], list) else [entry["kind"]]
        for kind in kinds:
            if kind not in FAMILIES:
                raise InvalidInput(
                    f"{path}: unknown kind of matrix", repr(kind), "one of " + ", ".join(FAMILIES)
                )
        parameters = (set(list(inspect.signature(FAMILIES[kind]).parameters)[1:]) for kind in kinds)
        known = {"kind", "count", "blocks"} | set.intersection(*parameters)
        if "dimension" not in entry:
            raise InvalidInput(
                f"{path}: a kind of matrix needs its dimension", shown, "dimension = 12"
            )
    if unknown := sorted(set(entry) - known):
        raise InvalidInput(
            f"{path}: unknown key of matrices",
            f"{unknown[0]!r} in {shown}",
            ", ".join(sorted(known)),
        )
    if entry.get("symmetrize") and entry.get("data"):
        raise InvalidInput(
            f"{path}: symmetrize is for a matrix L", shown, "symmetrize or data, one of the two"
        )
    if not has_blocks:
        raise InvalidInput(
            f"{path}: blocks must be given", shown, 'blocks = ["4x3"], or [4] for four equal parts'
        )


def _matrices(entry: dict[str, Any], folder: Path) -> Iterator[dict[str, Any]]:
    """Every matrix of an entry: a list as parameter is one matrix for each of its values."""
    given = {name: value for name, value in entry.items() if name not in ("blocks", "count")}
    if "file" in given:
        paths = sorted(glob.glob(given["file"], root_dir=folder, recursive=True)) or [given["file"]]
        for name in paths:
            yield {**given, "file": name, "path": str(folder / name)}
        return
    if "dataset" in given:
        names = given["dataset"] if isinstance(given["dataset"], list) else [given["dataset"]]
        yield from ({**given, "dataset": name, "path": f"dataset:{name}"} for name in names)
        return
    values = [value if isinstance(value, list) else [value] for value in given.values()]
    for chosen in itertools.product(*values):
        for number in range(entry.get("count", 1)):
            yield {**dict(zip(given, chosen, strict=True)), "number": number}
