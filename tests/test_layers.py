"""Imports point strictly downwards: this reads every import statement in the packages."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# From the bottom up; modules of one layer do not import each other.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"errors", "machine"}),
    frozenset({"reals"}),
    frozenset({"files", "validation"}),
    frozenset({"blocks", "certify", "spectrum"}),
    frozenset({"provenance", "sampling", "smoothness"}),
    frozenset({"quantities", "semidefinite"}),
    frozenset({"closedform"}),
    frozenset({"instance"}),
    frozenset({"bounds", "tightness", "rates", "conjecture", "search", "objectives"}),
    frozenset({"verification", "comparison", "methods"}),
    frozenset({"io", "report"}),
    frozenset({"datasets"}),
    frozenset({"experiments", "networks"}),
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
        ("from .bounds import Claim", ("rpttheory", "quantities")),
        ("from ..quantities import lambda_max", ("rpttheory", "smoothness", "dense")),
        ("def f():\n    from ..cli import run", ("rpttheory", "certify", "guard")),
        ("from . import sampling", ("rpttheory", "blocks")),
        ("import rpttheory.smoothness.dense", ("rpttheory", "sampling")),
        ("from ..sampling import Sampling", ("rpttheory", "smoothness", "__init__")),
        ("from rpttheory import certify", ("rpttheory", "blocks")),
        ("import proofs_check", ("rpttheory", "bounds")),
        ("from ..nowhere import thing", ("rpttheory", "cli", "main")),
    ],
)
def test_wrong_edges_are_noticed(source: str, path: tuple[str, ...]) -> None:
    assert violations(source, path)


def test_right_edges_are_accepted() -> None:
    lines = ("from ..blocks import Blocks", "from .protocol import Smoothness", "import numpy as np")
    assert violations("\n".join(lines), ("rpttheory", "smoothness", "dense")) == []
