"""Sentences, in any language, with exact offsets.

Blocks first (``blocks.py``), then the full stops of every script inside a block: which marks can end a sentence comes
from Unicode's ``Sentence_Terminal`` property, which of them do comes from what stands around them (``stops.py``) and
from the word lists in ``abbreviations.toml``. Scripts without full stops are cut at their spaces (``phrases.py``).
"""

import re
from collections.abc import Callable, Iterator
from functools import partial

import regex

from ragsonde.scorers.text.abbreviations import ListedWords
from ragsonde.scorers.text.blocks import Block, BlockKind, find_blocks
from ragsonde.scorers.text.language import UNDETERMINED, detect_language
from ragsonde.scorers.text.marks import TRAILING_MARK, may_hold_marks
from ragsonde.scorers.text.phrases import split_phrases
from ragsonde.scorers.text.spans import Sentence
from ragsonde.scorers.text.stops import ends_sentence

_BLOCK_TAG = r"</(?:p|li|h[1-6]|td|th|tr|div|ul|ol|table|blockquote|section|article)>|<br ?/?>"
_PROTECTED = regex.compile(
    rf"(?P<tag>{_BLOCK_TAG})"
    r"|(?P<address>https?://[^\s<>()\[\]\"，。]{1,2000}|www\.[^\s<>()\[\]\"，。]{1,2000})"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"
    r"|`[^`\n]{1,500}`|\$\$[^$]{1,500}\$\$|\$(?=\S)[^$\n]{1,200}(?<=\S)\$(?!\d)|\\\([^\n]{1,200}?\\\)"
    r"|\]\([^()\s]{1,2000}\)|<(?!/?sup)[^<>\n]{1,500}>",
    flags=regex.IGNORECASE,
)
_SIGNS_OF_PROTECTED = ("http", "www.", "@", "\\(", "](")
_PAIRED_SIGNS_OF_PROTECTED = (("<", ">"), ("`", "`"), ("$", "$"))
"""What ``_PROTECTED`` cannot match without: most texts have none, and a look is quicker than a search."""
_ADDRESS_TAIL = regex.compile(r"[.,;:!?'»”…]+$")
_CANDIDATE = regex.compile(
    rf"(?P<hard>[\u2028\u2029]|{_BLOCK_TAG})|(?P<newline>\n)|(?P<stop>[\p{{Sentence_Terminal}}…‥；།༎\u037e]+)",
    flags=regex.IGNORECASE,
)
_PLAIN_CANDIDATE = re.compile(r"(?P<newline>\n)|(?P<stop>[.!?]+)")
"""The same, for ASCII without tags."""
_GREEK = regex.compile(r"\p{Greek}")
_GREEK_QUESTION = regex.compile(r";(?=[\s»”\"]|$)")
_WORD = regex.compile(r"\S{1,200}")
_STOPPED = regex.compile(r"[\p{Sentence_Terminal}…‥；།༎\u037e][\p{Pe}\p{Pf}\p{Pi}\"'*_]{0,5}$")
_CARRIED_ON = regex.compile(r"[,،、，;–—-]$")
_MAX_CHARACTERS = 2000
"""Longer stretches without any full stop are cut at a space: what follows works on sentences, and must stay bounded."""
_MIN_WRAP_WIDTH = 40


def split_sentences(text: str, language: str | None = None) -> tuple[Sentence, ...]:
    """The sentences of ``text``, in order: they never overlap, and together they hold every letter of it.

    ``language`` is an ISO 639 code, ``und`` for unknown; detected where it is None.
    """
    code = partial(detect_language, text) if language is None else language
    return tuple(sentence for block in find_blocks(text) for sentence in block_sentences(text, block, code))


def block_sentences(text: str, block: Block, language: str | Callable[[], str] = UNDETERMINED) -> tuple[Sentence, ...]:
    """The sentences of one block of ``text``. Lines of code and rows of tables are one each.

    ``language`` may be a function, which is asked only where it matters: to tell a language takes long.
    """
    if block.kind in (BlockKind.CODE, BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW):
        pieces = [piece for start, end in block.lines for piece in _bounded(text, *_trim(text, start, end))]
    else:
        masked = _mask(text, block)
        if ";" in masked and _GREEK.search(text) and _told(language) == "el":
            masked = _GREEK_QUESTION.sub("\u037e", masked)
        pieces, begin = [], 0
        for cut in (*_cuts(masked, block, ListedWords(lambda: _told(language))), len(masked)):
            # White space of the mask may be a quote's mark in the text: trimmed by the mask.
            start, end = _trim(masked, begin, cut)
            pieces.extend(_bounded(text, block.start + start, block.start + end))
            begin = cut
    return tuple(Sentence(text[start:end], start, end) for start, end in pieces)


def _told(language: str | Callable[[], str]) -> str:
    return language if isinstance(language, str) else language()


def _mask(text: str, block: Block) -> str:
    """The block's text, the same length, with line prefixes blanked and addresses, code, formulas and tags filled."""
    parts = []
    at = block.start
    for start, end in block.lines:
        if start > at:
            parts.append("\n" + " " * (start - at - 1))
        parts.append(text[start:end])
        at = end
    masked = "".join(parts)
    return _PROTECTED.sub(_fill, masked) if _may_be_protected(masked.lower()) else masked


def _may_be_protected(text: str) -> bool:
    return any(sign in text for sign in _SIGNS_OF_PROTECTED) or any(
        text.find(closing, text.find(opening) + 1) > 0
        for opening, closing in _PAIRED_SIGNS_OF_PROTECTED
        if opening in text
    )


def _fill(match: regex.Match[str]) -> str:
    found = match[0]
    if match.lastgroup == "tag":
        return found
    tail = _ADDRESS_TAIL.search(found) if match.lastgroup == "address" else None
    kept = tail[0] if tail else ""
    # Neither a capital nor a small letter, nor a stop.
    return "\ufffc" * (len(found) - len(kept)) + kept


def _cuts(masked: str, block: Block, lists: ListedWords) -> Iterator[int]:
    """Offsets into ``masked`` at which a new sentence begins."""
    cased = any(character.isupper() for character in masked)
    widest = max(end - start for start, end in block.lines)
    marked = may_hold_marks(masked)
    begin = 0
    for match in (_CANDIDATE if "<" in masked or not masked.isascii() else _PLAIN_CANDIDATE).finditer(masked):
        if match.start() < begin:
            continue
        cut: int | None = match.end()
        if match.lastgroup == "newline" and not _line_ends(masked, match.start(), begin, widest):
            cut = None
        elif match.lastgroup == "stop":
            cut = ends_sentence(masked, begin, match.start(), match.end(), lists, cased=cased, marked=marked)
        if cut is not None:
            yield from (begin + offset for offset in split_phrases(masked[begin:cut]))
            yield cut
            begin = cut
    yield from (begin + offset for offset in split_phrases(masked[begin:]))


def _line_ends(masked: str, at: int, begin: int, widest: int) -> bool:
    """Whether the line break at ``at`` ends a sentence, or only wraps a line."""
    line = masked[max(masked.rfind("\n", begin, at) + 1, begin, at - 2 * _MAX_CHARACTERS) : at].strip()
    following = _WORD.search(masked, at)
    if following is None or not line or _STOPPED.search(line) or _CARRIED_ON.search(line):
        return False  # a full stop has decided already
    first = following[0].lstrip("*_\"'“„«(")[:1]
    if first.islower() or TRAILING_MARK.match(masked, following.start()):
        return False
    wrapped = len(line) + 1 + len(following[0]) > widest >= _MIN_WRAP_WIDTH and " " in line
    return not wrapped


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _bounded(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > _MAX_CHARACTERS:
        space = text.rfind(" ", start + _MAX_CHARACTERS // 2, start + _MAX_CHARACTERS)
        cut = space if space >= 0 else start + _MAX_CHARACTERS
        yield start, cut
        start, _ = _trim(text, cut, end)
    if start < end:
        yield start, end
