"""Names, acronyms, titles and codes: words whose exact identity is part of what a sentence claims."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase

from ragsonde.scorers.facts.scan import Scan, scanned
from ragsonde.scorers.facts.script import fold

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CAPITALISED = re.compile(r"(?<![A-Za-z])(?<![A-Za-z]['-])[A-Z][A-Za-z]*(?:['-][A-Za-z]+)*")
"""The same of those that begin with a capital, for ASCII."""
_BREAKS = frozenset(".!?…:;。！？：；\n\r•·*#|>")
_BETWEEN = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "\"'“”«»„([*_–—-"
"""What may stand between a break and a word."""
_ENUMERATOR = re.compile(r"\s*\d+[.)]")
_TITLE = re.compile(r"《([^《》]{1,60})》|「([^「」]{1,40})」|『([^『』]{1,40})』|【([^【】\d]{2,40})】")
_CODE = re.compile(
    r"https?://[^\s<>()\[\]{}\"'«»“”，。；、]+"
    r"|(?<![\w@.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"
    r"|(?<![\w@./-])(?:www\.)[^\s<>()\[\]\"'，。；、]+"
    r"|(?<![\w./-])(?=[A-Za-z0-9./_-]{0,40}[A-Za-z])(?=[A-Za-z./_-]{0,40}[0-9])[A-Za-z0-9]+(?:[-./_][A-Za-z0-9]+)*(?![\w])"
    # Not 67.000.000, which is a number.
    r"|(?<![\w.,/-])(?![0-9]{1,3}(?:\.[0-9]{3}){2,}(?![\w.]*[0-9]))v?[0-9]+(?:\.[0-9]+){2,}(?![\w])",
)
_CAPITALS, _SMALL_LETTERS = ascii_uppercase.encode(), ascii_lowercase.encode()
_GLUED_UNIT = re.compile(
    r"[0-9]+(?:[.,][0-9]+)*(?:st|nd|rd|th|s|[A-Za-z]{1,3})|[0-9]+(?:[-–][A-Za-z]+)+|[A-Za-z]+-(?:19|20)[0-9]{2}"
)


@dataclass(frozen=True, slots=True)
class Name:
    """A proper name, an acronym or a title; ``text == source[start:end]``."""

    text: str
    start: int
    end: int
    words: tuple[str, ...]
    """The folded words; a title in a script without spaces is one word."""
    certain: bool = True
    """False for a single capitalised word that may be an ordinary noun or adjective."""


@dataclass(frozen=True, slots=True)
class Code:
    """A URL, e-mail address, version, or identifier of letters and digits; ``text == source[start:end]``."""

    text: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """What is compared: case, slashes at the end and closing punctuation don't count."""
        return self.text.lower().rstrip("/.,;:")


def find_codes(text: str | Scan) -> list[Code]:
    """URLs, e-mail addresses, version numbers and identifiers such as ``RTX-4090``, in order."""
    scan = scanned(text)
    matches = _CODE.finditer(scan.text) if may_hold_address(scan.text) else _identifiers(scan)
    found = ((match[0].rstrip(".,;:"), match.start()) for match in matches)
    return [Code(code, start, start + len(code)) for code, start in found if not _GLUED_UNIT.fullmatch(code)]


def may_hold_address(text: str) -> bool:
    """Whether a text has a sign that no address is without."""
    return "http" in text or "@" in text or "www." in text


def _identifiers(scan: Scan) -> Iterator[re.Match[str]]:
    """What ``_CODE`` finds in a text without addresses: it begins where the signs begin that stand before a digit."""
    text, free, seen = scan.text, 0, 0
    for digit in scan.digits:
        start = digit
        while start > seen and (text[start - 1] in "./-_" or text[start - 1].isalnum()):
            start -= 1
        goes_on = 0 < seen == start  # from the digits before
        seen = digit + 1
        if not goes_on and start >= free and (match := _CODE.match(text, start)) is not None:
            free = match.end()
            yield match


def find_names(text: str, *, ordinary: frozenset[str] = frozenset(), capitalises_nouns: bool = False) -> list[Name]:
    """Proper names of a text, in order.

    ``ordinary`` are folded words that are never names (function words), so that "The" before a name is dropped.
    ``capitalises_nouns`` says that the language writes every noun with a capital (German): then one capitalised word is
    no name, only several in a row or an acronym are.
    """
    names = [_title(match) for match in _TITLE.finditer(text)] if not text.isascii() else []
    if _shouts(text):
        return names
    run: list[re.Match[str]] = []
    for match in _capitalised(text):
        if run and not _continues(text, run[-1], match):
            names.extend(_from_run(text, run, ordinary, capitalises_nouns))
            run = []
        run.append(match)
    names.extend(_from_run(text, run, ordinary, capitalises_nouns))
    return sorted(names, key=lambda name: name.start)


def _capitalised(text: str) -> Iterable[re.Match[str]]:
    """The words that begin with a capital."""
    if text.isascii():
        return _CAPITALISED.finditer(text)
    return [match for match in _WORD.finditer(text) if match[0][0].isupper()]


def _title(match: re.Match[str]) -> Name:
    inner = next(group for group in match.groups() if group)
    return Name(match[0], match.start(), match.end(), (fold(inner.strip()),))


def _shouts(text: str) -> bool:
    """Whether the text is written in capitals, so that a capital says nothing."""
    head = text[:2000]
    if head.isascii():
        plain = head.encode()
        upper = len(plain) - len(plain.translate(None, delete=_CAPITALS))
        return upper > 10 and upper > len(plain) - len(plain.translate(None, delete=_SMALL_LETTERS))
    upper = sum(map(str.isupper, head))
    return upper > 10 and upper > sum(map(str.islower, head))


def _continues(text: str, before: re.Match[str], word: re.Match[str]) -> bool:
    between = text[before.end() : word.start()]
    return between in (" ", "\u00a0", " & ", "&") or (between == ". " and len(before[0]) <= 3)


def _from_run(text: str, run: list[re.Match[str]], ordinary: frozenset[str], capitalises_nouns: bool) -> list[Name]:
    """The name in a run of capitalised words, without leading function words; none where the capital proves nothing."""
    words = list(run)
    while words and fold(words[0][0]) in ordinary and not _is_acronym(words[0][0]):
        words.pop(0)
    while words and fold(words[-1][0]) in ordinary and not _is_acronym(words[-1][0]):
        words.pop()
    if not words:
        return []
    at_start = words[0] is run[0] and _ends_at_break(text[max(0, words[0].start() - 40) : words[0].start()])
    if at_start and words[0].start() > 40 and not text[words[0].start() - 40 : words[0].start()].strip():
        at_start = False
    proves = [word for word in words if not (at_start and word is words[0])]
    acronyms = any(_is_acronym(word[0]) for word in words)
    needed = 2 if capitalises_nouns else 1
    if not acronyms and len(proves) < needed:
        return []
    if all(len(word[0]) == 1 for word in words):
        return []
    start, end = words[0].start(), words[-1].end()
    folded = tuple(fold(word[0]) for word in words)
    return [Name(text[start:end], start, end, folded, certain=acronyms or len(words) > 1)]


def _ends_at_break(before: str) -> bool:
    """Whether what follows begins a sentence, a line or a list item."""
    rest = before.rstrip(_BETWEEN)
    between = before[len(rest) :]
    return not rest or rest[-1] in _BREAKS or not _BREAKS.isdisjoint(between) or bool(_ENUMERATOR.fullmatch(rest))


def _is_acronym(word: str) -> bool:
    letters = word.replace("-", "").replace("'", "").replace("’", "")
    return len(letters) >= 2 and sum(letter.isupper() for letter in letters) >= max(2, len(letters) - 1)
