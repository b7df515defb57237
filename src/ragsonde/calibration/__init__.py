"""How far a judge can be trusted: agreement with people, calibrated probabilities, and rates corrected by labels."""
