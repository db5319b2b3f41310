"""A run that is stopped and continued walks the same path, bit for bit."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rpttheory import Blocks, InvalidInput, diagonal
from rpttheory.files import UNSEALED, sealed
from rpttheory.methods import (
    RPT,
    Accelerated,
    CyclicBlockDescent,
    GradientDescent,
    Method,
    Record,
    RunResult,
    run,
)
from rpttheory.objectives import Objective, Quadratic
from rpttheory.runs.checkpoint import Checkpoint

from .problems import ALL, BLOCKS, DENSE, LOGISTIC, ROBUST, X0, D, every_method

P = [0.25, 1.0, 0.5]
COLUMNS = ("iteration", "cost", "gap", "distance2", "gradient2")


class Killed(Exception):
    """Stands for a signal."""


def kill_at(iteration: int) -> Callable[[Record], None]:
    def callback(record: Record) -> None:
        if record.iteration >= iteration:
            raise Killed

    return callback


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.npz"


def same(a: RunResult, b: RunResult) -> None:
    np.testing.assert_array_equal(a.x, b.x)
    assert (a.steps, a.cost, a.status) == (b.steps, b.cost, b.status)
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(a.trace, name), getattr(b.trace, name))


def start(method: Method, f: Objective = DENSE, **options: Any) -> RunResult:
    return run(method, f, BLOCKS, **({"x0": X0, "rng": 7, "steps": 1000} | options))


@every_method
@pytest.mark.parametrize("f", list(ALL.values()), ids=list(ALL))
def test_killed_and_continued(make: Callable[[], Method], f: Objective, tmp_path: Path) -> None:
    if f is ROBUST and make is Accelerated:
        pytest.skip("not for functions that are not convex")
    options: dict[str, Any] = {"steps": 1500, "record": 70}
    whole = start(make(), f, **options)
    options |= {"checkpoint": tmp_path / "run.npz", "checkpoint_seconds": 0.0}
    for kill in (400, 1100):  # before and after the next draws
        with pytest.raises(Killed):
            start(make(), f, **options, callback=kill_at(kill))
    made: list[Record] = []
    again = start(make(), f, **options, callback=made.append)
    assert 1000 < made[0].iteration <= 1200
    same(whole, again)


@every_method
@pytest.mark.parametrize("stop", [400, 1024, 1])
def test_a_budget_can_be_extended(make: Callable[[], Method], stop: int, path: Path) -> None:
    short = start(make(), LOGISTIC, steps=stop, checkpoint=path)
    assert short.steps == stop and short.trace.iteration[-1] == stop
    long = start(make(), LOGISTIC, steps=1100, checkpoint=path)
    same(start(make(), LOGISTIC, steps=1100), long)
    # Nothing is left to do.
    made: list[Record] = []
    same(long, start(make(), LOGISTIC, steps=1100, checkpoint=path, callback=made.append))
    assert made == []


def test_cost_budgets_can_be_extended(path: Path) -> None:
    start(RPT(P), steps=None, cost_budget=100.0, checkpoint=path)
    same(start(RPT(P), steps=None, cost_budget=1234.5), start(RPT(P), steps=None, cost_budget=1234.5, checkpoint=path))


def test_a_converged_run_stays_converged(path: Path) -> None:
    done = start(RPT(P), steps=10**6, target=1e-6, checkpoint=path)
    same(done, start(RPT(P), steps=10**6, target=1e-6, checkpoint=path))
    # A sharper target continues.
    same(start(RPT(P), steps=10**6, target=1e-9), start(RPT(P), steps=10**6, target=1e-9, checkpoint=path))


def test_a_diverged_run_leaves_no_checkpoint_of_its_end(path: Path) -> None:
    result = start(GradientDescent(100.0, unsafe=True), checkpoint=path)
    assert result.status == "diverged" and not path.exists()


def test_divergence_off_the_grid_leaves_the_checkpoint_as_it_was(path: Path) -> None:
    start(GradientDescent(100.0, unsafe=True), steps=1, record=10**6, checkpoint=path)
    before = path.read_bytes()
    result = start(GradientDescent(100.0, unsafe=True), steps=3000, record=10**6, checkpoint=path)
    assert result.status == "diverged" and path.read_bytes() == before


def test_a_checkpoint_beyond_the_budget(path: Path) -> None:
    start(RPT(P), steps=500, checkpoint=path)
    for budget in ({"steps": 400}, {"steps": None, "cost_budget": 1.0}):
        with pytest.raises(InvalidInput, match="beyond the budget"):
            start(RPT(P), checkpoint=path, **budget)
    assert start(RPT(P), steps=500, checkpoint=path).steps == 500


CHANGES: dict[str, dict[str, Any]] = {
    "method": {"method": RPT([0.25, 1.0, 0.75])},
    "method, by kind": {"method": GradientDescent()},
    "objective": {"f": Quadratic(DENSE.smoothness, np.ones(D))},
    "x0": {"x0": X0 + 1},
    "rng": {"rng": 8},
    "costs": {"costs": [1.0, 1.0, 1.0]},
    "record": {"record": 10},
}


@pytest.mark.parametrize("change", list(CHANGES), ids=list(CHANGES))
def test_a_checkpoint_from_another_configuration(change: str, path: Path) -> None:
    start(RPT(P), checkpoint=path)
    before = path.read_bytes()
    options = {"method": RPT(P), "f": DENSE, "checkpoint": path} | CHANGES[change]
    with pytest.raises(InvalidInput, match="belongs to other settings") as caught:
        start(**options)
    name, digest = change.split(",")[0], '"[0-9a-f]{16}"'
    assert re.fullmatch(f"{name} {digest} there, {digest} now", caught.value.found)
    assert path.read_bytes() == before
    start(RPT(P), checkpoint=path)


def test_other_blocks_are_another_configuration(path: Path) -> None:
    start(RPT(P), checkpoint=path)
    with pytest.raises(
        InvalidInput, match=r"blocks \"\w{16}\" there, \"\w{16}\" now; costs \"\w{16}\" there, \"\w{16}\" now\n"
    ):
        run(RPT(P), DENSE, Blocks((1, 2, 3)), x0=X0, rng=7, steps=10, checkpoint=path)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 broken"])
def test_a_file_that_is_no_checkpoint(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"run\.npz: damaged, or of an earlier version") as caught:
        start(RPT(P), checkpoint=path)
    assert "delete this file" in caught.value.remedy and path.read_bytes() == content


def test_every_changed_bit_is_noticed(path: Path) -> None:
    start(RPT(P), steps=5, checkpoint=path)
    sound = path.read_bytes()
    for place in range(0, 8 * len(sound), 8 * (len(sound) // 200) + 3):  # each bit of a byte in turn
        damaged = bytearray(sound)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        with pytest.raises(InvalidInput, match="damaged"):
            start(RPT(P), checkpoint=path)


def test_a_truncated_checkpoint_and_another_archive(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start(RPT(P), checkpoint=path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(InvalidInput, match="damaged"):
        start(RPT(P), checkpoint=path)
    np.savez(path, x=np.ones(3))
    with pytest.raises(InvalidInput, match="damaged, or of an earlier version"):
        start(RPT(P), checkpoint=path)
    with monkeypatch.context() as patch:
        patch.setattr("rpttheory.runs.checkpoint.SCHEMA", "rpttheory/other/1")
        Checkpoint(path, {}).save({}, {"x": np.ones(3)})
    with pytest.raises(InvalidInput, match="not a file of rpttheory/checkpoint/1"):
        start(RPT(P), checkpoint=path)
    path.write_bytes(sealed(UNSEALED.encode()))
    with pytest.raises(InvalidInput, match="not a file of rpttheory/checkpoint/1"):
        start(RPT(P), checkpoint=path)


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be written"):
        start(RPT(P), checkpoint=tmp_path / "nowhere" / "run.npz")


def test_no_temporary_files_are_left(tmp_path: Path) -> None:
    start(RPT(P), checkpoint=tmp_path / "run.npz", checkpoint_seconds=0.0)
    assert [file.name for file in tmp_path.iterdir()] == ["run.npz"]


def test_equal_configurations_in_other_objects_are_the_same(path: Path) -> None:
    start(RPT(P), steps=100, checkpoint=path)
    f = Quadratic(np.array(DENSE.smoothness.matmat(np.eye(D))), np.arange(1.0, D + 1))
    f.smoothness.matmat(np.eye(D))  # its counter of products moves on
    same(start(RPT(P)), start(RPT(P), f, checkpoint=path))


class Shifted(Quadratic):
    """A subclass with a constructor and a constant of its own, which no field tells of."""

    def __init__(self, constant: float) -> None:
        super().__init__(diagonal([2.0] * D))
        object.__setattr__(self, "constant", constant)

    def block_gradient(self, x: Any, start: int, stop: int, out: Any) -> Any:
        out[:] = 2 * x[start:stop] - self.constant  # type: ignore[attr-defined]
        return out


class Told(Shifted):
    @property
    def fingerprint_data(self) -> Any:
        return self.constant  # type: ignore[attr-defined]


class Slotted(GradientDescent):
    __slots__ = ("more",)


class Plain:
    """Neither a number nor a dataclass; its repr is an address."""


def test_what_a_fingerprint_cannot_see_is_refused(path: Path) -> None:
    with pytest.raises(InvalidInput, match="tell one Shifted from another") as caught:
        start(GradientDescent(), Shifted(1.0), checkpoint=path)
    assert "constant" in caught.value.found
    assert "make Shifted a dataclass" in caught.value.remedy and "fingerprint_data" in caught.value.remedy
    assert not path.exists()
    with pytest.raises(InvalidInput, match="tell one Slotted from another"):
        start(Slotted(), checkpoint=path)
    for stepsizes in (Plain(), [0.1, 0.1, Plain()], {"a": Plain()}):
        with pytest.raises(InvalidInput, match="tell one Plain from another"):
            start(CyclicBlockDescent(stepsizes=stepsizes), checkpoint=path)  # type: ignore[arg-type]
    # Without a checkpoint nothing needs to be told apart.
    assert start(GradientDescent(), Shifted(1.0), steps=5).steps == 5


def test_objects_may_say_what_tells_them_apart(path: Path) -> None:
    start(GradientDescent(), Told(1.0), steps=5, checkpoint=path)
    same(start(GradientDescent(), Told(1.0), steps=9), start(GradientDescent(), Told(1.0), steps=9, checkpoint=path))
    with pytest.raises(InvalidInput, match=r"found: objective \"\w{16}\" there, \"\w{16}\" now\n"):
        start(GradientDescent(), Told(2.0), checkpoint=path)


def test_generators_with_long_states_are_told_apart(tmp_path: Path) -> None:
    # The 624 words of a Mersenne twister: two states that differ in the middle alone.
    states = [np.random.MT19937(0), np.random.MT19937(0)]
    changed = dict(states[1].state)
    changed["state"] = {"key": changed["state"]["key"].copy(), "pos": changed["state"]["pos"]}
    changed["state"]["key"][300] ^= 1
    states[1].state = changed
    path = tmp_path / "run.npz"
    start(RPT(P), rng=np.random.Generator(states[0]), checkpoint=path)
    with pytest.raises(InvalidInput, match=r"found: rng \"\w{16}\" there, \"\w{16}\" now\n"):
        start(RPT(P), rng=np.random.Generator(states[1]), checkpoint=path)


WALK = """
import os, sys, numpy as np
from rpttheory import Blocks, diagonal
from rpttheory.methods import RPT, run
from rpttheory.objectives import Quadratic
def walk(path, callback=None):
    f = Quadratic(diagonal(np.linspace(1, 100, 300)))
    return run(RPT([1.0, 0.5, 0.25]), f, Blocks((100, 100, 100)), x0=np.ones(300), steps=10_000, record=500,
               checkpoint=path, checkpoint_seconds=0.0, callback=callback)
"""
DIE = """
checkpoints, rename = 10, os.replace
def rename_or_die(*names):
    global checkpoints
    checkpoints -= 1
    if checkpoints == 0:
        os._exit(9)
    rename(*names)
os.replace = rename_or_die
walk(sys.argv[1])
"""


def test_a_process_that_ends_without_warning(tmp_path: Path) -> None:
    """Ended with nothing flushed or closed, with its tenth checkpoint written but not yet in place, is continued."""
    here: dict[str, Any] = {}
    exec(WALK, here)
    command = [sys.executable, "-c", WALK + DIE, str(tmp_path / "broken.npz")]
    assert subprocess.run(command, capture_output=True).returncode == 9
    made: list[Record] = []
    again = here["walk"](tmp_path / "broken.npz", made.append)
    assert 4_000 <= made[0].iteration <= 5_000
    same(here["walk"](tmp_path / "whole.npz"), again)
