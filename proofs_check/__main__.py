"""`python -m proofs_check` is `rpttheory proofs`."""

import sys

from rpttheory.cli.main import guarded

from .command import proofs

if __name__ == "__main__":
    sys.exit(guarded(proofs, sys.argv[1:], name="python -m proofs_check"))
