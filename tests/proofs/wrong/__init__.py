"""For each check of the ledger a deliberately wrong twin, one module per folder of proofs_check.

WRONG maps a label to as many checks as `checks_of` lists, in the same order. A twin states something false (or offers
a witness that is none), and must not find what the right check finds.
"""
