"""The ledger of the paper's claims: one file per LaTeX label, each statement and each printed line
of proof checked.

`rpttheory proofs` (or `python -m proofs_check`) runs it. It imports rpttheory, never the reverse.
"""
