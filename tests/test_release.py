"""What a release depends on: one version, jobs that exist, and dependencies with a reason."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rpttheory

ROOT = Path(__file__).parents[1]
WORKFLOWS = {
    path.stem: path.read_text(encoding="utf-8")
    for path in (ROOT / ".github" / "workflows").glob("*.yml")
}


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def jobs(workflow: str) -> set[str]:
    """Return the jobs that a workflow runs, those of its matrix included."""
    named = set(re.findall(r"- run: bash \.ci/run (\w+)", workflow))
    for listed in re.findall(r"\bjob: \[(.*)\]", workflow):
        named |= set(listed.split(", "))
    return named


def test_version_and_date_are_the_same_everywhere() -> None:
    latest = re.search(r"^## (\S+) - (\d{4})-(\d\d-\d\d)$", text("CHANGELOG.md"), re.MULTILINE)
    assert latest is not None
    version, year, day = latest.groups()
    cited = dict(re.findall(r'^(version|date-released): "?([^"\n]+)', text("CITATION.cff"), re.M))
    assert cited == {"version": rpttheory.__version__, "date-released": f"{year}-{day}"}
    assert version == rpttheory.__version__
    from rpttheory.cli import about

    assert f"year = {{{year}}}" in about._BIBTEX
    project = tomllib.loads(text("pyproject.toml"))
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "rpttheory/__init__.py"


def test_workflows_only_run_jobs_that_run_locally() -> None:
    commands = re.findall(r"- run: (.*)", "\n".join(WORKFLOWS.values()))
    assert commands and all(command.startswith("bash .ci/run ") for command in commands), commands


@pytest.mark.skipif(sys.platform == "win32", reason="bash may be that of another system")
def test_every_job_runs_in_a_workflow() -> None:
    command = ["bash", ".ci/run", "--list"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    required, optional = (set(line.partition(":")[2].split()) for line in listed.splitlines())
    assert {"tests", "lint"} <= required and required.isdisjoint(optional)
    assert required <= jobs(WORKFLOWS["ci"]) | jobs(WORKFLOWS["docs"])
    assert set.union(*map(jobs, WORKFLOWS.values())) == required | optional


def test_every_dependency_has_a_reason() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    needs = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    names = {re.split("[<>=]", need)[0] for need in needs}
    reasons = dict(re.findall(r"^\| `([\w-]+)` \| (.+) \|$", text("CONTRIBUTING.md"), re.MULTILINE))
    assert names <= reasons.keys()
