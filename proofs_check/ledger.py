"""The entries of the ledger, in the order in which they are read."""

import difflib
from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from importlib import import_module

from rpttheory.errors import InvalidInput
from rpttheory.statements.numbering import NUMBERS

from .engine.entry import Entry
from .engine.lines import record

# The modules of entries with the labels of each, in the order in which they are read. A module
# holds one entry as CLAIM, or several that belong together as CLAIMS.
MODULES = {
    "facts.matrices": (
        "fact:congruence fact:rayleigh fact:cauchySchwarz fact:schurComplement fact:schurProduct"
    ),
    "facts.convexity": "fact:cocoercivity fact:jensen",
    "facts.compound_interest": "fact:compoundInterest",
    "paper.alg_MAIN_COMPACT": "line:PTb alg:MAIN-COMPACT alg:PT",
    "paper.text_matrixSmooth": "text:matrixSmooth",
    "paper.assumptions": "as:matrixSmoothness as:stronglyConvex as:convex as:nonconvex",
    "paper.text_SkGD": "text:SkGD text:LP",
    "paper.lem_key_quantity": "lem:key_quantity",
    "ours.key_quantity": "our:keyQuantity",
    "paper.lem_generalizedSmoothness": "lem:generalizedSmoothness",
    "ours.generalized_smoothness": "our:generalizedSmoothness",
    "paper.lem_secondMoment": "lem:secondMoment",
    "paper.thm_rcdStronglyConvex": "thm:rcdStronglyConvex",
    "ours.strongly_convex": "our:stronglyConvex our:freshDraws",
    "ours.strongly_convex_sharp": "our:stronglyConvexConjecture our:stronglyConvexSharp",
    "ours.strongly_convex_simple": "our:stronglyConvexSimple our:stronglyConvexWhen",
    "ours.strongly_convex_worst": "our:stronglyConvexWorst",
    "paper.thm_rcdConvex": "thm:rcdConvex",
    "ours.convex_sharp": "our:convexSharp our:convexAttained",
    "ours.last_iterate": (
        "our:lastIterate our:lastIterateOne our:lastIterateDescent our:lastIterateShort "
        "our:lastIterateLong"
    ),
    "paper.thm_rcdNonconvex": "thm:rcdNonconvex",
    "paper.text_replaceLPbyLM": "text:replaceLPbyLM",
    "ours.nonconvex": (
        "our:nonconvexOneStep our:nonconvexApproached our:nonconvexRandomIterate our:LMconvex"
    ),
    "paper.text_recoversRCD": "text:recoversRCD",
    "ours.function_values": "our:functionValues our:polyakLojasiewicz",
    "ours.proximal": "our:proximal",
    "ours.noisy": "our:noisyConvex our:noisyStronglyConvex our:noisyNonconvex",
    "paper.def_PTsketch": "def:PTsketch",
    "paper.alg_rpt": "alg:rpt text:RPTisSkGD",
    "paper.text_sigma": "text:sigma",
    "paper.text_expectedCost": "as:normalized text:expectedCost",
    "paper.text_totalCost": "text:totalCost text:gradientDescent",
    "ours.two_bounds": "our:twoBounds our:indefinite",
    "paper.lem_twoBounds": "lem:twoBounds",
    "ours.tightness": "our:tightness",
    "paper.prop_reachable_upper_bound": "prop:reachable_upper_bound text:blocksExtension",
    "paper.lem_upperBound": "text:productBound lem:upperBound",
    "paper.text_passing": "text:firstChoice",
    "ours.sdp": "our:sdp",
    "ours.duality": "our:duality",
    "ours.sandwich": "our:sandwich",
    "paper.text_corollary": "text:corollary",
    "ours.closed_form_factor": "our:closedFormFactor",
    "ours.when_rpt_helps": "our:whenRPTHelps",
    "ours.log_convex": "our:logConvex",
    "ours.overhead": "our:overhead",
    "ours.forced_order": "our:forcedOrder our:pooledClosedForm",
    "paper.eq_complexity": "eq:complexity",
    "paper.text_nonconvex": "text:nonconvex",
    "ours.sampling_independence": "our:samplingIndependence",
    "ours.samplings": (
        "our:anySampling our:singleBlockOptimal our:independentFactor our:blockBudget "
        "our:backpropagation our:backpropagationByLM our:nestedLoss our:nestedWorst "
        "our:convexByLM our:weightedMean"
    ),
    "ours.second_moment_convex": "our:secondMomentConvex",
    "paper.tables": "table:quad_functions text:quadraticFunctions table:ridge_regression",
    "paper.text_networkProbabilities": "text:networkProbabilities text:roundSizes",
    "paper.thm_non_convex": "ass:ABC thm:non-convex",
    "ours.generic_nonconvex": "our:genericNonconvex",
    "paper.text_ABCways": "text:ABCtwoWays text:ABCnoOtherWays",
    "paper.text_genericRates": "text:genericRootT text:genericSecondCase text:LambdaGeqLP",
    "paper.thm_oldConvex": "thm:oldConvex",
    "ours.generic_convex": "our:genericConvex",
    "paper.text_oldConvexRate": "text:LPgeqL text:optimalStepsize text:genericConvexWorse",
    "ours.smoothness_below": "our:LPgeqL",
    "ours.portable_certificate": "our:portableCertificate",
    "paper.text_progfed": "text:progfedQ text:progfedFirst",
    "paper.places": "sec:NewAnalysisOfRCD subsec:formulation",
    "elsewhere.nesterov_lemma1": "nesterov2012:lemma1",
}


class LedgerError(ValueError):
    """The entries do not hang together."""


def entries(labels: Iterable[str] = ()) -> tuple[Entry, ...]:
    """Return what `load` does; every entry must be recorded in `engine/lines.json`."""
    claims = load(labels)
    for claim in claims:
        if claim.label not in record():
            raise LedgerError(f"{claim.label} is not recorded: python -m proofs_check.record_lines")
    return claims


def load(labels: Iterable[str] = ()) -> tuple[Entry, ...]:
    """Return the entries with these labels and everything they rest on, or all entries.

    Only the modules of these entries are imported, and what these modules need themselves.
    """
    places = {label: name for name, text in MODULES.items() for label in text.split()}
    pending = list(labels)
    for label in pending:
        if label not in places:
            suggestions = (
                difflib.get_close_matches(label, [*places, *NUMBERS.values()], n=3, cutoff=0.4)
                or list(places)[:3]
            )
            raise InvalidInput("unknown label", repr(label), ", ".join(suggestions))
    pending = pending or list(places)
    claims: dict[str, Entry] = {}
    while pending:
        label = pending.pop()
        if label not in claims:
            claims[label] = _entry(places[label], label)
            pending += claims[label].below & places.keys()
    result = [claims[label] for label in places if label in claims]
    require_sound(result, places)
    return tuple(result)


def _entry(module_name: str, label: str) -> Entry:
    module = import_module(f".{module_name}", __package__)
    claims: Sequence[Entry] = [module.CLAIM] if hasattr(module, "CLAIM") else module.CLAIMS
    return next(claim for claim in claims if claim.label == label)


def require_sound(claims: Sequence[Entry], known: Iterable[str] = ()) -> None:
    """Raise on a label used twice, a reference that leads nowhere, a circle of needs, and a
    correction of nothing. References may lead to the labels of `known` as well.
    """
    labels = [claim.label for claim in claims]
    for label in labels:
        if labels.count(label) > 1:
            raise LedgerError(f"two entries are labeled {label}")
    for claim in claims:
        for reference in (*sorted(claim.below), *claim.see):
            if reference not in {*labels, *known}:
                raise LedgerError(f"{claim.label} refers to {reference}, which has no entry")
        require_errata(claim)
    try:
        TopologicalSorter({claim.label: claim.below for claim in claims}).prepare()
    except CycleError as circle:
        raise LedgerError(f"a circle of needs: {' -> '.join(circle.args[1])}") from None


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
            raise LedgerError(
                f"{claim.label}: {what} must be mended exactly where it names errata of the entry"
            )
