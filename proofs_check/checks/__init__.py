"""The kinds of evidence, and the small problems that they are tried on."""
