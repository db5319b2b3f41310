"""Pages of the public names: one for each name of `rpttheory`, one for each further package, linked
to the ledger.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from sphinx.errors import ExtensionError
from written import write

# The public names of `rpttheory` and further packages with a page each, by job.
JOBS = {
    "Describe a problem": "Problem Blocks BlockOrder NestedSampling IndependentSampling"
    " SingleBlockSampling ExplicitSampling TauNice OneOfEachGroup diagonal gram gram_from_files"
    " tight_matrix rpttheory.problem.smoothness rpttheory.problem.sampling rpttheory.datasets"
    " rpttheory.matrices.tight InvalidInput",
    "Compute": "lmax block_L L_P L_M c_P c_M cost closed_form ClosedForm optimum expected_clc"
    " Bracket Rigor rpttheory.numbers rpttheory.eigen",
    "Decide": "verify Verification Verdict Claim Decision rpttheory.statements",
    "Search": "compare Comparison optimal_probabilities SearchResult compare_samplings"
    " SamplingComparison rpttheory.search find_counterexample AttackResult rpttheory.attack",
    "Run and predict": "rates Rates rpttheory.theorems rpttheory.theorems.prediction"
    " rpttheory.methods rpttheory.objectives rpttheory.networks rpttheory.experiments.campaign"
    " rpttheory.runs.parallel rpttheory.runs.cluster",
    "Test": "rpttheory.testing",
}
FURTHER = {
    "rpttheory.numbers": "Brackets and verdicts",
    "rpttheory.eigen": "Certified bounds of the largest eigenvalue",
    "rpttheory.problem.smoothness": "Forms of the smoothness matrix",
    "rpttheory.problem.sampling": "Samplings of blocks",
    "rpttheory.statements": "Statements and claims on a given problem",
    "rpttheory.search": "Rows of comparisons",
    "rpttheory.theorems": "Convergence theorems as numbers of steps",
    "rpttheory.theorems.prediction": "Rows of predicted rates",
    "rpttheory.matrices.tight": "Matrices that attain the bounds",
    "rpttheory.attack": "The search for counterexamples",
    "rpttheory.testing": "Property tests of your own",
    "rpttheory.objectives": "Functions to minimize",
    "rpttheory.methods": "Methods, and the loop that runs them",
    "rpttheory.datasets": "Matrices and tables that come along",
    "rpttheory.networks": "Networks in JAX",
    "rpttheory.experiments.campaign": "One question asked of thousands of matrices",
    "rpttheory.runs.parallel": "Tasks on any executor, and processes of our own",
    "rpttheory.runs.cluster": "A dask cluster as an executor",
}
INTRODUCTION = """Start with :py:obj:`~rpttheory.Problem`: it has every quantity as an attribute,
and computes each only once. Functions take a ``Problem``, or the arguments
``(L, blocks, costs=None, *, ...)``."""
CITED = re.compile(r"Paper: (?P<label>\S+)(?P<rest>.*)")


def public(module: str) -> list[tuple[str, Any]]:
    """Return the public functions and classes of a module, by name."""
    home = import_module(module)
    local_names = [
        name
        for name, value in vars(home).items()
        if not name.startswith("_")
        and getattr(value, "__module__", "") == module
        and callable(value)
    ]
    values = [(name, getattr(home, name)) for name in getattr(home, "__all__", local_names)]
    return [(name, value) for name, value in values if isinstance(value, type | types.FunctionType)]


def documented() -> Iterator[tuple[str, str, Any]]:
    """(qualified name, page, object) of everything that has an entry, each object once."""
    visited: set[int] = set()
    for module in ("rpttheory", *FURTHER):
        for name, value in public(module):
            if id(value) not in visited:
                visited.add(id(value))
                page = f"{module}.{name}" if module == "rpttheory" else module
                yield f"{module}.{name}", page, value


def citations() -> Iterator[tuple[str, str, str]]:
    """Yield (name, label, what it says of the bound) for each `Paper:` line in the docstring of a
    documented name.
    """
    for name, _, value in documented():
        members = [(name, value)]
        if isinstance(value, type):
            members += [
                (f"{name}.{key}", member)
                for key, member in vars(value).items()
                if not key.startswith("_")
            ]
        for full, member in members:
            for line in (inspect.getdoc(member) or "").splitlines():
                if cited := CITED.match(line.strip()):
                    yield full, cited["label"], cited["rest"].strip()


def directive(name: str, value: Any) -> str:
    """The autodoc directive of one name; fields without a docstring of their own are described with
    the class.
    """
    if not isinstance(value, type):
        return f".. autofunction:: {name}\n"
    return f".. autoclass:: {name}\n   :members:\n"


def generate(app: Any) -> None:
    """Write the pages before Sphinx looks for sources."""
    pages: dict[str, str] = {}
    summaries = dict(FURTHER)
    for name, page, value in documented():
        short = name.rpartition(".")[2]
        if page == name:
            pages[page] = f"{name}\n{'=' * len(name)}\n\n{directive(name, value)}"
            summaries[page] = (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ")
        else:
            title = FURTHER[page]
            start = f"{title}\n{'=' * len(title)}\n\n``{page}``\n"
            pages[page] = (
                pages.get(page, start)
                + f"\n{short}\n{'-' * len(short)}\n\n{directive(name, value)}"
            )
    jobs = {job: [_page(name) for name in names.split()] for job, names in JOBS.items()}
    if differences := {page for listed in jobs.values() for page in listed} ^ pages.keys():
        raise ExtensionError(f"JOBS and the public names differ in {sorted(differences)}")
    parts = [f"Reference\n=========\n\n{INTRODUCTION}"]
    for job, listed in jobs.items():
        rows = [f"   * - {_link(page)}\n     - {_escaped(summaries[page])}" for page in listed]
        table = "\n".join([".. list-table::\n   :widths: 35 65\n", *rows])
        tree = "\n   ".join([f".. toctree::\n   :hidden:\n   :caption: {job}\n", *listed])
        parts.append(f"{job}\n{'-' * len(job)}\n\n{table}\n\n{tree}")
    index = "\n\n".join([*parts, ""])
    files = {"index.rst": index, **{f"{page}.rst": text for page, text in pages.items()}}
    write(Path(app.srcdir) / "api", files)


def _page(name: str) -> str:
    """Return the page of a name in JOBS."""
    return name if name in FURTHER else f"rpttheory.{name}"


def _link(page: str) -> str:
    return f":doc:`{page} <{page}>`" if page in FURTHER else f":py:obj:`~{page}`"


def _escaped(text: str) -> str:
    """Plain text of a docstring for docutils: bars, stars and a last underscore are themselves
    outside of literals.
    """
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(
        part if index % 2 else re.sub(r"(?<=\w)_(?!\w)", r"\\_", re.sub(r"([*|])", r"\\\1", part))
        for index, part in enumerate(parts)
    )


def readable(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Our docstrings are plain text: escape it outside of examples, and link the labels of the
    ledger.
    """
    example = False
    for index, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if cited := CITED.match(line.strip()):
            lines[index] = (
                f"Ledger: :doc:`{cited['label']}"
                f" </ledger/{cited['label'].replace(':', '-')}>`{cited['rest']}"
            )
        elif not example:
            lines[index] = _escaped(line)


def setup(app: Any) -> dict[str, bool]:
    """Generate, then let docstrings be read before numpydoc sees them."""
    app.connect("builder-inited", generate)
    app.connect("autodoc-process-docstring", readable, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
