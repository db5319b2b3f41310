"""What the machine offers: memory and processors, on every system."""

import os
import sys
from contextlib import suppress
from pathlib import Path

# Limit, use, and what of the use is files that can be dropped: of control groups, version 2 and 1.
_GROUP = {
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def available_bytes() -> int:
    """Memory that can be used without swapping; `sys.maxsize` where the system does not say.

    What containers and batch systems allow counts as well as what the machine has.
    """
    return min(_of_the_machine(), _of_the_group())


def _of_the_machine() -> int:
    """Linux tells what it could free for us (`MemAvailable`), which the count of free pages leaves
    out.
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
    root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")
) -> int:
    """The least that the control groups of this process leave it, from its own up to the root."""
    left = [sys.maxsize]
    with suppress(OSError, ValueError):
        for line in own.read_text(encoding="utf-8").splitlines():
            _, controller, place = line.split(":", 2)
            if controller in _GROUP:
                top = root / controller
                # In a container the path is often that outside of it; the root is its group then.
                folders = [top / place.strip("/"), *(top / place.strip("/")).parents]
                left += [
                    _left(folder, *_GROUP[controller])
                    for folder in folders
                    if folder.is_relative_to(top)
                ]
    return min(left)


def _left(folder: Path, limit: str, used: str, droppable: str) -> int:
    try:
        most, now = (int((folder / name).read_text(encoding="ascii")) for name in (limit, used))
        counts = dict(
            line.split()
            for line in (folder / "memory.stat").read_text(encoding="ascii").splitlines()
        )
        return max(most - now + int(counts.get(droppable, 0)), 0)
    except (OSError, ValueError):  # no such group, or "max": no limit
        return sys.maxsize


def usable_processors() -> int:
    """How many processors this process may use."""
    return (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    )


def install(extra: str) -> str:
    """The command that adds an extra to this installation, by the way it was made.

    Examples
    --------
    >>> "[jax]" in install("jax")
    True
    """
    import json
    from importlib.metadata import distributions
    from importlib.util import find_spec

    found = next(iter(distributions(name="rpttheory")), None)
    direct = json.loads((found.read_text("direct_url.json") if found else None) or "{}")
    place = direct.get("url", "")
    what = f'"rpttheory[{extra}] @ {place}"' if place else f'"rpttheory[{extra}]"'
    if direct.get("dir_info", {}).get("editable"):
        what = f'-e ".[{extra}]" in the checkout'
    by = (found.read_text("INSTALLER") if found else None) or ""
    parts = Path(sys.prefix).parts
    if "pipx" in parts or {"uv", "tools"} <= set(parts):
        return f"{'pipx' if 'pipx' in parts else 'uv tool'} install --force {what}"
    if by.strip() == "uv":
        return f"uv pip install {what}"
    here = "pip" if find_spec("pip") else f"python3 -m pip --python {sys.executable}"
    return f"{here} install {what}"
