"""The appendix: extending the proposition to any number of blocks is straightforward (no label)."""

from ..engine.entry import Bound, Entry, Status
from ..ours.tightness import construction

CLAIM = Entry(
    label="text:blocksExtension",
    title="The bounds of lem:twoBounds are tight for any number of blocks",
    latex=r"\sup \{ \lambda_{\max}(M) : M \succ 0,\ M_{kk} \text{ given} \} = \sum_{k=1}^B \lambda_{\max}(M_{kk})",
    text="The extension of prop:reachable_upper_bound from two blocks to B is called very straightforward and left "
    "out. It is true, by one rank-one matrix that aligns all top eigenvectors; B - 1 of the eps must be positive, each "
    "taken off its own block, for the matrix to be definite.",
    proof=Status.NONE,
    bound=Bound.UPPER,
    tight=True,
    tightness="approached by definite matrices, attained by semidefinite ones",
    needs=("prop:reachable_upper_bound",),
    proof_needs=("our:tightness", "our:twoBounds"),
    repaired_by="our:tightness",
    checks=(construction(),),
)
