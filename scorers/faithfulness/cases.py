"""Where two sentences that give different values name their cases, in signs rather than words."""

import regex

from ragsonde.scorers.faithfulness.variants import simplified
from ragsonde.scorers.faithfulness.words import function_words, split_words
from ragsonde.scorers.text.scripts import UNSPACED

_NO_LETTER = regex.compile(r"[^\p{L}\p{M}]+")
_LONGEST = 8
"""Signs of what names a case."""


def word_after(text: str, end: int) -> str:
    """The word after a number, folded ("500 requests"); empty where it is one of grammar or the clause ends."""
    after = text[end : end + 40]
    word = next(iter(split_words(after)), None)
    if word is None or word.key in function_words() or word.key.isdigit() or after[: word.start].strip():
        return ""
    return word.key


def cases_in_signs(here: str, there: str, said: str) -> tuple[str, str, bool] | None:
    """What two sentences differ in, each in one run of signs, and whether the second run is said; None where the first
    is said too, where they differ in more, or where what they share is not what is spoken of.
    """
    if not UNSPACED.search(here) or not UNSPACED.search(there):
        return None
    one, other, spoken = (_NO_LETTER.sub("", text.translate(simplified())) for text in (here, there, said))
    first = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    rest = min(len(one), len(other)) - first
    last = next((at for at in range(rest) if one[-1 - at] != other[-1 - at]), rest)
    mine, theirs = one[first : len(one) - last], other[first : len(other) - last]
    shared = one[:first] + one[len(one) - last :]
    if not mine or not theirs or max(len(mine), len(theirs)) > _LONGEST or mine in spoken:
        return None
    if not shared or sum(sign in spoken for sign in shared) * 2 < len(shared) or set(mine) <= set(spoken):
        return None
    return mine, theirs, theirs in spoken
