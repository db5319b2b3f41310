"""An instance computes each quantity once, and keeps one object where two quantities are one
number.
"""

import gc
import weakref
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

from rpttheory.errors import InvalidInput
from rpttheory.numbers import Bracket, Rigour, Verdict
from rpttheory.problem.blocks import Blocks
from rpttheory.problem.problem import Problem
from rpttheory.problem.quantities import (
    closed_form,
    complexity,
    lambda_max,
    weighted_smoothness,
)
from rpttheory.problem.sampling import IndependentSampling, NestedSampling, SingleBlockSampling
from rpttheory.problem.smoothness import as_smoothness, diagonal, gram
from rpttheory.search import optimal_probabilities

BLOCKS = Blocks((2, 1, 3))
COSTS = (0.5, 0.125, 0.375)
P = (0.2, 1.0, 0.5)
HALF = np.random.default_rng(7).standard_normal((6, 6))
L = (HALF @ HALF.T + (HALF @ HALF.T).T) / 2
INSIDE = L * (BLOCKS.labels[:, None] == BLOCKS.labels[None, :])


def overlap(a: Bracket, b: Bracket) -> bool:
    return max(a.low, b.low) <= min(a.high, b.high)


def test_a_problem_is_gone_with_the_last_name_for_it() -> None:
    """Its matrix may be large: nothing in it may point back at it, for then it would wait for the
    garbage collector.
    """
    problem = Problem(L, BLOCKS)
    assert problem.with_effort("sharp").L_P.width < problem.L_P.width and problem.L_M
    kept = weakref.ref(problem)
    gc.disable()
    try:
        del problem
        assert kept() is None
    finally:
        gc.enable()


def test_sharper_brackets_are_of_the_same_probabilities() -> None:
    """The closed form is rounded once; from narrower L_k it would round to other doubles now and
    then.
    """
    for seed in range(40):
        a = np.random.default_rng(seed).standard_normal((6, 6))
        problem = Problem(np.triu(a @ a.T) + np.triu(a @ a.T, 1).T, BLOCKS)
        for effort in ("sharp", "exact"):
            np.testing.assert_array_equal(
                problem.with_effort(effort).probabilities, problem.probabilities
            )


@pytest.mark.parametrize("effort", ["fast", "sharp", "exact"])
@pytest.mark.parametrize(
    "form", [L, sp.csr_array(L), gram(HALF.T)], ids=["dense", "sparse", "gram"]
)
def test_quantities_against_numpy(form: Any, effort: Any) -> None:
    instance = Problem(form, BLOCKS, costs=COSTS, probabilities=P).with_effort(effort)
    root = 1 / np.sqrt(BLOCKS.expand(P))
    constants = np.array([np.linalg.eigvalsh(L[rows, rows])[-1] for rows in BLOCKS.slices])
    weighted = np.linalg.eigvalsh(L * np.outer(root, root))[-1]
    ratio = 1 / np.maximum.outer(BLOCKS.expand(P), BLOCKS.expand(P))
    closed = closed_form(L, BLOCKS, COSTS).probabilities
    closed_root = 1 / np.sqrt(BLOCKS.expand(closed))
    expected = {
        "lmax": np.linalg.eigvalsh(L)[-1],
        "L_P": weighted,
        "L_M": np.linalg.eigvalsh(L * ratio)[-1],
        "cost": np.dot(P, COSTS),
        "c_P": weighted * np.dot(P, COSTS),
        "closed": np.sqrt(constants * COSTS).sum() ** 2,
        "one_block_cost": constants @ COSTS,
        "gradient_descent": np.linalg.eigvalsh(L)[-1],
        "c_rounded": np.linalg.eigvalsh(L * np.outer(closed_root, closed_root))[-1]
        * (closed @ COSTS),
    }
    for name, value in expected.items():
        found = getattr(instance, name)
        assert found.midpoint == pytest.approx(float(value), rel=1e-11), name
        assert found.width <= 1e-12 * found.upper


@pytest.mark.parametrize("effort", ["fast", "sharp", "exact"])
@pytest.mark.parametrize("form", [INSIDE, sp.csr_array(INSIDE), diagonal(np.arange(1.0, 7.0))])
def test_block_diagonal(form: Any, effort: Any) -> None:
    for sampling in (NestedSampling(P), IndependentSampling(P)):
        instance = Problem(form, BLOCKS, costs=COSTS, sampling=sampling).with_effort(effort)
        assert instance.L_M is instance.L_P and instance.lmax in instance.block_L
        assert any(instance.lmax is constant for constant in instance.block_L)
        exact = max(b.low / Fraction(q) for b, q in zip(instance.block_L, P, strict=True))
        assert instance.L_P.low <= exact <= instance.L_P.high


@pytest.mark.parametrize("effort", ["fast", "sharp", "exact"])
@pytest.mark.parametrize("form", [L, sp.csr_array(L), gram(HALF), aslinearoperator(L)])
def test_one_block(form: Any, effort: Any) -> None:
    instance = Problem(form, Blocks((6,)), probabilities=[0.3]).with_effort(effort)
    assert instance.lmax is instance.block_L[0]
    assert instance.one_block_cost is instance.lmax, "the only cost is 1"
    assert instance.closed is instance.lmax and instance.gradient_descent is instance.lmax
    assert instance.L_M is instance.L_P
    sure = Problem(form, Blocks((6,))).with_effort(effort)
    assert sure.L_P is sure.lmax is sure.c_P is sure.c_rounded


@pytest.mark.parametrize("form", [L, sp.csr_array(L), gram(HALF), aslinearoperator(L)])
def test_every_block_always_updated(form: Any) -> None:
    instance = Problem(form, BLOCKS, costs=COSTS, probabilities=(1.0, 1.0, 1.0))
    assert instance.L_P is instance.lmax and instance.L_M is instance.L_P
    assert instance.c_P is instance.lmax, "the costs add up to exactly 1"
    assert instance.gradient_descent is instance.lmax


def test_equal_probabilities_divide_lambda_max() -> None:
    for p in (0.5, 0.3, 1e-12):
        instance = Problem(L, BLOCKS, costs=COSTS, probabilities=[p] * 3)
        assert (instance.L_P.low, instance.L_P.high) == (
            Bracket(instance.lmax.low / Fraction(p), instance.lmax.high / Fraction(p)).low,
            Bracket(instance.lmax.low / Fraction(p), instance.lmax.high / Fraction(p)).high,
        )
        assert instance.L_M is not instance.L_P, "with equal p the sampling still matters"


def test_probabilities_one_is_not_confused_with_equal_ones() -> None:
    independent = Problem(L, BLOCKS, costs=COSTS, sampling=IndependentSampling((0.5, 0.5, 0.5)))
    assert (independent.L_M < independent.L_P) is Verdict.PROVED


def test_closed_form_probabilities_share_c_p() -> None:
    instance = Problem(L, BLOCKS, costs=COSTS)
    assert instance.c_rounded is instance.c_P
    np.testing.assert_array_equal(instance.probabilities, instance.closed_form.probabilities)
    other = Problem(L, BLOCKS, costs=COSTS, probabilities=P)
    assert other.c_rounded is not other.c_P and overlap(other.c_rounded, instance.c_P)


def test_gram_is_not_taken_for_block_diagonal() -> None:
    instance = Problem(gram(np.diag([1.0, 2.0, 3.0])), Blocks((1, 2)), probabilities=[0.5, 1.0])
    largest = Bracket.largest(instance.block_L)
    assert instance.lmax is not largest and overlap(instance.lmax, largest)


def test_a_higher_effort_forgets_what_was_known() -> None:
    fast = Problem(L, BLOCKS, costs=COSTS, probabilities=P)
    before = {
        name: getattr(fast, name)
        for name in ("lmax", "L_P", "L_M", "c_P", "closed", "one_block_cost")
    }
    exact = fast.with_effort("exact")
    assert (fast.effort, exact.effort) == ("fast", "exact")
    for name, known in before.items():
        assert getattr(exact, name).width <= 1e-20 * known.width, name
        assert overlap(getattr(exact, name), known) and getattr(fast, name) is known
    assert exact.probabilities is fast.probabilities


def test_defaults() -> None:
    instance = Problem(L, BLOCKS)
    assert instance.costs.fractions() == [Fraction(2, 6), Fraction(1, 6), Fraction(3, 6)]
    assert isinstance(instance.sampling, NestedSampling)
    found = closed_form(L, BLOCKS, instance.costs)
    np.testing.assert_array_equal(instance.probabilities, found.probabilities)
    assert instance.effort == "fast"
    assert isinstance(Problem(L, BLOCKS, sampling="independent").sampling, IndependentSampling)
    single = Problem(L, BLOCKS, sampling="single")
    assert isinstance(single.sampling, SingleBlockSampling)
    np.testing.assert_allclose(
        single.probabilities, found.probabilities / found.probabilities.sum(), rtol=1e-14
    )


def test_costs_are_kept_as_given() -> None:
    instance = Problem(L, BLOCKS, costs=[1, 2, 5])
    assert instance.costs.fractions() == [1, 2, 5] and instance.total_cost.exact == 8
    assert (instance.gradient_descent.low, instance.gradient_descent.high) == (
        8 * instance.lmax.low,
        8 * instance.lmax.high,
    )


def test_the_smallest_eigenvalue_in_every_form() -> None:
    matrix = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 5.0]])
    forms: list[Any] = [
        matrix,
        sp.csr_array(matrix),
        np.vectorize(Fraction)(matrix),
        np.diag([1.0, 3.0, 7.0]),
    ]
    for form in [*forms, diagonal([4.0, 1.0, 9.0]), gram(np.diag([1.0, 2.0, 3.0]))]:
        for effort in ("fast", "sharp", "exact"):
            found = Problem(form, [1, 2]).with_effort(effort).mu
            assert 1 in found and found.width < 1e-12 and found.rigour is not Rigour.NUMERICAL
    numerical = Problem(aslinearoperator(matrix), [1, 2]).mu
    assert abs(numerical.midpoint - 1) < 1e-6 and numerical.rigour is Rigour.NUMERICAL
    singular = Problem([[Fraction(1, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(1, 3)]], [1, 1])
    assert 0 in singular.mu and singular.with_effort("exact").mu.exact == 0


def test_a_black_box_stays_numerical() -> None:
    instance = Problem(aslinearoperator(L), BLOCKS, costs=COSTS, probabilities=P)
    for name in (
        "lmax",
        "L_P",
        "L_M",
        "c_P",
        "closed",
        "one_block_cost",
        "c_rounded",
        "gradient_descent",
    ):
        assert getattr(instance, name).rigour is Rigour.NUMERICAL, name
    assert instance.cost.rigour is Rigour.EXACT


REFUSED: dict[str, list[dict[str, Any]]] = {
    "costs": [{"costs": [1.0, 2.0]}, {"costs": [1.0, 2.0, 0.0]}],
    "probabilities": [
        *({"probabilities": p} for p in ([1.0, 2.0, 0.5], [1.0, 0.5])),
        {"sampling": NestedSampling([0.5, 1.0])},
    ],
    "sampling": [{"sampling": "Nested"}],
    "both": [{"sampling": NestedSampling(P), "probabilities": P}],
    "add up to 1": [{"sampling": "single", "probabilities": [0.5, 1.0, 0.5]}],
    "add up": [{"blocks": (2, 2)}],
    "fall along": [{"probabilities": P, "order": (0, 1, 2)}],
    "order must list all": [{"order": (0, 1)}],
    "overhead": [{"overhead": -1}],
    "effort": [{"effort": "slow"}],
}


@pytest.mark.parametrize("rule", REFUSED)
def test_refusals(rule: str) -> None:
    for options in REFUSED[rule]:
        with pytest.raises(InvalidInput, match=rule) as refused:
            Problem(L, **{"blocks": BLOCKS, **options})
        assert refused.value.what and refused.value.found and refused.value.remedy


def test_every_function_takes_a_problem_or_its_parts() -> None:
    problem = Problem(L, BLOCKS, COSTS, probabilities=P)
    assert lambda_max(problem) == problem.lmax == lambda_max(L)
    assert (
        weighted_smoothness(problem)
        == problem.L_P
        == weighted_smoothness(L, BLOCKS, probabilities=P)
    )
    assert complexity(problem) == problem.c_P == complexity(L, BLOCKS, COSTS, probabilities=P)
    assert closed_form(problem) is problem.closed_form
    for more in ({"blocks": BLOCKS}, {"costs": COSTS}):
        with pytest.raises(InvalidInput, match="of its own"):
            closed_form(problem, **more)
    with pytest.raises(InvalidInput, match="blocks must be given"):
        closed_form(L)


@pytest.mark.parametrize(
    "form", [L, sp.csr_array(L), gram(HALF), INSIDE, aslinearoperator(L)], ids=str
)
def test_blocks_in_any_order_are_the_same_problem(form: Any) -> None:
    """Coordinates may be shuffled: block by block nothing changes, and the dual point comes back
    shuffled, too.
    """
    shuffled = np.random.default_rng(3).permutation(6)
    where = np.argsort(shuffled)
    given = form if not isinstance(form, np.ndarray) else form[np.ix_(shuffled, shuffled)]
    if sp.issparse(form):
        given = sp.csr_array(form[shuffled][:, shuffled])
    elif not isinstance(form, np.ndarray):
        given = as_smoothness(form).permuted(shuffled)
    names = np.array(["x", "x", "y", "z", "z", "z"])[shuffled]
    blocks = Blocks.from_labels(names)
    back = [list("xyz").index(name) for name in blocks.names]
    one = Problem(form, BLOCKS, COSTS, probabilities=P, effort="sharp")
    other = Problem(
        given, blocks, np.array(COSTS)[back], probabilities=np.array(P)[back], effort="sharp"
    )
    for name in ("lmax", "L_P", "L_M", "c_P", "closed", "c_rounded"):
        a = getattr(one, name)
        b = getattr(other, name)
        assert overlap(a, b) or a.rigour is Rigour.NUMERICAL, name
        assert float(a) == pytest.approx(float(b), rel=1e-9)
    found = optimal_probabilities(given, blocks, np.array(COSTS)[back])
    straight = optimal_probabilities(form, BLOCKS, COSTS)
    assert found.upper == pytest.approx(straight.upper, rel=2e-6)
    value = np.einsum("ij,ij->", found.dual[where], as_smoothness(form).matmat(found.dual[where]))
    traces = [float((found.dual[blocks.labels == k] ** 2).sum()) for k in range(3)]
    assert value == pytest.approx(found.lower, rel=1e-4)
    assert traces == pytest.approx(np.array(COSTS)[back].tolist(), rel=1e-4)
