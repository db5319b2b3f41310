"""The source of the packages, for tests that read it: every file is parsed once in a process."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def files_of(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
