"""The command line. Modules here import the numerical parts only when a command runs."""

from .main import run

__all__ = ["run"]
