"""The pages of the review queue and the overview."""
