"""An instance computes each quantity once, and keeps one object where two quantities are one
number.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from refusals import refuses
from scipy.sparse.linalg import aslinearoperator

from rpttheory.numbers import Bracket, Rigor, Verdict
from rpttheory.problem.blocks import Blocks
from rpttheory.problem.problem import Problem
from rpttheory.problem.quantities import (
    L_P,
    c_P,
    closed_form,
    lmax,
)
from rpttheory.problem.sampling import IndependentSampling, NestedSampling
from rpttheory.problem.smoothness import as_smoothness, diagonal, gram
from rpttheory.search import optimal_probabilities

BLOCKS = Blocks((2, 1, 3))
COSTS = (0.5, 0.125, 0.375)
P = (0.2, 1.0, 0.5)
HALF = np.random.default_rng(7).standard_normal((6, 6))
L = (HALF @ HALF.T + (HALF @ HALF.T).T) / 2
INSIDE = L * (BLOCKS.labels[:, None] == BLOCKS.labels[None, :])


def overlap(a: Bracket, b: Bracket) -> bool:
    return max(a.exact_lower, b.exact_lower) <= min(a.exact_upper, b.exact_upper)


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
@pytest.mark.parametrize("form", [INSIDE, sp.csr_array(INSIDE), diagonal(np.arange(1.0, 7.0))])
def test_block_diagonal(form: Any, effort: Any) -> None:
    for sampling in (NestedSampling(P), IndependentSampling(P)):
        instance = Problem(form, BLOCKS, costs=COSTS, sampling=sampling).with_effort(effort)
        assert instance.L_M is instance.L_P
        assert any(instance.lmax is constant for constant in instance.block_L)
        exact = max(b.exact_lower / Fraction(q) for b, q in zip(instance.block_L, P, strict=True))
        assert instance.L_P.exact_lower <= exact <= instance.L_P.exact_upper


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


def test_closed_form_probabilities_share_c_p() -> None:
    instance = Problem(L, BLOCKS, costs=COSTS)
    assert instance.c_rounded is instance.c_P
    np.testing.assert_array_equal(instance.probabilities, instance.closed_form.probabilities)
    explicit = Problem(L, BLOCKS, costs=COSTS, probabilities=P)
    assert explicit.c_rounded is not explicit.c_P and overlap(explicit.c_rounded, instance.c_P)


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
    for name, earlier in before.items():
        assert getattr(exact, name).width <= 1e-20 * earlier.width, name
        assert overlap(getattr(exact, name), earlier) and getattr(fast, name) is earlier
    assert exact.probabilities is fast.probabilities


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
            mu = Problem(form, [1, 2]).with_effort(effort).mu
            assert 1 in mu and mu.width < 1e-12 and mu.rigor is not Rigor.NUMERICAL
    numerical = Problem(aslinearoperator(matrix), [1, 2]).mu
    assert abs(numerical.midpoint - 1) < 1e-6 and numerical.rigor is Rigor.NUMERICAL
    singular = Problem([[Fraction(1, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(1, 3)]], [1, 1])
    assert 0 in singular.mu and singular.with_effort("exact").mu.exact == 0


@pytest.mark.parametrize(
    ("argument", "options"),
    [
        ("costs", {"costs": [1.0, 2.0]}),
        ("costs", {"costs": [1.0, 2.0, 0.0]}),
        ("probabilities", {"probabilities": [1.0, 2.0, 0.5]}),
        ("probabilities", {"probabilities": [1.0, 0.5]}),
        ("probabilities", {"sampling": NestedSampling([0.5, 1.0])}),
        ("probabilities", {"probabilities": P, "order": (0, 1, 2)}),
        ("", {"sampling": "Nested"}),
        ("", {"sampling": NestedSampling(P), "probabilities": P}),
        ("", {"sampling": "single", "probabilities": [0.5, 1.0, 0.5]}),
        ("", {"blocks": (2, 2)}),
        ("order", {"order": (0, 1)}),
        ("overhead", {"overhead": -1}),
        ("", {"effort": "slow"}),
    ],
)
def test_refusals(argument: str, options: dict[str, Any]) -> None:
    with refuses(argument):
        Problem(L, **{"blocks": BLOCKS, **options})


def test_every_function_takes_a_problem_or_its_parts() -> None:
    problem = Problem(L, BLOCKS, COSTS, probabilities=P)
    for of_problem, attribute, of_parts in (
        (lmax(problem), problem.lmax, lmax(L)),
        (L_P(problem), problem.L_P, L_P(L, BLOCKS, P)),
        (c_P(problem), problem.c_P, c_P(L, BLOCKS, P, COSTS)),
    ):
        assert of_problem.to_dict() == attribute.to_dict() == of_parts.to_dict()
    assert closed_form(problem) is problem.closed_form
    for more in ({"blocks": BLOCKS}, {"costs": COSTS}):
        with refuses():
            closed_form(problem, **more)
    with refuses():
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
    permuted = form if not isinstance(form, np.ndarray) else form[np.ix_(shuffled, shuffled)]
    if sp.issparse(form):
        permuted = sp.csr_array(form[shuffled][:, shuffled])
    elif not isinstance(form, np.ndarray):
        permuted = as_smoothness(form).restrict(shuffled)
    names = np.array(["x", "x", "y", "z", "z", "z"])[shuffled]
    blocks = Blocks.from_labels(names)
    back = [list("xyz").index(name) for name in blocks.names]
    original = Problem(form, BLOCKS, COSTS, probabilities=P, effort="sharp")
    relabeled = Problem(
        permuted, blocks, np.array(COSTS)[back], probabilities=np.array(P)[back], effort="sharp"
    )
    for name in ("lmax", "L_P", "L_M", "c_P", "closed", "c_rounded"):
        a = getattr(original, name)
        b = getattr(relabeled, name)
        assert overlap(a, b) or a.rigor is Rigor.NUMERICAL, name
        assert float(a) == pytest.approx(float(b), rel=1e-9)
    result = optimal_probabilities(permuted, blocks, np.array(COSTS)[back])
    straight = optimal_probabilities(form, BLOCKS, COSTS)
    assert result.upper == pytest.approx(straight.upper, rel=2e-6)
    value = np.einsum("ij,ij->", result.dual[where], as_smoothness(form).matmat(result.dual[where]))
    traces = [float((result.dual[blocks.labels == k] ** 2).sum()) for k in range(3)]
    assert value == pytest.approx(result.lower, rel=1e-4)
    assert traces == pytest.approx(np.array(COSTS)[back].tolist(), rel=1e-4)


def test_known_quantities_take_no_products() -> None:
    problem = Problem(sp.csr_array(L), BLOCKS, COSTS, probabilities=P)
    names = ("lmax", "L_P", "L_M", "c_P", "closed", "one_block_cost", "c_rounded")
    first = [getattr(problem, name) for name in names]
    count = problem.smoothness.products
    assert all(getattr(problem, name) is value for name, value in zip(names, first, strict=True))
    str(problem), problem.to_dict(), problem.records()
    assert problem.smoothness.products == count > 0


def test_equal_probabilities_divide_lambda_max() -> None:
    for p in (0.5, 0.3, 1e-12):
        problem = Problem(L, BLOCKS, costs=COSTS, sampling=IndependentSampling([p] * 3))
        quotient = problem.lmax / Fraction(p)
        assert problem.L_P.to_dict() == quotient.to_dict()
        assert (problem.L_M < problem.L_P) is Verdict.PROVED
