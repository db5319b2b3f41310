"""The attacks, and running them."""

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

from .brackets import brackets
from .by_command import claims_by_command
from .certificates import certificates
from .claims import claims
from .interrupts import interrupts, signals
from .optima import optima
from .rates import rates
from .trial import Tally, Trial


def either_way(trial: Trial) -> None:
    """Claims through `verify`, or through the command line."""
    (claims_by_command if trial.rng.random() < 0.12 else claims)(trial)


ATTACKS: dict[str, Callable[[Trial], None]] = {
    "brackets": brackets,
    "optima": optima,
    "claims": either_way,
    "certificates": certificates,
    "rates": rates,
    "interrupts": interrupts,
    "signals": signals,
}


def run(
    kind: str, amount: int, origins: Iterator[str], deadline: float = math.inf, **replaced: Any
) -> Tally:
    """Attack until so many brackets, optima or claims have been judged, or time is up.

    `replaced` puts other functions in the place of the package's: the attack must see when they are
    wrong.
    """
    tally = Tally()
    while tally.counts[kind] < amount and time.monotonic() < deadline:
        ATTACKS[kind](Trial(tally, next(origins), **replaced))
    return tally
