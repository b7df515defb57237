"""Phrases that tell what a sentence does, as data by language: a small cue language, compiled to regular expressions.

The data files (``abstention.toml``, ``formalities.toml``) describe the cue language at their head. Gaps are bounded and
sentences are short, so matching stays cheap whatever the text.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from ragsonde.scorers.listed import read_toml
from ragsonde.scorers.text.language import SCRIPTS, UNDETERMINED, detect_language, language_family, scripts_of

_Section = Mapping[str, list[str] | str]

_NOT = ("do", "does", "did", "is", "was", "are", "were", "could", "would", "should", "has", "have", "had")
_CONTRACTIONS = (
    (("can't", "cant", "cannot"), regex.compile(r"\bcan(?:no|'?)t\b"), "can not"),
    (("won't",), regex.compile(r"\bwon't\b"), "will not"),
    (("n't", *(f"{word}nt" for word in _NOT)), regex.compile(rf"\b({'|'.join(_NOT)})n'?t\b"), r"\1 not"),
    (("'",), regex.compile(r"\b(i|we|you|they|it|he|she|that|there|here|what)'(?:m|re)\b"), r"\1 are"),
    (("'",), regex.compile(r"\b(that|there|here|it|he|she|what|how)'s\b"), r"\1 is"),
    (("'",), regex.compile(r"\b(i|we|you|they)'(?:d)\b"), r"\1 would"),
    (("'",), regex.compile(r"\b(i|we|you|they|it)'ll\b"), r"\1 will"),
    (("'",), regex.compile(r"\b(i|we|you|they)'ve\b"), r"\1 have"),
    (("i are",), regex.compile(r"\bi are\b"), "i am"),
)
"""What a contraction cannot be without, the contraction, and what it stands for."""
_LETTERS = str.maketrans(
    {"ł": "l", "đ": "d", "ı": "i", "ø": "o", "ß": "ss", "æ": "ae", "’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'",
     "أ": "ا", "إ": "ا", "آ": "ا", "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "ۀ": "ه", "ـ": "", "\u200c": "",
     "\u200d": "", "\u00ad": "", "\u200e": "", "\u200f": "", "\u00a0": " ", "ё": "е"}
)  # fmt: skip
_ACCENTED = regex.compile(r"([\p{Latin}\p{Greek}\p{Cyrillic}\p{Arabic}\p{Hebrew}])\p{Mn}+")
_WORD = regex.compile(r"\w+")
_ASCII_WORD = re.compile(r"\w+")
_APOSTROPHE = regex.compile(r"'\s*")
_LIKELY_WRONG_BELOW_LETTERS = 40
"""On shorter texts a language is easily taken for its neighbour, so the cues of all languages of the script count."""
_GAPS = {"..": (2, 10), "...": (6, 25), "...,": (9, 30)}
"""The most words, and in languages that write no spaces the most characters, that a gap holds."""
_UP_TO_COMMA = "...,"
"""The gap that ends with a comma; the others hold none."""


@lru_cache(maxsize=1024)
def fold_for_cues(text: str) -> str:
    """Small letters without accents and apostrophes, contractions written out; offsets are not kept."""
    if text.isascii():
        folded = text.lower().replace("`", "'")
    else:
        folded = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
        folded = unicodedata.normalize("NFC", _ACCENTED.sub(r"\1", folded)).translate(_LETTERS)
    for signs, pattern, written_out in _CONTRACTIONS if _may_be_contracted(folded) else ():
        if any(sign in folded for sign in signs):
            folded = pattern.sub(written_out, folded)
    return _APOSTROPHE.sub(" ", folded) if "'" in folded else folded


def _may_be_contracted(folded: str) -> bool:
    """Whether there is a sign that no contraction is without."""
    return "'" in folded or "nt" in folded or "cannot" in folded or "i are" in folded


@lru_cache(maxsize=16)
def words_for_cues(folded: str) -> frozenset[str]:
    """The words of a folded text, for ``CueLanguage.may_hold``; its first word also as one that opens it."""
    words = (_ASCII_WORD if folded.isascii() else _WORD).findall(folded)
    return frozenset([*words, _opening(words[0])]) if words else frozenset()


def _opening(word: str) -> str:
    return f"^{word}"


@dataclass(frozen=True, slots=True)
class CueLanguage:
    """The cues of one language, compiled: by meaning one pattern, and its plain word lists."""

    code: str
    spaced: bool
    patterns: Mapping[str, regex.Pattern[str]]
    words: Mapping[str, regex.Pattern[str]]
    """Lists that are words and not cues (``conditional``, ``contrast``): one of them, written or folded."""
    needed: Mapping[str, Sequence[tuple[str, Sequence[frozenset[str]]]]]
    """By a word of each cue its meaning and the words of which such a cue needs one of each group."""
    unlisted: frozenset[str]
    """Meanings that have a cue without whole words."""

    def may_hold(self, words: frozenset[str]) -> frozenset[str]:
        """A quick look before a slow search: of which meanings a text of some words (folded) may hold a cue."""
        if self.needed.keys().isdisjoint(words):
            return self.unlisted
        cues = (cue for word in self.needed.keys() & words for cue in self.needed[word])
        found = {meaning for meaning, groups in cues if not any(map(words.isdisjoint, groups))}
        return self.unlisted.union(found)


class CueFile:
    """One data file of cues. ``word_lists`` names the lists that hold plain words."""

    def __init__(self, name: str, word_lists: frozenset[str] = frozenset()) -> None:
        data = read_toml(__package__, name)
        self._unspaced = frozenset(data.pop("unspaced", ()))
        self._sections: Mapping[str, _Section] = data
        self._word_lists = word_lists
        self._compiled: dict[str, CueLanguage] = {}

    @property
    def codes(self) -> tuple[str, ...]:
        """The languages (families) that have cues."""
        return tuple(self._sections)

    def language(self, code: str) -> CueLanguage:
        """The cues of one language, compiled at first use."""
        if code not in self._compiled:  # two threads may compile the same; either result will do
            spaced = code not in self._unspaced
            self._compiled[code] = _compile_language(code, self._sections[code], self._word_lists, spaced=spaced)
        return self._compiled[code]

    def for_text(self, text: str, language: str | None) -> tuple[CueLanguage, ...]:
        """The cue languages to try: the text's own and English, or where it is unknown all that its scripts write.

        ``language`` as for ``split_sentences``; a text that is too short to be sure counts as of none.
        """
        code = _language_to_read_in(text, language)
        family = language_family(code)
        if code != UNDETERMINED and family in self._sections:
            return tuple(self.language(code) for code in dict.fromkeys((family, "en")))
        fitting = {language_family(code) for script in scripts_of(text) for code in SCRIPTS.get(script, ())}
        return tuple(self.language(code) for code in self._sections if code in fitting)


def _language_to_read_in(text: str, language: str | None) -> str:
    if not any(sum(map(str.isalpha, text[:size])) >= _LIKELY_WRONG_BELOW_LETTERS for size in (60, 500)):
        return UNDETERMINED
    return detect_language(text) if language is None else language


def _compile_language(code: str, section: _Section, word_lists: frozenset[str], *, spaced: bool) -> CueLanguage:
    named = {name: value for name, value in section.items() if isinstance(value, str)}
    patterns: dict[str, regex.Pattern[str]] = {}
    words: dict[str, regex.Pattern[str]] = {}
    needed: dict[str, list[tuple[str, Sequence[frozenset[str]]]]] = {}
    unlisted: set[str] = set()
    for name, value in section.items():
        if isinstance(value, str):
            continue
        if name in word_lists:
            words[name] = _any_word(value, spaced=spaced)
        else:
            patterns[name] = regex.compile("|".join(compile_cue(cue, named, spaced=spaced) for cue in value))
            groups = [_needed_words(cue, named) for cue in value]
            if not (spaced and all(groups)):
                unlisted.add(name)
                continue
            for first, *others in groups:
                for word in first:
                    needed.setdefault(word, []).append((name, others))
    return CueLanguage(code, spaced, patterns, words, needed, frozenset(unlisted))


def _needed_words(cue: str, named: Mapping[str, str]) -> list[frozenset[str]]:
    """The groups of words of which every text that holds a cue has one each, the most telling group first.

    That is the one that opens the text, where there is one: most texts begin with another word.
    """
    groups: list[frozenset[str]] = []
    opening: frozenset[str] | None = None
    opens = False
    for token, optional in _tokens(cue, named):
        words = token.split("|")
        firsts = [_first_word(word) for word in words]
        if token not in _GAPS and not optional and all(firsts):
            groups.append(frozenset(filter(None, firsts)))
            if opens and not any("*" in word for word in words):
                opening = frozenset(map(_opening, groups[-1]))
        opens = token == "^"  # noqa: S105 - a token of the cue language
    groups.sort(key=lambda group: -min(map(len, group)))
    return groups if opening is None else [opening, *groups]


def _first_word(word: str) -> str | None:
    """The first whole word of an alternative of a cue, folded; None where any ending will do."""
    if word in ("^", "$"):
        return None
    parts = (part for part in word.split("_") if "*" not in part)
    found = (_WORD.search(fold_for_cues(part)) for part in parts)
    return next((match[0] for match in found if match is not None), None)


def _any_word(words: list[str], *, spaced: bool) -> regex.Pattern[str]:
    written = {form for word in words for form in (word, fold_for_cues(word).strip())}
    alternatives = "|".join(sorted(map(regex.escape, written), key=len, reverse=True))
    return regex.compile(rf"(?<!\w)(?:{alternatives})(?!\w)" if spaced else alternatives, flags=regex.IGNORECASE)


def compile_cue(cue: str, named: Mapping[str, str], *, spaced: bool) -> str:
    """One line of the cue language as a regular expression over text folded by ``fold_for_cues``.

    Raises:
        ValueError: a ``@name`` that the language does not define.
    """
    parts: list[str] = []
    space = r"\W+" if spaced else r"\s*"
    gap = ""
    for token, optional in _tokens(cue, named):
        if token in _GAPS:
            words, characters = _GAPS[token]
            if not spaced:
                gap = rf".{{0,{characters}}}?"
            elif token == _UP_TO_COMMA:
                gap = rf"(?:\W+\w+){{0,{words}}}?(?=\s*[,،–—-])"
            else:
                gap = rf"(?:[^\w,;:،؛]+\w+){{0,{words}}}?"
            continue
        group = "|".join(_word(word, spaced=spaced) for word in token.split("|"))
        lead = gap + space if parts and parts[-1] != "^" else ""
        if token == "^":  # noqa: S105 - a token of the cue language
            parts.append("^")
            gap = ""
            continue
        if parts == ["^"]:
            parts[0] = r"^\W*"
            lead = ""
        parts.append(f"(?:{lead}(?:{group}))?" if optional else f"{lead}(?:{group})")
        gap = ""
    body = "".join(parts)
    return rf"(?<!\w)(?:{body})(?!\w)" if spaced else f"(?:{body})"


def _tokens(cue: str, named: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    for raw in cue.split():
        token = raw
        if token.startswith("@"):
            name, _, more = token[1:].partition("|")
            if name not in named:
                raise ValueError(f"cue {cue!r} names @{name}, which its language does not define")
            token = named[name] + ("|" + more if more else "")
        optional = token.endswith("?") and token not in _GAPS
        yield token.removesuffix("?") if optional else token, optional


def _word(word: str, *, spaced: bool) -> str:
    if word in ("^", "$"):
        return r"^\W*" if word == "^" else r"\W*$"
    space = r"\W+" if spaced else r"\s*"
    return space.join(_affixed(part) for part in word.split("_") if part.strip("*"))


def _affixed(part: str) -> str:
    stem = fold_for_cues(part.strip("*")).strip()
    # An apostrophe may have cut the stem in two.
    escaped = r"\W+".join(regex.escape(piece) for piece in stem.split())
    return (r"\w*" if part.startswith("*") else "") + escaped + (r"\w*" if part.endswith("*") else "")
