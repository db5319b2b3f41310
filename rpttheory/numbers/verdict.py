"""Verdicts on claims, and how far the number behind one can be trusted."""

from enum import Enum, IntEnum


class Rigor(IntEnum):
    """How a number was obtained; numbers that are combined have the weaker of their rigors.

    EXACT: rational arithmetic, rounded outwards at most. VERIFIED: floating point with proved error
    bounds. NUMERICAL: a good approximation that proves nothing.

    Examples
    --------
    >>> min(Rigor.EXACT, Rigor.VERIFIED).name
    'VERIFIED'
    """

    NUMERICAL = 0
    VERIFIED = 1
    EXACT = 2

    def __str__(self) -> str:
        return self.name


class Verdict(Enum):
    """The outcome of a check. It has no truth value: UNDECIDED is neither true nor false.

    Examples
    --------
    >>> from rpttheory import Bracket
    >>> print(Bracket(1.0, 2.0) <= Bracket(2.0, 3.0), Bracket(1.0, 2.0) <= Bracket(1.5, 3.0))
    PROVED UNDECIDED
    """

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"

    @property
    def negated(self) -> "Verdict":
        """The verdict on the opposite claim."""
        opposite = {Verdict.PROVED: Verdict.REFUTED, Verdict.REFUTED: Verdict.PROVED}
        return opposite.get(self, self)

    def __bool__(self) -> bool:
        raise TypeError(
            "a Verdict has no truth value, because UNDECIDED is neither true nor false\n"
            f"  found: if {self.value}\n"
            "  try:   verdict is Verdict.PROVED"
        )

    def __str__(self) -> str:
        return self.value
