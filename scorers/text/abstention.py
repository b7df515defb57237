"""Whether a clause abstains, hedges, or sends the reader elsewhere, in many languages.

Abstaining means saying that one cannot answer, that the sources do not hold the answer, or that the question lies
outside what one is for. Stating a negative fact ("the policy does not cover water damage") is answering.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache

import regex

from ragsonde.scorers.text.cues import CueFile, CueLanguage, fold_for_cues, words_for_cues

_WORD_LISTS = frozenset({"conditional", "follows_not", "contrast", "opens", "concessive"})
_QUOTED = regex.compile(
    r"“[^“”]{1,800}”|„[^„“”]{1,800}[“”]|«[^«»]{1,800}»|»[^«»]{1,800}«|「[^「」]{1,800}」|『[^『』]{1,800}』|‘[^‘’]{1,800}’(?!\p{L})"
    r"|(?<!\w)\"[^\"\n]{1,800}\"|(?<![\w'])'(?:[^'\n]|(?<=\w)'(?=\w)){1,800}'(?!\w)|`[^`\n]{1,800}`"
)
_QUOTE_SIGNS = "\"'`“„«»「『‘"
"""What ``_QUOTED`` cannot match without."""
_WORDLIKE = regex.compile(r"[\p{L}\p{N}]")
_CLAUSE_BREAK = regex.compile(r"[,;:،؛，、；：]")
_HARD_BREAK = regex.compile(r"\s*(?:[;؛；]\s*|\s[–—]\s|——|\s-\s)")
_COMMA = regex.compile(r"[,،，、]\s*")


class ClauseRole(StrEnum):
    """What a clause does, as far as abstaining goes."""

    ABSTAINS = "abstains"
    HEDGES = "hedges"
    REFERS = "refers"
    """Sends the reader to someone or something else."""
    OTHER = "other"


_ROLES = (
    ("hedge", ClauseRole.HEDGES),
    ("unable", ClauseRole.ABSTAINS),
    ("absent", ClauseRole.ABSTAINS),
    ("untold", ClauseRole.ABSTAINS),
    ("scope", ClauseRole.ABSTAINS),
    ("contact", ClauseRole.REFERS),
)
"""What the meanings of cues make of a clause, the first that applies."""


@cache
def _cues() -> CueFile:
    return CueFile("abstention.toml", _WORD_LISTS)


def cue_languages(text: str, language: str | None = None) -> tuple[CueLanguage, ...]:
    """The languages whose abstention cues apply to ``text``; ``language`` as for ``split_sentences``."""
    return _cues().for_text(text, language)


def blank_quotes(text: str) -> str:
    """``text`` at the same length with what is quoted blanked: quoted speech is not the speaker's own."""
    if not any(sign in text for sign in _QUOTE_SIGNS):
        return text
    return _QUOTED.sub(lambda match: " " * len(match[0]), text)


def clause_role(clause: str, languages: Sequence[CueLanguage]) -> ClauseRole:
    """What ``clause`` does. Quotes are read only where nothing stands outside them."""
    unquoted = blank_quotes(clause)
    text = f" {fold_for_cues(unquoted if _WORDLIKE.search(unquoted) else clause)} "
    words = words_for_cues(text)
    likely = [(cues, meanings) for cues in languages if (meanings := cues.may_hold(words))]
    for meaning, role in _ROLES if likely else ():
        if any(meaning in meanings and _applies(text, cues, meaning) for cues, meanings in likely):
            return role
    return ClauseRole.OTHER


def _applies(text: str, cues: CueLanguage, meaning: str) -> bool:
    found = cues.patterns[meaning].finditer(text)
    return any(meaning == "contact" or _unconditional(text, match, cues) for match in found)


def _unconditional(text: str, match: regex.Match[str], cues: CueLanguage) -> bool:
    """Not "if no information is found, the form shows …": there the cue is a condition."""
    breaks = [found.end() for found in _CLAUSE_BREAK.finditer(text, 0, match.start())]
    before = text[breaks[-1] if breaks else 0 : match.start()]
    conditional, follows_not = cues.words.get("conditional"), cues.words.get("follows_not")
    if conditional is not None and conditional.search(before):
        return False
    return follows_not is None or follows_not.match(text[match.end() : match.end() + 20].lstrip()) is None


def split_clauses(sentence: str, languages: Sequence[CueLanguage]) -> tuple[tuple[int, int], ...]:
    """Where the clauses of ``sentence`` stand that a "but", a semicolon or a dash sets against each other.

    The words that join them are left out. A sentence that opens with "while" or "although" is also cut at its comma.
    """
    text = blank_quotes(sentence)
    joints = {(found.start(), found.end()) for found in _HARD_BREAK.finditer(text)}
    for cues in languages:
        joints.update(_contrasts(text, cues))
        joints.update(_concession(text, cues))
        joints.update(_openings(text, cues))
    clauses = []
    begin = 0
    for start, end in sorted(joints):
        if start >= begin:
            clauses.append((begin, start))
            begin = end
    clauses.append((begin, len(sentence)))
    return tuple(trimmed for clause in clauses for trimmed in _trimmed(sentence, *clause))


def _contrasts(text: str, cues: CueLanguage) -> Iterator[tuple[int, int]]:
    pattern = cues.words.get("contrast")
    if pattern is None:
        return
    for found in pattern.finditer(text):
        before = text[: found.start()].rstrip()
        # A word of one or two letters is too often another word ("a", "no"): it needs its comma.
        if before and (not cues.spaced or len(found[0]) > 2 or before[-1] in ",;،، "):
            yield len(before.rstrip(",;،，、。")), found.end()


def _openings(text: str, cues: CueLanguage) -> Iterator[tuple[int, int]]:
    """Where a clause begins after a space, in scripts that write spaces between clauses and not between words."""
    pattern = cues.words.get("opens")
    for found in pattern.finditer(text) if pattern is not None else ():
        if text[: found.start()].strip() and text[found.start() - 1].isspace():
            yield found.start(), found.start()


def _concession(text: str, cues: CueLanguage) -> Iterator[tuple[int, int]]:
    pattern = cues.words.get("concessive")
    opening = pattern.search(text, 0, 60) if pattern is not None else None
    if opening is None or _WORDLIKE.search(text, 0, opening.start()):
        return
    comma = _COMMA.search(text, opening.end())
    if comma is not None:
        yield comma.start(), comma.end()


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and (text[start].isspace() or text[start] in ",;:،，、；：–—"):
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
