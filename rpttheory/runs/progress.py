"""What a long run says while it goes on: one kind of event, whoever shows it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Event:
    """How far a run is.

    Parameters
    ----------
    doing : str
        What is under way, or what is finished.
    done, total : int
        Parts of the run; a total of 0 where nobody knows.
    milestone : bool
        Worth a line of a log.
    """

    doing: str
    done: int = 0
    total: int = 0
    milestone: bool = False


Watch: TypeAlias = Callable[[Event], None]


def unwatched(event: Event) -> None:
    """Nobody is looking."""
