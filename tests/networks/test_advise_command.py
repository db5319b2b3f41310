"""`rpttheory advise` as a person meets it, and the package without its extra."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="needs the extra jax")

from rpttheory.cli import main as program
from rpttheory.provenance import provenance

pytestmark = pytest.mark.networks

FACTORY = """
import jax.numpy as jnp

def make():
    params = {"a": jnp.ones(3), "b": jnp.ones(4)}
    def loss(p, x):
        return 50 * jnp.sum(p["a"] ** 2) + jnp.sum((x @ p["b"]) ** 2)
    return (loss, params, jnp.eye(4), lambda path: path)

def vector():
    return (lambda p, x: p["a"], *make()[1:])

def infinite():
    return (lambda p, x: jnp.sum(p["a"]) / 0.0, *make()[1:])

def failing():
    return (lambda p, x: p["z"], *make()[1:])

def unlabelled():
    return (*make()[:3], lambda path: {"a": "x"}[path])

def leaving():
    raise SystemExit(7)
"""


def call(*arguments: str) -> int:
    return program.guarded(program.commands, list(arguments))


@pytest.fixture
def factory(tmp_path: Path) -> str:
    (tmp_path / "factory.py").write_text(FACTORY)
    return str(tmp_path / "factory.py")


def test_text_json_and_picture(
    factory: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "advice.png"
    assert call("advise", f"{factory}:make", "--currency", "flops", "--plot", str(picture)) == 0
    out, err = capsys.readouterr()
    assert (
        out.rstrip().rsplit("\n", 1)[1].startswith("By c(P), RPT ")
        and picture.stat().st_size > 5000
    )
    assert err == f"wrote {picture}\n"
    page = tmp_path / "advice.html"
    assert call("advise", f"{factory}:make", "--currency", "flops", "--html", str(page)) == 0
    assert (
        "numerical, nothing is proved" in page.read_text(encoding="utf-8")
        and capsys.readouterr().out == out
    )
    assert (
        call("advise", f"{factory}:make", "--currency", "flops", "--json", "--order", "input-first")
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "rpttheory/advise/1" and told["verdict"].startswith("By c(P), RPT ")
    assert [one["name"] for one in told["recommendations"]] == ["input-first"]
    assert told["provenance"] == provenance()


@pytest.mark.parametrize(
    ("target", "options", "words"),
    [
        ("vector", [], "the loss must be a floating-point scalar"),
        ("infinite", [], "the loss must be finite at params"),
        ("failing", [], "the loss cannot be computed at params"),
        ("unlabelled", [], "labels failed for parameter 'b'"),
        ("leaving", [], "SystemExit: 7"),
        ("absent", [], "has no function absent"),
        ("make", ["--curvature", "ggn"], "GGN"),
        ("make", ["--tol", "0"], "tol"),
        ("make", ["--rounds", "0"], "rounds"),
        ("make", ["--plot", "advice.txt"], "picture"),
    ],
)
def test_mistakes_get_three_lines_and_exit_2(
    factory: str, target: str, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("advise", f"{factory}:{target}", *options) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in err and "Traceback" not in err
    lines = err.rstrip().split("\n")
    assert [line[:8] for line in lines] == ["rpttheor", "  found:", "  try:  "]


def test_no_control_character_reaches_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for target in ("\x1b[31m:make", f"{tmp_path}/\x1b[31m.py:make", "json:\x1b[31m"):
        assert call("advise", target) == 2
        shown = capsys.readouterr().err.rstrip("\n").split("\n")
        assert len(shown) == 3 and all(line.isprintable() for line in shown)


@pytest.mark.parametrize("missing", ["jax", "optax"])
def test_without_the_extra_the_package_imports_and_names_it(missing: str) -> None:
    """A None in sys.modules makes an import fail as if the module were not installed."""
    code = (
        f"import sys\nsys.modules[{missing!r}] = None\n"
        "import rpttheory, rpttheory.networks as networks\n"
        "assert len(networks.exponential(3, 0.9)) == 3 and 'rpt' in dir(networks)\n"
        "try:\n    networks.label_blocks\n"
        "except rpttheory.errors.MissingExtra as error:\n    print(error)\n"
        "from rpttheory.cli import main\n"
        "print(main.guarded(main.commands, ['advise', 'a:b']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'install -e ".[jax]" in the checkout' in done.stdout and missing in done.stdout
    assert done.stdout.rstrip().endswith("2") and ".[jax]" in done.stderr


def test_importing_networks_loads_no_jax() -> None:
    code = "import sys, rpttheory.networks, rpttheory.cli\nprint('jax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
