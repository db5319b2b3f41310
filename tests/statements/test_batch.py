"""A batch gives each claim the values that brackets enclose."""

import numpy as np
import pytest

from rpttheory.problem.blocks import Blocks
from rpttheory.problem.problem import Problem
from rpttheory.statements import decide_at_effort
from rpttheory.statements.batch import Batch, BatchEvaluator, ratios
from rpttheory.statements.parser import parse
from rpttheory.statements.table import COMPUTED_STATEMENTS

BLOCKS = Blocks([1, 2])
RNG = np.random.default_rng(11)
FACTORS = RNG.standard_normal((4, 3, 3))
BATCH = Batch(
    BLOCKS,
    FACTORS @ FACTORS.swapaxes(1, 2),
    RNG.uniform(0.1, 1.0, (4, 2)),
    RNG.uniform(0.5, 2.0, (4, 2)),
    RNG.standard_normal((4, 3)),
)

CLAIMS = [
    "lmax + mu <= L_P - 0.1",
    "lmax*L_M >= L_P/2",
    "abs(mu - lmax) <= abs(-3)",
    "sqrt(lmax)^3 <= B*d",
    "min(3, lmax, mu) <= max(mu, 1, L_P)",
    "sum(L/p) >= max(L)",
    "min(c*p) <= cost",
    "sum(sqrt(c*L))^2 == closed",
    "c_P <= c_M",
    "c_closed <= c_rounded",
    "sum(g/p) <= L_P*xLx",
    "sum(q*c) == cost",
    "dual <= c_P",
]


@pytest.mark.parametrize("text", CLAIMS)
def test_both_sides_lie_in_the_brackets(text: str) -> None:
    claim = parse(text)
    values = (BatchEvaluator(BATCH).evaluate(side)[0][:, 0] for side in (claim.left, claim.right))
    left, right = (np.broadcast_to(value, 4) for value in values)
    for i in range(4):
        problem = Problem(BATCH.L[i], BLOCKS, BATCH.costs[i], probabilities=BATCH.p[i])
        (decision,) = decide_at_effort([parse(text)], problem, x=BATCH.point[i])
        assert (left[i], right[i]) == pytest.approx(
            (decision.left.midpoint, decision.right.midpoint), rel=1e-9
        )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lmax <= 2*L_P", lambda batch: batch.lmax / (2 * batch.L_P)),
        ("2*L_P >= lmax", lambda batch: batch.lmax / (2 * batch.L_P)),
        # A term that is subtracted counts on the other side.
        ("3*lmax - 2*mu >= mu", lambda batch: batch.mu / batch.lmax),
        ("0 < 0", lambda batch: np.ones(4)),
        ("0 <= 0", lambda batch: np.zeros(4)),
    ],
)
def test_a_ratio_above_one_refutes(text: str, expected: object) -> None:
    assert callable(expected)
    assert ratios(parse(text), BATCH) == pytest.approx(expected(BATCH), rel=1e-9)


def test_there_is_no_closed_form_where_a_block_is_zero() -> None:
    L = np.stack([np.diag([1.0, 2.0, 3.0]), np.diag([0.0, 2.0, 3.0])])
    batch = Batch(BLOCKS, L, BATCH.p[:2], BATCH.costs[:2])
    assert np.isnan(batch.c_closed).tolist() == [False, True]


def test_the_optimum_of_a_zero_matrix_is_zero() -> None:
    batch = Batch(BLOCKS, np.zeros((4, 3, 3)), BATCH.p, BATCH.costs)
    assert batch.optimum.tolist() == [0.0] * 4


class Traces:
    """A batch of one problem with three blocks, whose dual value is the traces themselves."""

    blocks = Blocks((1, 1, 1))
    costs = np.array([[1.0, 2.0, 6.0]])
    p = np.array([[0.5, 1.0, 0.25]])
    L_P = cost = np.ones(1)

    def dual_at(self, traces: np.ndarray) -> np.ndarray:
        return traces

    def weighted(self, p: np.ndarray) -> np.ndarray:
        return p[:, 0]


@pytest.mark.parametrize(
    ("label", "traces"), [("our:overhead", [1, 3, 6]), ("our:forcedOrder", [0.5, 2.5, 6])]
)
def test_dual_points_have_the_traces_of_their_statement(label: str, traces: list[float]) -> None:
    (statement,) = (computed for computed in COMPUTED_STATEMENTS if computed.label == label)
    left, _ = statement.sides(Traces())  # type: ignore[arg-type]
    assert left.tolist() == [traces]
