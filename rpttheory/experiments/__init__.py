"""The paper's experiments: printed, recomputed, certified and measured values side by side."""
