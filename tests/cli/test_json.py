"""Each command's JSON has the keys that docs/howto/json.md lists, and says what it is about."""

import hashlib
import re
from pathlib import Path

import pytest
from program import Run

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "json.md"
COMMON, *SECTIONS = PAGE.read_text(encoding="utf-8").split("\n## ")
COMMANDS = {
    "verify": "verify L.npy --blocks 1,2 --claim 'L_P > 2*lmax'",
    "compare": "compare L.npy --blocks 1,2",
    "rates": "rates L.npy --blocks 1,2 --eps 1e-3 --squared-distance 0.7",
    "attack": "attack lem:twoBounds/upper --max-evaluations 200",
    "proofs": "proofs fact:rayleigh --jobs 1",
    "campaign": "campaign grid.toml --out out --jobs 1",
    "doctor": "doctor",
}


def listed(section: str) -> set[str]:
    """The keys in the first column of the tables of a section."""
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return {key for row in rows for key in re.findall(r"`(\w+)`", row)}


def test_every_command_has_a_section() -> None:
    assert [section.split("\n")[0] for section in SECTIONS] == list(COMMANDS)
    assert "command" in listed(COMMON)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.split("\n")[0])
def test_json_has_the_listed_keys(section: str, run: Run) -> None:
    grid = 'blocks = [2]\nmatrices = [{kind = "wishart", dimension = 2, count = 2}]'
    Path("grid.toml").write_text(grid)
    name = section.split("\n")[0]
    content = run(f"{COMMANDS[name]} --json").json
    assert set(content) == listed(COMMON) | listed(section)
    assert f"Schema `{content['schema']}`" in section and content["command"] == name


def test_json_says_what_it_is_about(run: Run) -> None:
    content = run("rates L.npy --blocks 1,2 --eps 1e-3 --json").json
    digest = hashlib.sha256(Path("L.npy").read_bytes()).hexdigest()
    assert content["input"]["sha256"] == digest and content["input"]["file"] == "L.npy"
    assert content["options"]["eps"] == "1e-3" and content["eps"] == 0.001
    claims = run("verify L.npy --blocks 1,2 --claim 'L_P > 2*lmax' --json").json["claims"]
    assert (claims[-1]["statement"], claims[-1]["relation"]) == ("L_P > 2*lmax", ">")
    assert {claim["relation"] for claim in claims} == {"<=", "==", ">"}
    assert all(claim["relation"] in claim["statement"] for claim in claims)
