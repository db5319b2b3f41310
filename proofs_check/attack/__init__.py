"""Attacks on inequalities: the largest left / right that can be found, and a decision on where it
was found.
"""

from .catalogue import INEQUALITIES, attack, inequalities, recheck
from .inequality import Inequality
from .result import AttackResult, load, save
from .search import search

__all__ = [
    "INEQUALITIES",
    "AttackResult",
    "Inequality",
    "attack",
    "inequalities",
    "load",
    "recheck",
    "save",
    "search",
]
