"""Every label of the paper's source, in its order: what the ledger must cover."""

LABELS = (
    "alg:PT", "line:PTb", "alg:MAIN-COMPACT", "as:matrixSmoothness", "as:stronglyConvex", "as:convex",
    "as:nonconvex", "sec:NewAnalysisOfRCD", "lem:key_quantity", "lem:generalizedSmoothness", "lem:secondMoment",
    "thm:rcdStronglyConvex", "thm:rcdConvex", "thm:rcdNonconvex", "sec:RPTintro", "subsec:formulation",
    "def:PTsketch", "alg:rpt", "sec:AnalysisOfRPT", "as:normalized", "eq:complexity", "lem:twoBounds",
    "lem:upperBound", "sec:Experiments", "fig:quad_functions", "table:quad_functions", "fig:ridge_regression",
    "table:ridge_regression", "fig:cifar10_train_cost", "fig:cifar10_test_cost", "fig:cifar10_train_epoch",
    "fig:cifar10_test_epoch", "fig:cifar10", "sec:wangEtAl", "sec:tightness", "prop:reachable_upper_bound",
    "sec:Generic", "ass:ABC", "thm:non-convex", "thm:oldConvex",
)  # fmt: skip
