"""Campaigns: one question asked of thousands of matrices, kept in one file, and shown on one
page.
"""

from .grid import Grid, read_grid
from .runner import run_campaign
from .summary import Summary, summarize, write_report

__all__ = [
    "Grid",
    "Summary",
    "read_grid",
    "run_campaign",
    "summarize",
    "write_report",
]
