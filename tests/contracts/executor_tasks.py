"""Functions at module level, which is where workers can find them."""

import os
import time
from collections.abc import Callable

from rpttheory.errors import InvalidInput

Report = Callable[[str], None]


def square(x: int, report: Report) -> int:
    report(f"at {x}")
    return x * x


def environment(report: Report) -> dict[str, str | None]:
    return {
        name: os.environ.get(name)
        for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    }


def meet(folder: str, name: str, report: Report) -> bool:
    """Succeeds only if two workers are here at the same time."""
    open(os.path.join(folder, name), "w").close()
    for _ in range(600):
        if len(os.listdir(folder)) == 2:
            return True
        time.sleep(0.05)
    return False


def refuse(report: Report) -> None:
    raise InvalidInput("no", "this", "that")


def fail(report: Report) -> None:
    raise ZeroDivisionError("oops")


def die_at_first(path: str, deaths: int, report: Report) -> int:
    """Ends as many processes, which a file counts, and tells then in the how-manieth it is."""
    with open(path, "ab") as stream:
        stream.write(b"x")
    if os.path.getsize(path) <= deaths:
        os._exit(7)
    return os.path.getsize(path)


def linger(report: Report) -> None:
    while True:
        report(str(os.getpid()))
        time.sleep(0.05)


def process(report: Report) -> int:
    return os.getpid()
