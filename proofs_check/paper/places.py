"""Sections and figures: what they hold, by label. A place says nothing itself."""

from ..engine.entry import Entry, Erratum, Severity, Status


def place(
    label: str, title: str, needs: str, text: str = "", errata: tuple[Erratum, ...] = (), see: tuple[str, ...] = ()
) -> Entry:
    """An entry without a statement, which points to the claims made there: `needs`, with blanks between them."""
    return Entry(
        label=label,
        title=title,
        latex=rf"\text{{{title}}}",
        text=text or title + ".",
        statement=Status.NONE,
        proof=Status.NONE,
        needs=tuple(needs.split()),
        see=see,
        errata=errata,
    )


CLAIMS = (
    place(
        "sec:NewAnalysisOfRCD",
        "Section: the analysis of SkGD",
        "text:SkGD text:LP text:recoversRCD text:biasedRCD text:sharpEstimates lem:key_quantity "
        "lem:generalizedSmoothness lem:secondMoment thm:rcdStronglyConvex text:immediateConsequence "
        "thm:rcdConvex thm:rcdNonconvex text:replaceLPbyLM",
        errata=(
            Erratum(
                r"\text{fully characterize its iteration complexity}",
                "the theorems are upper bounds, and not the best: L_P bounds the complexity",
                Severity.GAP,
            ),
        ),
    ),
    place("sec:RPTintro", "Section: RPT", "def:PTsketch alg:rpt text:RPTisSkGD"),
    place(
        "subsec:formulation",
        "Subsection: the problem",
        "as:matrixSmoothness as:stronglyConvex as:convex as:nonconvex",
        errata=(
            Erratum(
                r"\mathrm{argmin}_x f(x) \text{ under as:nonconvex}",
                "there a minimiser need not exist, and thm:rcdNonconvex promises a small gradient only",
                Severity.REMARK,
            ),
        ),
        see=("thm:rcdNonconvex",),
    ),
    place(
        "sec:AnalysisOfRPT",
        "Section: costs and probabilities",
        "as:normalized text:expectedCost text:sigma text:totalCost text:gradientDescent lem:twoBounds "
        "text:productBound lem:upperBound text:firstChoice text:corollary eq:complexity text:nonconvex",
    ),
    place(
        "sec:Experiments",
        "Section: experiments",
        "table:quad_functions text:quadraticFunctions table:ridge_regression text:networkProbabilities text:roundSizes",
    ),
    place("sec:wangEtAl", "Appendix: ProgFed", "text:progfedAlpha text:progfedFirst text:progfedQ"),
    place(
        "sec:tightness",
        "Appendix: tightness of lem:twoBounds",
        "lem:twoBounds prop:reachable_upper_bound text:blocksExtension",
    ),
    place(
        "sec:Generic",
        "Appendix: the generic theorems",
        "ass:ABC thm:non-convex text:ABCtwoWays text:ABCnoOtherWays text:genericRootT text:genericSecondCase "
        "text:LambdaGeqLP thm:oldConvex text:LPgeqL text:optimalStepsize text:genericConvexWorse",
    ),
    place(
        "fig:quad_functions",
        "Figure: RPT and gradient descent on quadratics",
        "table:quad_functions text:quadraticFunctions",
    ),
    place(
        "fig:ridge_regression",
        "Figure: RPT, gradient descent and cyclic descent in ridge regression",
        "table:ridge_regression",
    ),
    place(
        "fig:cifar10",
        "Figure: a network trained by RPT, SGD and PT",
        "text:networkProbabilities text:roundSizes",
        text="Curves only, in four panels. The cost counts the parameters updated; neither the forward pass nor the "
        "backward pass through the blocks that are not updated is charged.",
    ),
    place("fig:cifar10_train_cost", "Figure: training loss by cost", "fig:cifar10"),
    place("fig:cifar10_test_cost", "Figure: test accuracy by cost", "fig:cifar10"),
    place("fig:cifar10_train_epoch", "Figure: training loss by epoch", "fig:cifar10"),
    place("fig:cifar10_test_epoch", "Figure: test accuracy by epoch", "fig:cifar10"),
)
