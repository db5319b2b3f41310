"""Assumptions that several entries share, in the same words wherever they are made."""

from __future__ import annotations

FRESH = "the draws of different steps are independent"
FRESH_UNSAID = f"{FRESH} (the paper draws in each step and leaves the independence unsaid)"

# 1/L_P limits the stepsize, and L = 0 is a smoothness matrix; for f bounded below it leaves constants only.
NONZERO = "L is not 0, so L_P > 0; for L = 0 f is constant and nothing is to be shown"
NONZERO_UNSAID = f"{NONZERO} (unsaid; 1/L_P has no meaning there)"
