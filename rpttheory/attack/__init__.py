"""The search for counterexamples: the problem with the largest left / right, in small fractions,
and a decision on it.
"""

from .instance import Instance
from .result import AttackResult
from .search import find_counterexample
from .target import LABELED

__all__ = ["LABELED", "AttackResult", "Instance", "find_counterexample"]
