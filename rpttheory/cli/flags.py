"""Errors of the library speak of its arguments; here, and nowhere else, they come to speak of the
command line.
"""

from __future__ import annotations

import re

from ..errors import RptTheoryError

# Arguments that are options under another name; the others have an option of their own name.
_RENAMED = {
    "folder": "data-dir",
    "grid": "tune",
    "probabilities": "p",
    "squared_distance": "distance",
}
_ARGUMENTS = (
    "batch|blocks|budget|clients|costs|data|decay|epochs|eps|folder|gap|grid|images|jobs|labels|lam|learning_rate|"
    "local_steps|methods|model|mu|nodes|out|overhead|probabilities|scheduler|searches|seconds|seeds|split|spread|"
    "squared_distance|stepsize|symmetrize|time_limit|tol|tolerance|width"
)
# What a person does with a file where a program makes another call.
_PHRASES = {"gram(A) if L": "--data if the file"}
_MARKED = re.compile(rf"`({_ARGUMENTS})`")
_ASSIGNED = re.compile(rf"\b({_ARGUMENTS})=(\[[^]]*\]|\([^)]*\)|[^\s,]+)")
_LEADING = re.compile(rf"^({_ARGUMENTS})(?= must)")


def in_flags(error: RptTheoryError) -> RptTheoryError:
    """The same error with options in place of arguments.

    An argument stands before "must", as in "jobs must be at least 1"; with a value, as in "jobs=2";
    or between backticks.

    Examples
    --------
    >>> error = RptTheoryError("jobs must be at least 1", "0", "jobs=2, or no `learning_rate`")
    >>> print(in_flags(error))
    --jobs must be at least 1
      found: 0
      try:   --jobs 2, or no --learning-rate
    """
    what = _LEADING.sub(_flag, _MARKED.sub(_flag, error.what))
    remedy = _ASSIGNED.sub(_flag, _MARKED.sub(_flag, error.remedy))
    for said, meant in _PHRASES.items():
        remedy = remedy.replace(said, meant)
    return type(error)(what, _MARKED.sub(_flag, error.found), remedy)


def _flag(match: re.Match[str]) -> str:
    name, *value = match.groups()
    given = "" if value in ([], ["True"]) else " " + value[0].replace(" ", "").strip("[()]'\"")
    return f"--{_RENAMED.get(name, name.replace('_', '-'))}{given}"
