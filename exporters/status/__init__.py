"""The live page: what the sidecar has seen lately, for a person to look at."""
