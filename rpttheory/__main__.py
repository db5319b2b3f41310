"""`python -m rpttheory` is the same program as `rpttheory`."""

from .cli import run

run()
