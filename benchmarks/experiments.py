"""What the two experiments cost, and what RPT gains by the clock.

    .venv/bin/python benchmarks/experiments.py [--seeds 5]

Seconds by the clock and of all processors together (the latter hardly depend on what else the
machine does); targets are 120 s for the quadratics and 180 s for ridge regression with 5 seeds on
two processors.
"""

from __future__ import annotations

import argparse
import csv
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def command(*arguments: str) -> tuple[float, float]:
    """Seconds by the clock, and of all processors, of one command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "rpttheory", "experiment", *arguments],
        check=True,
        capture_output=True,
    )
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="5")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        shared = ("--repeats", options.seeds, "--out", folder)
        nothing, _ = command("--help")
        print(f"start of the program: {nothing:.2f} s", flush=True)
        for name, target, arguments in (
            ("quadratics", 120, ("quadratics", *shared)),
            ("ridge", 180, ("ridge", *shared)),
            ("ridge --grid", None, ("ridge", "--grid", *shared)),
        ):
            clock, processors = command(*arguments)
            aim = "" if target is None else f", {clock / target:.3f} of the target of {target} s"
            print(
                f"{name}: {clock:.1f} s by the clock, {processors:.1f} s of processors{aim}",
                flush=True,
            )
        with (Path(folder) / "quadratics.csv").open() as table:
            last = list(csv.DictReader(table))[-1]
        for method in ("RPT", "RPT_optimal"):
            cost, clock = float(last[method]), float(last[f"{method}_clock"])
            print(
                f"row 12, {method}: {cost:.0f} times cheaper than GD, {clock:.0f} times faster by"
                " the clock"
            )


if __name__ == "__main__":
    main()
