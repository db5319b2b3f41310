"""Forge thousands of certificates, and verify those that the checker accepts with other arithmetic.

    .venv/bin/python benchmarks/forge_certificates.py [--count N] [--seed S]

Exit code 1 if a certificate with a false claim is accepted. The forger and the judge are in
tests/soundness/forging.py.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # all matrices are tiny
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from soundness.forging import attack


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", default="0")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counts, false = attack(options.seed, options.count, Path(folder))
    for name, count in sorted(counts.items()):
        print(f"{count:8,d}  {name}")
    for finding in false[:3]:
        print(json.dumps(finding))
    print(f"{len(false):8,d}  false claims accepted")
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
