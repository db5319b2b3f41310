"""What gets loaded when: a newcomer's first command must not wait for libraries it does not use."""

from __future__ import annotations

import subprocess
import sys

import pytest

import rpttheory
from rpttheory import theorems

HEAVY = ("cvxpy", "sympy", "matplotlib", "jax", "flint")


def loaded_after(code: str) -> set[str]:
    script = (
        f"import sys\n{code}\nprint(' '.join(sorted({{name.split('.')[0] for name in"
        " sys.modules})))"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(result.stdout.split("\n")[-2].split())


def test_import_loads_no_heavy_library() -> None:
    assert not loaded_after("import rpttheory").intersection((*HEAVY, "scipy"))


def test_every_public_name_loads_without_the_heavy_libraries() -> None:
    loaded = loaded_after(
        "import rpttheory\nfor name in rpttheory.__all__: getattr(rpttheory, name)"
    )
    assert "scipy" in loaded  # the probe sees what is there
    assert not loaded.intersection(HEAVY)


def test_help_does_not_even_load_scipy() -> None:
    code = (
        "sys.argv = ['rpttheory', '--help']\n"
        "from rpttheory.cli import run\n"
        "try:\n    run()\nexcept SystemExit as stop:\n    assert stop.code == 0"
    )
    assert not loaded_after(code).intersection((*HEAVY, "scipy", "numpy"))


def test_public_names_are_what_dir_shows() -> None:
    assert set(rpttheory.__all__) <= set(dir(rpttheory))
    with pytest.raises(AttributeError, match="no attribute 'lambda_min'"):
        rpttheory.lambda_min  # noqa: B018


def test_every_public_name_shows_an_example() -> None:
    public = {name: getattr(rpttheory, name) for name in rpttheory.__all__}
    public |= {f"theorems.{name}": getattr(theorems, name) for name in theorems.__all__}
    silent = [
        name
        for name, value in public.items()
        if ">>>" not in (vars(value).get("__doc__") or value.__doc__ or "")
    ]
    assert len(public) > 30 and silent == []
