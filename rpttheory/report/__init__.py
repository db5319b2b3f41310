"""Results as text for a person at a terminal."""

from .text import render_verification

__all__ = ["render_verification"]
