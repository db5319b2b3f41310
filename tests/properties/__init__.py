"""Hypothesis tests of every statement of the paper, one file per statement."""
