"""What the machine offers, and what is said where the system does not tell."""

import os
import sys
from pathlib import Path

import pytest

from rpttheory import machine
from rpttheory.machine import available_bytes, install, usable_processors


def test_available_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert available_bytes() > 2**20

    def fail(*_: object, **__: object) -> str:
        raise OSError

    monkeypatch.setattr(Path, "read_text", fail)
    monkeypatch.setattr(sys, "platform", "linux")
    counts = {"SC_PHYS_PAGES": 5, "SC_PAGE_SIZE": 4096, "SC_AVPHYS_PAGES": 3}
    monkeypatch.setattr(os, "sysconf", counts.__getitem__, raising=False)
    assert available_bytes() == 3 * 4096
    monkeypatch.setattr(os, "sysconf", fail, raising=False)
    assert available_bytes() == sys.maxsize
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(os, "sysconf", counts.__getitem__, raising=False)
    assert available_bytes() == sys.maxsize
    monkeypatch.setattr(
        Path, "read_text", lambda *_, **__: "MemTotal: 9 kB\nMemAvailable:   7 kB\n"
    )
    assert available_bytes() == 7 * 1024


def group(folder: Path, limit: str, used: str, names: tuple[str, str], files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / names[0]).write_text(f"{limit}\n")
    (folder / names[1]).write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 5\n{files} 30\n")


@pytest.mark.parametrize(
    ("line", "top", "names", "files"),
    [
        ("0::/job/step", "", ("memory.max", "memory.current"), "inactive_file"),
        (
            "4:memory:/job/step",
            "memory",
            ("memory.limit_in_bytes", "memory.usage_in_bytes"),
            "total_inactive_file",
        ),
    ],
)
def test_what_a_control_group_leaves(
    line: str,
    top: str,
    names: tuple[str, str],
    files: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = tmp_path / "own"
    root = tmp_path / "groups"
    own.write_text(f"9:cpu:/elsewhere\n{line}\n")
    assert (
        machine._of_the_group(root, own)
        == machine._of_the_group(root, root / "none")
        == sys.maxsize
    )
    group(root / top / "job" / "step", "1000", "400", names, files)
    assert machine._of_the_group(root, own) == 630, "files that can be dropped do not count as used"
    group(root / top / "job", "500", "400", names, files)
    assert machine._of_the_group(root, own) == 130, "the group above allows less"
    group(root / top, "max", "700", names, files)
    assert machine._of_the_group(root, own) == 130
    group(root / top, "100", "700", names, files)
    assert machine._of_the_group(root, own) == 0
    group(tmp_path, "1", "1", names, files)
    (root / top / "memory.stat").unlink()
    assert machine._of_the_group(root, own) == 130, "nothing outside of the groups"
    monkeypatch.setattr(machine, "_of_the_group", lambda: 7)
    assert available_bytes() == 7


def test_usable_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 8}, raising=False)
    assert usable_processors() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert usable_processors() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_processors() == 1


@pytest.mark.parametrize(
    ("files", "prefix", "expected"),
    [
        (
            {"direct_url.json": '{"url": "file:///x", "dir_info": {"editable": true}}'},
            "v",
            'pip install -e ".[jax]" in',
        ),
        (
            {"direct_url.json": '{"url": "file:///x.whl"}'},
            "v",
            'pip install "rpttheory[jax] @ file:///x.whl"',
        ),
        ({"INSTALLER": "uv\n"}, "v", 'uv pip install "rpttheory[jax]"'),
        ({}, "pipx/venvs/x", 'pipx install --force "rpttheory[jax]"'),
        ({}, "uv/tools/x", 'uv tool install --force "rpttheory[jax]"'),
    ],
)
def test_extras_are_added_in_the_way_the_package_was_installed(
    files: dict[str, str], prefix: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Installed:
        read_text = staticmethod(files.get)

    monkeypatch.setattr("importlib.metadata.distributions", lambda name: [Installed()])
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    monkeypatch.setattr(sys, "prefix", prefix)
    assert install("jax").startswith(expected)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert install("jax").startswith(
        ("uv", "pipx", f"python3 -m pip --python {sys.executable} install")
    )
