"""Change each tuning constant of the search and print what that does to the number of products.

    .venv/bin/python benchmarks/constants.py [--dimension 600] [--blocks 12]

For each constant and value: all products over those with the value in the code, and the worst and
best family of benchmarks/families.py. Products do not depend on the machine. One minute.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Any

import numpy as np
from families import FAMILIES

from rpttheory import Blocks, optimal_probabilities

CONSTANTS: dict[str, list[tuple[str, str, tuple[Any, ...]]]] = {
    "low-rank": [
        ("low_rank", "_TRUNCATED_RESIDUAL", (1e-4, 1e-2)),
        ("low_rank", "_CAREFUL_RESIDUAL", (1e-6, 1e-4)),
        ("low_rank", "_SHORT_COLUMN", (0.01, 0.1)),
        ("low_rank", "_LANCZOS_STEPS", (10, 40)),
        ("low_rank", "_IDLE_STEPS", (4, 16)),
        ("low_rank", "_LARGEST_RANK", (20, 80)),
        ("low_rank", "_ROTATED_RESIDUALS", ((1e-2, 1e-3), (1e-4, 1e-5))),
        ("low_rank", "LONG_MEMORY", (5, 20)),
        ("low_rank", "SHORT_MEMORY", (3, 10)),
        ("weak_coupling", "_WEAK", (1e-3, 1e-2)),
        ("weak_coupling", "_SHORT", (0.01, 0.1)),
        ("weak_coupling", "_PROGRESS", (1e-4, 1e-2)),
        ("multipliers", "_ROUNDS", (1, 4)),
        ("multipliers", "_LARGEST_RANK", (20, 80)),
    ],
    "subspace": [
        ("subspace", "_ROUNDS", (30, 120)),
        ("subspace", "_NEW_VECTORS", (3, 12)),
        ("subspace", "_LARGEST_BASIS", (200, 800)),
        ("subspace", "_WHOLE_SPACE", (20, 80)),
    ],
}


def products(method: str, d: int, count: int) -> tuple[dict[str, int], list[str]]:
    """Products of L by family, and the families on which the gap was not reached."""
    by_family, stalled = {}, []
    for seed, (name, make) in enumerate(FAMILIES.items()):
        matrix, costs = make(d, np.random.default_rng(seed))
        result = optimal_probabilities(
            matrix,
            Blocks([d // count] * count),
            None if costs is None else costs(count),
            overhead=0.1 if method == "subspace" else 0,
            method=method,
        )
        by_family[name] = result.products
        stalled += [name] * (result.status != "optimal")
    return by_family, stalled


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--dimension", type=int, default=600)
    parser.add_argument("--blocks", type=int, default=12)
    options = parser.parse_args()
    for method, constants in CONSTANTS.items():
        base, stalled = products(method, options.dimension, options.blocks)
        print(f"{method}: {sum(base.values())} products, stalled: {stalled or 'none'}")
        for module_name, name, values in constants:
            module = import_module(f"rpttheory.search.{module_name}")
            current = getattr(module, name)
            for value in values:
                setattr(module, name, value)
                changed, stalled = products(method, options.dimension, options.blocks)
                ratios = [changed[family] / base[family] for family in base]
                print(
                    f"{module_name}.{name} {current} -> {value}:"
                    f" {sum(changed.values()) / sum(base.values()):.2f} in all,"
                    f" {min(ratios):.2f} to {max(ratios):.2f}, stalled: {stalled or 'none'}",
                    flush=True,
                )
            setattr(module, name, current)


if __name__ == "__main__":
    main()
