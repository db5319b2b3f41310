"""A standing attack on everything that is read from a disk: files of others, and our own rows and
checkpoints.

    .venv/bin/python benchmarks/attack_files.py --files 20000 --records 5000 --kills 10

Files: sound files of every format are damaged (bits, cuts, splices, sizes, NULs, members of
archives) and read in child processes under limits of memory and time. A file must be refused in
three lines, or read as another reader (numpy, scipy, or a few lines here) reads the same bytes.
Anything else is a finding: an end of the process, an error of another kind, a time-out, or memory
out of proportion to the bytes on the disk.

Records: damaged rows, markers and checkpoints must be refused, or give the very result of sound
ones.

Kills: an experiment killed by signal 9 at random moments and started again must end with the rows
of one that nobody disturbed.

Prints counts, and exits with 1 if anything was found; "unconfirmed" is what was read here and not
by the other reader. Equal seeds make equal files, not equal moments of a kill. The defects that it
was written for were put back one at a time, and found: no comparison of checksums; no bound on what
numbers unpack to, on the empty sides of a sparse matrix, on the header of an array, on a line of
text.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

BATCH = 500
STRETCHED = 3 * 10**9
MEMORY = 3 * 2**29
SECONDS = 30
BASE_MEMORY, MEMORY_PER_BYTE = 10**8, 60
FIELDS = ("files", "read", "refused", "unconfirmed", "findings")

Array = np.ndarray[Any, np.dtype[Any]]
Report = Callable[[str, str, str, Path | None], None]


# --- files that are sound
# -------------------------------------------------------------------------------------------


def sound_files() -> dict[str, bytes]:
    """Names and contents; a small dense matrix, and one that is large enough to stay sparse."""
    small = np.array(
        [
            [2.5, -1.0, 0.0, 1e-3],
            [-1.0, 2.0, -1.0, 0.0],
            [0.0, -1.0, 3.0, 7.0],
            [1e-3, 0.0, 7.0, 40.0],
        ]
    )
    large = sp.diags_array(
        [np.full(300, 2.0), np.full(299, -0.5), np.full(299, -0.5)], offsets=[0, 1, -1]
    )
    rows = [[repr(float(value)) for value in row] for row in small]
    files = {
        "names.csv": "a,b,c,d\n" + "\n".join(map(",".join, rows)),
        "plain.csv": "# by hand\n" + "\n".join(map(",".join, rows)) + "\n",
        "blanks.txt": "\n".join(map(" ".join, rows)) + "\n",
    }
    contents = {name: text.encode() for name, text in files.items()}

    def add(name: str, write: Callable[[Any], object]) -> None:
        stream = BytesIO()
        write(stream)
        contents[name] = stream.getvalue()

    add("plain.npy", lambda file: np.save(file, small))
    add("fortran.npy", lambda file: np.save(file, np.asfortranarray(small)))
    add("integers.npy", lambda file: np.save(file, np.rint(small).astype(">i8")))
    add("plain.npz", lambda file: np.savez(file, L=small))
    add("packed.npz", lambda file: np.savez_compressed(file, L=small))
    for kind in ("csr", "csc", "coo"):
        add(
            f"{kind}.npz",
            lambda file, kind=kind: sp.save_npz(file, sp.csr_array(small).asformat(kind)),
        )
    add("large.npz", lambda file: sp.save_npz(file, large.tocsr()))
    add("array.mtx", lambda file: scipy.io.mmwrite(file, small, precision=17))
    add(
        "symmetric.mtx",
        lambda file: scipy.io.mmwrite(file, sp.coo_array(small), symmetry="symmetric"),
    )
    add("general.mtx", lambda file: scipy.io.mmwrite(file, sp.coo_array(small), symmetry="general"))
    add("large.mtx", lambda file: scipy.io.mmwrite(file, large.tocoo(), symmetry="symmetric"))
    return contents


# --- damage
# ------------------------------------------------------------------------------------------------


SIZES = (
    0,
    1,
    2,
    5,
    127,
    255,
    65535,
    10**6,
    2**24,
    3 * 10**8,
    2**31 - 1,
    2**31,
    2**32 - 1,
    10**12,
    2**63 - 1,
    2**64 - 1,
)
WORDS = (
    b"nan",
    b"inf",
    b"1e999",
    b"-1",
    b"1.5",
    b"0x10",
    b"1_0",
    b"%",
    b"#",
    b"target",
    b"\xff\xfe",
    b"\x1b[31m",
)


class Damage:
    """Random damage, all of it decided by one generator."""

    def __init__(self, rng: np.random.Generator, sound: dict[str, bytes]) -> None:
        self.rng, self.sound = rng, sound

    def below(self, end: int) -> int:
        return int(self.rng.integers(max(end, 1)))

    def one_of(self, choices: Any) -> Any:
        return choices[self.below(len(choices))]

    def bytes_of(self, content: bytes, name: str) -> bytes:
        """A few changes of any kind."""
        changed = bytearray(content)
        for _ in range(1 + self.below(3)):
            self._change(changed, name)
        return bytes(changed)

    def _change(self, changed: bytearray, name: str) -> None:
        at, length = self.below(len(changed)), 1 + self.below(16)
        action = self.below(11)
        if action < 2 and changed:
            changed[at] ^= 1 << self.below(8)
        elif action == 2 and changed:
            changed[at] = self.one_of(
                (0, 1, 0x7F, 0x80, 0xFF, 0x39, 0x2D, 0x65, 0x0A, self.below(256))
            )
        elif action == 3:
            del changed[at:]
        elif action == 4:
            del changed[at : at + length]
        elif action == 5:
            changed[at:at] = self.one_of(
                (bytes(length), b"9" * length, self.rng.bytes(length), self.one_of(WORDS))
            )
        elif action == 6:
            other = self.below(len(changed))
            changed[at : at + length] = changed[other : other + length]
        elif action == 7:  # the head of this and the tail of another
            near = [content for key, content in self.sound.items() if key[-4:] == name[-4:]]
            other_file = self.one_of(near)
            changed[at:] = other_file[self.below(len(other_file)) :]
        elif action == 8:
            code = self.one_of(("<I", ">I", "<Q", "<H"))
            size = struct.pack(code, self.one_of(SIZES) % 256 ** struct.calcsize(code))
            changed[at : at + len(size)] = size
        elif action == 9:
            numbers = list(re.finditer(rb"\d+", changed))
            if numbers:
                span = self.one_of(numbers)
                changed[span.start() : span.end()] = str(self.one_of(SIZES)).encode()
        else:
            changed *= 2

    def file(self, name: str) -> tuple[bytes, int | None]:
        """A damaged file, and the length to stretch it to with NULs, if any."""
        content = self.sound[name]
        kind = self.below(1000)
        if kind < 3 and name.endswith(".npz"):
            return self._hollow(), None
        if kind < 10:
            return content[: 1 + self.below(len(content))], STRETCHED
        if kind < 40:
            return self._announcing(name)
        if kind < 500 and name.endswith(".npz"):
            return self._archive(content, name), None
        return self.bytes_of(content, name), None

    def _archive(self, content: bytes, name: str) -> bytes:
        """A member changed and packed again with a checksum that fits, or a directory that lies."""
        stream = BytesIO()
        with (
            zipfile.ZipFile(BytesIO(content)) as sound,
            zipfile.ZipFile(stream, "w", self.one_of((0, 8, 8, 12))) as new,
        ):
            chosen = self.one_of(sound.namelist())
            for member in sound.namelist():
                inner = sound.read(member)
                new.writestr(member, self.bytes_of(inner, name) if member == chosen else inner)
        changed = bytearray(stream.getvalue())
        if self.below(3) == 0:
            at = changed.find(b"PK\1\2") + self.one_of((10, 20, 24, 42))
            changed[at : at + 4] = struct.pack("<I", self.one_of(SIZES) % 2**32)
        return bytes(changed)

    def _announcing(self, name: str) -> tuple[bytes, int | None]:
        """A file that is sound but for one size, which may be anything; some are stretched as if
        they had it.
        """
        size, stretched = self.one_of(SIZES), self.one_of((None, STRETCHED))
        if name.endswith(".mtx"):
            layout, sides = self.one_of(
                (("coordinate", f"{size} {size} 1"), ("coordinate", f"2 {size} 1"), ("array", size))
            )
            return (
                f"%%MatrixMarket matrix {layout} real general\n{sides}\n1 1 1\n".encode(),
                stretched,
            )
        if name.endswith(".npz"):
            stream = BytesIO()
            shape = np.array([size, self.one_of((2, size))], dtype=np.uint64)
            np.savez(
                stream,
                data=np.ones(1),
                row=np.array([0]),
                col=np.array([0]),
                shape=shape,
                format=b"coo",
            )
            return stream.getvalue(), None
        if name.endswith(".npy"):
            return (
                b"\x93NUMPY\2\0" + struct.pack("<I", size % 2**32) + self.sound[name][10:],
                stretched,
            )
        return self.sound[name], stretched

    def _hollow(self) -> bytes:
        """Zeros that take a thousandth of their size."""
        side = 3000 + self.below(2500)
        stream = BytesIO()
        np.savez_compressed(stream, L=np.zeros((side, side)))
        return stream.getvalue()


# --- reading, in a child
# --------------------------------------------------------------------------------------------


def child(listing: Path) -> None:
    """Read the files of a list; what was begun and what came of it goes to standard output, a line
    each.
    """
    from rpttheory.io import read_data, read_matrix

    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(
        resource.RLIMIT_AS, (size + MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1])
    )
    for line in listing.read_text().splitlines():
        path = Path(line)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        say(path, "begun", "")
        results = [attempt(path, read_data), attempt(path, read_matrix)]
        say(path, "judging", "")
        outcome, text = judged(path, results)
        say(path, outcome, text)


def say(path: Path, outcome: str, text: str) -> None:
    print(json.dumps([path.name, outcome, text]), flush=True)


def attempt(path: Path, reader: Callable[[Path], Any]) -> tuple[str, Any]:
    """What a reader gives: ("read", the numbers), ("refused", the message), or a kind of finding
    and its story.
    """
    from rpttheory.errors import InvalidInput
    from rpttheory.numbers.exact_array import doubles

    Path("/proc/self/clear_refs").write_text("5")
    before = status_of_memory("VmRSS")
    found: tuple[str, Any]
    try:
        result = reader(path)
        values = getattr(result, "values", result)
        found = "read", doubles(values)
    except InvalidInput as error:
        found = "refused" if in_three_lines(error) else "words", str(error)
        if "MemoryError" in str(error) or "Unable to allocate" in str(error):
            found = "memory", str(error)
    except BaseException as error:
        found = "error", f"{type(error).__name__}: {error}"[:200]
    grown = status_of_memory("VmHWM") - before
    if grown > BASE_MEMORY + MEMORY_PER_BYTE * 512 * path.stat().st_blocks:
        found = "memory", f"{grown} bytes for {512 * path.stat().st_blocks} on the disk"
    return found


def in_three_lines(error: Exception) -> bool:
    """Whether a message says what is wrong, what was found and what to do, and sends a terminal
    nothing else.
    """
    lines = str(error).split("\n")
    return len(lines) == 3 and all(line.strip() and line.isprintable() for line in lines)


def status_of_memory(field: str) -> int:
    match = re.search(rf"{field}:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert match is not None
    return 1024 * int(match[1])


def judged(path: Path, results: list[tuple[str, Any]]) -> tuple[str, str]:
    """One outcome for the attempts at a file; what was read is compared with what another reader
    reads.
    """
    for outcome, text in results:
        if outcome not in ("read", "refused"):
            return outcome, text
    read = [values for outcome, values in results if outcome == "read"]
    if not read:
        return "refused", ""
    if results[0][0] != "read":
        return "inconsistent", "a matrix that is no data"
    try:
        expected = another_reading(path)
    except Exception as error:
        return "unconfirmed", f"{type(error).__name__}: {error}"[:200]
    if not same(read[0], expected):
        return "wrong", f"{read[0]} where another reader has {expected}"[:300]
    if len(read) == 2:
        roots = np.sqrt(np.abs(expected.diagonal()))
        gap = np.abs(dense(expected) - dense(expected).T)
        if (gap > 1.0001e-12 * np.outer(roots, roots)).any():
            return "wrong", "not symmetric"
        if not same(read[1], expected if not gap.any() else (expected + expected.T) / 2):
            return "wrong", f"{read[1]} where another reader has {expected}"[:300]
    return "read", ""


def dense(matrix: Any) -> Any:
    """The entries of a matrix, sparse or not."""
    return matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix)


def same(one: Any, other: Any) -> bool:
    """Whether two matrices, sparse or not, are equal entry by entry."""
    return one.shape == other.shape and not (sp.csr_array(one) != sp.csr_array(other)).nnz


def another_reading(path: Path) -> Any:
    """The numbers in a file, by nothing of ours."""
    if path.suffix == ".npy":
        return np.asarray(np.load(path, allow_pickle=False), dtype=float)
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as stored:
            names = stored.files
            if "format" not in names:
                (name,) = names
                return np.asarray(stored[name], dtype=float)
        return sp.load_npz(path)
    if path.suffix == ".mtx":
        return scipy.io.mmread(path)
    text = path.read_bytes().decode("utf-8-sig")
    lines = [line.strip() for line in re.split(r"\r\n|\r|\n", text)]
    kept = [line for line in lines if line and not line.startswith("#")]
    comma = path.suffix == ".csv" or "," in kept[0]
    cells = [line.split("," if comma else None) for line in kept]
    try:
        [float(cell) for cell in cells[0]]
    except ValueError:
        names, *cells = cells
        chosen = [place for place, name in enumerate(names) if name.strip() != "target"]
        cells = [[row[place] for place in chosen] for row in cells]
    return np.array([[float(cell) for cell in row] for row in cells])


# --- the attack on files
# --------------------------------------------------------------------------------------------


def attack_files(
    count: int, rng: np.random.Generator, until: float, report: Report
) -> dict[str, Counter[str]]:
    """Damaged files in batches, each in a child of its own; counts by extension."""
    damage = Damage(rng, sound_files())
    names = list(damage.sound)
    counts: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        done = 0
        while done < count and time.monotonic() < until:
            batch: list[Path] = []
            for number in range(done, min(done + BATCH, count)):
                name = damage.one_of(names)
                path = Path(folder) / f"{number:06d}_{name}"
                content, length = damage.file(name)
                path.write_bytes(content)
                if length is not None:
                    os.truncate(path, length)
                batch.append(path)
            done += len(batch)
            for path, outcome, text in outcomes(batch):
                row = counts.setdefault(path.suffix, Counter())
                row["files"] += 1
                row[outcome if outcome in FIELDS else "findings"] += 1
                if outcome not in ("read", "refused"):
                    report(outcome, path.name, text, path)
                path.unlink()
    return counts


def outcomes(batch: list[Path]) -> Iterator[tuple[Path, str, str]]:
    """What becomes of every file of a batch; a child that ends early is followed by another for the
    rest.
    """
    waiting = {path.name: path for path in batch}
    while waiting:
        listing = next(iter(waiting.values())).parent / "listing"
        listing.write_text("\n".join(map(str, waiting.values())))
        command = [sys.executable, __file__, "--child", str(listing)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        last = None
        for line in done.stdout.splitlines():
            name, outcome, text = json.loads(line)
            last = name, outcome
            if outcome not in ("begun", "judging"):
                yield waiting.pop(name), outcome, text
        if waiting and (last is None or last[1] not in ("begun", "judging")):
            raise RuntimeError(f"a child ended with {done.returncode}:\n{done.stderr[-2000:]}")
        if waiting and last is not None:
            ours = last[1] == "begun"  # otherwise the other reader has ended the process
            how = (
                "timeout" if done.returncode == -signal.SIGALRM else f"ended with {done.returncode}"
            )
            yield waiting.pop(last[0]), how if ours else "unconfirmed", done.stderr[-300:]


# --- the attack on records
# ------------------------------------------------------------------------------------------


def attack_records(
    count: int, rng: np.random.Generator, until: float, report: Report
) -> dict[str, Counter[str]]:
    """Damaged rows, markers and checkpoints: refused, or with the content of the sound ones; counts
    by kind.
    """
    from rpttheory.errors import InvalidInput

    counts: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        kinds = records(Path(folder))
        wanted = [(name, *kind, kind[1](), kind[0].read_bytes()) for name, kind in kinds.items()]
        for number in range(count):
            if time.monotonic() > until:
                break
            name, path, read, expected, sound = wanted[number % len(wanted)]
            damaged = bytearray(sound)
            action = int(rng.integers(10))
            at = int(rng.integers(len(damaged)))
            if action < 8:
                damaged[at] ^= 1 << int(rng.integers(8))
            elif action == 8:
                del damaged[at:]
            else:
                damaged[at : at + 8] = rng.bytes(8)
            path.write_bytes(damaged)
            row = counts.setdefault(name, Counter())
            row["files"] += 1
            try:
                found = read()
            except InvalidInput as error:
                row["refused" if in_three_lines(error) else "findings"] += 1
                if not in_three_lines(error):
                    report("words", name, str(error), path)
            except Exception as error:
                row["findings"] += 1
                report("error", name, f"{type(error).__name__}: {error}"[:200], path)
            else:
                row["read" if found == expected else "findings"] += 1
                if found != expected:
                    report("wrong", name, "other content accepted", path)
            path.write_bytes(sound)
    return counts


def records(folder: Path) -> dict[str, tuple[Path, Callable[[], Any]]]:
    """A record of every kind: its file, and what is read of it in a form that compares."""
    from rpttheory.errors import InvalidInput
    from rpttheory.runs.store import Checkpoint, Store

    settings = {"seeds": 5, "tolerance": 1e-8, "sizes": [1, 2]}
    store = Store(folder, "attacked", settings)
    nested = {"lower": 271.99999999999994}
    store.put({"01": {"values": [1.5, -2e-8, 3], "words": "GD", "nested": nested}})
    checkpoint = Checkpoint(folder / "run", settings)
    arrays = {"x": np.linspace(-1.0, 1.0, 6), "records": np.eye(5)}
    checkpoint.save({"step": 40, "cost": 12.5}, arrays)

    def saved() -> Any:
        stored = checkpoint.load(arrays)
        if stored is None:
            raise InvalidInput("the row is lost", "no row", "the run begins anew")
        about, loaded = stored
        return about, {name: values.tolist() for name, values in loaded.items()}

    def row() -> Any:
        found = Store(folder, "attacked", settings).get("01")
        if found is None:
            raise InvalidInput("the row is lost", "no row", "it is computed anew")
        return found.value

    return {"row": (store.path, row), "run": (folder / "run.sqlite", saved)}


# --- the attack on running experiments
# ------------------------------------------------------------------------------


def attack_runs(count: int, rng: np.random.Generator, until: float, report: Report) -> Counter[str]:
    """An experiment killed at random moments: its rows must be those of one that nobody
    disturbed.
    """
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        whole, broken = Path(folder) / "whole", Path(folder) / "broken"
        began = time.monotonic()
        finish(start(whole))
        duration = time.monotonic() - began
        expected = rows_of(whole)
        for number in range(1, count + 1):
            process = start(broken)
            time.sleep(float(rng.uniform(0, duration)))
            counts["killed" if process.poll() is None else "came to its end"] += 1
            kill(process)
            enough = number == count or time.monotonic() > until
            if (
                enough or int(rng.integers(3)) == 0
            ):  # else the next one goes on with what this one left
                counts["files"] += 1
                finish(start(broken))
                same = rows_of(broken) == expected
                counts["read" if same else "findings"] += 1
                if not same:
                    report(
                        "wrong", "killed run", "other rows than those of an undisturbed run", None
                    )
                shutil.rmtree(broken)
            if enough:
                break
    return counts


def start(folder: Path) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "rpttheory",
        "experiment",
        "quadratics",
        "--rows",
        "1-4",
        "--repeats",
        "2",
    ]
    command += ["--tol", "0.01", "--jobs", "2", "--out", str(folder)]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )


def finish(process: subprocess.Popen[bytes]) -> None:
    _, errors = process.communicate()
    if process.returncode:
        raise RuntimeError(f"the experiment ended with {process.returncode}:\n{errors.decode()}")


def kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def rows_of(folder: Path) -> dict[str, Any]:
    """The rows by name, without what a clock has measured."""
    from rpttheory.runs.store import Store

    rows = {key: row.value for key, row in Store(folder, "quadratics").items()}
    for row in rows.values():
        del row["wall_clock"]
    return rows


# --- the whole
# ------------------------------------------------------------------------------------------------


def main() -> int:
    """Attack, print counts and findings; 1 if there are any."""
    parser = argparse.ArgumentParser(
        description="Attack the readers of files and records with damaged ones."
    )
    parser.add_argument("--files", type=int, default=2000, help="damaged files to read")
    parser.add_argument(
        "--records", type=int, default=500, help="damaged rows and checkpoints to read"
    )
    parser.add_argument("--kills", type=int, default=0, help="experiments to kill")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="begin nothing new after so long"
    )
    parser.add_argument(
        "--keep", type=Path, default=None, help="folder for the files behind findings"
    )
    parser.add_argument("--child", type=Path, default=None, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child is not None:
        child(given.child)
        return 0
    findings: list[str] = []
    doubts: list[str] = []

    def report(kind: str, name: str, text: str, path: Path | None) -> None:
        (doubts if kind == "unconfirmed" else findings).append(
            f"{kind}: {name}: {ascii(text)[1:-1]}"
        )
        if given.keep is not None and path is not None:
            given.keep.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, given.keep / f"{kind.replace(chr(32), chr(95))}_{path.name}")

    until = time.monotonic() + given.seconds
    rng = np.random.default_rng(given.seed)
    tables = {"files": attack_files(given.files, rng, until, report)}
    tables["records"] = attack_records(given.records, rng, until, report)
    runs = attack_runs(given.kills, rng, until, report) if given.kills else Counter()
    print(f"{'':24s}" + "".join(f"{field:>12s}" for field in FIELDS))
    for title, table in tables.items():
        for name, row in [*sorted(table.items()), ("all", sum(table.values(), Counter()))]:
            print(f"{title + ' ' + name:24s}" + "".join(f"{row[field]:12d}" for field in FIELDS))
    if given.kills:
        print(
            f"{'runs':24s}"
            + "".join(f"{runs[field]:12d}" for field in FIELDS)
            + f"  after {runs['killed']} kills"
        )
    for line in [*doubts[:20], *findings[:50]]:
        print(line)
    print(f"{len(findings)} finding(s), seed {given.seed}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
