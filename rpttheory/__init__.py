"""Numerically verified theory of randomized coordinate descent and randomized progressive training.

L is a symmetric positive semidefinite matrix, blocks are sizes that add up to its dimension (or
"each", or "6x8"), and p and costs have one number per block:

    lmax(L)                          lambda_max(L)
    L_P(L, blocks, p)                lambda_max(P^-1/2 L P^-1/2)
    expected_clc(L, blocks, p)       the matrix E[CLC]
    L_M(L, blocks, p)                lambda_max(E[CLC])
    cost(p, costs)                   the expected cost of a step
    c_P(L, blocks, p, costs)         c(P), which is L_P times the expected cost of a step
    c_M(L, blocks, p, costs)         L_M times the expected cost of a step
    closed_form(L, blocks, costs)    the probabilities of the paper, and their bound on the optimum
    optimum(L, blocks, costs)        the least c(P) over all probabilities

Most of them return a `Bracket`: two numbers with the exact value between them. If you need several,
make one `Problem(L, blocks, costs)` and use its attributes of the same names. Then

    verify(L, blocks)                decides the paper's inequalities for your matrix
    compare(L, blocks)               compares choices of probabilities with the certified optimum
    rates(L, blocks)                 predicts the number of steps by each theorem
    find_counterexample(claim)       searches for a matrix that refutes a claim

Examples
--------
>>> from rpttheory import L_P
>>> L, blocks, p = [[4.0, 1.0], [1.0, 2.0]], [1, 1], [1.0, 0.5]
>>> print(f"{L_P(L, blocks, p):.6f}")
5.414214
>>> L_P(L, blocks, p) <= 5.5
<Verdict.PROVED: 'PROVED'>

The public names load on first use, so that `import rpttheory` and `rpttheory --help` stay fast.
"""

from __future__ import annotations

import importlib
import typing

__version__ = "1.0.0"

if typing.TYPE_CHECKING:
    from .attack import AttackResult as AttackResult
    from .attack import find_counterexample as find_counterexample
    from .errors import InvalidInput as InvalidInput
    from .matrices.tight import tight_matrix as tight_matrix
    from .numbers import Bracket as Bracket
    from .numbers import Rigor as Rigor
    from .numbers import Verdict as Verdict
    from .problem.blocks import BlockOrder as BlockOrder
    from .problem.blocks import Blocks as Blocks
    from .problem.closedform import ClosedForm as ClosedForm
    from .problem.problem import Problem as Problem
    from .problem.quantities import L_M as L_M
    from .problem.quantities import L_P as L_P
    from .problem.quantities import block_L as block_L
    from .problem.quantities import c_M as c_M
    from .problem.quantities import c_P as c_P
    from .problem.quantities import closed_form as closed_form
    from .problem.quantities import cost as cost
    from .problem.quantities import expected_clc as expected_clc
    from .problem.quantities import lmax as lmax
    from .problem.sampling import ExplicitSampling as ExplicitSampling
    from .problem.sampling import IndependentSampling as IndependentSampling
    from .problem.sampling import NestedSampling as NestedSampling
    from .problem.sampling import OneOfEachGroup as OneOfEachGroup
    from .problem.sampling import SingleBlockSampling as SingleBlockSampling
    from .problem.sampling import TauNice as TauNice
    from .problem.smoothness import diagonal as diagonal
    from .problem.smoothness import gram as gram
    from .problem.smoothness import gram_from_files as gram_from_files
    from .search import Comparison as Comparison
    from .search import SamplingComparison as SamplingComparison
    from .search import SearchResult as SearchResult
    from .search import compare as compare
    from .search import compare_samplings as compare_samplings
    from .search import optimal_probabilities as optimal_probabilities
    from .search import optimum as optimum
    from .statements.claim import Claim as Claim
    from .statements.claim import Decision as Decision
    from .statements.verify import Verification as Verification
    from .statements.verify import verify as verify
    from .theorems.prediction import Rates as Rates
    from .theorems.prediction import rates as rates

_HOME = {
    "AttackResult": "attack",
    "BlockOrder": "problem.blocks",
    "Blocks": "problem.blocks",
    "Bracket": "numbers",
    "Claim": "statements.claim",
    "ClosedForm": "problem.closedform",
    "Comparison": "search",
    "Decision": "statements.claim",
    "ExplicitSampling": "problem.sampling",
    "IndependentSampling": "problem.sampling",
    "InvalidInput": "errors",
    "L_M": "problem.quantities",
    "L_P": "problem.quantities",
    "NestedSampling": "problem.sampling",
    "OneOfEachGroup": "problem.sampling",
    "Problem": "problem.problem",
    "Rates": "theorems.prediction",
    "Rigor": "numbers",
    "SamplingComparison": "search",
    "SearchResult": "search",
    "SingleBlockSampling": "problem.sampling",
    "TauNice": "problem.sampling",
    "Verdict": "numbers",
    "Verification": "statements.verify",
    "block_L": "problem.quantities",
    "c_M": "problem.quantities",
    "c_P": "problem.quantities",
    "closed_form": "problem.quantities",
    "compare": "search",
    "compare_samplings": "search",
    "cost": "problem.quantities",
    "diagonal": "problem.smoothness",
    "expected_clc": "problem.quantities",
    "find_counterexample": "attack",
    "gram": "problem.smoothness",
    "gram_from_files": "problem.smoothness",
    "lmax": "problem.quantities",
    "optimal_probabilities": "search",
    "optimum": "search",
    "rates": "theorems.prediction",
    "tight_matrix": "matrices.tight",
    "verify": "statements.verify",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'rpttheory' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return ["__version__", *__all__]
