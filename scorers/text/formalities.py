"""What an answer says without stating anything: greetings, thanks, offers of help, the announcement of a list."""

from collections.abc import Sequence
from functools import cache

import regex

from ragsonde.scorers.text.abstention import language_for_cues
from ragsonde.scorers.text.cues import CueFile, CueLanguage, fold_for_cues, words_for_cues
from ragsonde.scorers.text.language import scripts_of

_WORD = regex.compile(r"\w+")
_SPECIFIC = regex.compile(r"\p{Nd}|@")
_MAX_WORDS_BESIDE = 2
"""More words beside a greeting than a name has: something is stated."""
_MAX_CHARACTERS_BESIDE = 2
_MAX_LEAD_IN_WORDS = 15
_MAX_LEAD_IN_CHARACTERS = 30
_MAX_LABEL_WORDS = 3
_MAX_GREETINGS = 4


@cache
def _cues() -> CueFile:
    return CueFile("formalities.toml")


def formality_languages(text: str, language: str | None = None) -> tuple[CueLanguage, ...]:
    """The languages whose formalities may stand in ``text``."""
    return _cues().for_text(language_for_cues(text, language), scripts_of(text))


def is_formality(sentence: str, languages: Sequence[CueLanguage]) -> bool:
    """Whether ``sentence`` greets, thanks, apologises or offers help, and states nothing."""
    text = f" {fold_for_cues(sentence)} "
    words = words_for_cues(text)
    return any(
        ("offer" in meanings and _is_offer(text, cues)) or ("greeting" in meanings and _is_greeting(text, cues))
        for cues in languages
        if (meanings := cues.may_hold(words))
    )


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
