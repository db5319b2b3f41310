"""Compile the Coq files and compare what they prove with what was recorded.

A label is proved if its file compiles, its theorems rest on no axiom, and their statements, with all definitions,
print as in `statements.txt`. The order of compilation is read from the files' own `Require` lines.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from enum import Enum
from graphlib import TopologicalSorter
from pathlib import Path

from rpttheory.errors import RptTheoryError
from rpttheory.files import write_whole
from rpttheory.runs.progress import Event, Watch, unwatched

from .theorems import FORMAL

SOURCES = Path(__file__).parent
RECORD = SOURCES / "statements.txt"
PACKAGES = "coq " + " ".join(
    f"libcoq-mathcomp-{part}" for part in ("ssreflect", "algebra", "fingroup", "algebra-tactics")
)
_REQUIRES = re.compile(r"^From RPT Require Import ([\w ]+)\.$", re.MULTILINE)
_DEFINES = re.compile(r"^(?:Definition|Fixpoint|Record) (\w+)", re.MULTILINE)


class MissingCoq(RptTheoryError, ImportError):
    """The Coq compiler is needed; the remedy names the packages."""


class Formality(Enum):
    """What became of the theorems of a label."""

    PROVED = "proved"
    AXIOMS = "rests on axioms"
    CHANGED = "states something else than was recorded"
    FAILED = "does not compile"

    def __str__(self) -> str:
        return self.value


def coqc() -> str:
    """The path of the Coq compiler."""
    found = shutil.which("coqc")
    if found is None:
        raise MissingCoq(
            "the formal proofs need Coq 8.16 with mathcomp", "no coqc on the path", f"apt install {PACKAGES}"
        )
    return found


def requirements(file: str) -> tuple[str, ...]:
    """The files that a file builds on."""
    return tuple(
        name for line in _REQUIRES.findall((SOURCES / f"{file}.v").read_text(encoding="utf-8")) for name in line.split()
    )


def formal_status(
    labels: Iterable[str] | None = None,
    *,
    build: Path | None = None,
    workers: int = 1,
    watch: Watch = unwatched,
) -> dict[str, Formality]:
    """What became of each label, by compiling its file and those it builds on.

    Parameters
    ----------
    labels : iterable of str, optional
        Keys of `FORMAL`; all of them by default.
    build : Path, optional
        Where to compile; a temporary folder by default. Nothing is written beside the sources.
    workers : int
        Files compiled at once.
    watch : callable, optional
        Called with an `Event` after every file.
    """
    chosen = tuple(FORMAL if labels is None else labels)
    recorded = _blocks(RECORD.read_text(encoding="utf-8"))
    printed = _printed({FORMAL[label].file for label in chosen}, build, workers, watch)
    return {label: _judged(label, printed, recorded) for label in chosen}


def record(build: Path | None = None, workers: int = 1, watch: Watch = unwatched) -> None:
    """Write down the statements as they are now."""
    printed = _printed({entry.file for entry in FORMAL.values()}, build, workers, watch)
    write_whole(RECORD, "".join(f"@@ {name}\n{text}\n" for name, text in sorted(printed.items())).encode())


def _judged(label: str, printed: dict[str, str], recorded: dict[str, str]) -> Formality:
    entry = FORMAL[label]
    names = [f"{entry.file}.{theorem}" for theorem in entry.theorems]
    if any(name not in printed for name in names):
        return Formality.FAILED
    if any(not printed[name].endswith("Closed under the global context") for name in names):
        return Formality.AXIOMS
    files = {entry.file, *_below(entry.file)}
    names += [name for name in {*printed, *recorded} if name.split(".")[0] in files and ".definition " in name]
    return Formality.PROVED if all(printed.get(n) == recorded.get(n) for n in names) else Formality.CHANGED


def _below(file: str) -> set[str]:
    """Everything a file builds on, directly or not."""
    direct = requirements(file)
    return {*direct, *(name for other in direct for name in _below(other))}


def _printed(files: set[str], build: Path | None, workers: int, watch: Watch) -> dict[str, str]:
    """What Coq prints of every theorem and definition of the files that compile, by `file.name`."""
    compiler = coqc()
    if build is None:
        with tempfile.TemporaryDirectory() as folder:
            return _printed(files, Path(folder), workers, watch)
    needed = {name: requirements(name) for name in files | {other for file in files for other in _below(file)}}
    compiled = _compiled(needed, compiler, build, workers, watch)
    query = build / "query.v"
    query.write_text(_query([file for file in needed if file in compiled]), encoding="utf-8")
    answer = _run(compiler, query)
    if answer.returncode:
        raise RptTheoryError("Coq does not know a theorem of the list", answer.stderr.strip().splitlines()[-1])
    return _blocks(answer.stdout)


def _compiled(needed: dict[str, tuple[str, ...]], compiler: str, build: Path, workers: int, watch: Watch) -> set[str]:
    """The files that compile; one that builds on another that does not is not tried."""
    sorter = TopologicalSorter(needed)
    sorter.prepare()
    done: set[str] = set()
    tried = 0
    with ThreadPoolExecutor(workers) as pool:
        running: dict[Future[subprocess.CompletedProcess[str]], str] = {}
        while sorter.is_active():
            for file in sorter.get_ready():
                source = build / f"{file}.v"
                shutil.copyfile(SOURCES / source.name, source)
                running[pool.submit(_run, compiler, source)] = file
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                file = running.pop(future)
                tried += 1
                watch(Event(file, tried, len(needed)))
                if future.result().returncode == 0:
                    done.add(file)
                    sorter.done(file)
            if not running and not finished:
                break
    return done


def _run(compiler: str, source: Path) -> subprocess.CompletedProcess[str]:
    command = [compiler, "-w", "none", "-Q", ".", "RPT", source.name]
    return subprocess.run(command, cwd=source.parent, capture_output=True, text=True, check=False)


def _query(files: list[str]) -> str:
    """Ask Coq for the statements and assumptions of all theorems of the list, and for all definitions."""
    lines = [
        "From mathcomp Require Import all_ssreflect all_algebra.",
        f"From RPT Require {' '.join(files)}.",
        "From RPT Require Import expectation rpt.",
        "Local Open Scope ring_scope. Set Printing Width 120. Unset Printing Implicit Defensive.",
    ]

    def ask(name: str, *commands: str) -> None:
        lines.append(f'Goal True. idtac "@@ {name}". Abort.')
        lines.extend(commands)

    for file in sorted(files):
        for name in _DEFINES.findall((SOURCES / f"{file}.v").read_text(encoding="utf-8")):
            ask(f"{file}.definition {name}", f"Print RPT.{file}.{name}.")
        for name in sorted({name for entry in FORMAL.values() if entry.file == file for name in entry.theorems}):
            ask(f"{file}.{name}", f"Check @RPT.{file}.{name}.", f"Print Assumptions RPT.{file}.{name}.")
    return "\n".join(lines) + "\n"


def _blocks(text: str) -> dict[str, str]:
    """The blocks that begin with a line `@@ name`."""
    return {name: body.strip() for name, _, body in (part.partition("\n") for part in text.split("@@ ")[1:])}
