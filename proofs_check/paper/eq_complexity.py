"""eq:complexity: the problem whose solution is the best sketch."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice, permutations

import numpy as np

from rpttheory import Problem
from rpttheory.numbers import Bracket

from ..checks.instances import Tries, tried
from ..checks.statements import describe, is_minimum, problem_at, solved
from ..checks.symbolic import formula
from ..engine.entry import Entry, Erratum, Evidence, Severity, Status, Step, Trial


def two_minima(trial: Trial, factor: float = 1.0) -> Tries:
    """The certified minimum over all p > 0 per block is not above L_P sum_i p_i c_{sigma_i} at
    falling p in any order, and is attained at its own p in its own order.
    """
    for problem, result in solved(trial, 48):
        p = result.probabilities / max(result.probabilities)
        falling = [0.75**i for i in range(len(p))]
        best = np.argsort(-p).tolist()
        values = [
            _printed_value(problem, order, falling)
            for order in islice(permutations(range(len(p))), 24)
        ]
        values.append(_printed_value(problem, best, p[best].tolist()))
        yield is_minimum(result, values, factor), describe(problem)


def _printed_value(problem: Problem, order: Sequence[int], p: Sequence[float]) -> Bracket:
    """L_P sum_i p_i c_{sigma_i}."""
    per_block = [p[list(order).index(k)] for k in range(len(order))]
    costs = problem.costs.fractions()
    expected = sum((Fraction(a) * costs[k] for a, k in zip(p, order, strict=True)), Fraction(0))
    return problem_at(problem, per_block).L_P * expected


CLAIM = Entry(
    label="eq:complexity",
    title="The best sketch minimizes c(P)",
    latex=r"\mathbb{E}[\mathrm{cost}(T)] \propto c(P) = L_P \sum_{i=1}^B p_i c_{\sigma_i}, \quad "
    r"\min_\sigma \min_{1 = p_1 \geq \ldots \geq p_B > 0} L_P \sum_{i=1}^B p_i c_{\sigma_i}",
    text=(
        "Per block, minimizing L_P sum_k p_k c_k over p > 0; sigma is the order of p. The minimum"
        " is attained because L is definite (our:sdp). With P as def:PTsketch prints it the problem"
        " is another one (text:sigma)."
    ),
    assumptions=(
        "L is positive definite",
        "all c_k are positive",
        "sigma is read as rank to block, in P as well",
    ),
    proof=Status.DEFINITIONAL,
    see=("our:logConvex", "def:PTsketch"),
    needs=("text:LP", "text:expectedCost", "text:sigma", "as:normalized"),
    proof_needs=("our:sdp",),
    checks=(
        formula(
            "p_B - 0 = p_B; (p_i - p_{i+1}) + p_{i+1} = p_i; p_i p_{i+1} p_B > 0",
            "rank j, so any number of blocks",
            words="the block of rank j is updated by the outcomes i >= j",
        ),
        tried(two_minima, "{} problems, certified within 1e-6", Evidence.RIGOROUS),
    ),
    errata=(
        Erratum(
            r"\text{regardless of the regime}",
            "up to factors free of P; in the nonconvex regime L_M may replace L_P, and then c(P) is"
            " not what to minimize",
            Severity.GAP,
        ),
        Erratum(
            r"\text{finding the global minimum of } c(P) \text{ is in general a challenging task}",
            "not shown: it is a convex semidefinite program in B variables (our:sdp), and c is"
            " convex in log p (our:logConvex)",
            Severity.GAP,
        ),
    ),
    steps=(
        Step(
            latex=r"T \propto L_P",
            text=(
                "In all three regimes, at the largest stepsize; the other factors do not depend"
                " on P."
            ),
            check=formula(
                "full := 1/L_P; R/(1/(2*L_P)*eps) = L_P*(2*R/eps); "
                "2*delta/(full*eps) = L_P*(2*delta/eps); "
                "log(R/eps)/(full*mu) = L_P*(log(R/eps)/mu); L_P R delta eps mu > 0",
                "all values",
                words=(
                    "N iterations: R / (gamma N), 2 delta / (gamma N) and exp(-gamma mu N) R"
                    " are eps"
                ),
            ),
        ),
    ),
)
