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
    from .problem.sampling import SingleBlockSampling as SingleBlockSampling
    from .problem.smoothness import diagonal as diagonal
    from .problem.smoothness import gram as gram
    from .problem.smoothness import gram_from_files as gram_from_files
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
    "block_L": "problem.quantities",
    "closed_form": "problem.quantities",
    "compare": "search.comparison",
    "c_P": "problem.quantities",
    "diagonal": "problem.smoothness",
    "expected_clc": "problem.quantities",
    "cost": "problem.quantities",
    "gram": "problem.smoothness",
    "lmax": "problem.quantities",
    "optimal_probabilities": "search",
    "rates": "theorems.prediction",
    "gram_from_files": "problem.smoothness",
    "c_M": "problem.quantities",
    "L_M": "problem.quantities",
    "tight_matrix": "matrices.tight",
    "verify": "statements.verify",
    "L_P": "problem.quantities",
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
