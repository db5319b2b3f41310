"""Write `engine/lines.json` anew: `python -m proofs_check.record_lines [FOLDER]`.

FOLDER has the LaTeX source of the paper as .txt files. With it the lines of the paper are compared
with the source; without it a line that was edited keeps what was recorded of it.
"""

import json
import sys
from pathlib import Path

from .engine.lines import RECORD, lines_of, paper_source, recorded_lines, unrelated
from .ledger import load


def main(arguments: list[str]) -> int:
    """Record every line with its checks, unless a check has nothing to do with its line."""
    claims = load()
    wrong = [
        f"{claim.label}, {words}"
        for claim in claims
        for line in lines_of(claim)
        for words in unrelated(line)
    ]
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    source = paper_source(Path(arguments[0])) if arguments else None
    content = {claim.label: recorded_lines(claim, source) for claim in claims}
    rows = [
        f"{json.dumps(label)}: [\n  " + ",\n  ".join(json.dumps(row) for row in lines) + "\n]"
        for label, lines in content.items()
    ]
    RECORD.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
