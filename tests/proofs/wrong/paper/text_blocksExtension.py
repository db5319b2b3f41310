"""Wrong twins for the extension to any number of blocks."""

from __future__ import annotations

from fractions import Fraction

from proofs_check.ours.tightness import construction

WRONG = {"text:blocksExtension": (construction(slack=Fraction(1, 2)),)}
