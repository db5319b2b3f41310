"""One file per statement of the paper, named after its LaTeX label."""
