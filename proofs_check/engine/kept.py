"""What an interrupted run of the checks had found, for the run that goes on with it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import rpttheory
from rpttheory.errors import InvalidInput
from rpttheory.files import UNSEALED, read_sealed, sealed, write_whole

from .entry import Evidence, Finding, Weight
from .judgement import Outcome

SCHEMA = "rpttheory/proofs-kept/1"
_ANEW = "everything checked anew, without `resume`"

Outcomes = dict[tuple[str, int], Outcome]


def keep(path: Path, found: Mapping[tuple[str, int], Outcome], settings: Mapping[str, Any]) -> None:
    """Write what was found, with everything that it depends on."""
    rows = [[*key, asdict(outcome)] for key, outcome in found.items()]
    content = {"schema": SCHEMA, "of": _origin(settings), "found": rows, "checksum": UNSEALED}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, sealed(json.dumps(content, default=str).encode()))


def kept(path: Path, settings: Mapping[str, Any]) -> Outcomes:
    """What was found under the same settings by the same program; anything else is refused."""
    content = json.loads(read_sealed(path, _ANEW) or b"{}")
    if content.get("schema") != SCHEMA or content.get("of") != _origin(settings):
        found = (
            "it is of other settings, or of another state of the program"
            if content
            else f"no file {path}"
        )
        raise InvalidInput("nothing to resume", found, _ANEW)
    return {(label, number): _outcome(**fields) for label, number, fields in content["found"]}


def _outcome(evidence: int, finding: dict[str, Any] | None, **rest: str) -> Outcome:
    if finding is None:
        return Outcome(Evidence(evidence), None, **rest)
    weight = None if finding["weight"] is None else Weight(finding["weight"])
    formulas = tuple(finding["formulas"])
    return Outcome(
        Evidence(evidence), Finding(**{**finding, "weight": weight, "formulas": formulas}), **rest
    )


def _origin(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings and a digest of all code that a check may run."""
    folders = (Path(rpttheory.__file__).parent, Path(__file__).parents[1])
    code = b"".join(
        path.read_bytes() for folder in folders for path in sorted(folder.rglob("*.py"))
    )
    return {**settings, "version": rpttheory.__version__, "code": hashlib.sha256(code).hexdigest()}
