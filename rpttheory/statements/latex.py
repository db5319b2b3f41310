"""Claims as LaTeX, for the documentation, HTML pages and JSON."""

from .claim import Claim
from .expression import Call, Evaluator, Expression, Name, Negative, Number, Power, per_block

_SYMBOLS = {
    "lmax": r"\lambda_{\max}(L)",
    "L_P": "L_P",
    "L_M": "L_M",
    "cost": r"\sum_k p_k c_k",
    "c_P": "c(P)",
    "c_M": "c_M(P)",
    "closed": r"\left(\sum_k \sqrt{c_k L_k}\right)^2",
    "c_closed": r"c(P_{\mathrm{closed}})",
    "c_rounded": r"c(\hat P_{\mathrm{closed}})",
    "optimum": r"\min_P c(P)",
    "mu": r"\lambda_{\min}(L)",
    "d": "d",
    "B": "B",
    "tau": r"\tau",
    "xLx": r"x^\top L x",
    "dual": r"v^\top L v",
    "L": "L_k",
    "p": "p_k",
    "c": "c_k",
    "q": "q_k",
    "g": r"\|(Lx)_k\|^2",
}
RELATION_SYMBOLS = {"<=": r"\leq", "<": "<", ">=": r"\geq", ">": ">", "==": "="}
# How strongly an expression binds: sums, products, then everything that needs no parentheses.
_SUM = 0
_PRODUCT = 1
_ATOM = 2
Printed = tuple[str, int]


class LatexPrinter(Evaluator[Printed]):
    """Prints an expression as LaTeX, together with how strongly it binds."""

    def number(self, node: Number) -> Printed:
        """Return a decimal as written, or a fraction."""
        return node.source, _ATOM

    def name(self, node: Name) -> Printed:
        """Return the paper's symbol."""
        symbol = _SYMBOLS[node.name]
        return symbol, _PRODUCT if symbol.startswith(r"\sum") else _ATOM

    def negative(self, node: Negative, value: Printed) -> Printed:
        """Return the expression with a minus sign."""
        return f"-{_within(value, _PRODUCT)}", _SUM

    def power(self, node: Power, base: Printed) -> Printed:
        """Return the power."""
        return f"{_within(base, _ATOM)}^{{{node.exponent}}}", _ATOM

    def call(self, node: Call, arguments: list[Printed]) -> Printed:
        """Return a root, an absolute value, or a sum, minimum or maximum."""
        if node.function == "sqrt":
            return rf"\sqrt{{{arguments[0][0]}}}", _ATOM
        if node.function == "abs":
            return rf"\left|{arguments[0][0]}\right|", _ATOM
        if node.over_blocks:
            return rf"\{node.function}_k {_within(arguments[0], _PRODUCT)}", _PRODUCT
        listed = ", ".join(text for text, _ in arguments)
        return rf"\{node.function}\left\{{{listed}\right\}}", _ATOM

    def combine(self, symbol: str, left: Printed, right: Printed, operand: Expression) -> Printed:
        """Return the operation, with parentheses where they are needed."""
        if symbol == "/":
            return rf"\frac{{{left[0]}}}{{{right[0]}}}", _ATOM
        if symbol == "*":
            first = left
            if left[0].startswith("\\sum") and not per_block(operand):
                first = (rf"\left({left[0]}\right)", _ATOM)
            return rf"{_within(first, _PRODUCT)} \, {_within(right, _PRODUCT)}", _PRODUCT
        return f"{left[0]} {symbol} {_within(right, _PRODUCT)}", _SUM


def latex(claim: Claim) -> str:
    r"""Return a claim as LaTeX.

    Parameters
    ----------
    claim : Claim

    Returns
    -------
    str

    Examples
    --------
    >>> from rpttheory.statements import parse
    >>> print(latex(parse("L_P <= lmax / min(p)")))
    L_P \leq \frac{\lambda_{\max}(L)}{\min_k p_k}
    """
    printer = LatexPrinter()
    left, _ = printer.evaluate(claim.left)
    right, _ = printer.evaluate(claim.right)
    return f"{left} {RELATION_SYMBOLS[claim.relation]} {right}"


def _within(value: Printed, level: int) -> str:
    """Return the text, in parentheses if it binds less strongly than the level."""
    text, binding = value
    return text if binding >= level else rf"\left({text}\right)"
