"""Memory and processors of this machine, and the command that installs an extra."""

import os
import sys
from contextlib import suppress
from pathlib import Path


def available_bytes() -> int:
    """Return the memory that can be used without swapping, within the limits of containers.

    `sys.maxsize` where the system does not say.
    """
    return min(_of_the_machine(), _of_the_group())


def _of_the_machine() -> int:
    """Return the available memory of the machine.

    On Linux, `MemAvailable` counts what can be freed, which the number of free pages leaves out.
    """
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    if sys.platform != "win32":
        for pages in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):
            with suppress(OSError, ValueError):
                return os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")
    return sys.maxsize


def _of_the_group(
    root: Path = Path("/sys/fs/cgroup"), membership: Path = Path("/proc/self/cgroup")
) -> int:
    """Return the least memory that the control groups (version 2) of this process leave it."""
    available = sys.maxsize
    with suppress(OSError):
        # In a container the path is often that outside of it; the root is its group then.
        place = membership.read_text(encoding="utf-8").rpartition("0::")[2].strip().strip("/")
        for folder in (root / place, *(root / place).parents):
            if folder.is_relative_to(root):
                available = min(available, _group_memory(folder))
    return available


def _group_memory(folder: Path) -> int:
    """Return the memory that one control group leaves; `sys.maxsize` if it has no limit."""
    try:
        limit, used = (
            int((folder / name).read_text(encoding="ascii"))
            for name in ("memory.max", "memory.current")
        )
        lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):  # no such group, or "max": no limit
        return sys.maxsize
    # Cached files count as used but can be dropped.
    cached = dict(line.split() for line in lines).get("inactive_file", 0)
    return max(limit - used + int(cached), 0)


def usable_processors() -> int:
    """Return the number of processors that this process may use."""
    return (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    )


def install(extra: str) -> str:
    """Return the command that adds an extra to this installation, in the way it was installed.

    Examples
    --------
    >>> "[jax]" in install("jax")
    True
    """
    import json
    from importlib.metadata import distributions
    from importlib.util import find_spec

    package = next(iter(distributions(name="rpttheory")), None)
    direct = json.loads((package.read_text("direct_url.json") if package else None) or "{}")
    url = direct.get("url", "")
    requirement = f'"rpttheory[{extra}] @ {url}"' if url else f'"rpttheory[{extra}]"'
    if direct.get("dir_info", {}).get("editable"):
        requirement = f'-e ".[{extra}]" in the checkout'
    installer = (package.read_text("INSTALLER") if package else None) or ""
    parts = Path(sys.prefix).parts
    if "pipx" in parts:
        command = "pipx install --force"
    elif {"uv", "tools"} <= set(parts):
        command = "uv tool install --force"
    elif installer.strip() == "uv":
        command = "uv pip install"
    elif find_spec("pip"):
        command = "pip install"
    else:
        command = f"python3 -m pip --python {sys.executable} install"
    return f"{command} {requirement}"
