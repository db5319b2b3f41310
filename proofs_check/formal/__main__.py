"""`python -m proofs_check.formal`: the status of every label; with `--record` the statements are
written down first.
"""

import sys

from rpttheory.runs.progress import Event

from .compile import formal_status, record


def _report(event: Event) -> None:
    print(f"{event.done}/{event.total} {event.message}", file=sys.stderr)


if __name__ == "__main__":
    if "--record" in sys.argv[1:]:
        record(progress=_report)
    for label, theorems in formal_status(progress=_report).items():
        print(f"{label:32} {theorems.formality}")
