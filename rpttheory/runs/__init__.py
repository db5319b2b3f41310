"""What every long run needs: processes, and a place to keep results."""
