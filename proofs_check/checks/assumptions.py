"""Assumptions that several entries share, in the same words wherever they are made."""

FRESH = "the draws of different steps are independent"
FRESH_UNSAID = f"{FRESH} (the paper draws in each step and leaves the independence unsaid)"

# 1/L_P limits the stepsize, and L = 0 is a smoothness matrix; for f bounded below it leaves
# constants only.
NONZERO = "L is not 0, so L_P > 0; for L = 0 f is constant and nothing is to be shown"
NONZERO_UNSAID = f"{NONZERO} (unsaid; 1/L_P has no meaning there)"

# The same for the generic theorems, whose estimators need not be sketches.
FRESH_ESTIMATORS = "the estimators of different steps are independent given the past"
FRESH_ESTIMATORS_UNSAID = f"{FRESH_ESTIMATORS} (unsaid)"
POSITIVE = "A > 0; for A = 0 every estimator vanishes, so f is constant and nothing is to be shown"
POSITIVE_UNSAID = f"{POSITIVE} (unsaid; 1/A has no meaning there)"
