"""What the machine offers: memory and processors, on every system."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def available_bytes() -> int:
    """Memory that can be used without swapping; `sys.maxsize` where the system does not say.

    Linux tells what it could free for us (`MemAvailable`), which the count of free pages leaves out.
    """
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    for pages in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):
        try:
            return os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, OSError, ValueError):
            continue
    return sys.maxsize


def usable_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
