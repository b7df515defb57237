"""What a stretch of Markdown says once its marks are taken off."""

import html
import re
from collections.abc import Sequence

import regex

from ragsonde.scorers.text.marks import SEE_WORDS, SOURCE_WORDS

_LINK = regex.compile(r"!?\[([^\[\]]{0,500})\]\([^()\s]{0,2000}(?:\s+\"[^\"\n]{0,200}\")?\)")
_TAG = regex.compile(r"</?[a-zA-Z][^<>]{0,500}>")
_CODE = regex.compile(r"`{1,3}([^`]{1,2000})`{1,3}")
_STRONG = regex.compile(r"(\*{1,3}|~~)(?=\S)(.{1,2000}?)(?<=\S)\1", flags=regex.DOTALL)
_UNDERSCORED = regex.compile(r"(?<!\w)(_{1,3})(?=\S)(.{1,2000}?)(?<=\S)\1(?!\w)", flags=regex.DOTALL)
_LINE_MARK = regex.compile(r"(?m)^[ \t]*(?:>[ \t]*)+|^[ \t]*(?:#{1,6}|[-*+•●])[ \t]+")
_STRAY = regex.compile(r"\*{2,3}|(?<!\w)__|__(?!\w)|~~")
_ESCAPE = regex.compile(r"\\([!-/:-@\[-`{-~])")
_SPACE_BEFORE_STOP = regex.compile(r"\s+([.,;:!?。，；！？、])")
_EMPTIED = regex.compile(
    rf"[ \t]*[(（]\s*(?:(?:{SEE_WORDS}|{SOURCE_WORDS})[\s.:]*)?[\s,;&]*[)）]", flags=regex.IGNORECASE
)
"""Brackets that held nothing but citation markers."""
_ENTITY = regex.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", flags=regex.IGNORECASE)
_MARK = re.compile(r"[>#*+•●\]<`_~\\&]")
_DASHED = re.compile(r"(?m)^[ \t]*-")
"""What the marks above cannot be without."""
_INVISIBLE = regex.compile(r"[\u200b\u2060\ufeff\u00ad]")


def plain_text(text: str, marks: Sequence[tuple[int, int]] = ()) -> str:
    """``text`` without citation markers (``marks``: offsets into it, in order), Markdown, HTML, and extra space."""
    parts = []
    at = 0
    for start, end in marks:
        parts.append(text[at:start])
        at = max(at, end)
    parts.append(text[at:])
    plain = _EMPTIED.sub("", "".join(parts)) if marks else text
    if _MARK.search(plain) is not None or ("-" in plain and _DASHED.search(plain) is not None):
        plain = _unmarked(plain)
    plain = " ".join((plain if plain.isascii() else _INVISIBLE.sub("", plain)).split())
    return _SPACE_BEFORE_STOP.sub(r"\1", plain) if marks else plain


def _unmarked(text: str) -> str:
    plain = _LINE_MARK.sub("", text)
    plain = _LINK.sub(r"\1", plain)
    plain = _TAG.sub(" ", plain)
    plain = _CODE.sub(r"\1", plain)
    plain = _STRONG.sub(r"\2", plain)
    plain = _UNDERSCORED.sub(r"\2", plain)
    plain = _STRAY.sub("", plain)
    plain = _ESCAPE.sub(r"\1", plain)
    return _ENTITY.sub(lambda found: html.unescape(found[0]), plain)


def with_entities_read(text: str) -> str:
    """``text`` with its HTML entities as characters, where it is marked up ("4&nbsp;million"); else as it is.

    Entities for angle brackets stay: what they write is text, and would pass for a tag.
    """
    if "&" not in text or _TAG.search(text) is None:
        return text
    return _ENTITY.sub(_read_entity, text)


def _read_entity(found: regex.Match[str]) -> str:
    read = html.unescape(found[0])
    return found[0] if read in ("<", ">") else read
