"""A standing attack on the arithmetic: random inputs in every form, judged in exact rationals.

    .venv/bin/python benchmarks/attack_soundness.py [--seconds S] [--seed N] [--jobs N]
        [--brackets N] [--optima N] [--claims N] [--certificates N] [--rates N] [--interrupts N]
        [--signals N] [--replay "brackets 0 17"]

Prints counts of what was judged, and each finding as a program that shows it. The exit code is 1 if
there is a finding. The judge and the inputs are in tests/soundness; the tests run a small part.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # all matrices are tiny
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from soundness.attacks import ATTACKS, run
from soundness.modes import attack_modes
from soundness.trial import Tally, Trial

SHOWN = 3  # findings of one sort that are printed in full
AMOUNTS = {
    "brackets": 100_000,
    "optima": 2_000,
    "claims": 50_000,
    "certificates": 1_000,
    "rates": 500,
    "interrupts": 500,
    "signals": 20,
}


def work(job: int, jobs: int, seed: int, amounts: dict[str, int], deadline: float) -> Tally:
    """One process's share: every jobs-th trial."""
    tally = Tally()
    for kind, amount in amounts.items():
        origins = (f"{kind} {seed} {index}" for index in itertools.count(job, jobs))
        tally.add(run(kind, -(-amount // jobs), origins, deadline))
    return tally


def report(tally: Tally, seconds: float) -> None:
    for name, count in sorted(tally.counts.items()):
        print(f"{count:10d}  {name}")
    sorts: dict[str, int] = {}
    for finding in tally.findings:
        sorts[finding.sort] = sorts.get(finding.sort, 0) + 1
        if sorts[finding.sort] <= SHOWN:
            print(f"\nFINDING {finding}", end="")
    print(f"\n{len(tally.findings)} findings of {len(sorts)} sorts in {seconds:.0f} s")
    for sort, count in sorted(sorts.items(), key=lambda item: -item[1]):
        print(f"{count:10d}  {sort}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--seconds", type=float, default=3600.0, help="stop after so long, whatever is left"
    )
    parser.add_argument("--seed", type=int, default=0)
    for kind, amount in AMOUNTS.items():
        parser.add_argument(f"--{kind}", type=int, default=amount)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--replay", help="the origin of a finding, such as 'brackets 0 17': that trial alone"
    )
    options = parser.parse_args()
    start = time.monotonic()
    tally = Tally()
    if options.replay:
        ATTACKS[options.replay.split()[0]](Trial(tally, options.replay))
    else:
        attack_modes(tally)
        amounts = {kind: getattr(options, kind) for kind in AMOUNTS}
        shares = [
            (j, options.jobs, options.seed, amounts, start + options.seconds)
            for j in range(options.jobs)
        ]
        if options.jobs == 1:
            tally.add(work(*shares[0]))
        else:
            with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
                for part in pool.starmap(work, shares):
                    tally.add(part)
    report(tally, time.monotonic() - start)
    return 1 if tally.findings else 0


if __name__ == "__main__":
    sys.exit(main())
