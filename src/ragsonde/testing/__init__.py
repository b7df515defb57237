"""Aids for testing against Ragsonde: servers that behave well, or badly, on demand."""
