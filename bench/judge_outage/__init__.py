"""What a judge's outage costs: interactions lost, commits held up, seconds until verdicts come again."""
