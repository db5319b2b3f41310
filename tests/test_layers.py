"""Imports point strictly downwards: this reads every import statement in the packages."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# From the bottom up; modules of one layer do not import each other.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"errors", "machine"}),
    frozenset({"reals"}),
    frozenset({"files", "validation"}),
    frozenset({"certify"}),
    frozenset({"report"}),
    frozenset({"problem", "provenance"}),
    frozenset({"search", "objectives", "runs"}),
    frozenset({"theory"}),
    frozenset({"methods", "io"}),
    frozenset({"datasets", "networks"}),
    frozenset({"experiments"}),
    frozenset({"cli"}),
)
HEIGHT = {module: height for height, layer in enumerate(LAYERS) for module in layer}


def imported_modules(source: str, package: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Dotted paths of every import, at module level or inside functions, relative ones resolved.

    `package` is the package that holds the module. Imports for type checkers count too.
    """
    found: list[tuple[str, ...]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = (*base, *(node.module.split(".") if node.module else ()))
            found += [(*stem, alias.name) for alias in node.names]
    return found


def violations(source: str, path: tuple[str, ...]) -> list[str]:
    """Edges out of one module of rpttheory that do not point downwards."""
    own = path[1]
    wrong = []
    for target in imported_modules(source, path[:-1]):
        if target[0] == "proofs_check":
            wrong.append(f"{'.'.join(path)} imports {'.'.join(target)}: the ledger is above the package")
        if target[0] != "rpttheory" or len(target) < 2 or target[1] in (own, "__version__"):
            continue
        if target[1] not in HEIGHT or HEIGHT[target[1]] >= HEIGHT[own]:
            wrong.append(f"{'.'.join(path)} imports {'.'.join(target)}")
    return wrong


MODULES = sorted(
    path for path in (ROOT / "rpttheory").rglob("*.py") if path.parent != ROOT / "rpttheory" or "__" not in path.name
)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_downwards(path: Path) -> None:
    parts = path.relative_to(ROOT).with_suffix("").parts
    assert parts[1] in HEIGHT, f"{parts[1]} has no layer"
    assert violations(path.read_text(encoding="utf-8"), parts) == []


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("from ..theory.bounds import Claim", ("rpttheory", "problem", "quantities")),
        ("from ...search import optimal_probabilities", ("rpttheory", "problem", "smoothness", "dense")),
        ("def f():\n    from ..cli import run", ("rpttheory", "certify", "guard")),
        ("from . import problem", ("rpttheory", "reals")),
        ("import rpttheory.methods.loop", ("rpttheory", "io", "readers")),
        ("from ..theory import bounds", ("rpttheory", "problem", "__init__")),
        ("from rpttheory import certify", ("rpttheory", "reals")),
        ("import proofs_check", ("rpttheory", "validation")),
        ("from ..nowhere import thing", ("rpttheory", "cli", "main")),
    ],
)
def test_wrong_edges_are_noticed(source: str, path: tuple[str, ...]) -> None:
    assert violations(source, path)


def test_right_edges_are_accepted() -> None:
    lines = ("from ...certify import Bracket", "from .protocol import Smoothness", "import numpy as np")
    assert violations("\n".join(lines), ("rpttheory", "problem", "smoothness", "dense")) == []


def import_graph(root: Path, package: str) -> dict[str, set[str]]:
    """For each module the modules of the package that it imports when it is loaded."""
    files = {path.relative_to(root).with_suffix("").parts: path for path in (root / package).rglob("*.py")}
    name_of = {(parts[:-1] if parts[-1] == "__init__" else parts): ".".join(parts) for parts in files}
    graph = {}
    for parts, path in files.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        loaded = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        targets = imported_modules(ast.unparse(ast.Module(loaded, [])), parts[:-1])
        # `from .room import name` loads the room, or the module of that name in it.
        named = (name_of.get(target) or name_of.get(target[:-1]) for target in targets)
        graph[".".join(parts)] = {name for name in named if name} - {".".join(parts)}
    return graph


def cycle(graph: dict[str, set[str]]) -> tuple[str, ...] | None:
    """Modules that need one another, or None."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return tuple(error.args[1])
    return None


@pytest.mark.parametrize("package", ["rpttheory", "proofs_check"])
def test_no_two_modules_need_each_other(package: str) -> None:
    graph = import_graph(ROOT, package)
    assert len(graph) > 50 and sum(map(len, graph.values())) > len(graph)
    assert cycle(graph) is None


def test_a_cycle_inside_a_room_is_noticed(tmp_path: Path) -> None:
    room = tmp_path / "house" / "room"
    room.mkdir(parents=True)
    for name, text in {
        "__init__": "",
        "a": "from .b import x",
        "b": "from . import c",
        "c": "from .a import y",
    }.items():
        (room / f"{name}.py").write_text(text)
    assert set(cycle(import_graph(tmp_path, "house")) or ()) == {f"house.room.{name}" for name in "abc"}
