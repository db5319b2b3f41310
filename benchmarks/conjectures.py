"""Attack twenty true statements, and false variants with the constant changed by 2 %.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/conjectures.py

The seconds are of the processor. A false variant must fall on at most 3 blocks with integers below
1000.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from itertools import chain

from rpttheory import Verdict
from rpttheory.attack import AttackResult, find_counterexample

# Left and right of `left <= right`, and what makes it false: a factor on the right.
TRUE = {
    "L_M <= {}*L_P": "B >= 2",
    "L_P <= {}*lmax/min(p)": "B >= 2",
    "max(L) <= {}*lmax": "B >= 2",
    "lmax <= {}*sum(L)": "B >= 2",
    "c_P <= {}*sum(L/p)*sum(p*c)": "B >= 2",
    "closed <= {}*sum(L/p)*sum(p*c)": "B >= 2",
    "optimum <= {}*lmax": "B >= 2",
    "optimum <= {}*closed": "B >= 2",
    "sum(c*L) <= {}*optimum": "B >= 2",
    "optimum <= {}*c_closed": "B >= 2",
    "c_closed <= {}*closed": "B >= 2",
    "closed <= {}*B*sum(c*L)": "B >= 2",
    "lmax <= {}*L_P": "min(p) < 1",
    "c_closed <= {}*(1 + sqrt(B))/2*optimum": "B = 2",
    "optimum <= {}*c_P": "B = 3",
    "c_M <= {}*c_P": "sampling = independent",
    "max(L/p) <= {}*L_M": "B >= 2",
    "L_M <= {}*sum(L/p)": "B >= 2",
    "mu <= {}*min(L)": "B >= 2",
    "closed <= {}*sum(L)": "p = closed",
}
FACTOR = "0.98"


def largest_integer(result: AttackResult) -> int:
    numbers: list[Fraction] = [
        *chain(*result.instance.L),
        *result.instance.costs,
        *(result.instance.distribution or ()),
    ]
    return max(max(abs(x.numerator), x.denominator) for x in numbers)


def main(seconds: float = 10.0) -> None:
    print(
        f"{'claim':46s}{'verdict':>9s}{'ratio':>9s}{'B':>3s}{'d':>3s}{'integer':>9s}{'problems':>10s}{'seconds':>9s}"
    )
    for text, where in TRUE.items():
        for factor in ("1", FACTOR):
            began = time.process_time()
            result = find_counterexample(text.format(factor), where=where, time_limit=seconds)
            spent = time.process_time() - began
            sizes = result.instance.sizes
            verdict = "REFUTED" if result.verdict is Verdict.REFUTED else "stands"
            print(
                f"{result.name:46s}{verdict:>9s}{result.ratio:9.4f}{len(sizes):3d}{sum(sizes):3d}"
                f"{largest_integer(result):9d}{result.evaluations:10d}{spent:9.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
