"""The words of the claim language with their meanings, for help that must not import numpy."""

QUANTITIES = {
    "lmax": "lambda_max(L)",
    "L_P": "lambda_max(P^-1/2 L P^-1/2)",
    "L_M": "lambda_max(E[CLC])",
    "cost": "sum p_k c_k, the expected cost of a step",
    "c_P": "c(P) = L_P sum p_k c_k",
    "c_M": "c_M(P) = L_M sum p_k c_k",
    "closed": "(sum sqrt(c_k L_k))^2, the bound of the closed form",
    "c_closed": "c(P) at the closed form p_k ~ sqrt(L_k / c_k)",
    "c_rounded": "c(P) at the closed form rounded to doubles",
    "optimum": "the least c(P), certified",
    "mu": "lambda_min(L)",
    "d": "the number of coordinates",
    "B": "the number of blocks",
    "tau": "the largest number of blocks that a step updates",
    "xLx": "x'Lx at a fixed vector x of small integers",
    "dual": "v'Lv for v_k = sqrt(c_k) x_k / |x_k| at the same x, a lower bound on every c(P)",
}
PER_BLOCK = {
    "L": "L_k = lambda_max(L_kk)",
    "p": "p_k",
    "c": "c_k",
    "q": "p_k again, computed as a sum over the outcomes of the sampling",
    "g": "|(Lx)_k|^2 at the same x",
}
FUNCTIONS = {
    "sqrt": "sqrt(x), the square root",
    "abs": "abs(x), the absolute value",
    "min": "min(x, y) of numbers, min(p) over the blocks",
    "max": "max(x, y) of numbers, max(p) over the blocks",
    "sum": "over the blocks: sum(p*c), sum(sqrt(c*L))",
}
NAMES = tuple(QUANTITIES)
# Names that speak of one point x; everything else is about L, p, c and the sampling.
AT_A_POINT = frozenset({"xLx", "dual", "g"})
# Names that depend on which blocks are drawn together; the others know the marginals p alone.
JOINT = frozenset({"L_M", "c_M", "q", "tau"})


def words() -> dict[str, str]:
    """Return every word and sign of the language with its meaning.

    Returns
    -------
    dict

    Examples
    --------
    >>> words()["d"]
    'the number of coordinates'
    """
    per_block = {name: f"{text}, inside sum, min or max" for name, text in PER_BLOCK.items()}
    signs = {
        "+ - * / ^": "arithmetic; the exponent of ^ or ** is an integer",
        "<= < >= > ==": "a claim has exactly one of these",
    }
    return {**QUANTITIES, **per_block, **FUNCTIONS, **signs}


def language() -> str:
    """Return the language of claims as a table.

    Returns
    -------
    str

    Examples
    --------
    >>> "lambda_max(L)" in language()
    True
    """
    return "\n".join(f"{word:14s}{meaning}" for word, meaning in words().items())
