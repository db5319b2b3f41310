"""Hypothesis profiles (`HYPOTHESIS_PROFILE=deep` for a long search), and values from an oracle of
its own.
"""

import json
import os
from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path
from random import Random
from typing import Any

# The matrices are small: threads of BLAS only wait for one another, for minutes where the
# processors are busy. Set it to another number to test with threads. NumPy reads it when it is
# imported, in this process too (`-n0`).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "agg")

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from program import run as run

from rpttheory.runs.parallel import Processes

settings.register_profile("dev", max_examples=40, deadline=None)
settings.register_profile(
    "ci",
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "deep", max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# What failed is all that .ci/mutants asks for: no search for a smaller example.
settings.register_profile(
    "mutants", settings.get_profile("ci"), max_examples=20, phases=(Phase.explicit, Phase.generate)
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


TESTS = Path(__file__).parent
# Folders and files whose tests are not `quick`; nor is any search by hypothesis.
LONG = frozenset(
    {
        "experiments",
        "io",
        "methods",
        "networks",
        "proofs",
        "properties",
        "search",
        "soundness",
    }
)
LONG |= {"test_never_false.py", "test_vectors.py", "test_datasets.py", "test_executor.py"}
LONG |= {"attack", "test_checker.py", "test_experiment_command.py"}
LONG |= {"test_processes.py", "test_readme.py"}
# Single bounds on hundreds of hard matrices, in fractions; test_lambda_max.py and
# test_quantities.py go through all.
LONG |= {"test_upper_proofs.py", "test_gram.py", "test_collatz.py", "test_slices.py"}
# Processes of their own, one for each question.
LONG |= {"test_imports.py"}
# These load what takes long to load: matplotlib, the ledger, and pandas, dask and jax where they
# are installed.
LONG |= {"report", "test_provenance.py", "test_rows.py"}
# What takes longest, started first: a long file that starts last leaves the other processors
# without work.
FIRST = (
    "proofs/test_ledger.py",
    "experiments/test_campaign.py",
    "attack/test_attack.py",
    "cli/test_experiment_command.py",
    "soundness/test_never_false.py",
    "io/test_io_fuzz.py",
    "certificates/test_checker.py",
    "search/test_methods_agree.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--shuffle",
        type=int,
        metavar="SEED",
        help="the files in random order, and the tests of each",
    )
    parser.addoption(
        "--coq", action="store_true", help="compile the formal proofs, which takes minutes"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`-m quick` does not even import the others."""
    return (
        True if config.getoption("markexpr") == "quick" and collection_path.name in LONG else None
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        searched = getattr(getattr(item, "function", None), "is_hypothesis_test", False)
        if not searched and LONG.isdisjoint(item.path.relative_to(TESTS).parts):
            item.add_marker("quick")
    seed = config.getoption("shuffle")
    if seed is not None:
        random = Random(seed)
        place = dict[Path, float]()
        items.sort(key=lambda item: (place.setdefault(item.path, random.random()), random.random()))
    else:
        rank = {TESTS / name: number for number, name in enumerate(FIRST)}
        items.sort(key=lambda item: rank.get(item.path, len(rank)))


@pytest.fixture(scope="session")
def vectors() -> list[dict[str, Any]]:
    """Forty instances with their quantities; `about` in the file says how they were made."""
    result = json.loads(Path(__file__).with_name("vectors.json").read_text(encoding="utf-8"))[
        "instances"
    ]
    assert isinstance(result, list) and len(result) == 40
    return result


@pytest.fixture(scope="session")
def pools() -> Iterator[dict[int, Executor]]:
    """One process, and two."""
    with Processes(1) as single, Processes(2) as double:
        yield {1: single, 2: double}


class OneByOne(np.ndarray):
    """A matrix whose products add their terms from left to right, as some BLAS may: the order that
    errs most.
    """

    def __matmul__(self, other: Any) -> Any:
        columns = np.asarray(other).reshape(self.shape[1], -1)
        sums = np.stack(
            [np.cumsum(np.asarray(self) * column, axis=1)[:, -1] for column in columns.T], axis=1
        )
        return sums.reshape(self.shape[:1] + np.shape(other)[1:])


@pytest.fixture(scope="session")
def staircase() -> Any:
    """make(d): a symmetric matrix and a vector with sums of d terms that err by a unit each time,
    on every machine.

    The terms of (L x)_1 are 1, t, t, ... with t just above 2^-53, so that every addition rounds up
    by 2^-53; the squares of x are 1, s, s, ... with s just below it, and every addition loses s.
    Where asked, one more coordinate then cancels the 1 in x'Lx and leaves what is as small as the
    errors.
    """

    def make(d: int, *, canceling: bool = False) -> tuple[np.ndarray, np.ndarray]:
        x = np.full(d + canceling, 0.999 * 2.0**-26.5)
        matrix = np.zeros((x.size, x.size))
        matrix[0, 1:] = matrix[1:, 0] = 2.0**-53 * (1 + 2.0**-20) / x[1:]
        matrix[0, 0] = x[0] = 1.0
        if canceling:
            matrix[0, d] = -0.5
            matrix[d, 0] = -0.5
            x[d] = 1.0
        return matrix.view(OneByOne), x

    return make
