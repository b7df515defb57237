"""What judging costs: calls and tokens per interaction in either mode, counted at the judge server."""
