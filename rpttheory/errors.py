"""The errors a caller can meet, each carrying what is wrong, what was found and what to try."""


def escaped(text: str) -> str:
    """The text with every character that a terminal would obey or could not show spelt out.

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


class RptTheoryError(Exception):
    """Base of all errors raised on purpose; `str()` gives the three lines a person reads.

    Parameters
    ----------
    what : str
        The rule that was broken, naming the file; with `argument`, what follows its name.
    found : str, optional
        The offending value, as received.
    remedy : str, optional
        One thing to do about it.
    argument : str, optional
        The argument that broke the rule. It begins the sentence.
    """

    def __init__(self, what: str, found: str = "", remedy: str = "", *, argument: str = "") -> None:
        super().__init__(what, found, remedy)
        self.what = f"{argument} {what}" if argument else what
        self.argument = argument
        self.found = found
        self.remedy = remedy

    def __str__(self) -> str:
        lines = [self.what]
        if self.found:
            lines.append(f"  found: {self.found}")
        if self.remedy:
            lines.append(f"  try:   {self.remedy}")
        # Names of files and whatever else a person typed come through here.
        return "\n".join(map(escaped, lines))


class InvalidInput(RptTheoryError, ValueError):
    """An argument or a file that no computation can start from.

    Examples
    --------
    >>> print(InvalidInput("must lie strictly between 0 and 1", "2", "1e-6", argument="tol"))
    tol must lie strictly between 0 and 1
      found: 2
      try:   1e-6
    """


class MissingExtra(RptTheoryError, ImportError):
    """An optional dependency is needed; the remedy names the extra that brings it."""


class OutOfTime(KeyboardInterrupt):
    """A limit has struck: it ends a search as Ctrl-C does, unless the gap that was asked for is
    reached by then.

    Examples
    --------
    >>> from rpttheory import optimal_probabilities
    >>> def strike(lower, upper):
    ...     raise OutOfTime
    >>> optimal_probabilities([[9.0, 0.0], [0.0, 1.0]], [1, 1], callback=strike).status
    'optimal'
    """
