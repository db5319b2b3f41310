"""Textbook facts that proofs lean on, each with a short proof of its own that is checked like the
paper's.
"""
