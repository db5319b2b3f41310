"""Statement by statement: which of the paper's bounds, and of the user's, hold on a given matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..certify import Verdict
from ..certify.exact import EXACT_DIMENSION
from ..problem.blocks import BlocksLike, as_blocks
from ..problem.instance import Instance, make_instance
from ..problem.sampling import Sampling
from ..problem.semidefinite import require_positive_semidefinite, surely_semidefinite
from ..problem.smoothness import SmoothnessLike, as_smoothness
from .bounds import Claim, all_claims
from .conjecture import Conjecture, parse_conjecture

# Above this dimension a second, sharper look at undecided claims takes too long to do unasked.
SHARP_DIMENSION = 1500


@dataclass(frozen=True)
class Verification:
    """The claims on one instance, decided."""

    instance: Instance
    claims: tuple[Claim, ...]

    def count(self, verdict: Verdict) -> int:
        """How many claims ended with this verdict."""
        return sum(claim.verdict is verdict for claim in self.claims)

    @property
    def verdict(self) -> Verdict:
        """REFUTED if anything is, else UNDECIDED if anything is, else PROVED."""
        verdicts = {claim.verdict for claim in self.claims}
        for worst in (Verdict.REFUTED, Verdict.UNDECIDED):
            if worst in verdicts:
                return worst
        return Verdict.PROVED

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON-safe values, under the schema rpttheory/verify/1."""
        return {
            "schema": "rpttheory/verify/1",
            "dimension": self.instance.blocks.dimension,
            "blocks": list(self.instance.blocks.sizes),
            "costs": self.instance.costs.near.tolist(),
            "probabilities": self.instance.probabilities.tolist(),
            "claims": [claim.to_dict() for claim in self.claims],
            "counts": {verdict.value.lower(): self.count(verdict) for verdict in Verdict},
            "quantities": {
                name: {**value.to_dict(), "rigour": value.rigour.name}
                for name in ("lmax", "L_P", "L_M", "cost", "c_P", "closed")
                for value in [getattr(self.instance, name)]
            },
        }


def verify(
    L: SmoothnessLike,
    blocks: BlocksLike,
    *,
    costs: Any = None,
    probabilities: Any = None,
    sampling: Sampling | str = "nested",
    claims: str | Conjecture | Sequence[str | Conjecture] = (),
) -> Verification:
    """Decide every statement of the paper on L, and the user's own claims.

    Each undecided claim is looked at again with sharper brackets, and in exact arithmetic up to
    d = 60. What remains UNDECIDED is a tie as far as the arithmetic can tell.

    Parameters
    ----------
    L : array, sparse matrix, LinearOperator or Smoothness
        Positive semidefinite (up to rounding).
    blocks : Blocks
    costs, probabilities, sampling
        As for `make_instance`.
    claims : str or sequence of str
        Conjectures such as "L_P <= 1.02*lmax".

    Examples
    --------
    >>> result = verify([[4.0, 1.0], [1.0, 2.0]], [1, 1], claims="L_P <= 1.02*lmax")
    >>> print(result.claims[-1].verdict)
    REFUTED
    """
    if isinstance(claims, (str, Conjecture)):
        claims = [claims]
    conjectures = [claim if isinstance(claim, Conjecture) else parse_conjecture(claim) for claim in claims]
    form = as_smoothness(L)
    blocks = as_blocks(blocks, form.dimension)
    require_positive_semidefinite(form)
    instance = make_instance(form, blocks, costs=costs, probabilities=probabilities, sampling=sampling)

    def decide(at: Instance) -> tuple[Claim, ...]:
        return (*all_claims(at), *(_decided(number, c, at) for number, c in enumerate(conjectures, 1)))

    def settled(claims: tuple[Claim, ...]) -> Verification:
        paper = claims[: len(claims) - len(conjectures)]
        if any(claim.verdict is Verdict.REFUTED for claim in paper) and not surely_semidefinite(form):
            # The statements assume L positive semidefinite, and rounding has left this L just short of it.
            claims = tuple(
                replace(c, verdict=Verdict.UNDECIDED) if i < len(paper) and c.verdict is Verdict.REFUTED else c
                for i, c in enumerate(claims)
            )
        return Verification(instance, claims)

    decided = decide(instance)
    if blocks.dimension <= SHARP_DIMENSION:
        decided = _look_again(decided, decide, instance.with_effort("sharp"))
    if blocks.dimension <= EXACT_DIMENSION:
        decided = _look_again(decided, decide, instance.with_effort("exact"))
    return settled(decided)


def _look_again(
    decided: tuple[Claim, ...], decide: Callable[[Instance], tuple[Claim, ...]], sharper: Instance
) -> tuple[Claim, ...]:
    """Decide the undecided claims with sharper brackets; decided ones stay."""
    if all(claim.verdict is not Verdict.UNDECIDED for claim in decided):
        return decided
    again = decide(sharper)
    return tuple(new if old.verdict is Verdict.UNDECIDED else old for old, new in zip(decided, again, strict=True))


def _decided(number: int, conjecture: Conjecture, instance: Instance) -> Claim:
    decision = conjecture.decide({name: instance.quantity(name) for name in conjecture.names()})
    text = conjecture.text
    return Claim(f"claim:{number}", text, text, decision.left, decision.right, decision.verdict)
