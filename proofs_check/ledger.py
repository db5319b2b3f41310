"""The entries of the ledger, in the order in which they are read."""

import difflib
from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from importlib import import_module

from rpttheory.errors import InvalidInput

from .engine.entry import Entry
from .engine.lines import record

# Modules are listed, not registered by being imported: what the ledger holds can be read here.
MODULES = (
    "facts.matrices",
    "facts.convexity",
    "facts.compound_interest",
    "paper.alg_MAIN_COMPACT",
    "paper.text_matrixSmooth",
    "paper.assumptions",
    "paper.text_SkGD",
    "paper.lem_key_quantity",
    "ours.key_quantity",
    "paper.lem_generalizedSmoothness",
    "ours.generalized_smoothness",
    "paper.lem_secondMoment",
    "paper.thm_rcdStronglyConvex",
    "ours.strongly_convex",
    "ours.strongly_convex_sharp",
    "ours.strongly_convex_simple",
    "ours.strongly_convex_worst",
    "paper.thm_rcdConvex",
    "ours.convex_sharp",
    "ours.last_iterate",
    "paper.thm_rcdNonconvex",
    "paper.text_replaceLPbyLM",
    "ours.nonconvex",
    "paper.text_recoversRCD",
    "ours.function_values",
    "ours.proximal",
    "ours.noisy",
    "paper.def_PTsketch",
    "paper.alg_rpt",
    "paper.text_sigma",
    "paper.text_expectedCost",
    "paper.text_totalCost",
    "ours.two_bounds",
    "paper.lem_twoBounds",
    "ours.tightness",
    "paper.prop_reachable_upper_bound",
    "paper.lem_upperBound",
    "paper.text_passing",
    "ours.sdp",
    "ours.duality",
    "ours.sandwich",
    "paper.text_corollary",
    "ours.closed_form_factor",
    "ours.when_rpt_helps",
    "ours.log_convex",
    "ours.overhead",
    "ours.forced_order",
    "paper.eq_complexity",
    "paper.text_nonconvex",
    "ours.sampling_independence",
    "ours.second_moment_convex",
    "paper.tables",
    "paper.text_networkProbabilities",
    "paper.thm_non_convex",
    "ours.generic_nonconvex",
    "paper.text_ABCways",
    "paper.text_genericRates",
    "paper.thm_oldConvex",
    "ours.generic_convex",
    "paper.text_oldConvexRate",
    "ours.smoothness_below",
    "ours.portable_certificate",
    "paper.text_progfed",
    "paper.places",
    "elsewhere.nesterov_lemma1",
)


def all_entries() -> tuple[Entry, ...]:
    """Every entry; each must be recorded in `engine/lines.json`."""
    claims = load()
    for claim in claims:
        if claim.label not in record():
            raise ValueError(f"{claim.label} is not recorded: python -m proofs_check.record_lines")
    return claims


def load() -> tuple[Entry, ...]:
    """Every entry. A module holds one as CLAIM, or several that belong together as CLAIMS."""
    claims: list[Entry] = []
    for name in MODULES:
        module = import_module(f".{name}", __package__)
        claims += [module.CLAIM] if hasattr(module, "CLAIM") else module.CLAIMS
    require_sound(claims)
    return tuple(claims)


def require_sound(claims: Sequence[Entry]) -> None:
    """Raise on a label used twice, a reference that leads nowhere, a circle of needs, and a
    correction of nothing.
    """
    labels = [claim.label for claim in claims]
    for label in labels:
        if labels.count(label) > 1:
            raise ValueError(f"two entries are labelled {label}")
    for claim in claims:
        for other in (*sorted(claim.below), *claim.see):
            if other not in labels:
                raise ValueError(f"{claim.label} refers to {other}, which has no entry")
        require_errata(claim)
    try:
        TopologicalSorter({claim.label: claim.below for claim in claims}).prepare()
    except CycleError as circle:
        raise ValueError(f"a circle of needs: {' -> '.join(circle.args[1])}") from None


def require_errata(claim: Entry) -> None:
    """Raise unless everything that is mended names errata of the entry, which say how serious it
    was.
    """
    corrections = [("the statement", bool(claim.corrected), claim.mends)]
    corrections += [
        (f"step {number}", step.mended is not None, step.mends)
        for number, step in enumerate(claim.steps, 1)
    ]
    for what, mended, mends in corrections:
        if mended != bool(mends) or not set(mends) <= set(claim.errata):
            raise ValueError(
                f"{claim.label}: {what} must be mended exactly where it names errata of the entry"
            )


def select(claims: Sequence[Entry], labels: Iterable[str]) -> tuple[Entry, ...]:
    """The entries with these labels and everything they rest on; all of them where no label is
    given.
    """
    by_label = {claim.label: claim for claim in claims}
    wanted: set[str] = set()
    pending = list(labels)
    for label in pending:
        if label not in by_label:
            near = difflib.get_close_matches(label, by_label, n=3, cutoff=0.4) or list(by_label)[:3]
            raise InvalidInput("unknown label", repr(label), ", ".join(near))
    if not pending:
        return tuple(claims)
    while pending:
        label = pending.pop()
        if label not in wanted:
            wanted.add(label)
            pending += by_label[label].below
    return tuple(claim for claim in claims if claim.label in wanted)
