"""A claim made in passing, without a label: what is said of others' work."""

from ..engine.entry import Entry, Erratum, Severity, Status

CLAIMS = (
    Entry(
        label="text:firstChoice",
        title="The first to take such probabilities without acceleration",
        latex=r"p_i \propto \sqrt{L_i}",
        text=(
            "The choice of lem:upperBound with equal costs is p_i proportional to the root of L_i."
            " To the best of the authors' knowledge no one had it before in a method without"
            " acceleration; who was first is not for a program to decide."
        ),
        statement=Status.NONE,
        proof=Status.NONE,
        needs=("lem:upperBound",),
        errata=(
            Erratum(
                r"\text{the first one to consider such choice of probabilities in a non-accelerated"
                r" setting}",
                "Nesterov (2012) has p_i proportional to any power of L_i in a method without"
                " acceleration, for one block at a time and equal costs; nested blocks and the"
                " costs are new here",
                Severity.GAP,
            ),
        ),
    ),
)
