"""Checkable facts in text of any language: quantities, dates, times, weekdays, names, codes."""

from ragsonde.scorers.facts.agreement import Measured, agrees, bounds_explain_denial, same_amount
from ragsonde.scorers.facts.dates import Date, TimeOfDay, Weekday, find_weekdays
from ragsonde.scorers.facts.extraction import Fact, Facts, Measurements, find_facts, find_measurements
from ragsonde.scorers.facts.names import Code, Name
from ragsonde.scorers.facts.quantity import Quantity
from ragsonde.scorers.facts.turning_points import beyond

__all__ = [
    "Code",
    "Date",
    "Fact",
    "Facts",
    "Measured",
    "Measurements",
    "Name",
    "Quantity",
    "TimeOfDay",
    "Weekday",
    "agrees",
    "beyond",
    "bounds_explain_denial",
    "find_facts",
    "find_measurements",
    "find_weekdays",
    "same_amount",
]
