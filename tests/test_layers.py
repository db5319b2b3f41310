"""Imports point strictly downwards, functions are short: this reads every import and every function."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from sources import ROOT, files_of, parsed

# From the bottom up; modules of one layer do not import each other.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"checker", "errors", "machine"}),
    frozenset({"reals"}),
    frozenset({"files", "validation"}),
    frozenset({"certify"}),
    frozenset({"report"}),
    frozenset({"problem", "provenance"}),
    frozenset({"runs"}),
    frozenset({"search", "objectives"}),
    frozenset({"theory"}),
    frozenset({"methods", "io"}),
    frozenset({"datasets", "networks"}),
    frozenset({"experiments", "testing"}),
    frozenset({"cli"}),
)
# The ledger: what an entry is, how it is checked, the statements, all of them together, and running them.
LEDGER: tuple[frozenset[str], ...] = (
    frozenset({"formal"}),
    frozenset({"engine"}),
    frozenset({"checks"}),
    frozenset({"facts"}),
    frozenset({"ours", "paper"}),
    frozenset({"attack", "elsewhere", "pep"}),
    frozenset({"ledger"}),
    frozenset({"runner"}),
    frozenset({"command"}),
    frozenset({"attack_command"}),
)
# A statement of ours may rest on one of the paper, and a corrected proof of the paper on ours; in no circle, see below.
BESIDE = ({"ours", "paper"},)
# Inside rooms, where a direction means something; what stands in no step is only kept from circles.
STEPS = {
    "rpttheory.certify": "guard verdict < bracket < exact pencil < cholesky slices < residual < eigenvalue < gram",
    "rpttheory.problem": "blocks < sampling smoothness < semidefinite spectral < closedform < problem < quantities",
    "rpttheory.theory": "bounds rates tightness < conjecture < verification",
    "rpttheory.search": "program < certificate nested < judge < conic formulas lowrank < optimal < comparison",
    "rpttheory.methods": "iterate result stepsize < method < block_descent sketched progressive < accelerated run",
    "rpttheory.networks": "pytree < draws < transform < steps < profile < advice",
    "rpttheory.io": "memory < request < text_files < matrix_market numpy_files < readers",
    "rpttheory.experiments": "table < measure < network quadratics ridge < grid",
    "proofs_check.engine": "entry < judgement < graph text < page",
    "proofs_check.checks": "exact instances stacked < optima quadratics randomised < paths < one_step",
    "proofs_check.attack": "ridge sharp < space stack < case inequality < search < problems < catalogue",
}


def heights(layers: Iterable[Iterable[str]]) -> dict[str, int]:
    return {module: height for height, layer in enumerate(layers) for module in layer}


HEIGHTS = {"rpttheory": heights(LAYERS), "proofs_check": heights(LEDGER)}
INSIDE = {room: heights(step.split() for step in steps.split(" < ")) for room, steps in STEPS.items()}


def imported_modules(tree: ast.AST, package: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Dotted paths of every import, at module level or inside functions, relative ones resolved.

    `package` is the package that holds the module. Imports for type checkers count too.
    """
    found: list[tuple[str, ...]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = (*base, *(node.module.split(".") if node.module else ()))
            found += [(*stem, alias.name) for alias in node.names]
    return found


def violations(tree: ast.AST, path: tuple[str, ...]) -> list[str]:
    """Edges out of one module that do not point downwards, between rooms or inside one."""
    height, (package, own) = HEIGHTS[path[0]], path[:2]
    room = INSIDE.get(".".join(path[:2]), {})
    wrong = []
    for target in imported_modules(tree, path[:-1]):
        edge = f"{'.'.join(path)} imports {'.'.join(target)}"
        if package == "rpttheory" and target[0] == "proofs_check":
            wrong.append(f"{edge}: the ledger is above the package")
        if target[0] != package or len(target) < 2 or target[1] == "__version__":
            continue
        if target[1] == own:
            pair = path[2:3] + target[2:3]
            if len(set(pair)) == 2 and set(pair) <= set(room) and room[pair[1]] >= room[pair[0]]:
                wrong.append(edge)
        elif {own, target[1]} not in BESIDE and (target[1] not in height or height[target[1]] >= height[own]):
            wrong.append(edge)
    return wrong


def test_imports_point_downwards() -> None:
    names = {path: path.relative_to(ROOT).with_suffix("").parts for path in files_of(*HEIGHTS)}
    inside = {path: parts for path, parts in names.items() if len(parts) > 2 or "__" not in parts[1]}
    assert len(inside) > 300
    assert {parts[1] for parts in inside.values() if parts[1] not in HEIGHTS[parts[0]]} == set(), "have no layer"
    assert [wrong for path, parts in inside.items() for wrong in violations(parsed(path), parts)] == []


def test_functions_can_be_read_at_once() -> None:
    long = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in files_of(*HEIGHTS)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= 60
    ]
    assert long == []


def test_every_step_inside_a_room_is_there() -> None:
    for room, steps in INSIDE.items():
        folder = ROOT.joinpath(*room.split("."))
        assert {name for name in steps if not (folder / name).is_dir()} <= {path.stem for path in folder.glob("*.py")}


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
        ("from .eigenvalue import bracket", ("rpttheory", "certify", "slices")),
        ("def f():\n    from .spectral import top", ("rpttheory", "problem", "blocks")),
        ("from ..problem import Problem", ("rpttheory", "problem", "smoothness", "dense")),
        ("from .conic import solve", ("rpttheory", "search", "formulas")),
        ("from ..checks.exact import rows", ("proofs_check", "engine", "entry")),
        ("from ..paper import alg_MAIN", ("proofs_check", "checks", "exact")),
        ("from ..ledger import all_entries", ("proofs_check", "ours", "duality")),
        ("from .judgement import judge", ("proofs_check", "engine", "entry")),
    ],
)
def test_wrong_edges_are_noticed(source: str, path: tuple[str, ...]) -> None:
    assert violations(ast.parse(source), path)


def test_right_edges_are_accepted() -> None:
    lines = ("from ...certify import Bracket", "from .protocol import Smoothness", "import numpy as np")
    for source, path in (
        ("\n".join(lines), ("rpttheory", "problem", "smoothness", "dense")),
        ("from .bracket import Bracket", ("rpttheory", "certify", "slices")),
        ("from ..paper import thm_rcdConvex", ("proofs_check", "ours", "convex_sharp")),
    ):
        assert violations(ast.parse(source), path) == []


def import_graph(root: Path, package: str) -> dict[str, set[str]]:
    """For each module the modules of the package that it imports when it is loaded."""
    files = {path.relative_to(root).with_suffix("").parts: path for path in (root / package).rglob("*.py")}
    name_of = {(parts[:-1] if parts[-1] == "__init__" else parts): ".".join(parts) for parts in files}
    graph = {}
    for parts, path in files.items():
        loaded = [node for node in parsed(path).body if isinstance(node, ast.Import | ast.ImportFrom)]
        targets = imported_modules(ast.Module(loaded, []), parts[:-1])
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
