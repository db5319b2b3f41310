"""The paper's network experiment: SGD, PT and RPT on a residual network, by the paper's cost and by
measured cost.
"""
