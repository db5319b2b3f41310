"""Whatever the bytes or the text, a reader gives numbers or one of our errors, never anything else.

A crash of the whole process counts too, so strange files go to the readers in the process of the
tests. Little memory is said to be available, so that a strange size cannot make the tests slow.
Damaged files are the work of `benchmarks/attack_files.py`, which runs here for a few seconds.
"""

import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rpttheory.errors import InvalidInput
from rpttheory.io import (
    EXTENSIONS,
    memory,
    read_data,
    read_matrix,
)
from rpttheory.numbers.exact_array import doubles, exact_array
from rpttheory.numbers.parse import parse_numbers
from rpttheory.problem.arguments import as_blocks, as_costs, as_probabilities
from rpttheory.problem.blocks import Blocks

FEW = settings(
    max_examples=max(60, settings().max_examples),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
MANY = settings(FEW, max_examples=max(100, settings().max_examples))

ATTACK = Path(__file__).parents[2] / "benchmarks" / "attack_files.py"
BANNER = "%%MatrixMarket matrix coordinate real symmetric\n"
OPENINGS = (
    b"",
    b"\x93NUMPY\x01\x00",
    b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (",
    b"PK\x03\x04",
    b"PK\x05\x06",
    BANNER.encode(),
    BANNER.encode() + b"3 3 ",
    b"a,b,c\n1,2,",
    b"1 2\n",
)


@pytest.fixture(autouse=True, scope="module")
def little_memory() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "available_bytes", lambda: 20_000_000)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def survives(action: Callable[[], Any]) -> bool:
    """Return True if the action returns a value and False if it raises one of our errors; raise
    anything else, including warnings.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            action()
        except InvalidInput as caught:
            error = caught
        else:
            return True
    assert all((error.what, error.found, error.remedy)) and len(str(error).splitlines()) == 3
    str(error).encode()  # a terminal can show it
    return False


def check_file(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    as_data = survives(lambda: check_numbers(read_data(path).values))
    as_matrix = survives(lambda: check_matrix(read_matrix(path)))
    averaged = survives(lambda: check_matrix(read_matrix(path, symmetrize=True)))
    assert as_data or not as_matrix
    assert averaged or not as_matrix


def check_numbers(read: Any) -> None:
    values = doubles(read)
    assert values.dtype == np.float64 and values.ndim == 2
    assert (
        min(values.shape) > 0 and np.isfinite(values.data if sp.issparse(values) else values).all()
    )


def check_matrix(matrix: Any) -> None:
    check_numbers(matrix)
    values = doubles(matrix)
    full = values.toarray() if sp.issparse(values) else values
    assert np.array_equal(full, full.T)


def written(write: Callable[[Any], object]) -> bytes:
    stream = BytesIO()
    write(stream)
    return stream.getvalue()


@MANY
@given(
    extension=st.sampled_from(EXTENSIONS),
    opening=st.sampled_from(OPENINGS),
    rest=st.binary(max_size=200),
)
def test_random_bytes(folder: Path, extension: str, opening: bytes, rest: bytes) -> None:
    check_file(folder / f"random{extension}", opening + rest)


@MANY
@given(
    text=st.text(
        st.sampled_from("0123456789.,;-+eEx \t\n\"#%_naifNI'") | st.characters(), max_size=60
    )
)
def test_random_text_files(folder: Path, text: str) -> None:
    for extension in (".csv", ".txt"):
        check_file(folder / f"text{extension}", text.encode("utf-8", "surrogatepass"))


@MANY
@given(
    words=st.lists(
        st.sampled_from(
            [
                "%%MatrixMarket",
                "matrix",
                "coordinate",
                "array",
                "real",
                "integer",
                "symmetric",
                "general",
            ]
        )
        | st.sampled_from(
            ["\n", "\n", "0", "1", "2", "3", "-1", "1e999", "nan", "%", "999999999999999999999"]
        ),
        max_size=25,
    ),
    symmetric=st.booleans(),
)
def test_random_matrix_market_words(folder: Path, words: list[str], symmetric: bool) -> None:
    banner = BANNER if symmetric else BANNER.replace("symmetric", "general")
    check_file(folder / "words.mtx", (banner + " ".join(words)).encode())
    check_file(folder / "words.mtx", " ".join(words).encode())


INDICES = hnp.arrays(
    st.sampled_from(["i4", "i8", "u1", "u8", ">i4", "f8"]),
    hnp.array_shapes(max_dims=2, max_side=5, min_side=0),
    elements=st.integers(0, 5),
) | hnp.arrays(
    "i8", st.integers(0, 5), elements=st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 5)
)
PARTS = {"csr": ("indices", "indptr"), "csc": ("indices", "indptr"), "coo": ("row", "col")}


@MANY
@given(
    data=st.data(),
    kind=st.sampled_from(list(PARTS)),
    numbers=hnp.arrays(
        st.sampled_from(["f8", "i4", "c16", "?", "S1"]), hnp.array_shapes(max_dims=3, max_side=4)
    ),
    shape=st.sampled_from(
        [(3, 3), (2, 2), (4, 4), (3, 4), (0, 0), (-1, 3), (10**18, 10**18), (2, 2, 2)]
    )
    | INDICES,
)
def test_sparse_archives_of_any_content(
    folder: Path, data: st.DataObject, kind: str, numbers: np.ndarray, shape: Any
) -> None:
    """Sound archives with any arrays in them: the checksums of the format do not protect from
    those.
    """
    label = data.draw(
        st.just(kind.encode()) | st.sampled_from([b"csr", b"dia", b"", b"lil", "coo"])
    )
    parts = {name: data.draw(INDICES) for name in PARTS[kind]}
    stream = BytesIO()
    np.savez(stream, data=numbers, shape=np.array(shape), format=np.array(label), **parts)
    check_file(folder / "sparse.npz", stream.getvalue())


@pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="memory is measured on Linux only"
)
def test_a_short_attack_finds_nothing() -> None:
    """Damaged files of every format, and damaged records, in processes of their own; see there for
    longer ones.
    """
    command = [sys.executable, ATTACK, "--files", "400", "--records", "200", "--seed", "20"]
    environment = {**os.environ, "PYTHONPATH": str(ATTACK.parents[1]), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (line.rpartition(" all ") for line in done.stdout.splitlines())
    counts = {
        name: [int(word) for word in numbers.split()] for name, result, numbers in lines if result
    }
    assert counts["files"][0] == 400 and min(counts["files"][1:3]) > 20
    # Damage to a part of the file that holds nothing leaves the row as it was.
    trials, read, refused, _, findings = counts["records"]
    assert (trials, read + refused, findings) == (200, 200, 0)
    assert refused > 20


@st.composite
def symmetric_matrices(draw: st.DrawFn) -> np.ndarray:
    dimension = draw(st.integers(1, 5))
    finite = st.floats(allow_nan=False, allow_infinity=False)
    lower = draw(hnp.arrays(np.float64, (dimension, dimension), elements=finite))
    return np.tril(lower) + np.tril(lower, -1).T


@FEW
@given(matrix=symmetric_matrices())
def test_every_format_keeps_every_bit(folder: Path, matrix: np.ndarray) -> None:
    rows = [[repr(float(value)) for value in row] for row in matrix]
    entries = [f"{i + 1} {j + 1} {rows[i][j]}" for i in range(len(rows)) for j in range(i + 1)]
    texts = {
        ".csv": "\n".join(",".join(row) for row in rows),
        ".txt": "\n".join(" ".join(row) for row in rows),
        ".mtx": "\n".join([f"{BANNER}{len(rows)} {len(rows)} {len(entries)}", *entries]),
    }
    files = [(extension, text.encode()) for extension, text in texts.items()]
    files += [
        (".npy", written(lambda file: np.save(file, matrix))),
        (".npz", written(lambda file: np.savez(file, matrix))),
        (".npz", written(lambda file: sp.save_npz(file, sp.csc_array(matrix)))),
    ]
    for extension, content in files:
        path = folder / f"exact{extension}"
        path.write_bytes(content)
        read = read_matrix(path)
        assert np.array_equal(doubles(read), matrix), extension
        if extension in texts:
            decimals = [Fraction(cell) for row in rows for cell in row]
            assert exact_array(read, "L").fractions() == decimals, extension


TYPED = st.text(max_size=30) | st.text(st.sampled_from("0123456789xX,.-+e _each"), max_size=30)


@MANY
@given(text=TYPED, dimension=st.integers(1, 50))
def test_typed_blocks(text: str, dimension: int) -> None:
    def parse() -> None:
        assert as_blocks(text, dimension).dimension == dimension

    survives(parse)


@MANY
@given(
    text=TYPED | st.lists(st.floats().map(repr), max_size=4).map(",".join),
    sizes=st.lists(st.integers(1, 9), min_size=1),
)
def test_typed_numbers(text: str, sizes: list[int]) -> None:
    blocks = Blocks(sizes)

    def costs() -> None:
        parsed = as_costs(text, blocks)
        assert len(parsed) == blocks.count and min(parsed.fractions()) > 0

    def probabilities() -> None:
        parsed = as_probabilities(text, blocks)
        assert (
            len(parsed) == blocks.count
            and 0 < min(parsed.fractions()) <= max(parsed.fractions()) <= 1
        )

    survives(costs)
    survives(probabilities)
    survives(lambda: parse_numbers(text, "numbers"))
