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


def group(folder: Path, limit: str, used: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text("anon 5\ninactive_file 30\n")


def test_memory_that_control_groups_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    membership = tmp_path / "membership"
    root = tmp_path / "groups"
    membership.write_text("9:cpu:/elsewhere\n0::/job/step\n")
    assert (
        machine._of_the_group(root, membership)
        == machine._of_the_group(root, root / "none")
        == sys.maxsize
    )
    group(root / "job" / "step", "1000", "400")
    assert machine._of_the_group(root, membership) == 630, "cached files do not count as used"
    group(root / "job", "500", "400")
    assert machine._of_the_group(root, membership) == 130, "the group above allows less"
    group(root, "max", "700")
    assert machine._of_the_group(root, membership) == 130
    group(root, "100", "700")
    assert machine._of_the_group(root, membership) == 0
    group(tmp_path, "1", "1")
    (root / "memory.stat").unlink()
    assert machine._of_the_group(root, membership) == 130, "nothing outside of the groups"
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
