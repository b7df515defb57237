"""From an interaction to typed outcomes: scored, not applicable, or failed."""
