"""Names that a claim brings in and that neither the contexts nor the question know."""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

from ragsonde.scorers.facts import Facts, Name
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence
from ragsonde.scorers.faithfulness.unspaced import leads_to_noun
from ragsonde.scorers.faithfulness.variants import find_variants, simplified
from ragsonde.scorers.faithfulness.words import split_words


@dataclass(frozen=True, slots=True)
class MissingIdentity:
    """A name that is in no context."""

    text: str
    certain: bool
    """False where it may be an ordinary word."""


_ROMAN = re.compile("[ivx]{1,5}")
_TITLE_BRACKETS = "《「『【"
_TITLE_WORDS = (
    "mr mrs ms dr prof professor president minister chancellor king queen prince princess sir lord judge doctor herr "
    "frau monsieur madame señor señora signor pan pani gospodin gospođa господин госпожа the and of in for"
)
_TITLES = frozenset(_TITLE_WORDS.split())
_LINKS = r"[^\W\d_]*[\s-]+(?:(?:of|the|and|for|de|des|der|und|du|la|i|и|dan)\s+)*"
_LONG_WORD = 4
"""Chinese signs that are hardly a verb or an adjective by themselves, which a paraphrase replaces too."""
_HAN_RUN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
_THAI_PLACE = re.compile("(?:ตั้งอยู่|อยู่|ผลิต|เกิด|จัดขึ้น)(?:ที่|ใน)(?P<place>[\u0e00-\u0e7f]{4,24})(?![\u0e00-\u0e7f])")
_GRAMMAR = frozenset(
    "的了是在和与與及就都而也之其于於為为以被把将將这這那个個有不没沒无無对對从從由到并並或且等可能会會要应應该該年月日"
)


def missing_identities(claim: str, facts: Facts, alignment: Alignment, evidence: Evidence) -> Iterator[MissingIdentity]:
    """The names of a claim that are in no context and not in the question, in order."""
    for name in facts.names:
        if _title_missing(name, evidence) if name.text[0] in _TITLE_BRACKETS else _name_missing(name, evidence):
            yield MissingIdentity(name.text, name.certain)
    yield from _new_han_words(claim, facts, alignment, evidence)
    yield from _new_thai_places(claim, evidence)


def _title_missing(name: Name, evidence: Evidence) -> bool:
    title = re.sub(r"[\s\-_/]+", "", name.words[0])
    texts = (evidence.question, *(document.squashed for document in evidence.documents))
    return not any(title in text for text in texts)


def _name_missing(name: Name, evidence: Evidence) -> bool:
    """Whether the name as a whole is unknown. A first name that the contexts leave out is not missed."""
    keys = [word.key for word in split_words(name.text) if len(word.key) > 1]
    words = [key for key in keys if not _ROMAN.fullmatch(key)] or keys
    missing = [key for key in words if not (evidence.holds(key) or evidence.asked(key))]
    if not missing:
        return False
    if missing[-1] != words[-1]:
        return len(words) == 2 and _has_other_first_name(name, evidence)
    return len(words) > 1 or not _is_spelled_out(name.text, evidence)


def _has_other_first_name(name: Name, evidence: Evidence) -> bool:
    """Whether the contexts know a surname with another first name only: "Anna Berg", and the claim has "Maria Berg"."""
    surname = re.escape(name.text.split()[-1])
    before = re.compile(rf"([^\W\d_]+)\.?\s+{surname}(?!\w)")
    found = {match[1] for document in evidence.documents for match in before.finditer(document.text)}
    firsts = {word for word in found if word[0].isupper() and word.lower() not in _TITLES}
    return bool(firsts) and not any(len(word) == 1 and word == name.text[0] for word in firsts)


def _is_spelled_out(acronym: str, evidence: Evidence) -> bool:
    """Whether the contexts spell an acronym out: "World Health Organization" for WHO."""
    letters = [re.escape(letter) for letter in acronym if letter.isalpha()]
    if not 2 <= len(letters) <= 8 or not acronym.isupper():
        return False
    spelled = re.compile(r"(?<!\w)" + _LINKS.join(letters), re.IGNORECASE)
    return any(spelled.search(document.text) for document in evidence.documents)


def _new_han_words(claim: str, facts: Facts, alignment: Alignment, evidence: Evidence) -> Iterator[MissingIdentity]:
    """Chinese words put where the passage has others: two signs or more, none of them in the passage.

    Chinese has no capitals, so a replaced name shows only as signs that are new between words that are not. Signs of
    grammar, and single new signs (a synonym often shares one sign with its twin), are not taken for a name; nor are
    figures, dates and times, which are compared as such.
    """
    if alignment.window is None or claim.isascii():
        return
    document = evidence.documents[alignment.window.document]
    first, last = document.sentences[alignment.window.first], document.sentences[alignment.window.last]
    passage = document.text[first.start : last.end].translate(simplified())
    measured = facts.measurements.all()
    for run in _HAN_RUN.finditer(claim):
        signs = run[0].translate(simplified())
        said = _said_otherwise(signs, evidence)
        left_over = (" " if at in said or _old(sign, passage, evidence) else sign for at, sign in enumerate(signs))
        for new in re.finditer(r"\S+", "".join(left_over)):
            left, right = signs[: new.start()], signs[new.end() :]
            # A name may begin with a sign that the passage has as well.
            begun = left[:-1] if left[-1:] not in _GRAMMAR else left
            led = (leads_to_noun(left, right) or leads_to_noun(begun, right)) and not claim[
                run.end() : run.end() + 1
            ].isdigit()
            in_place = led or (new.start() > 0 and signs[new.start() - 1] in passage)
            start, end = run.start() + new.start(), run.start() + new.end()
            if any(fact.start <= start and end <= fact.end for fact in measured):
                continue
            if len(new[0]) >= 2 and in_place and new[0] not in evidence.question:
                yield MissingIdentity(new[0], certain=led or len(new[0]) >= _LONG_WORD)


def _new_thai_places(claim: str, evidence: Evidence) -> Iterator[MissingIdentity]:
    """Thai places of which no part is in any context."""
    for match in _THAI_PLACE.finditer(claim):
        pieces = [word.key for word in split_words(match["place"])]
        if not any(evidence.holds(key) or evidence.asked(key) for key in pieces):
            yield MissingIdentity(match["place"], certain=True)


def _said_otherwise(signs: str, evidence: Evidence) -> Set[int]:
    """The places of signs that belong to words which the contexts say in other words."""
    listed = (each for each in find_variants(signs) if evidence.holds(each[2]))
    return frozenset(at for start, end, _ in listed for at in range(start, end))


def _old(sign: str, passage: str, evidence: Evidence) -> bool:
    return sign in passage or sign in _GRAMMAR or sign in evidence.question
