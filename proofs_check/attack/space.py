"""Where the inequalities of the ledger are attacked: problems with functions and steps, exact in
floats.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from rpttheory.theory.attack import space
from rpttheory.theory.attack.space import Points

from .ridge import Shape


@dataclass(frozen=True)
class Layout(space.Layout):
    """What is fixed during one ascent."""

    steps: int = 0
    shape: Shape = "huber"


class Space(space.Space, Protocol):
    """A family of instances."""

    def case(self, layout: Any, point: Points, bits: int) -> Any | None:
        """The instance at one rounded point, or None where it is not exact in floats."""

    def read(self, found: dict[str, Any]) -> Any:
        """An instance from its JSON-safe values."""
