"""Results as text for a person at a terminal, and as pictures."""

from .comparison import check_plot_path, plot_comparison, render_comparison
from .text import render_verification

__all__ = ["check_plot_path", "plot_comparison", "render_comparison", "render_verification"]
