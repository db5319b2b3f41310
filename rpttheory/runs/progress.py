"""Progress of a long run: one kind of event, and the callback that receives it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Event:
    """The progress of a run.

    Parameters
    ----------
    message : str
        The part that is under way or finished.
    done, total : int
        Parts of the run; a total of 0 means that it is not known.
    milestone : bool
        True if the event deserves a line in a log.
    bracket : tuple of float, optional
        During a search for an optimum, its lower and upper bound so far.
    """

    message: str
    done: int = 0
    total: int = 0
    milestone: bool = False
    bracket: tuple[float, float] | None = None


ProgressCallback: TypeAlias = Callable[[Event], None]


def no_progress(event: Event) -> None:
    """Ignore an event."""
