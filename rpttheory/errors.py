"""The errors a caller can meet, each carrying what is wrong, what was found and what to try."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import Any, Self

Spelling = Callable[..., str]
"""`spell(name)` names an argument, `spell(name, value)` sets it, for one kind of reader."""


def escaped(text: str) -> str:
    """Return the text with every character spelled out that a terminal would obey or cannot show.

    Examples
    --------
    >>> print(escaped("L\\x1b[31m\\n.npy"))
    L\\x1b[31m\\n.npy
    """
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    )


def one_line(error: BaseException) -> str:
    """Return the kind and the text of an error in one line of at most 200 characters."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def as_call(name: str, *value: Any) -> str:
    """Spell an argument as a Python caller writes it.

    Examples
    --------
    >>> as_call("jobs"), as_call("jobs", 4)
    ('jobs', 'jobs=4')
    """
    return f"{name}={value[0]!r}" if value else name


class RptTheoryError(Exception):
    """Base of all errors raised on purpose; `str()` gives the three lines a person reads.

    Parameters
    ----------
    rule : str
        The rule that was broken; with `argument`, what follows its name.
    found : str, optional
        The offending value, as received.
    remedy : str, optional
        One thing to do about it.
    argument : str, optional
        The argument that broke the rule. It begins the sentence.
    suggest : mapping, optional
        Arguments with values that would be accepted. They come before `remedy`.
    source : str, optional
        The file that the error is about. It comes before all else.

    Notes
    -----
    `rule` and `remedy` may name other arguments, in backticks. `render` spells all of them, so that
    one error speaks to callers in Python and to users of the command line.
    """

    def __init__(
        self,
        rule: str,
        found: str = "",
        remedy: str = "",
        *,
        argument: str = "",
        suggest: Mapping[str, Any] | None = None,
        source: str = "",
    ) -> None:
        super().__init__(rule, found, remedy)
        self.found = found
        self.argument = argument
        self.source = source
        self._rule = rule
        self._remedy = remedy
        self._suggest = dict(suggest or {})

    @property
    def what(self) -> str:
        """The broken rule, with the file and the argument that it is about."""
        return self.parts()[0]

    @property
    def remedy(self) -> str:
        """One thing to do about it."""
        return self.parts()[2]

    def at(self, source: str) -> Self:
        """Return the same error about a file; the first file that was named stays."""
        located = copy(self)
        located.source = self.source or source
        return located

    def render(self, spell: Spelling = as_call) -> str:
        """Return the lines a person reads, with arguments spelled for that person."""
        what, detail, remedy = self.parts(spell)
        lines = [what]
        if detail:
            lines.append(f"  found: {detail}")
        if remedy:
            lines.append(f"  try:   {remedy}")
        # Names of files and whatever else a person typed come through here.
        return "\n".join(map(escaped, lines))

    __str__ = render

    def parts(self, spell: Spelling = as_call) -> tuple[str, str, str]:
        """Return what is wrong, what was found and what to try."""
        what = _spelled(self._rule, spell)
        if self.argument:
            what = f"{spell(self.argument)} {what}"
        if self.source:
            what = f"{self.source}: {what}"
        suggestion = " ".join(spell(name, value) for name, value in self._suggest.items())
        remedy = ", ".join(filter(None, (suggestion, _spelled(self._remedy, spell))))
        return what, self.found, remedy


def _spelled(text: str, spell: Spelling) -> str:
    """Spell the arguments that a text names between backticks, which Python callers see."""
    if spell is as_call:
        return text
    parts = text.split("`")
    return "".join(spell(part) if i % 2 else part for i, part in enumerate(parts))


@contextmanager
def errors_at(source: str, argument: str = "") -> Iterator[None]:
    """Let errors (about `argument`, if one is named) say which file they are about."""
    try:
        yield
    except RptTheoryError as error:
        if argument and error.argument != argument:
            raise
        raise error.at(source) from None


class InvalidInput(RptTheoryError, ValueError):
    """An argument or a file that no computation can start from.

    Examples
    --------
    >>> error = InvalidInput("must be at least 1", "0", argument="jobs", suggest={"jobs": 4})
    >>> print(error)
    jobs must be at least 1
      found: 0
      try:   jobs=4
    """


class MissingExtra(RptTheoryError, ImportError):
    """An optional dependency is needed; the remedy names the extra that brings it."""


class OutOfTime(KeyboardInterrupt):
    """A time limit has expired: it ends a search as Ctrl-C does, unless it has converged by then.

    Examples
    --------
    >>> from rpttheory import optimal_probabilities
    >>> def strike(event):
    ...     raise OutOfTime
    >>> optimal_probabilities([[9.0, 0.0], [0.0, 1.0]], [1, 1], progress=strike).status
    'optimal'
    """
