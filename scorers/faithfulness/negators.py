"""What a negating word negates: nothing where it sets a bound, asks or says "only"; a part of it in "not all"."""

import re

from ragsonde.scorers.faithfulness.words import key_of
from ragsonde.scorers.text.spans import Sentence

_COPULA = r"(?:\s+(?:is|are|be|ist|sind|es|est|è|é|son|sono|jest|de|di|von)){0,2}"
_THAN = r"(?:\s+(?:than|als|que|de|di|do|da|od|niż|než|nego|чем|ніж|dari|daripada|ca|än|end|enn)(?!\w)|\s+\d)"
_BOUND_AFTER = re.compile(
    rf"{_COPULA}\s+(?:"
    rf"(?:(?:more|less|fewer|later|earlier|longer|mehr|weniger|später|länger|plus|moins|más|menos|più|meno|mais|meer|"
    rf"minder|więcej|більше|больше|više){_THAN})|"
    r"(?:(?:de plus|mniej|później|później|wcześniej|dłużej|"
    r"более|менее|меньше|позднее|позже|ранее|раньше|manje|kasnije|ranije|duže|"
    r"lebih|kurang|be more|over|above|about|über|ponad|свыше|preko|"
    r"only|just|merely|simply|nur|bloß|seulement|sólo|solo|solamente|soltanto|apenas|tylko|jen|samo|только|лише|hanya|"
    r"saja|alleen|yalnızca|sadece|"
    r"but|except|other than|außer|sauf|excepto|salvo|tranne|oprócz|poza|kromě|osim|кроме|окрім|selain|behalve)(?!\w)))"
    r"|(?:得|能|可|应|會|会)?(?:低于|低於|少于|少於|小于|小於|高于|高於|多于|多於|大于|大於|超过|超過|超出|早于|早於|晚于|晚於|迟于|遲於|仅|僅|只)"
    r"|(?:เกิน|ต่ำกว่า|น้อยกว่า|มากกว่า|สูงกว่า|เพียง|เฉพาะ)",
    re.IGNORECASE,
)
"""After a negating word: "no more than 5" sets a bound, "nobody but them" means only them, "not only" adds;
none negates. "No more" and "no longer" by themselves do."""
_BOUND_BEFORE = re.compile(
    r"(?:超え|越え|上回ら|上まわら|下回ら|下まわら|넘지\s?|초과하지\s?|미만이\s?|이하로\s?|밑돌지\s?|웃돌지\s?)$"
)
"""The same before a negation at the end of a verb."""
_PARTLY_AFTER = re.compile(
    r"\s+(?:all|every|always|both|necessarily|entirely|completely|alle|allen|jeder|jede|jedes|immer|unbedingt|"
    r"tous|toutes|toujours|forcément|todos|todas|siempre|sempre|tutti|tutte|wszystkie|wszyscy|zawsze|všichni|všechny|"
    r"vždy|svi|sve|uvijek|uvek|все|всі|всегда|завжди|semua|selalu|altijd)(?!\w)",
    re.IGNORECASE,
)
"""After a negating word: "not all" says that some do and some don't."""
_ONLY_AFTER = re.compile(r"(?:\s*\w+){1,3}?\s+qu(?:e|['’])", re.IGNORECASE)
"""French: "il n'y a que deux guichets"."""
FULL_NEGATION = frozenset({"pas", "plus", "jamais", "rien", "aucun", "aucune", "personne", "guere", "ni", "nullement"})
"""French words that are one negation with the "ne" before them."""
_SENTENCE_END = re.compile(r"[.!?。！？؟\n]")
_QUESTIONS = frozenset("?？؟")


def negates_nothing(text: str, cue: Sentence) -> bool:
    """Whether a negating word, given with its place in ``text``, denies nothing: "no more than 5", "not only"."""
    return (
        _BOUND_AFTER.match(text, cue.end) is not None
        or _asks(text, cue.end)
        or _says_only(text, cue)
        or _bounded(text, cue)
    )


def negates_partly(text: str, cue: Sentence) -> bool:
    """Whether it says that something holds of some and not of others: "not all"."""
    return _PARTLY_AFTER.match(text, cue.end) is not None


def _asks(text: str, start: int) -> bool:
    """Whether the sentence goes on as a question: "wouldn't one have noticed?" says that one would."""
    end = _SENTENCE_END.search(text, start)
    return end is not None and end[0] in _QUESTIONS


def _says_only(text: str, cue: Sentence) -> bool:
    """Whether a French "ne" goes on with "que", so that it means "only"."""
    if not cue.text.lower().startswith(("ne", "n'", "n’")):
        return False
    found = _ONLY_AFTER.match(text, cue.end)
    return found is not None and FULL_NEGATION.isdisjoint(map(key_of, found[0].split()))


def _bounded(text: str, cue: Sentence) -> bool:
    return not cue.text.isascii() and _BOUND_BEFORE.search(text[max(0, cue.start - 6) : cue.start]) is not None
