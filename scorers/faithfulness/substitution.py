"""A claim that says what the passage says, but for one word put in another's place: "in Leeds" for "in Hull".

Nearly all of such a claim is in the passage, so coverage alone finds it borne out. It is told apart from a paraphrase
by its place: the words around the new word stand around another word in the passage, and what is new is a name where
the passage has a name, or stands right at a preposition (a place, a material, an origin) where verbs do not stand.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import regex

from ragsonde.scorers.facts import Measured
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence, Window
from ragsonde.scorers.faithfulness.exchange import exchanged_stretch
from ragsonde.scorers.faithfulness.unspaced import replaced_run
from ragsonde.scorers.faithfulness.words import match_strength
from ragsonde.scorers.faithfulness.written import (
    HANGUL,
    PREPOSITIONS,
    WrittenWord,
    grammar_words,
    plain_words,
    written_words,
)
from ragsonde.scorers.text.scripts import UNSPACED

_CASED = regex.compile(r"[\p{Lu}\p{Ll}]")
_BETWEEN_KANA = regex.compile(r"(?<before>[\p{Hiragana}、，])(?<word>\p{Han}{2,6})(?<after>\p{Hiragana})")
_MOST_NEW_WORDS = 2
_SAME = 0.85
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Substitution:
    """A word of a claim and the one that stands in its place in the passage, as written."""

    stated: str
    found: str


def find_substitution(
    claim: str, alignment: Alignment, evidence: Evidence, measured: Sequence[Measured] = ()
) -> Substitution | None:
    """The word that a claim has in another's place; None where there is none or it may be a paraphrase.

    ``measured`` are the claim's figures, dates and times: one that the contexts give in other words is no other word.
    """
    if alignment.window is None:
        return None
    replaced = _find(claim, alignment.window, evidence)
    if replaced is None or not measured:
        return replaced
    start = claim.find(replaced.stated)
    end = start + len(replaced.stated)
    return None if any(f.start < end and start < f.end and evidence.giving(f) for f in measured) else replaced


def _find(claim: str, aligned: Window, evidence: Evidence) -> Substitution | None:
    window = evidence.main_sentence(claim, aligned)
    passage = evidence.documents[window.document].passage(window.first)
    if not claim.isascii() and UNSPACED.search(claim):
        if (replaced := replaced_run(claim, passage.text, evidence)) is not None:
            return Substitution(*replaced)
        known = (evidence.question, *(document.text for document in evidence.documents))
        if (exchanged := exchanged_stretch(claim, passage.text, known)) is not None:
            return Substitution(*exchanged)
        return _between_kana(claim, passage.text, evidence)
    run = _new_run(claim, evidence)
    if run is None:
        return None
    own = list(written_words(claim))
    start, end = run
    theirs = passage.written
    if not _rest_is_there([*own[:start], *own[end:]], theirs, names=all(token.is_name for token in own[start:end])):
        return None
    for first, after in _places(own, start, end, theirs):
        filler = theirs[first:after]
        if _is_another(own[start:end], filler, own, before=own[start - 1] if start else None, after=own[end : end + 1]):
            return Substitution(_written(own[start:end]), _written(filler))
    return None


def _rest_is_there(rest: Sequence[WrittenWord], theirs: Sequence[WrittenWord], *, names: bool) -> bool:
    """Whether the passage has the claim's other words: all of them, or half of them where a name is what is new."""
    telling = [token for token in rest if not token.is_grammar]
    keys = {other.key for other in theirs}
    elsewhere = [token for token in telling if token.key not in keys]
    lacking = (token for token in elsewhere if not any(_match(token, other) for other in theirs))
    if not names:
        return next(lacking, None) is None
    return len(telling) - len(list(lacking)) >= len(telling) * _HALF


def _new_run(claim: str, evidence: Evidence) -> tuple[int, int] | None:
    """Where the claim's new words stand: the only ones, in a row, and known neither to contexts nor to question."""
    new: list[int] = []
    for place in _new_plain(claim, evidence) if claim.isascii() else _new(claim, evidence):
        if len(new) == _MOST_NEW_WORDS or (new and new[-1] != place - 1):
            return None
        new.append(place)
    return (new[0], new[-1] + 1) if new else None


def _new(claim: str, evidence: Evidence) -> Iterator[int]:
    return (place for place, token in enumerate(written_words(claim)) if _is_new(token, evidence))


def _new_plain(claim: str, evidence: Evidence) -> Iterator[int]:
    """The same for ASCII, where a word of grammar in small letters needs no look at the contexts."""
    grammar = grammar_words()
    for place, word in enumerate(plain_words(claim)):
        if word in grammar or evidence.holds(key := word.lower()) or evidence.asked(key):
            continue
        # A capital makes a word of grammar a name, but not where it begins a sentence.
        named = key not in grammar or next(islice(written_words(claim), place, None)).is_name
        if named and not any(map(str.isdigit, key)):
            yield place


def _is_new(token: WrittenWord, evidence: Evidence) -> bool:
    hangul = not token.text.isascii() and HANGUL.match(token.text)
    if not hangul and evidence.holds(token.key):
        return False
    if any(map(str.isdigit, token.key)) or (token.is_grammar and not token.is_name):
        return False
    if hangul:
        stem = token.text[:-1] or token.text
        return not any(stem in text for text in (evidence.question, *(d.text for d in evidence.documents)))
    return not evidence.asked(token.key)


def _places(
    own: Sequence[WrittenWord], start: int, end: int, theirs: Sequence[WrittenWord]
) -> Iterator[tuple[int, int]]:
    """Stretches of the passage that have the same neighbours as the claim's new words."""
    before = own[start - 1] if start else None
    after = own[end] if end < len(own) else None
    for first in range(len(theirs)):
        if before is None:
            if not theirs[first].opens:
                continue
        elif first == 0 or not _match(before, theirs[first - 1]):
            continue
        for length in range(1, _MOST_NEW_WORDS + 1):
            stop = first + length
            follows = stop < len(theirs)
            if after is None or (follows and _match(after, theirs[stop])):
                yield first, min(stop, len(theirs))


def _match(one: WrittenWord, other: WrittenWord) -> bool:
    if one.key in PREPOSITIONS and other.key in PREPOSITIONS:
        return one.key[0] == other.key[0]  # "z" and "ze", "с" and "со"
    return one.key == other.key or match_strength(one.key, other.key) >= _SAME


def _is_another(
    stated: Sequence[WrittenWord],
    filler: Sequence[WrittenWord],
    own: Sequence[WrittenWord],
    *,
    before: WrittenWord | None,
    after: Sequence[WrittenWord],
) -> bool:
    """Whether the passage's words in that place say something else rather than the same in other words."""
    if any(token.is_grammar and not token.is_name for token in filler):
        return False
    if any(match_strength(token.key, other.key) for token in filler for other in own):
        return False
    if _CASED.match(stated[-1].text):
        names = all(token.is_name for token in (*stated, *filler))
        # "made of steel": at the end, since "within the term of 14 days" is "within the space of 14 days".
        at_preposition = before is not None and before.key in PREPOSITIONS and (names or not after)
        return at_preposition or (names and not _nouns_have_capitals(own))
    neighbours = [token for token in (before, *after) if token is not None]
    return any(token.is_grammar for token in neighbours) or _same_ending(stated[-1], filler[-1])


def _nouns_have_capitals(own: Sequence[WrittenWord]) -> bool:
    """Whether the claim seems to be German: most of its longer words have a capital."""
    longer = [token for token in own if len(token.text) > 3]
    return sum(token.text[0].isupper() for token in longer) > len(longer) / 2


def _same_ending(one: WrittenWord, other: WrittenWord) -> bool:
    """Whether two Korean words carry the same particle."""
    return "\uac00" <= one.text[-1] <= "\ud7a3" and one.text[-1] == other.text[-1] and len(one.text) > 1


def _written(tokens: Sequence[WrittenWord]) -> str:
    return " ".join(token.text for token in tokens)


def _between_kana(claim: str, passage: str, evidence: Evidence) -> Substitution | None:
    """Japanese: a word of Chinese signs between two particles that stand around another word in the passage."""
    for own in _BETWEEN_KANA.finditer(claim):
        if any(own["word"] in document.text for document in evidence.documents) or own["word"] in evidence.question:
            continue
        for other in _BETWEEN_KANA.finditer(passage):
            same_place = own["before"] == other["before"] and own["after"] == other["after"]
            if same_place and not set(own["word"]) & set(other["word"]) and other["word"] not in claim:
                return Substitution(own["word"], other["word"])
    return None
