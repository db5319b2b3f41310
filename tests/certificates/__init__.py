"""Certificates: what the checker accepts, refuses and prints."""
