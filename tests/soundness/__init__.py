"""A standing attack on the arithmetic: random inputs in every form, judged in exact rationals."""
