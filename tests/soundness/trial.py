"""One program that is run line by line, each answer judged; what is counted and found."""

from __future__ import annotations

import random
import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from rpttheory.errors import InvalidInput
from rpttheory.numbers import Rigor

from .families import dimension
from .forms import Matrix, draw_matrix
from .laws import Law, block_sizes, costs_per_block, draw_law
from .notation import exact_vector, vector
from .reals import Real, inside, rational
from .scope import SCOPE
from .truth import Truth

Snapshot = list[tuple[str, Any, Any]]


@dataclass
class Finding:
    """An answer that is not true, or a failure that is not an InvalidInput, and the program that
    shows it.
    """

    what: str
    answer: str
    truth: str
    program: list[str]
    origin: str
    inputs: str

    @property
    def sort(self) -> str:
        """The call and the kind of input: findings of one sort mostly have one cause."""
        words = re.sub(r"\(.*", "", self.what) if not self.what.startswith("claim") else "claim"
        failure = self.answer.split(":")[0] if self.what.startswith("failure") else ""
        return f"{re.sub('[0-9]+', '#', words)} {failure} <- {self.inputs}"

    def __str__(self) -> str:
        source = "".join(f"    {line}\n" for line in self.program)
        head = f"{self.what}   [{self.origin}]\n{source}"
        return f"{head}  answer: {self.answer}\n  truth:  {self.truth}\n"


@dataclass
class Tally:
    """Counts of everything that was tried, and the findings."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)

    def add(self, tally: Tally) -> None:
        self.counts.update(tally.counts)
        self.findings += tally.findings


class Trial:
    """One program that is run line by line, each answer judged."""

    def __init__(self, tally: Tally, origin: str, **replaced: Any) -> None:
        self.tally = tally
        self.origin = origin
        self.rng = random.Random(origin)
        self.at: dict[str, Any] = SCOPE | replaced
        self.program: list[str] = []
        self.inputs = ""

    def count(self, name: str, by: int = 1) -> None:
        self.tally.counts[name] += by

    def write(self, line: str) -> None:
        """Run a line of the caller's own, which cannot fail."""
        self.program.append(line)
        with np.errstate(all="ignore"):
            exec(line, self.at)

    def do(self, name: str, source: str) -> bool:
        """Set a name to an answer of the package; False if it was refused or failed."""
        self.program.append(f"{name} = {source}")
        self.at[name] = self.ask(source)
        return self.at[name] is not None

    def ask(self, expression: str) -> Any:
        """The value of an expression, None if it was refused or failed."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return eval(expression, self.at)
        except InvalidInput:
            self.count("refused")
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
            self.find(f"failure in {expression}", failure, "an answer or InvalidInput")
        return None

    def find(self, what: str, answer: str, truth: str) -> None:
        self.count("findings")
        self.tally.findings.append(
            Finding(what, answer, truth, list(self.program), self.origin, self.inputs)
        )

    def judge(self, what: str, bracket: Any, truth: Real) -> None:
        """Hold one bracket against the number that it should contain."""
        if bracket.rigor is Rigor.NUMERICAL:
            self.count("brackets, NUMERICAL")
            return
        self.count("brackets")
        verdict = inside(bracket.exact_lower, bracket.exact_upper, truth)
        if verdict is None:
            self.count("brackets, not judged")
        elif verdict:
            self.count("brackets, exact points", int(bracket.exact_lower == bracket.exact_upper))
        else:
            self.find(
                what,
                f"[{bracket.exact_lower}, {bracket.exact_upper}] {bracket.rigor}",
                digits_of(truth),
            )


def digits_of(number: Real) -> str:
    pair = number(200)
    if pair is None:
        return "no value"
    if pair[0] == pair[1]:
        return str(pair[0])
    return (
        f"about {Context(prec=50).divide(Decimal(pair[0].numerator), Decimal(pair[0].denominator))}"
    )


def snapshot(at: dict[str, Any]) -> Snapshot:
    """The caller's arrays, and copies of them."""
    arrays = []
    for name, value in at.items():
        if type(value) is np.ndarray and value.dtype != object:
            arrays.append((name, value))
        if isinstance(value, sp.csr_array | sp.csr_matrix | sp.csc_array | sp.bsr_array):
            parts = ("data", "indices", "indptr")
            arrays += [(f"{name}.{part}", getattr(value, part)) for part in parts]
    return [(name, array, array.copy()) for name, array in arrays]


@dataclass
class Problem:
    """A whole problem that the caller wrote, with its truth; made by `pose`."""

    matrix: Matrix
    law: Law
    truth: Truth
    costs: str  # source: "c", or "None" for the default
    before: Snapshot

    def law_arguments(self, rng: random.Random) -> str:
        """The sampling as keywords: by name and marginals where it has a name, or itself."""
        named = self.law.name is not None and rng.random() < 0.5
        return f"probabilities=p, sampling={self.law.name!r}" if named else "sampling=sampling"


def pose(
    trial: Trial, matrix: Matrix, law: Law, sizes: Sequence[int], costs: str | None
) -> Problem | None:
    """Run the caller's lines, read their meaning, then hand them to the package."""
    for line in (*matrix.lines, *law.lines, f"sizes = {list(sizes)}"):
        trial.write(line)
    if costs is not None:
        trial.write(f"c = {costs}")
    trial.inputs = f"L {matrix.form}, sampling {law.name}"
    meaning = matrix.meaning(trial.at)
    shares = [Fraction(size, sum(sizes)) for size in sizes]
    exact_costs = shares if costs is None else exact_vector(trial.at["c"])
    truth = Truth(meaning, sizes, law.meaning(trial.at), exact_costs)
    if law.make.startswith("ExplicitSampling"):
        truth.tau = rational(Fraction(max(map(sum, trial.at["sets"]))))
    before = snapshot(trial.at)
    ready = trial.do("L", matrix.make) and trial.do("sampling", law.make)
    if not (ready and trial.do("blocks", "Blocks(sizes)")):
        check_untouched(trial, before)
        return None
    return Problem(matrix, law, truth, "None" if costs is None else "c", before)


def check_untouched(trial: Trial, before: Snapshot) -> None:
    changed = [name for name, array, copy in before if not np.array_equal(array, copy)]
    changed += [
        name for name, array, _ in before if "." in name and eval(name, trial.at) is not array
    ]
    if changed and "meddled" not in trial.at:
        trial.find("the caller's arrays were changed", ", ".join(changed), "as they were")


def draw_problem(trial: Trial, *, definite: bool) -> Problem | None:
    rng = trial.rng
    d = dimension(rng)
    sizes = block_sizes(rng, d)
    matrix = draw_matrix(rng, d, semidefinite=definite)
    law = draw_law(rng, len(sizes))
    costs = None if rng.random() < 0.25 else vector(rng, costs_per_block(rng, sizes))
    return pose(trial, matrix, law, sizes, costs)
