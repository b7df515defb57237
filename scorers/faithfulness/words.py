"""Words as the alignment sees them: folded, cut for any script, weighed, and matched across inflection."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from importlib.resources import files
from typing import NamedTuple

from ragsonde.scorers.facts.digits import ascii_digits
from ragsonde.scorers.facts.script import WORD, fold
from ragsonde.scorers.facts.thai import find_thai_numbers
from ragsonde.scorers.faithfulness.variants import find_variants, simplified


class Word(NamedTuple):
    """A folded word, or a few neighbouring signs of a script without spaces, with its place in the text."""

    key: str
    start: int
    end: int


_word: Callable[[tuple[str, int, int]], Word] = partial(tuple.__new__, Word)
"""Makes a word of its parts without a call of Python's own."""

HAN_AND_KANA = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Signs of Chinese and Japanese, for a class of a pattern."""
# Scripts written without spaces, or (Hangul) with particles glued on: runs are cut into overlapping pairs of signs.
_PAIRED = f"{HAN_AND_KANA}\uac00-\ud7af"
# Scripts without spaces whose words take several signs: overlapping triples.
_TRIPLED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_PIECE = re.compile(rf"(?:[A-Z]\.){{2,}}|[{_PAIRED}]+|[{_TRIPLED}]+|[0-9]+|{WORD}")
_PLAIN_PIECE = re.compile(r"(?:[A-Z]\.){2,}|[0-9]+|[A-Za-z]+")
_BEYOND_ASCII = re.compile("[^\\x00-\\x7f\u2000-\u206f]")
"""What only ``_PIECE`` reads; the general punctuation of Unicode is no part of a word."""
_FIRST_PAIRED = re.compile(f"[{_PAIRED}]")
_FIRST_TRIPLED = re.compile(f"[{_TRIPLED}]")
_GRAMMAR_SIGNS = frozenset(
    "的了是在和与與及就都而也之其于於為为以被把将將这這那个個のはがをにでとものもへからまするたてい은는이가을를의에와과도로"
)

# Serbian and Bosnian are written in both alphabets, and names travel between them: all Cyrillic is compared as Latin.
_LATIN = str.maketrans(
    {
        **dict(zip("абвгдежзийјклмнопрстћуфхцчшѓќєіїґыэў", "abvgdezziijklmnoprstcufhccsgkeiigyeu", strict=True)),
        "љ": "lj", "њ": "nj", "џ": "dz", "ђ": "d", "щ": "sc", "ъ": "", "ь": "", "ю": "ju", "я": "ja",
    }
)  # fmt: skip


# "and", "so", "in", "for", "the" are written as part of an Arabic word.
_ARABIC_PROCLITICS = re.compile("^(?:[وف]?(?:ال|بال|كال|لل)|[وف])(?=[\u0621-\u064a]{3})")


def key_of(word: str) -> str:
    """The form in which a word is compared: folded, Cyrillic in Latin letters, Arabic without article and "and"."""
    folded = fold(word)
    if folded.isascii():
        return folded
    return _ARABIC_PROCLITICS.sub("", folded) if "\u0600" <= folded[:1] <= "\u06ff" else folded.translate(_LATIN)


@lru_cache(maxsize=512)
def split_words(text: str) -> tuple[Word, ...]:
    """The words of a text, in order. Digits are words of their own; scripts without spaces give overlapping pieces.

    The last texts are kept: each part of the scorer asks for the words of the same claim.
    """
    return tuple(cut_words(text))


def cut_words(text: str) -> list[Word]:
    """The same, for texts that are asked about once."""
    words: list[Word] = []
    if _BEYOND_ASCII.search(text) is None:
        # Between two pieces stands nothing that a piece may hold, so each is the next of its kind.
        at = 0
        for piece in _PLAIN_PIECE.findall(text):
            start = text.find(piece, at)
            at = start + len(piece)
            words.append(_word((piece if piece.islower() else _plain_key(piece), start, at)))
        return words
    for match in _PIECE.finditer(ascii_digits(text)):
        piece = match[0]
        if piece.isascii():
            words.append(Word(_plain_key(piece), match.start(), match.end()))
        elif _FIRST_PAIRED.match(piece):
            words.extend(_cut_at(find_variants, piece.translate(simplified()), match.start(), 2))
        elif _FIRST_TRIPLED.match(piece):
            words.extend(_cut_at(_thai_words, piece, match.start(), 3))
        elif key := key_of(piece):
            words.append(Word(key, match.start(), match.end()))
    return words


def _cut_at(find: Callable[[str], Iterator[tuple[int, int, str]]], run: str, start: int, size: int) -> Iterator[Word]:
    """Pieces of a run between words that are known, and those words."""
    at = 0
    for first, last, key in find(run):
        if first > at:
            yield from _overlapping(run[at:first], start + at, size)
        yield Word(key, start + first, start + last)
        at = last
    if at < len(run):
        yield from _overlapping(run[at:], start + at, size)


def _thai_words(run: str) -> Iterator[tuple[int, int, str]]:
    """Listed words, and numbers, which are said in digits as well."""
    numbers = ((first, last, run[first:last]) for first, last, _ in find_thai_numbers(run))
    at = 0
    for first, last, key in sorted((*find_variants(run), *numbers)):
        if first >= at:
            yield first, last, key
            at = last


def keys_of(text: str) -> list[str]:
    """The keys of ``cut_words``, for texts of which the places are not asked."""
    if _BEYOND_ASCII.search(text) is None:
        return [piece if piece.islower() else _plain_key(piece) for piece in _PLAIN_PIECE.findall(text)]
    return [word.key for word in cut_words(text)]


_CAMEL = re.compile(r"[A-Za-z]*[a-z][A-Z][A-Za-z]*")
_CAMEL_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def words_of_record(text: str) -> list[Word]:
    """``split_words`` for data: a key like ``OutdoorSeating`` gives its parts, and then itself as one word."""
    words: list[Word] = []
    at = 0
    for match in _CAMEL.finditer(text):
        words.extend(Word(w.key, w.start + at, w.end + at) for w in cut_words(text[at : match.start()]))
        parts = _CAMEL_PART.finditer(match[0])
        start = match.start()
        words.extend(Word(part[0].lower(), start + part.start(), start + part.end()) for part in parts)
        words.append(Word(match[0].lower(), start, match.end()))
        at = match.end()
    words.extend(Word(w.key, w.start + at, w.end + at) for w in cut_words(text[at:]))
    return words


def _plain_key(piece: str) -> str:
    """Lower case, but for acronyms that would else be words of grammar: "US" is not "us", and "U.S." is "US"."""
    if len(piece) == 1 or not piece.isupper():
        return piece.lower()
    joined = piece.replace(".", "")
    return joined if joined.lower() in function_words() else joined.lower()


def _overlapping(run: str, start: int, size: int) -> list[Word]:
    if len(run) <= size:
        return [Word(run, start, start + len(run))]
    return [Word(run[at : at + size], start + at, start + at + size) for at in range(len(run) - size + 1)]


@cache
def function_words() -> frozenset[str]:
    """Words of grammar in many languages, as ``key_of`` gives them."""
    return frozenset[str]().union(*_function_words().values())


def is_grammar_elsewhere(key: str, language: str) -> bool:
    """Whether a word is grammar in some language, but not in a given one: English "pro" is none, Czech "pro" is."""
    own = _function_words().get(language)
    return own is not None and key not in own and key in function_words()


@cache
def _function_words() -> Mapping[str, frozenset[str]]:
    """By language."""
    lines = files(__package__).joinpath("function_words.txt").read_text(encoding="utf-8").splitlines()
    listed = (line.partition(":") for line in lines if line and not line.startswith("#"))
    return {language: frozenset(map(key_of, words.split())) for language, _, words in listed}


_PERMITTING = frozenset({"禁止", "许可"})
"""What permits or forbids says less of the topic than what is permitted or forbidden."""
_LENGTH_WEIGHTS = (0.3, 0.3, 0.45, 0.6, 0.8, 0.9)


@lru_cache(maxsize=50_000)
def prior_weight(key: str) -> float:
    """How much a word says before any context is looked at, 0 to 1: long words more, words of grammar little."""
    first = key[0]
    if "\u2e80" <= first <= "\u9fff" or "\uac00" <= first <= "\ud7af":
        if key in _PERMITTING:
            return 0.3
        return 0.1 if len(key) == 1 or _GRAMMAR_SIGNS.intersection(key) else 0.5
    if "\u0e00" <= first <= "\u17ff":
        return 0.35
    if key.isdigit():
        return 1.0
    if key in function_words():
        return 0.12
    return _LENGTH_WEIGHTS[len(key)] if len(key) < len(_LENGTH_WEIGHTS) else 1.0


CONTENT_WEIGHT = 0.2
"""Words whose prior weight is below this are grammar: they tell order, not topic."""


@lru_cache(maxsize=50_000)
def is_content(key: str) -> bool:
    """Whether a word says something of the topic."""
    return prior_weight(key) >= CONTENT_WEIGHT


_NEGATING_PREFIXES = frozenset(
    {"un", "in", "im", "ir", "il", "non", "dis", "de", "anti", "ne", "nie", "bez", "bes", "a", "mis"}
)


def match_strength(left: str, right: str) -> float:
    """How likely two folded words are forms of one word: 1 when equal, 0 when not.

    They are when they share a beginning that makes up most of both ("umowa", "umowy"; "employ", "employees"), or an
    end behind short prefixes that don't negate ("kerja", "bekerja"). Digits and CJK pieces must be equal, and a word of
    grammar is a form of another such word alone.
    """
    if left == right:
        return 1.0
    same_start = left[:3] == right[:3]
    if not same_start and left[-5:] != right[-5:]:
        return 0.0
    grammar = function_words()
    if (left in grammar) != (right in grammar):
        return 0.0  # "theft" is no form of "the", nor "form" of "for"
    shorter, longer = len(left), len(right)
    if shorter > longer:
        shorter, longer = longer, shorter
    if shorter < 3 or not _is_inflected(left[0]) or not _is_inflected(right[0]):
        return 0.0
    if not same_start:
        return _shared_end_strength(left, right, shorter, longer)
    shared = _shared_start(left, right)
    rest = longer - shared
    if longer <= 4:
        return 0.85 if rest <= 1 else 0.0
    if rest <= 4 and shared - rest >= -1 and shared >= 0.55 * longer:
        return 0.9 if rest <= 2 else 0.75
    return _shared_end_strength(left, right, shorter, longer)


def _is_inflected(letter: str) -> bool:
    """Whether words of a script take endings: Latin, Greek, Cyrillic, Hebrew, Arabic, scripts of India."""
    return "a" <= letter <= "z" or "\u0370" <= letter <= "\u0dff"


class WordForms:
    """Words by their beginnings and ends, so that the forms of a word are found without a look at all of them."""

    def __init__(self, keys: Iterable[str]) -> None:
        by_start: defaultdict[str, list[str]] = defaultdict(list)
        by_end: defaultdict[str, list[str]] = defaultdict(list)
        for key in keys:
            by_start[key[:3]].append(key)
            if len(key) >= 5:
                by_end[key[-5:]].append(key)
        self._by_start: Mapping[str, Sequence[str]] = by_start
        self._by_end: Mapping[str, Sequence[str]] = by_end

    def of(self, key: str) -> Mapping[str, float]:
        """The words that may be forms of ``key``, with the strength of the match."""
        forms: dict[str, float] = {}
        for word in self._by_start.get(key[:3], ()):
            if strength := match_strength(key, word):
                forms[word] = strength
        if len(key) >= 5:
            for word in self._by_end.get(key[-5:], ()):
                if word not in forms and (strength := match_strength(key, word)):
                    forms[word] = strength
        return forms

    def holds(self, key: str) -> bool:
        """Whether there is a form of ``key``."""
        alike = self._by_start.get(key[:3], ())
        if len(key) >= 5 and (ending := self._by_end.get(key[-5:])):
            alike = [*alike, *ending]
        return bool(alike) and any(match_strength(key, word) for word in alike)

    def beginning(self, start: str) -> Sequence[str]:
        """The words that begin with some letters (three at least)."""
        return [word for word in self._by_start.get(start[:3], ()) if word.startswith(start)]


def _shared_start(left: str, right: str) -> int:
    shared = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        shared += 1
    return shared


def _shared_end_strength(left: str, right: str, shorter: int, longer: int) -> float:
    if shorter < 5 or longer - shorter > 5:
        return 0.0
    shared = _shared_start(left[::-1], right[::-1])
    if shared < 5 or shared < 0.6 * longer:
        return 0.0
    prefixes = left[: len(left) - shared], right[: len(right) - shared]
    return 0.0 if any(prefix in _NEGATING_PREFIXES for prefix in prefixes) else 0.7
