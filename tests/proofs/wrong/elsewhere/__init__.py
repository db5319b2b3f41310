"""Wrong twins of the checks in proofs_check/elsewhere."""
