"""Long runs: executors, the store of results, progress."""
