"""Readers for matrix files and for the lists a person types at the command line.

Whatever a file holds, the only error that leaves this package is `InvalidInput`: a file comes from
outside, so its faults are the caller's news and not ours. Nothing is ever unpickled, and what would
not fit in memory is refused from its header, before it is loaded.
"""

from __future__ import annotations

from .labels import read_labels
from .packaged import PREFIX, STANDARD_INPUT, Entry, about, checked_content, located, manifest
from .readers import EXTENSIONS, DataMatrix, read_data, read_matrix

__all__ = [
    "EXTENSIONS",
    "PREFIX",
    "STANDARD_INPUT",
    "DataMatrix",
    "Entry",
    "about",
    "checked_content",
    "located",
    "manifest",
    "read_data",
    "read_labels",
    "read_matrix",
]
