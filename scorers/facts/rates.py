"""Rates: what a unit is counted per ("5 mg daily", "50 км в час"), speeds, and what is taken off a price."""

import re

from ragsonde.scorers.facts.amounts import per_phrases
from ragsonde.scorers.facts.following import GAP, look_up
from ragsonde.scorers.facts.lexicon import Meaning, unit_words
from ragsonde.scorers.facts.script import fold

_SLASHED_UNIT = re.compile(rf"{GAP}([^\W\d_]+|[€$£¥%µ]+[^\W\d_]*)(?=/)")
_PER = re.compile(
    " ?/ ?| (?:à l|all)['’]| (?:per|pro|por|par|al|alla|ao|na|на|за|za|je|a|an|à|v|в|у|po|по|in der|in het) "
)
_PER_WORDS = re.compile(" (([^\\W\\d_]+)(?: [^\\W\\d_]+)?)")
_FOR_A_TIME = frozenset({"a", "an", "v", "в", "у", "po", "по", "in der", "in het"})
"""Words for "per" that say many other things too."""
_TAKEN_OFF = re.compile(r"\s?的?(?:折扣|优惠|優惠|减免|減免|引き|引|オフ|할인)")
_LESS_BY = re.compile(r"(?:优惠|優惠|减|減|便宜|折扣)[了为為]?\s?$")
_LEFT_OF = re.compile(r"(?:原价|原價|票价|价格|价|價)的$")
_SPEED = re.compile(r"(?:每小[时時]|[时時]速|시속|saatte)\s?(?:为|為|约|約|是|は|약)?\s?$", re.IGNORECASE)
"""Before a distance: what one covers in an hour."""


def with_per(
    plain: str, end: int, meanings: frozenset[Meaning], stop: int
) -> tuple[frozenset[Meaning], int, frozenset[Meaning]]:
    """The unit with what it is counted per, and the latter: "10 mg/kg", "3 times per week", "5 mg daily"."""
    if not meanings:
        slashed = _SLASHED_UNIT.match(plain, end)
        meanings = unit_words().get(fold(slashed[1]), frozenset()) if slashed else frozenset()
        stop = slashed.end(1) if slashed else end
    per, after = _counted_per(plain, stop) if meanings else (frozenset[Meaning](), end)
    ratios = frozenset(
        (f"{dimension}/{other}", scale / other_scale) for dimension, scale in meanings for other, other_scale in per
    )
    return (ratios, after, per) if ratios else (meanings, stop if meanings else end, per)


def _counted_per(plain: str, stop: int) -> tuple[frozenset[Meaning], int]:
    """What a unit that ends at ``stop`` is counted per, and where its words end."""
    if (words := _PER_WORDS.match(plain, stop)) is not None:
        found = per_phrases()
        for group in (1, 2):  # two words, or one
            if (meaning := found.get(fold(words[group]))) is not None:
                return frozenset({meaning}), words.end(group)
    match = _PER.match(plain, stop)
    if match is None:
        return frozenset(), stop
    per, after = look_up(plain, match.end(), unit_words())
    if match[0].strip() in _FOR_A_TIME:  # "2 kg a person" is no ratio of units
        per = frozenset(meaning for meaning in per if meaning[0] in ("time", "months"))
    return per, after


def reduced(plain: str, start: int, end: int, meanings: frozenset[Meaning]) -> frozenset[Meaning]:
    """A share as what is taken off a price, or as what is left of it: "20%的折扣" is 八折, as is "原价的80%"."""
    before = plain[max(0, start - 8) : start]
    sides = (("off", _TAKEN_OFF.match(plain, end) or _LESS_BY.search(before)), ("paid", _LEFT_OF.search(before)))
    return frozenset(
        (side, scale) for side, found in sides if found for dimension, scale in meanings if dimension == "share"
    )


def as_speed(plain: str, start: int, meanings: frozenset[Meaning]) -> frozenset[Meaning]:
    """The meanings of a figure that begins at ``start``: of a distance covered in an hour, its speed."""
    if not any(dimension == "length" for dimension, _ in meanings):
        return meanings
    if _SPEED.search(plain, max(0, start - 12), start) is None:
        return meanings
    return frozenset(("length/time", scale / 3600) for dimension, scale in meanings if dimension == "length")
