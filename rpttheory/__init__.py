"""Numerically verified theory of randomized coordinate descent and randomized progressive training.

The public names load on first use, so that `import rpttheory` and `rpttheory --help` stay fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .errors import InvalidInput as InvalidInput
    from .matrices.tight import tight_matrix as tight_matrix
    from .numbers import Bracket as Bracket
    from .numbers import Rigor as Rigor
    from .numbers import Verdict as Verdict
    from .problem.blocks import BlockOrder as BlockOrder
    from .problem.blocks import Blocks as Blocks
    from .problem.problem import Problem as Problem
    from .problem.quantities import block_smoothness as block_smoothness
    from .problem.quantities import closed_form as closed_form
    from .problem.quantities import complexity as complexity
    from .problem.quantities import expected_clc as expected_clc
    from .problem.quantities import expected_cost as expected_cost
    from .problem.quantities import lambda_max as lambda_max
    from .problem.quantities import second_moment_complexity as second_moment_complexity
    from .problem.quantities import second_moment_smoothness as second_moment_smoothness
    from .problem.quantities import weighted_smoothness as weighted_smoothness
    from .problem.sampling import ExplicitSampling as ExplicitSampling
    from .problem.sampling import IndependentSampling as IndependentSampling
    from .problem.sampling import NestedSampling as NestedSampling
    from .problem.sampling import SingleBlockSampling as SingleBlockSampling
    from .problem.smoothness import diagonal as diagonal
    from .problem.smoothness import gram as gram
    from .problem.smoothness import row_blocks as row_blocks
    from .search import SearchResult as SearchResult
    from .search import optimal_probabilities as optimal_probabilities
    from .search.comparison import compare as compare
    from .statements.claim import Claim as Claim
    from .statements.claim import Decision as Decision
    from .statements.verify import verify as verify
    from .theorems.prediction import rates as rates

_HOME = {
    "BlockOrder": "problem.blocks",
    "Blocks": "problem.blocks",
    "Bracket": "numbers",
    "Claim": "statements.claim",
    "Decision": "statements.claim",
    "ExplicitSampling": "problem.sampling",
    "IndependentSampling": "problem.sampling",
    "InvalidInput": "errors",
    "NestedSampling": "problem.sampling",
    "Problem": "problem.problem",
    "Rigor": "numbers",
    "SearchResult": "search",
    "SingleBlockSampling": "problem.sampling",
    "Verdict": "numbers",
    "block_smoothness": "problem.quantities",
    "closed_form": "problem.quantities",
    "compare": "search.comparison",
    "complexity": "problem.quantities",
    "diagonal": "problem.smoothness",
    "expected_clc": "problem.quantities",
    "expected_cost": "problem.quantities",
    "gram": "problem.smoothness",
    "lambda_max": "problem.quantities",
    "optimal_probabilities": "search",
    "rates": "theorems.prediction",
    "row_blocks": "problem.smoothness",
    "second_moment_complexity": "problem.quantities",
    "second_moment_smoothness": "problem.quantities",
    "tight_matrix": "matrices.tight",
    "verify": "statements.verify",
    "weighted_smoothness": "problem.quantities",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'rpttheory' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
