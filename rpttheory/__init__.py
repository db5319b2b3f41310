"""Numerically verified theory of randomized coordinate descent and randomized progressive training.

The public names load on first use, so that `import rpttheory` and `rpttheory --help` stay fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .blocks import BlockOrder as BlockOrder
    from .blocks import Blocks as Blocks
    from .bounds import Claim as Claim
    from .bounds import all_claims as all_claims
    from .certify import Bracket as Bracket
    from .certify import Rigour as Rigour
    from .certify import Verdict as Verdict
    from .closedform import closed_form as closed_form
    from .comparison import compare as compare
    from .errors import InvalidInput as InvalidInput
    from .instance import Instance as Instance
    from .instance import make_instance as make_instance
    from .quantities import block_smoothness as block_smoothness
    from .quantities import complexity as complexity
    from .quantities import expected_clc as expected_clc
    from .quantities import expected_cost as expected_cost
    from .quantities import lambda_max as lambda_max
    from .quantities import second_moment_complexity as second_moment_complexity
    from .quantities import second_moment_smoothness as second_moment_smoothness
    from .quantities import weighted_smoothness as weighted_smoothness
    from .sampling import ExplicitSampling as ExplicitSampling
    from .sampling import IndependentSampling as IndependentSampling
    from .sampling import NestedSampling as NestedSampling
    from .sampling import SingleBlockSampling as SingleBlockSampling
    from .search import SearchResult as SearchResult
    from .search import optimal_probabilities as optimal_probabilities
    from .smoothness import diagonal as diagonal
    from .smoothness import gram as gram
    from .tightness import tight_matrix as tight_matrix
    from .verification import verify as verify

_HOME = {
    "BlockOrder": "blocks",
    "Blocks": "blocks",
    "Bracket": "certify",
    "Claim": "bounds",
    "ExplicitSampling": "sampling",
    "IndependentSampling": "sampling",
    "Instance": "instance",
    "InvalidInput": "errors",
    "NestedSampling": "sampling",
    "Rigour": "certify",
    "SearchResult": "search",
    "SingleBlockSampling": "sampling",
    "Verdict": "certify",
    "all_claims": "bounds",
    "block_smoothness": "quantities",
    "closed_form": "closedform",
    "compare": "comparison",
    "complexity": "quantities",
    "diagonal": "smoothness",
    "expected_clc": "quantities",
    "expected_cost": "quantities",
    "gram": "smoothness",
    "lambda_max": "quantities",
    "make_instance": "instance",
    "optimal_probabilities": "search",
    "second_moment_complexity": "quantities",
    "second_moment_smoothness": "quantities",
    "tight_matrix": "tightness",
    "verify": "verification",
    "weighted_smoothness": "quantities",
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
