"""Claims, how they are judged, and how the judgement is shown."""
