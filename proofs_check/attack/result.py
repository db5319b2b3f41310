"""What an attack found, saved so that anyone can check it again."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rpttheory import Verdict
from rpttheory.errors import InvalidInput
from rpttheory.files import write_whole
from rpttheory.provenance import provenance
from rpttheory.theory.attack import Counterexample

SCHEMA = "rpttheory/attack/1"


@dataclass(frozen=True)
class AttackResult:
    """The worst instance that was met.

    Attributes
    ----------
    label, part, statement : str
        The inequality, left <= right.
    tight : bool
        Whether left / right is known to come as near to 1 as wanted; `reason` says by what, or why
        not.
    ratio : float
        left / right on the instance, in floats: it decides nothing.
    instance : dict
        JSON-safe values; the floats in it are exact.
    verdict : Verdict
        On left <= right for this instance, with every rounding accounted for. REFUTED is a
        counterexample.
    evaluations, restarts : int
        How much was tried.
    seed : int
    interrupted : bool
        Whether Ctrl-C ended it.
    tried : dict
        Every part that was attacked, with the largest ratio met there.
    """

    label: str
    part: str
    statement: str
    tight: bool
    reason: str
    ratio: float
    instance: dict[str, Any]
    verdict: Verdict
    evaluations: int
    restarts: int
    seed: int
    interrupted: bool = False
    tried: dict[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The label, with the part where there are several."""
        return f"{self.label}/{self.part}" if self.part else self.label

    @property
    def undecided(self) -> bool:
        """Whether rigorous arithmetic cannot tell."""
        return self.verdict is Verdict.UNDECIDED

    def __str__(self) -> str:
        several = self.tried.items() if len(self.tried) > 1 else ()
        lines = [
            f"{self.name}: {self.statement}",
            (
                f"  largest left / right: {self.ratio:.10g}  ({self.evaluations} problems,"
                f" {self.restarts} restarts, seed"
                f" {self.seed}{', interrupted' if self.interrupted else ''})"
            ),
            f"  on this instance:     {self.verdict}",
            f"  known to be tight:    {'yes' if self.tight else 'no'}: {self.reason}",
            *(f"  tried:                {name}: {ratio:.10g}" for name, ratio in several),
            "  instance:",
        ]
        return "\n".join(
            [
                *lines,
                *(f"    {name} = {json.dumps(value)}" for name, value in self.instance.items()),
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe values."""
        return {"schema": SCHEMA, **asdict(self), "verdict": self.verdict.value}


def save(result: AttackResult | Counterexample, path: str | Path) -> None:
    """Write the result as JSON, whole or not at all."""
    content = (
        json.dumps({**result.to_dict(), "provenance": provenance()}, indent=1, allow_nan=False)
        + "\n"
    )
    write_whole(Path(path), content.encode())


def content(path: str | Path) -> Any:
    """What is in a file of JSON."""
    try:
        return json.loads(Path(path).read_bytes())
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read", error.strerror or str(error), "a file saved here"
        ) from None
    except ValueError as error:
        raise InvalidInput(
            f"{path}: not the result of an attack", str(error), "a file saved here"
        ) from None


def load(path: str | Path) -> AttackResult:
    """The result as it was saved; nothing in it is checked again."""
    found = content(path)
    try:
        if found.pop("schema") != SCHEMA:
            raise ValueError("another schema")
        found.pop("provenance", None)
        return AttackResult(**{**found, "verdict": Verdict(found["verdict"])})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidInput(
            f"{path}: not the result of an attack", str(error), "a file saved here"
        ) from None
