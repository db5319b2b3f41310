"""Generated pages on disk: only what has changed is written, so that a second build is quick; what
is gone goes.
"""

from __future__ import annotations

from pathlib import Path


def write(folder: Path, pages: dict[str, str]) -> None:
    """Let a folder hold these pages and nothing else."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
