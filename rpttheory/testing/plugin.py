"""The pytest plugin: a mark for conjectures, and the number of problems that each is tried on.

Write ``pytest_plugins = ["rpttheory.testing.plugin"]`` in ``conftest.py`` to use it.
"""

import os
from typing import Any

PROFILE = "RPTTHEORY_CONJECTURES"
PROFILES = {"quick": 20, "default": 100, "deep": 3000}
# Problems that the search for a counterexample tries under each profile; None is its own default.
EVALUATIONS = {"quick": 10_000, "default": None, "deep": 2_000_000}
# Whether pytest has loaded the plugin, and so knows the mark.
active = False


def pytest_addoption(parser: Any) -> None:
    """Add the option `--conjectures`."""
    about = "how many problems rpttheory.testing.conjecture tries: " + ", ".join(
        f"{k} {n}" for k, n in PROFILES.items()
    )
    parser.getgroup("rpttheory").addoption("--conjectures", choices=list(PROFILES), help=about)


def pytest_configure(config: Any) -> None:
    """Announce the mark; tests are collected later, and read the profile then."""
    config.addinivalue_line(
        "markers", "conjecture: made by rpttheory.testing.conjecture from a claim"
    )
    if config.getoption("--conjectures"):
        os.environ[PROFILE] = config.getoption("--conjectures")
    global active
    active = True
