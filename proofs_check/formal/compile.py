"""Compile the Coq files and compare what they prove with what was recorded.

A label is proved if its file compiles, its theorems rest on no axiom, and their statements, with
all definitions, print as in `statements.txt`. The order of compilation is read from the files' own
`Require` lines. Compiled files are cached under a hash of all that went into them, so that only
what has changed is compiled again.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Collection, Iterable, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

from rpttheory.errors import InvalidInput
from rpttheory.files import unwritable, write_whole
from rpttheory.runs.progress import Event, ProgressCallback, no_progress

from ..engine.entry import Entry, Formal, Formality, Theorems
from ..ledger import load

SOURCES = Path(__file__).parent
RECORD = SOURCES / "statements.txt"
PACKAGES = "coq " + " ".join(
    f"libcoq-mathcomp-{part}" for part in ("ssreflect", "algebra", "fingroup", "algebra-tactics")
)
_CLOSED = "Closed under the global context"
_REQUIRES = re.compile(r"^From RPT Require Import ([\w ]+)\.$", re.MULTILINE)
_DEFINES = re.compile(r"^(?:Definition|Fixpoint|Record) (\w+)", re.MULTILINE)


def coqc() -> str:
    """Return the path of the Coq compiler."""
    path = shutil.which("coqc")
    if path is None:
        raise InvalidInput(
            "the formal proofs need Coq 8.16 with mathcomp",
            "no coqc on the path",
            f"apt install {PACKAGES}",
        )
    return path


def user_cache() -> Path:
    """Return the default folder of compiled files."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "rpttheory" / "coq"


def _source(file: str) -> str:
    return (SOURCES / f"{file}.v").read_text(encoding="utf-8")


def requirements(file: str) -> tuple[str, ...]:
    """Return the files that a file imports."""
    return tuple(name for line in _REQUIRES.findall(_source(file)) for name in line.split())


def _record() -> dict[str, str]:
    return _blocks(RECORD.read_text(encoding="utf-8"))


def recorded(claims: Iterable[Entry] | None = None) -> dict[str, Theorems]:
    """Return the recorded theorems of these entries, or of all, by label."""
    record = _record()
    return {
        label: Theorems(entry, _statements(entry, record), Formality.RECORDED)
        for label, entry in _formal(claims).items()
    }


def _formal(claims: Iterable[Entry] | None) -> dict[str, Formal]:
    entries = load() if claims is None else claims
    return {claim.label: claim.formal for claim in entries if claim.formal is not None}


def definitions() -> list[tuple[str, str]]:
    """Return the file and the name of every recorded definition."""
    return [
        (file, name)
        for file, _, name in (block.partition(".definition ") for block in _record())
        if name
    ]


def formal_status(
    claims: Iterable[Entry] | None = None,
    *,
    build: Path | None = None,
    workers: int = 1,
    progress: ProgressCallback = no_progress,
) -> dict[str, Theorems]:
    """Compile the files of these entries and those they build on; return the theorems by label.

    Parameters
    ----------
    claims : iterable of Entry, optional
        All entries by default.
    build : Path, optional
        The folder for compiled files; a temporary folder by default. Nothing is written beside the
        sources.
    workers : int
        The number of files compiled at once.
    progress : callable, optional
        Called with an `Event` after every file.
    """
    formal = _formal(claims)
    record = _record()
    printed, failures = _printed(formal.values(), build, workers, progress)
    return {label: _judge(entry, printed, failures, record) for label, entry in formal.items()}


def record(
    build: Path | None = None, workers: int = 1, progress: ProgressCallback = no_progress
) -> None:
    """Write the statements of all theorems and definitions to `statements.txt`."""
    printed, _ = _printed(_formal(None).values(), build, workers, progress)
    write_whole(
        RECORD, "".join(f"@@ {name}\n{text}\n" for name, text in sorted(printed.items())).encode()
    )


def _files(entry: Formal) -> set[str]:
    """Return the files of the theorems and of the instance of an entry."""
    return {name.partition(".")[0] for name in entry.names}


def _statements(entry: Formal, blocks: Mapping[str, str]) -> tuple[str, ...]:
    """Return the statements of the theorems, without assumptions and without the file's name."""
    return tuple(
        blocks[name].removesuffix(_CLOSED).strip().replace(f"{entry.file}.", "")
        for name in entry.names[: len(entry.theorems.split())]
        if name in blocks
    )


def _judge(
    entry: Formal,
    printed: Mapping[str, str],
    failures: Mapping[str, str],
    record: Mapping[str, str],
) -> Theorems:
    names = entry.names
    files = {name for file in _files(entry) for name in (file, *_below(file))}
    definitions = [
        name
        for name in {*printed, *record}
        if name.split(".")[0] in files and ".definition " in name
    ]
    reason = next((failures[file] for file in sorted(files) if file in failures), "")
    if reason or any(name not in printed for name in names):
        formality = Formality.FAILED
    elif any(not printed[name].endswith(_CLOSED) for name in names):
        formality = Formality.AXIOMS
    elif any(printed.get(name) != record.get(name) for name in names + definitions):
        formality = Formality.CHANGED
    else:
        formality = Formality.PROVED
    return Theorems(entry, _statements(entry, printed), formality, reason)


def _below(file: str) -> set[str]:
    """Return everything that a file imports, directly or not."""
    direct = requirements(file)
    return {*direct, *(name for dependency in direct for name in _below(dependency))}


def _printed(
    entries: Collection[Formal], build: Path | None, workers: int, progress: ProgressCallback
) -> tuple[dict[str, str], dict[str, str]]:
    """Return what Coq prints of every theorem and definition, by `file.name`, and the errors by
    file.
    """
    compiler = coqc()
    files = {file for entry in entries for file in _files(entry)}
    names = {name for entry in entries for name in entry.names}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        cache = work / "cache" if build is None else build
        try:
            cache.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(cache, error, "another folder") from None
        dependencies = {
            name: requirements(name)
            for name in files | {dependency for file in files for dependency in _below(file)}
        }
        failures = _compiled(dependencies, compiler, work, cache, workers, progress)
        compiled = [file for file in dependencies if (work / f"{file}.vo").exists()]
        if not compiled:
            return {}, failures
        query = _Run(compiler, work, "query", _query(compiled, names))
        failure = query.failure()
        if failure:
            raise InvalidInput("Coq cannot read what it compiled", failure, f"remove {cache}")
        return _blocks(query.out.read_text(encoding="utf-8")), failures


def _compiled(
    dependencies: Mapping[str, tuple[str, ...]],
    compiler: str,
    work: Path,
    cache: Path,
    workers: int,
    progress: ProgressCallback,
) -> dict[str, str]:
    """Compile the files, or copy them from the cache; return the errors by file.

    A file that imports one with an error is not compiled.
    """
    version = subprocess.run(
        [compiler, "--version"], capture_output=True, text=True, check=False
    ).stdout
    sorter = TopologicalSorter(dependencies)
    sorter.prepare()
    keys: dict[str, str] = {}
    failures: dict[str, str] = {}
    ready: list[str] = []
    running: list[_Run] = []
    finished = 0

    def finish(file: str, failure: str = "") -> None:
        nonlocal finished
        finished += 1
        if failure:
            failures[file] = failure
        else:
            sorter.done(file)
        progress(Event(file, finished, len(dependencies)))

    try:
        while sorter.is_active():
            ready += sorter.get_ready()
            if not ready and not running:
                break
            while ready and len(running) < workers:
                file = ready.pop(0)
                parts = [
                    version,
                    _source(file),
                    *(keys[dependency] for dependency in dependencies[file]),
                ]
                keys[file] = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
                try:
                    shutil.copyfile(cache / f"{file}-{keys[file]}.vo", work / f"{file}.vo")
                except FileNotFoundError:
                    running.append(_Run(compiler, work, file, _source(file)))
                else:
                    finish(file)
            for run in [run for run in running if run.process.poll() is not None]:
                running.remove(run)
                failure = run.failure()
                if not failure:
                    write_whole(
                        cache / f"{run.file}-{keys[run.file]}.vo",
                        (work / f"{run.file}.vo").read_bytes(),
                    )
                finish(run.file, failure)
            if running:
                time.sleep(0.02)
    finally:
        for run in running:
            run.process.kill()
            run.process.wait()
    return failures


class _Run:
    """A run of coqc. Its output goes to files, because nothing reads a pipe while it runs."""

    def __init__(self, compiler: str, work: Path, file: str, source: str) -> None:
        self.file = file
        self.out = work / f"{file}.out"
        self.err = work / f"{file}.err"
        (work / f"{file}.v").write_text(source, encoding="utf-8")
        command = [compiler, "-w", "none", "-Q", ".", "RPT", f"{file}.v"]
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen(command, cwd=work, stdout=out, stderr=err)

    def failure(self) -> str:
        """Return Coq's error message, empty on success; raise InvalidInput if a signal or a missing
        library ended the run.
        """
        try:
            code = self.process.wait()
        finally:
            self.process.kill()
            self.process.wait()
        words = " ".join(self.err.read_text(encoding="utf-8", errors="replace").split())
        if code < 0:
            raise InvalidInput(
                f"coqc was stopped in {self.file}.v",
                f"signal {-code}",
                "the same command with more memory; compiled files are in the cache",
            )
        if code and "Cannot find a physical path" in words:
            raise InvalidInput("Coq lacks a library", words, f"apt install {PACKAGES}")
        return (words or f"exit code {code}") if code else ""


def _query(files: list[str], theorems: set[str]) -> str:
    """Return a Coq file that prints all definitions, and these theorems with their assumptions."""
    lines = [
        "From mathcomp Require Import all_ssreflect all_algebra.",
        f"From RPT Require {' '.join(files)}.",
        *(f"From RPT Require Import {name}." for name in ("expectation", "rpt") if name in files),
        "Local Open Scope ring_scope. Set Printing Width 120. Unset Printing Implicit Defensive.",
    ]

    def ask(name: str, *commands: str) -> None:
        lines.append(f'Goal True. idtac "@@ {name}". Abort.')
        lines.extend(commands)

    for file in sorted(files):
        for name in _DEFINES.findall(_source(file)):
            ask(f"{file}.definition {name}", f"Print RPT.{file}.{name}.")
        for name in sorted(name for name in theorems if name.startswith(f"{file}.")):
            ask(name, f"Check @RPT.{name}.", f"Print Assumptions RPT.{name}.")
    return "\n".join(lines) + "\n"


def _blocks(text: str) -> dict[str, str]:
    """Return the blocks that begin with a line `@@ name`, by name."""
    return {
        name: body.strip()
        for name, _, body in (part.partition("\n") for part in text.split("@@ ")[1:])
    }
