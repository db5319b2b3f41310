"""Sections whose words need an erratum, by label. A section states nothing itself."""

from ..engine.entry import Entry, Erratum, Severity, Status


def place(
    label: str,
    title: str,
    needs: str,
    text: str = "",
    errata: tuple[Erratum, ...] = (),
    see: tuple[str, ...] = (),
) -> Entry:
    """An entry without a statement, which points to the claims made there: `needs`, with blanks
    between them.
    """
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
        "text:SkGD text:LP text:recoversRCD lem:key_quantity "
        "lem:generalizedSmoothness lem:secondMoment thm:rcdStronglyConvex "
        "thm:rcdConvex thm:rcdNonconvex text:replaceLPbyLM",
        errata=(
            Erratum(
                r"\text{fully characterize its iteration complexity}",
                "the theorems are upper bounds, and not the best: L_P bounds the complexity",
                Severity.GAP,
            ),
        ),
    ),
    place(
        "subsec:formulation",
        "Subsection: the problem",
        "as:matrixSmoothness as:stronglyConvex as:convex as:nonconvex",
        errata=(
            Erratum(
                r"\mathrm{argmin}_x f(x) \text{ under as:nonconvex}",
                "there a minimizer need not exist, and thm:rcdNonconvex promises a small gradient"
                " only",
                Severity.REMARK,
            ),
        ),
        see=("thm:rcdNonconvex",),
    ),
)
