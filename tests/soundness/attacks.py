"""The attacks, and running them."""

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

from .brackets import brackets
from .certificates import certificates
from .claims import claims
from .interrupts import interrupts, signals
from .optima import optima
from .rates import rates
from .trial import Tally, Trial

ATTACKS: dict[str, Callable[[Trial], None]] = {
    "brackets": brackets,
    "optima": optima,
    "claims": claims,
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
