"""How often the interval of the corrected rate holds the truth, and how wide it is."""
