"""What gets loaded when: a newcomer's first command must not wait for libraries it does not use."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys

import pytest

import rpttheory
from rpttheory import attack, datasets, eigen, numbers, statements, theorems
from rpttheory.problem import sampling

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


@pytest.mark.parametrize(
    "use", ["verify(diagonal([2.0, 1.0]), [1, 1])", "Problem(diagonal([2.0, 1.0]), [1, 1]).c_P"]
)
def test_a_decision_loads_neither_solvers_nor_algebra_nor_pictures(use: str) -> None:
    loaded = loaded_after(f"from rpttheory import Problem, diagonal, verify\nprint({use})")
    assert not loaded.intersection({"cvxpy", "sympy", "matplotlib", "jax", "pandas"})


@pytest.mark.parametrize("command", [(), ("verify",), ("compare",)])
def test_help_does_not_even_load_scipy(command: tuple[str, ...]) -> None:
    code = (
        f"sys.argv = {['rpttheory', *command, '--help']}\n"
        "from rpttheory.cli import run\n"
        "try:\n    run()\nexcept SystemExit as stop:\n    assert stop.code == 0"
    )
    assert not loaded_after(code).intersection((*HEAVY, "scipy", "numpy"))


def test_public_names_are_what_dir_shows() -> None:
    assert dir(rpttheory) == sorted(["__version__", *rpttheory.__all__])
    with pytest.raises(AttributeError, match="no attribute 'lambda_min'"):
        rpttheory.lambda_min  # noqa: B018


def test_type_checkers_see_the_public_names_where_they_are() -> None:
    tree = ast.parse(inspect.getsource(rpttheory))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    imported = [node for node in guarded.body if isinstance(node, ast.ImportFrom)]
    homes = {alias.asname: node.module for node in imported for alias in node.names}
    assert homes == rpttheory._HOME and list(homes.values()) == sorted(homes.values())
    assert list(rpttheory._HOME) == rpttheory.__all__


def test_public_functions_have_real_types_and_document_them() -> None:
    modules = (rpttheory, attack, datasets, eigen, numbers, sampling, statements, theorems)
    named = {name: getattr(module, name) for module in modules for name in module.__all__}
    functions = [value for value in named.values() if inspect.isfunction(value)]
    assert len(functions) > 50
    for function in functions:
        (definition,) = ast.parse(inspect.getsource(function)).body
        assert isinstance(definition, ast.FunctionDef) and definition.returns is not None
        parameters = [*definition.args.args, *definition.args.kwonlyargs]
        head, *sections = re.split(r"\n\n(\w+)\n-+\n", inspect.getdoc(function) or "")
        content = dict(zip(sections[::2], sections[1::2], strict=True))
        assert head and content.get("Returns"), function.__name__
        listed = re.findall(r"^(\w.*?)(?: : .*)?$", content.get("Parameters", ""), re.MULTILINE)
        names = {name for line in listed for name in line.split(", ")}
        assert names == {parameter.arg for parameter in parameters}, function.__name__
        for annotation in (*(p.annotation for p in parameters), definition.returns):
            assert annotation is not None
            words = {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)}
            assert "Any" not in words, function.__name__


def test_every_public_name_shows_an_example() -> None:
    public = {name: getattr(rpttheory, name) for name in rpttheory.__all__}
    public |= {f"theorems.{name}": getattr(theorems, name) for name in theorems.__all__}
    silent = [
        name
        for name, value in public.items()
        if ">>>" not in (vars(value).get("__doc__") or value.__doc__ or "")
    ]
    assert len(public) > 30 and silent == []
