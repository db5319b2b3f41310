"""Formulas as MathML, which browsers draw by themselves, without a script."""

from __future__ import annotations

from typing import Any

from docutils import nodes

from proofs_check.engine.render import mathml


def visit_inline(translator: Any, node: nodes.math) -> None:
    """A formula within a line."""
    translator.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    """A formula of its own; one that is too wide for a telephone is scrolled, also by the
    keyboard.
    """
    translator.body.append(f'<div class="formula" tabindex="0">{mathml(node.astext())}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Announce the renderer and choose it."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
