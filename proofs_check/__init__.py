"""The ledger of the paper's claims, one file per LaTeX label. It imports rpttheory, never the reverse."""
