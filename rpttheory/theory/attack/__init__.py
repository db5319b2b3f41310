"""Attacks on claims: the problem with the largest left / right, in small fractions, and a decision
on it.
"""

from .counterexample import SCHEMA, Counterexample, find_counterexample, read_counterexample

__all__ = ["SCHEMA", "Counterexample", "find_counterexample", "read_counterexample"]
