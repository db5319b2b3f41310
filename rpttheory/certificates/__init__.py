"""Certificates: `writer` makes them, and `checker` checks them alone, as a single file."""
