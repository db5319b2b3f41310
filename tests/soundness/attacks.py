"""What is attacked: brackets, optima and claims, each answer held against the judge."""

from __future__ import annotations

import json
import math
import random
import re
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from rpttheory.certify import Bracket, Rigour
from rpttheory.conjecture import NAMES
from rpttheory.errors import InvalidInput
from rpttheory.search.result import SearchResult

from . import draws
from .draws import exact, exact_vector
from .judge import (
    Multiple,
    Pair,
    Real,
    Truth,
    holds,
    inside,
    order,
    product,
    rational,
    reciprocal,
    root,
    semidefinite,
    square_of_sum_of_roots,
    total,
)

RELATIONS = ("<=", "<", ">=", ">", "==")


@dataclass
class Finding:
    """An answer that is not true, or a failure that is not an InvalidInput, and the program that shows it."""

    what: str
    told: str
    truth: str
    program: list[str]
    origin: str
    inputs: str

    @property
    def sort(self) -> str:
        """What was asked, and in which numbers: findings of one sort mostly have one cause."""
        words = re.sub(r"\(.*", "", self.what) if not self.what.startswith("claim") else "claim"
        failure = self.told.split(":")[0] if self.what.startswith("failure") else ""
        return f"{re.sub('[0-9]+', '#', words)} {failure} <- {self.inputs}"

    def __str__(self) -> str:
        source = "".join(f"    {line}\n" for line in self.program)
        return f"{self.what}   [{self.origin}]\n{source}  told:  {self.told}\n  truth: {self.truth}\n"


@dataclass
class Tally:
    """Counts of everything that was tried, and the findings."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.counts.update(other.counts)
        self.findings += other.findings


class Trial:
    """One program that is run line by line, each answer judged."""

    def __init__(self, tally: Tally, origin: str, **replaced: Any) -> None:
        self.tally, self.origin = tally, origin
        self.rng = random.Random(origin)
        self.at: dict[str, Any] = draws.SCOPE | replaced
        self.program: list[str] = []
        self.inputs = ""

    def count(self, name: str, by: int = 1) -> None:
        self.tally.counts[name] += by

    def write(self, line: str) -> None:
        """Run a line of the caller's own, which cannot fail."""
        self.program.append(line)
        exec(line, self.at)

    def do(self, line: str, numbers: Sequence[str] = ()) -> bool:
        """Run a line that calls the package; False if it was refused or failed."""
        self.program.append(line)
        return self._guarded(lambda: exec(line, self.at), line, numbers)[0]

    def ask(self, expression: str, numbers: Sequence[str] = ()) -> Any:
        """The value of an expression, None if it was refused or failed."""
        return self._guarded(lambda: eval(expression, self.at), expression, numbers)[1]

    def _guarded(self, call: Callable[[], Any], what: str, numbers: Sequence[str]) -> tuple[bool, Any]:
        for kind in numbers:
            self.count(f"given as {kind}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return True, call()
        except InvalidInput:
            self.count("refused")
            for kind in numbers:
                self.count(f"given as {kind}, refused")
        except Exception as error:
            self.find(f"failure in {what}", f"{type(error).__name__}: {error}", "an answer or InvalidInput")
        return False, None

    def find(self, what: str, told: str, truth: str) -> None:
        self.count("findings")
        self.tally.findings.append(Finding(what, told, truth, list(self.program), self.origin, self.inputs))

    def judge(self, what: str, bracket: Any, truth: Real) -> None:
        """Hold one bracket against the number that it should contain."""
        if bracket.rigour is Rigour.NUMERICAL:
            self.count("brackets, NUMERICAL")
            return
        self.count("brackets")
        self.count("brackets, wider than 1e-6", int(_wide(bracket)))
        verdict = inside(bracket.low, bracket.high, truth)
        if verdict is None:
            self.count("brackets, not judged")
        elif verdict:
            self.count("brackets, exact points", int(bracket.low == bracket.high))
        else:
            self.find(what, f"[{bracket.low}, {bracket.high}] {bracket.rigour}", shown(truth))


def _wide(bracket: Any) -> bool:
    if -math.inf in (bracket.low, -bracket.high):
        return True
    return bool(bracket.high - bracket.low > max(abs(bracket.low), abs(bracket.high)) / 10**6)


def shown(number: Real) -> str:
    pair = number(200)
    if pair is None:
        return "no value"
    if pair[0] == pair[1]:
        return str(pair[0])
    return f"about {Context(prec=50).divide(Decimal(pair[0].numerator), Decimal(pair[0].denominator))}"


def snapshot(at: dict[str, Any]) -> list[tuple[str, Any, bytes]]:
    """The caller's arrays, bit for bit."""
    arrays = [(name, value) for name, value in at.items() if type(value) is np.ndarray and value.dtype != object]
    for name, value in at.items():
        if sp.issparse(value) and isinstance(value, (sp.csr_array, sp.csr_matrix, sp.csc_array, sp.bsr_array)):
            arrays += [(f"{name}.{part}", getattr(value, part)) for part in ("data", "indices", "indptr")]
    return [(name, array, array.tobytes()) for name, array in arrays]


@dataclass
class Problem:
    """A whole problem that the caller wrote, with its truth; made by `pose`."""

    matrix: draws.Matrix
    law: draws.Law
    truth: Truth
    costs: str  # source: "c", or "None" for the default
    before: list[tuple[str, Any, bytes]]


def pose(trial: Trial, matrix: draws.Matrix, law: draws.Law, sizes: Sequence[int], costs: str | None) -> Problem | None:
    """Run the caller's lines, read their meaning, then hand them to the package."""
    for line in (*matrix.lines, *law.lines, f"sizes = {list(sizes)}"):
        trial.write(line)
    if costs is not None:
        trial.write(f"c = {costs}")
    numbers = draws.kind_of(law.lines[0])
    priced = "default" if costs is None else draws.kind_of(costs)
    trial.inputs = f"L {matrix.form} ({matrix.numbers}), law {numbers}, costs {priced}"
    meaning = matrix.meaning(trial.at)
    shares = [Fraction(size, sum(sizes)) for size in sizes]
    exact_costs = shares if costs is None else exact_vector(trial.at["c"])
    truth = Truth(meaning, sizes, law.meaning(trial.at), exact_costs)
    before = snapshot(trial.at)
    ready = trial.do(matrix.make, [matrix.numbers]) and trial.do(law.make, [numbers])
    if not (ready and trial.do("blocks = Blocks(sizes)")):
        check_untouched(trial, before)
        return None
    return Problem(matrix, law, truth, "None" if costs is None else "c", before)


def check_untouched(trial: Trial, before: list[tuple[str, Any, bytes]]) -> None:
    changed = [name for name, array, content in before if array.tobytes() != content]
    changed += [name for name, array, _ in before if "." in name and eval(name, trial.at) is not array]
    if changed and "meddled" not in trial.at:
        trial.find("the caller's arrays were changed", ", ".join(changed), "as they were")


def _drawn(trial: Trial, *, definite: bool) -> Problem | None:
    rng = trial.rng
    d = draws.dimension(rng)
    sizes = draws.block_sizes(rng, d)
    matrix, law = draws.draw_matrix(rng, d, semidefinite=definite), draws.draw_law(rng, len(sizes))
    costs = None if rng.random() < 0.25 else draws.vector(rng, draws.costs(rng, sizes))
    return pose(trial, matrix, law, sizes, costs)


# -- brackets -----------------------------------------------------------------------------------------

_PROPERTIES = ("lmax", "L_P", "L_M", "pmin", "cost", "total_cost", "gradient_descent", "c_P", "closed")
_PROPERTIES += ("sumL", "maxL", "sumcL")


def brackets(trial: Trial) -> None:
    """Every quantity of one problem."""
    problem = _drawn(trial, definite=False)
    if problem is None:
        return
    rng, truth = trial.rng, problem.truth
    calls: list[Callable[[], None]] = [
        lambda: _ask_bracket(trial, f"lambda_max(L{_effort(rng)})", truth.lmax),
        lambda: _ask_bracket(trial, f"second_moment_smoothness(L, sampling, blocks{_effort(rng)})", truth.L_M),
        lambda: _ask_blocks(trial, truth),
        lambda: _ask_instance(trial, problem),
    ]
    if problem.costs != "None":
        numbers = [draws.kind_of(next(line for line in trial.program if line.startswith("c =")))]
        moment = f"second_moment_complexity(L, sampling, c, blocks{_effort(rng)})"
        calls += [
            lambda: _ask_bracket(trial, "sampling.expected_cost(c)", truth.cost, numbers),
            lambda: _ask_bracket(trial, moment, truth.c_M),
            lambda: _ask_bracket(trial, "closed_form(L, c, blocks).bound", truth.closed),
        ]
    if "p" in trial.at:
        numbers_p = [draws.kind_of(problem.law.lines[0])]
        calls.append(
            lambda: _ask_bracket(trial, f"weighted_smoothness(L, p, blocks{_effort(rng)})", truth.L_P, numbers_p)
        )
        if problem.costs != "None":
            calls.append(lambda: _ask_bracket(trial, "expected_cost(p, c)", truth.cost))
            calls.append(lambda: _ask_bracket(trial, f"complexity(L, p, c, blocks{_effort(rng)})", truth.c_P))
    rng.shuffle(calls)
    calls = calls[: rng.randint(2, len(calls))]
    if problem.matrix.kept and problem.matrix.meddling and rng.random() < 0.5:
        calls.insert(rng.randint(0, len(calls) - 1), lambda: _meddle(trial, problem.matrix.meddling))
    for call in calls:
        call()
    check_untouched(trial, problem.before)


def _effort(rng: random.Random) -> str:
    return rng.choice(("", "", "", ", effort='sharp'", ", effort='sharp'", ", effort='exact'"))


def _meddle(trial: Trial, ways: Sequence[str]) -> None:
    """The caller goes on with his own arrays; the answers must stay what they were."""
    trial.write(trial.rng.choice(ways))
    trial.at["meddled"] = True


def _ask_bracket(trial: Trial, call: str, truth: Real, numbers: Sequence[str] = ()) -> None:
    bracket = trial.ask(call, numbers)
    if bracket is not None:
        trial.judge(call, bracket, truth)


def _ask_blocks(trial: Trial, truth: Truth) -> None:
    call = f"block_smoothness(L, blocks{_effort(trial.rng)})"
    for k, bracket in enumerate(trial.ask(call) or ()):
        trial.judge(f"{call}[{k}]", bracket, truth.block_L[k])


def _ask_instance(trial: Trial, problem: Problem) -> None:
    """The properties of an Instance, in random order, since they feed on each other."""
    rng, truth = trial.rng, problem.truth
    law = f"probabilities=p, sampling={problem.law.name!r}"
    law = law if problem.law.name and rng.random() < 0.5 else "sampling=sampling"
    effort = rng.choice(("", "", ".with_effort('sharp')", ".with_effort('exact')"))
    line = f"instance = make_instance(L, blocks, costs={problem.costs}, {law}){effort}"
    if not trial.do(line):
        return
    instance = trial.at["instance"]
    vectors = [name for name in ("c", "p", "masses") if isinstance(trial.at.get(name), (np.ndarray, list))]
    meddled = rng.choice(vectors) if vectors and rng.random() < 0.3 else None
    if meddled is not None:
        trial.write(f"saved = list({meddled}); {meddled}[0] = 7")
    for name in rng.sample(_PROPERTIES, rng.randint(3, len(_PROPERTIES))):
        bracket = trial.ask(f"instance.{name}")
        if bracket is not None:
            trial.judge(f"instance.{name}", bracket, getattr(truth, name))
    for k, bracket in enumerate(trial.ask("instance.block_L") or ()):
        trial.judge(f"instance.block_L[{k}]", bracket, truth.block_L[k])
    for k, bracket in enumerate(trial.ask("instance.marginals") or ()):
        trial.judge(f"instance.marginals[{k}]", bracket, rational(truth.p[k]))
    chosen = exact_vector(instance.closed_form.probabilities)
    mean = sum((a * b for a, b in zip(chosen, truth.costs, strict=True)), Fraction(0))
    bracket = trial.ask("instance.c_closed")
    if bracket is not None:
        trial.judge("instance.c_closed", bracket, Multiple(truth.weighted(chosen), mean))
    if meddled is not None:
        trial.write(f"{meddled}[:] = saved")


# -- optima -------------------------------------------------------------------------------------------


def optima(trial: Trial) -> None:
    """The certified optimum of one problem: both ends are proved again, or compared with a known optimum."""
    problem = _drawn(trial, definite=True)
    if problem is None:
        return
    rng, truth = trial.rng, problem.truth
    count = len(truth.sizes)
    overhead, forced = Fraction(0), None
    options = ""
    if rng.random() < 0.2:
        trial.write(
            f"overhead = {draws.token(rng, Fraction(rng.randint(1, 30), 10), rng.choice(('float', 'fraction')))}"
        )
        overhead, options = exact(trial.at["overhead"]), options + ", overhead=overhead"
    if rng.random() < 0.2:
        forced = rng.sample(range(count), count)
        options += f", order=BlockOrder({forced})"
    nonconvex = rng.random() < 0.15 and count <= 4 and not options
    options += ", regime='nonconvex'" if nonconvex else ""
    call = f"optimal_probabilities(L, blocks, {problem.costs}{options})"
    if not options and rng.random() < 0.2:
        call = "comparison.optimal"
        if trial.do(f"comparison = compare(L, blocks, {problem.costs}, nonconvex=False)"):
            _judge_comparison(trial, truth)
    result = trial.ask(call) if "(" in call or "comparison" in trial.at else None
    if result is None:
        return
    if result.rigour is Rigour.NUMERICAL:
        trial.count("optima, NUMERICAL")
        return
    trial.count("optima")
    p = exact_vector(result.probabilities)
    if max(p) != 1 or min(p) <= 0:
        trial.find(f"{call}.probabilities", str(result.probabilities), "positive, the largest 1")
        return
    if forced is not None and sorted(p, reverse=True) != [p[k] for k in forced]:
        trial.find(f"{call}.probabilities", str(result.probabilities), f"falling along {forced}")
    mean = overhead + sum((a * b for a, b in zip(p, truth.costs, strict=True)), Fraction(0))
    nested = Truth(truth.matrix, truth.sizes, [[min(a, b) for b in p] for a in p], truth.costs)
    attained = Multiple(nested.L_M if nonconvex else nested.L_P, mean)
    if math.isfinite(result.upper) and attained.sign(Fraction(result.upper)) > 0:
        trial.find(f"{call}.upper", repr(result.upper), f"the cost at its probabilities is {shown(attained)}")
    lower = Fraction(result.lower)
    for known in _reachable(truth, attained, overhead, nonconvex=nonconvex, forced=forced is not None):
        if inside(-math.inf, lower, known) and not inside(lower, lower, known):
            trial.find(f"{call}.lower", repr(result.lower), f"the optimum is at most {shown(known)}")
    known_optimum = None if overhead or forced else _optimum(truth, nonconvex=nonconvex)
    if known_optimum is not None:
        trial.count("optima known otherwise")
        verdict = inside(lower, Fraction(result.upper) if math.isfinite(result.upper) else math.inf, known_optimum)
        if verdict is False:
            trial.find(f"{call}", f"[{result.lower!r}, {result.upper!r}]", shown(known_optimum))
    elif not nonconvex and lower > 0:
        dual = dual_value(truth, result, overhead, forced)
        trial.count("optima with a dual certificate", int(dual >= lower))
        if dual < lower:
            trial.find(f"{call}.dual", repr(result.lower), f"its dual point proves {dual} = {float(dual)!r}")
    check_untouched(trial, problem.before)


def _judge_comparison(trial: Trial, truth: Truth) -> None:
    comparison = trial.at["comparison"]
    chosen = exact_vector(comparison.closed_form.probabilities)
    mean = sum((a * b for a, b in zip(chosen, truth.costs, strict=True)), Fraction(0))
    trial.judge("comparison.gradient_descent", comparison.gradient_descent, truth.gradient_descent)
    trial.judge("comparison.closed_form.bound", comparison.closed_form.bound, truth.closed)
    at_closed = Multiple(truth.weighted(chosen), mean)
    trial.judge("comparison.closed_form_cost", comparison.closed_form_cost, at_closed)
    for k, bracket in enumerate(comparison.block_L):
        trial.judge(f"comparison.block_L[{k}]", bracket, truth.block_L[k])


def _reachable(truth: Truth, attained: Real, overhead: Fraction, *, nonconvex: bool, forced: bool) -> list[Real]:
    """Costs of probabilities that anyone may choose: no lower bound may exceed one of them."""
    whole = overhead + sum(truth.costs, Fraction(0))
    costs: list[Real] = [attained, Multiple(truth.lmax, whole)]
    if not forced and semidefinite(truth.matrix):
        top = max(truth.p)
        p = [x / top for x in truth.p]
        mean = overhead + sum((a * b for a, b in zip(p, truth.costs, strict=True)), Fraction(0))
        law = Truth(truth.matrix, truth.sizes, [[min(a, b) for b in p] for a in p], truth.costs)
        costs.append(Multiple(law.L_M if nonconvex else law.L_P, mean))
    return costs


def _optimum(truth: Truth, *, nonconvex: bool) -> Real | None:
    """The optimum where a formula gives it: one block, no entries between blocks, or rank one (c(P) only)."""
    if len(truth.sizes) == 1:
        return Multiple(truth.lmax, truth.costs[0])
    if truth.split and all(L.sign(Fraction(0)) >= 0 for L in truth.block_L):
        return truth.sumcL
    return None if nonconvex else _rank_one_optimum(truth)


def _rank_one_optimum(truth: Truth) -> Real | None:
    """(sum sqrt(c_k) |v_k|)^2 for L = v v'."""
    pivot = next((i for i, row in enumerate(truth.matrix) if row[i]), None)
    if pivot is None:
        return None
    m = truth.matrix
    n = range(len(m))
    if any(m[i][j] * m[pivot][pivot] != m[i][pivot] * m[pivot][j] for i in n for j in n):
        return None
    traces = [sum((m[i][i] for i in n if truth.label[i] == k), Fraction(0)) for k in range(len(truth.sizes))]
    return square_of_sum_of_roots([rational(c * t) for c, t in zip(truth.costs, traces, strict=True)])


def dual_value(truth: Truth, result: SearchResult, overhead: Fraction, forced: Sequence[int] | None) -> Fraction:
    """<V, L V> over the least factor by which V V' must shrink to be dual feasible, in fractions."""
    V = [exact_vector(row) for row in result.dual]
    columns = list(zip(*V, strict=True))
    value = sum(
        (
            x[i] * x[j] * entry * (1 if i == j else 2)
            for x in columns
            for i, row in enumerate(truth.matrix)
            for j, entry in enumerate(row[: i + 1])
            if entry and x[i] and x[j]
        ),
        Fraction(0),
    )
    traces = [Fraction(0)] * len(truth.sizes)
    for k, row in zip(truth.label, V, strict=True):
        traces[k] += sum((x * x for x in row), Fraction(0))
    # Along a forced order partial sums are bounded; otherwise the blocks that exceed their costs most come first.
    sequence = forced or sorted(range(len(traces)), key=lambda k: traces[k] / truth.costs[k], reverse=True)
    paid, mass, factor = overhead, Fraction(0), Fraction(0)
    for k in sequence:
        paid, mass = paid + truth.costs[k], mass + traces[k]
        factor = max(factor, mass / paid)
    return value / factor if factor else Fraction(0)


# -- claims -------------------------------------------------------------------------------------------


@dataclass
class Claim:
    """A claim as text, and its two sides as the judge knows them."""

    text: str
    left: Real
    relation: str
    right: Real


def claims(trial: Trial) -> None:
    """Random claims about one problem, through `verify` or through the command line."""
    if trial.rng.random() < 0.12:
        _claims_by_command(trial)
        return
    problem = _drawn(trial, definite=True)
    if problem is None:
        return
    asked = [draw_claim(trial.rng, problem.truth) for _ in range(trial.rng.randint(5, 30))]
    law = f"probabilities=p, sampling={problem.law.name!r}"
    law = law if problem.law.name and trial.rng.random() < 0.5 else "sampling=sampling"
    trial.write(f"claims = {[claim.text for claim in asked]}")
    call = f"verify(L, blocks, costs={problem.costs}, {law}, claims=claims)"
    result = trial.ask(call)
    if result is not None:
        _judge_verdicts(trial, problem.truth, asked, [c.verdict.value for c in result.claims], call)
    check_untouched(trial, problem.before)


def _judge_verdicts(trial: Trial, truth: Truth, asked: Sequence[Claim], verdicts: Sequence[str], call: str) -> None:
    paper = verdicts[: len(verdicts) - len(asked)]
    trial.count("statements of the paper", len(paper))
    if "REFUTED" in paper and semidefinite(truth.matrix):
        trial.find(f"statement {paper.index('REFUTED')} of {call}", "REFUTED", "a theorem, and L is semidefinite")
    for claim, verdict in zip(asked, verdicts[len(paper) :], strict=True):
        trial.count("claims")
        trial.count(f"claims, {verdict}")
        if verdict == "UNDECIDED":
            continue
        try:
            sign = order(claim.left, claim.right)
        except ArithmeticError:
            trial.find(f"claim {claim.text} in {call}", verdict, "UNDECIDED, for a side has no value")
            continue
        if sign is None and truth.tied(claim.left, claim.right):
            sign = 0
        if sign is None:
            strict = (claim.relation in ("<", ">")) == (verdict == "PROVED")
            trial.count("claims, not judged" + strict * " though told strictly")
        elif holds(sign, claim.relation) != (verdict == "PROVED"):
            trial.find(f"claim {claim.text} in {call}", verdict, f"{shown(claim.left)} against {shown(claim.right)}")


def draw_claim(rng: random.Random, truth: Truth) -> Claim:
    """A claim whose truth is close to call."""
    left_text, left = _side(rng, truth)
    pair = left(64)
    style = rng.random()
    if style < 0.15 or pair is None:
        name = rng.choice(NAMES)
        right_text, right = name, getattr(truth, name)
    elif style < 0.3:
        name = rng.choice(NAMES)
        right_text, right = name, getattr(truth, name)
        other = right(64)
        if other is not None and other[0] > 0 and pair[0] > 0:
            text, factor = _number(rng, (pair[0] / other[1], pair[1] / other[0]))
            right_text, right = f"{text}*{name}", product(rational(factor), right)
    else:
        right_text, value = _number(rng, pair if rng.random() < 0.7 else left(200) or pair)
        right = rational(value)
    relation = rng.choice(RELATIONS)
    if rng.random() < 0.3:
        left_text, left, right_text, right = right_text, right, left_text, left
    return Claim(f"{left_text} {relation} {right_text}", left, relation, right)


def _side(rng: random.Random, truth: Truth) -> tuple[str, Real]:
    """A quantity, or a simple expression of two."""
    name, other = rng.sample(NAMES, 2)
    a, b = getattr(truth, name), getattr(truth, other)
    style = rng.random()
    if style > 0.25:
        return name, a
    second, first = b(64), a(64)
    if style < 0.05 and second is not None and second[0] > 0:
        return f"{name}/{other}", product(a, reciprocal(b))
    if style < 0.1:
        return f"{name}*{other}", product(a, b)
    if style < 0.15:
        return f"({name} + {other})", total([a, b])
    if style < 0.2 and first is not None and first[0] >= 0:
        return f"sqrt({name})", root(a)
    return f"2*{name}", product(rational(2), a)


def _number(rng: random.Random, near: Pair) -> tuple[str, Fraction]:
    """A number at, next to or away from an enclosed one, as text in the language of claims."""
    low, high = near
    value = (low + high) / 2
    style = rng.random()
    if style < 0.4:
        if low != high:
            value = Fraction(draws.nearest_float(value))
        text = _in_full(value)
        if text is not None:
            return text, value
    elif style < 0.55:
        value *= 1 + rng.choice((-1, 1)) * Fraction(10) ** -rng.randint(3, 45)
    elif style < 0.65:
        value = Fraction(math.nextafter(draws.nearest_float(value), rng.choice((-math.inf, math.inf))))
        text = _in_full(value)
        if text is not None:
            return text, value
    elif style < 0.75:
        value *= rng.choice((Fraction(1, 2), Fraction(9, 10), Fraction(11, 10), 2))
    rounding = rng.choice((ROUND_FLOOR, ROUND_CEILING))
    context = Context(prec=rng.choice((2, 6, 15, 17, 25, 55)), rounding=rounding)
    rounded = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    sign, digits, exponent = rounded.as_tuple()
    return "-" * sign + "".join(map(str, digits)) + f"e{exponent}", Fraction(rounded)


def _in_full(value: Fraction) -> str | None:
    """The value itself as a decimal number or a quotient, None if that is long."""
    size = value.denominator.bit_length()
    if value.numerator.bit_length() + size > 400:
        return None
    if value.denominator == 1 << (size - 1):
        return f"{value.numerator * 5 ** (size - 1)}e-{size - 1}"
    return f"{value.numerator}/{value.denominator}" if value.numerator > 0 else None


# -- the command line ---------------------------------------------------------------------------------


def _claims_by_command(trial: Trial) -> None:
    """The same through `rpttheory verify FILE`, where everything is text."""
    rng, trial.inputs = trial.rng, "command line"
    d = draws.dimension(rng)
    sizes = draws.block_sizes(rng, d)
    data = rng.random() < 0.5
    matrix = draws.draw_matrix(rng, d, semidefinite=True, form="data file" if data else "file")
    for line in matrix.lines:
        trial.write(line)
    arguments = ["--symmetrize"] * ("symmetrize" in matrix.make)
    arguments += ["--blocks", "each" if sizes == [1] * d and rng.random() < 0.5 else ",".join(map(str, sizes))]
    if data:
        n, ridge = len(trial.at["A"]), rng.choice(("", "0", "0.1", "1e-18", "3"))
        trial.at["scale"], trial.at["shift"] = Fraction(2, n), 2 * Fraction(ridge or 0)
        arguments += ["--data", *(["--ridge", ridge] if ridge else [])]
    style = rng.choice(("size", "equal", "numbers", "numbers"))
    prices = [Fraction(size) if style == "size" else Fraction(1) for size in sizes]
    if style == "numbers":
        typed = [draws.decimal_text(rng, cost) for cost in draws.costs(rng, sizes)]
        prices = [Fraction(item) for item in typed]
        arguments += ["--costs", ",".join(typed)]
    elif style == "equal" or rng.random() < 0.5:
        arguments += ["--costs", style]
    whole = sum(prices)
    costs = prices if abs(whole - 1) <= Fraction(1, 10**12) else [price / whole for price in prices]
    typed = [draws.decimal_text(rng, p) for p in draws.probabilities(rng, len(sizes))]
    p = [Fraction(item) for item in typed]
    sampling = rng.choice(("nested", "independent"))
    pairs = [
        [a if i == j else min(a, b) if sampling == "nested" else a * b for j, b in enumerate(p)]
        for i, a in enumerate(p)
    ]
    truth = Truth(matrix.meaning(trial.at), sizes, pairs, costs)
    asked = [draw_claim(rng, truth) for _ in range(rng.randint(5, 20))]
    arguments += ["--p", ",".join(typed), "--sampling", sampling, "--json"]
    arguments += [f"--claim={claim.text}" for claim in asked]
    call = f"command('verify', {matrix.file}, *{arguments!r})"
    answer = trial.ask(call)
    if answer is None:
        return
    code, out, complaint = answer
    if code == 2:
        trial.count("refused")
        trial.count("commands, refused")
        return
    if code not in (0, 1, 3):
        trial.find(call, complaint, "exit code 0, 1, 2 or 3")
        return
    trial.count("commands")
    result = json.loads(out)
    _judge_verdicts(trial, truth, asked, [claim["verdict"] for claim in result["claims"]], call)
    for name, ends in result["quantities"].items():
        low, high = (
            side if ends[key] is None else Fraction(ends[key])
            for key, side in (("lower", -math.inf), ("upper", math.inf))
        )
        trial.judge(f"{name} of {call}", Bracket(low, high, Rigour[ends["rigour"]]), getattr(truth, name))


ATTACKS: dict[str, Callable[[Trial], None]] = {"brackets": brackets, "optima": optima, "claims": claims}


def run(kind: str, amount: int, origins: Iterator[str], deadline: float = math.inf, **replaced: Any) -> Tally:
    """Attack until so many brackets, optima or claims have been judged, or time is up.

    `replaced` puts other functions in the place of the package's: the attack must see when they are wrong.
    """
    tally = Tally()
    while tally.counts[kind] < amount and time.monotonic() < deadline:
        ATTACKS[kind](Trial(tally, next(origins), **replaced))
    return tally
