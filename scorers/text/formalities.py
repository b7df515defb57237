"""What an answer says without stating anything: greetings, thanks, offers of help, the announcement of a list."""

from collections.abc import Sequence
from functools import cache

import regex

from ragsonde.scorers.text.cues import CueFile, CueLanguage, fold_for_cues, words_for_cues

_WORD = regex.compile(r"\w+")
_SPECIFIC = regex.compile(r"\p{Nd}|@")
_MAX_WORDS_BESIDE = 2
"""More words beside a greeting than a name has: something is stated."""
_MAX_CHARACTERS_BESIDE = 2
_MAX_LEAD_IN_WORDS = 15
_MAX_LEAD_IN_CHARACTERS = 30
_MAX_LABEL_WORDS = 3
_MAX_GREETINGS = 4
_MAX_VISIT_WORDS = 7
_MAX_VISIT_CHARACTERS = 16
_EXCLAIMED = regex.compile(r"[!！][\s*_\"”»)]*$")
_NUMBERED_PLACE = regex.compile(
    r"(?<!\d)(?:§+|第|\p{L}{3,14}|[ps]\.)\s{0,2}\d{1,3}(?:\.\d{1,3}){0,3}(?=[\s.,;:!?)。，页頁章节節]*(?:\s*$|[页頁章节節]))"
)
"""``section 4.2`` at the end of a sentence: where to look."""


@cache
def _cues() -> CueFile:
    return CueFile("formalities.toml")


def formality_languages(text: str, language: str | None = None) -> tuple[CueLanguage, ...]:
    """The languages whose formalities may stand in ``text``."""
    return _cues().for_text(text, language)


def is_formality(sentence: str, languages: Sequence[CueLanguage]) -> bool:
    """Whether ``sentence`` greets, thanks, apologises or offers help, and states nothing."""
    text = f" {fold_for_cues(sentence)} "
    words = words_for_cues(text)
    exclaimed = _EXCLAIMED.search(sentence) is not None
    return any(
        ("offer" in meanings and _is_offer(text, cues))
        or ("greeting" in meanings and _is_greeting(text, cues))
        or ("exclaimed" in meanings and exclaimed and _found(text, cues, "exclaimed") is not None)
        for cues in languages
        if (meanings := cues.may_hold(words))
    )


def is_pointer(sentence: str, languages: Sequence[CueLanguage], *, linked: bool) -> bool:
    """Whether ``sentence`` (without addresses) only says where to read on; ``linked``: it holds a link.

    "For more information, see section 4" states nothing; "Call 555-0100 for more information" does.
    """
    text = f" {fold_for_cues(sentence)} "
    words = words_for_cues(text)
    for cues in languages:
        meanings = cues.may_hold(words)
        if "pointer" not in meanings and not (linked and "visit" in meanings):
            continue
        if has_specifics(text) and has_specifics(_NUMBERED_PLACE.sub(" ", text)):
            return False
        leads = linked or _found(text, cues, "place") is not None
        if leads and _found(text, cues, "pointer") is not None:
            return True
        if linked and _is_short(text, cues) and _found(text, cues, "visit") is not None:
            return True
    return False


def _is_short(text: str, cues: CueLanguage) -> bool:
    words = _WORD.findall(text)
    return len(words) <= _MAX_VISIT_WORDS if cues.spaced else len("".join(words)) <= _MAX_VISIT_CHARACTERS


def is_lead_in(sentence: str, languages: Sequence[CueLanguage]) -> bool:
    """Whether a sentence that ends with a colon only announces what follows."""
    text = f" {fold_for_cues(sentence)} "
    words = len(_WORD.findall(text))
    if words <= _MAX_LABEL_WORDS and len(text) <= _MAX_LEAD_IN_CHARACTERS:
        return True
    spaced = all(cues.spaced for cues in languages)
    if words > _MAX_LEAD_IN_WORDS or (not spaced and len(text) > _MAX_LEAD_IN_CHARACTERS):
        return False
    return not _SPECIFIC.search(text) or any(_found(text, cues, "lead_in") for cues in languages)


def has_specifics(sentence: str) -> bool:
    """Whether a sentence holds a number or an address: something that can be wrong."""
    return _SPECIFIC.search(sentence) is not None


def _found(text: str, cues: CueLanguage, meaning: str) -> regex.Match[str] | None:
    pattern = cues.patterns.get(meaning)
    return pattern.search(text) if pattern is not None else None


def _is_offer(text: str, cues: CueLanguage) -> bool:
    return not has_specifics(text) and _found(text, cues, "offer") is not None


def _is_greeting(text: str, cues: CueLanguage) -> bool:
    rest = text
    for _ in range(_MAX_GREETINGS):
        found = _found(rest, cues, "greeting")
        if found is None:
            break
        rest = f" {rest[found.end() :].lstrip(' ,;!.،，、！。~')} "
        if not _WORD.search(rest):
            return True
    if rest == text:
        return False
    if _SPECIFIC.search(rest):
        return False
    if cues.spaced:
        return len(_WORD.findall(rest)) <= _MAX_WORDS_BESIDE or _is_offer(rest, cues)
    return len("".join(_WORD.findall(rest))) <= _MAX_CHARACTERS_BESIDE or _is_offer(rest, cues)
