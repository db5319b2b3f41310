"""Each path computes each quantity once: eigenvalues, looks at semidefiniteness, theory, checks and
products.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from click.testing import CliRunner

from proofs_check import runner
from proofs_check.command import proofs
from proofs_check.engine.judgement import checks_of
from proofs_check.ledger import all_entries, select
from rpttheory import Problem, compare, rates, verify
from rpttheory.experiments import quadratics
from rpttheory.numbers.exact_array import ExactArray
from rpttheory.problem import problem as problem_module
from rpttheory.problem.smoothness import Smoothness

BLOCKS = (2, 1, 3)
COSTS = (0.5, 0.125, 0.375)
P = (0.2, 1.0, 0.5)
HALF = np.random.default_rng(7).standard_normal((6, 6))
L = (HALF @ HALF.T + (HALF @ HALF.T).T) / 2
EIGENVALUES = ("block_tops", "second_moment_top", "top", "weighted_top")
LOOKS = ("is_block_diagonal", "require_positive_semidefinite")


def content(value: Any) -> Any:
    """What tells two arguments apart, whichever objects hold it."""
    if isinstance(value, Smoothness):
        return value.matmat(np.eye(value.dimension)).tobytes()
    return tuple(value.fractions()) if isinstance(value, ExactArray) else str(value)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[Any]:
    """How often each question was put to the matrix, by all that a Problem can ask."""
    seen: Counter[Any] = Counter()

    def counted(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def asks(*given: Any) -> Any:
            seen[name, *map(content, given)] += 1
            return original(*given)

        return asks

    for name in (*EIGENVALUES, *LOOKS):
        monkeypatch.setattr(problem_module, name, counted(name, getattr(problem_module, name)))
    return seen


@pytest.mark.parametrize(
    ("path", "names"),
    [
        (lambda: verify(L, BLOCKS, COSTS, probabilities=P), (*EIGENVALUES, *LOOKS)),
        (
            lambda: verify(L, BLOCKS, COSTS, claims=["L_P <= 1.02*lmax", "c_P <= closed"]),
            (*EIGENVALUES, *LOOKS),
        ),
        (lambda: compare(L, BLOCKS, COSTS), ("block_tops", "top", "weighted_top", *LOOKS)),
        (lambda: rates(L, BLOCKS, COSTS, mu=0.01), EIGENVALUES),
    ],
    ids=["verify", "claims", "compare", "rates"],
)
def test_no_question_is_put_to_a_matrix_twice(
    path: Callable[[], Any], names: tuple[str, ...], asked: Counter[Any]
) -> None:
    result = path()
    str(result), result.to_dict(), result.records(), result._repr_html_()
    assert set(names) <= {name for name, *_ in asked}
    assert {count for (name, *_), count in asked.items() if name in names} == {1}


def test_known_quantities_take_no_products() -> None:
    problem = Problem(sp.csr_array(L), BLOCKS, COSTS, probabilities=P)
    names = (
        "lmax",
        "L_P",
        "L_M",
        "c_P",
        "closed",
        "one_block_cost",
        "c_rounded",
        "gradient_descent",
    )
    first = [getattr(problem, name) for name in names]
    count = problem.smoothness.products
    assert all(getattr(problem, name) is known for name, known in zip(names, first, strict=True))
    assert problem.smoothness.products == count > 0


def test_the_search_counts_its_own_work_alone() -> None:
    """What `compare` knows already costs the search nothing: it makes the same products and
    factorisations.
    """
    found = compare(L, BLOCKS, COSTS, nonconvex=False)
    str(found)
    again = compare(Problem(L, BLOCKS, COSTS), nonconvex=False).optimal
    assert (found.optimal.products, found.optimal.factorisations) == (
        again.products,
        again.factorisations,
    )
    before = found.problem.smoothness.products
    str(found), found.to_dict(), found.speedup, found.helps
    assert found.problem.smoothness.products == before


def test_the_theory_of_a_row_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Any] = []
    original = quadratics.speedups
    monkeypatch.setattr(
        quadratics, "speedups", lambda *given: compared.append(given) or original(*given)
    )
    quadratics._given.cache_clear()
    experiment = quadratics.Quadratics(seeds=2, tolerance=0.5)
    parts = [
        ("theory", 0),
        ("GD", 0),
        *((part, seed) for part in experiment.randomised for seed in range(2)),
    ]
    for part, seed in parts:
        experiment.compute("01", part, seed, lambda _: None)
    assert len(compared) == 1
    experiment.compute("02", "theory", 0, lambda _: None)
    assert len(compared) == 2


def test_each_check_of_the_ledger_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: Counter[Any] = Counter()
    original = runner._run
    monkeypatch.setattr(
        runner, "_run", lambda check, key, *rest: ran.update([key]) or original(check, key, *rest)
    )
    outcome = CliRunner().invoke(proofs, ["lem:key_quantity", "--jobs", "1"], standalone_mode=False)
    assert outcome.return_value == 0
    needed = select(all_entries(), ["lem:key_quantity"])
    assert len(needed) > 1
    assert ran == Counter(
        (one.label, number) for one in needed for number in range(len(checks_of(one)))
    )


@pytest.mark.networks
def test_advice_looks_once_at_the_curvature(asked: Counter[Any]) -> None:
    pytest.importorskip("jax", reason="needs the extra jax")
    import jax.numpy as jnp

    from rpttheory import networks

    def loss(params: Any, batch: Any) -> Any:
        return jnp.sum((params["a"] @ batch + params["b"].sum()) ** 2) + 3 * jnp.sum(
            params["b"] ** 2
        )

    params = {"a": jnp.array([1.0, 2.0]), "b": jnp.array([0.5, -0.5, 1.0])}
    task = networks.Task(loss, params, jnp.array([[1.0, 2.0], [0.5, -1.0]]), lambda path: path)
    advice = networks.advise(task, currency="flops")
    str(advice), advice.to_dict(), advice.records()
    eigenvalues = [count for (name, *_), count in asked.items() if name in EIGENVALUES]
    assert set(eigenvalues) == {1}, "looks at an operator take no products"
