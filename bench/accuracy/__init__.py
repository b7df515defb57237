"""How well scorers agree with people: any scorer, and plain baselines, on sets with human labels."""
