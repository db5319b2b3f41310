"""Claims of other papers: how a claim from outside joins the ledger."""
