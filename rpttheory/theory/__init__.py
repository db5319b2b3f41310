"""What the paper says of a problem: bounds, tightness, rates, and claims of the user's own."""
