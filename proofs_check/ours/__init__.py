"""Repairs of the paper's proofs and statements of our own, checked like the paper's."""
