"""Write certificates for all data sets of the package, and check each with checker.py alone.

    OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/certificates.py [--large]

`verify` up to d = 200 with all samplings and claims of one's own, `compare` on every matrix;
--large adds d = 1000. Seconds are of the processor: making the certificate, and checking it in a
process of its own that sees no package.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import rpttheory
from rpttheory import Blocks, Verdict, compare, datasets, gram, verify
from rpttheory.certificates.writer import write_certificate

CHECKER = Path(rpttheory.__file__).parent / "certificates" / "checker.py"
CLAIMS = (
    "L_P <= 2*lmax",
    "c_P <= lmax",
    "optimum <= 0.99*lmax",
    "max(p) + min(p) <= 2",
    "L_M < L_P",
    "mu >= 0",
)


def checked(case: str, result: Callable[[], Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = result()
        start = time.process_time()
        write_certificate(f"{folder}/proof.json", found.certificate())
        making = time.process_time() - start
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        command = [sys.executable, "-I", "-S", str(CHECKER), f"{folder}/proof.json"]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        checking = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    decided = sum(
        verdict is not Verdict.UNDECIDED
        for verdict in (c.verdict for c in getattr(found, "claims", ()))
    )
    said = (
        "accepted"
        if answer.returncode == 0
        else f"REJECTED: {answer.stdout.strip()[-200:]}{answer.stderr[-200:]}"
    )
    print(
        f"{case:44} {decided or 2:3d} claims  made in {making:6.2f} s  checked in {checking:5.2f} s"
        f"  {said}",
        flush=True,
    )


def main() -> None:
    for name in datasets.names():
        found = datasets.load(name)
        L = gram(found.values) if found.kind != "matrix" else found.values
        d = L.shape[0]
        parts = {"thirds": [d // 3, d // 3, d - 2 * (d // 3)]} | (
            {"each": "each"} if d <= 60 else {}
        )
        for kind, blocks in parts.items():
            for sampling in ("nested", "independent", "single") if d <= 200 else ():
                checked(
                    f"verify {name}, {kind}, {sampling}",
                    lambda L=L, b=blocks, s=sampling: _verified(L, b, s),
                )  # type: ignore[misc]
        if found.kind == "matrix":
            whole = "each" if name.startswith("mcp") else parts["thirds"]
            checked(f"compare {name}", lambda L=L, b=whole: compare(L, b))  # type: ignore[misc]
    if "--large" in sys.argv:
        rng = np.random.default_rng(0)
        graph = sp.triu(sp.random_array((1000, 1000), density=0.006, rng=rng) > 0, 1).astype(float)
        graph = sp.csr_array(graph + graph.T)
        laplacian = sp.csr_array(sp.diags_array(graph.sum(axis=1)) - graph)
        checked("compare graph, d = B = 1000", lambda: compare(laplacian, "each"))
        A = rng.standard_normal((1000, 1000))
        checked(
            "compare dense, d = 1000, B = 20",
            lambda: compare(A @ A.T, Blocks([50] * 20)),
        )


def _verified(L: Any, blocks: Any, sampling: str) -> Any:
    return verify(L, blocks, sampling=sampling, claims=CLAIMS)


if __name__ == "__main__":
    main()
