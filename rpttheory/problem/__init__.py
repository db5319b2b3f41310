"""What is given, and its numbers: smoothness matrix, blocks, costs, sampling, and the quantities of
the paper.
"""
