"""The problem: smoothness matrix, blocks, costs, sampling, and the quantities of
the paper.
"""
