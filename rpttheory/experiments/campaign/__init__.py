"""Campaigns: one question asked of thousands of matrices, kept in one file, and shown on one
page.
"""

from .grid import Grid, read_grid
from .results import Results, open_results
from .runner import run_campaign
from .summary import Summary, summarise, write_report

__all__ = [
    "Grid",
    "Results",
    "Summary",
    "open_results",
    "read_grid",
    "run_campaign",
    "summarise",
    "write_report",
]
