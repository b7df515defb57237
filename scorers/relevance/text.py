"""Words for comparing texts of any language, and text without markup."""

import html
import unicodedata
from collections.abc import Mapping

import regex

_NOT_SHOWN = regex.compile(r"<(script|style)\b.*?(?:</\1\s*>|$)|<!--.*?(?:-->|$)", regex.DOTALL | regex.IGNORECASE)
_BLOCK_TAG = regex.compile(
    r"</?(?:p|div|br|hr|li|[uod]l|dt|dd|h[1-6]|table|caption|tr|section|article|header|footer|blockquote|pre)\b[^<>]{0,2000}>",
    regex.IGNORECASE,
)
_TAG = regex.compile(r"</?[A-Za-z][A-Za-z0-9:-]*(?<!:)(?:\s[^<>]{0,2000})?/?>")
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = regex.compile(
    rf"[{_UNSPACED}]+|[[\p{{L}}\p{{N}}]--[{_UNSPACED}]][[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]*", regex.V1
)
_IS_UNSPACED = regex.compile(rf"[{_UNSPACED}]")
_ARABIC_ARTICLE = regex.compile(r"^(?:[وفبك]?ال|لل)(?=\p{Arabic}{3})")
"""Written onto its noun, with what may stand before it."""
_STEM = 5
"""Letters that two forms of a word must share; inflection mostly changes what follows."""
_FULL_WEIGHT_LETTERS = 7
_FUNCTION_WORD_LETTERS = 2


def without_markup(text: str) -> str:
    """The text that a browser would show, blocks and table rows on lines of their own; text without tags as it is."""
    if _TAG.search(text) is None:
        return text
    return html.unescape(_TAG.sub(" ", _BLOCK_TAG.sub("\n\n", _NOT_SHOWN.sub(" ", text))))


def holds(text: str, part: str) -> bool:
    """Whether a text holds the words of another one in a row, whatever their case and punctuation."""
    wanted = _plain(part)
    return bool(wanted) and wanted in _plain(text)


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(match[0] for match in _WORD.finditer(folded))


def has_word(text: str) -> bool:
    """Whether any letter or digit is in it."""
    return _WORD.search(unicodedata.normalize("NFKC", text)) is not None


def terms(text: str) -> Mapping[str, float]:
    """What to compare texts by, with weights: stems of words, pairs of characters where words are not spaced.

    Short words weigh little: in every language that spaces its words the commonest are short, so no list of stop words
    is needed. Numbers weigh in full.
    """
    found: dict[str, float] = {}
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text).casefold()):
        word = _ARABIC_ARTICLE.sub("", match[0])
        if _IS_UNSPACED.match(word):
            found.update((word[at : at + 2], 1.0) for at in range(max(len(word) - 1, 1)))
        else:
            weight = min(1.0, max(0.0, len(word) - _FUNCTION_WORD_LETTERS) / _FULL_WEIGHT_LETTERS)
            found[word[:_STEM]] = 1.0 if any(character.isdigit() for character in word) else weight
    return found


def coverage(wanted: Mapping[str, float], text_terms: Mapping[str, float]) -> float:
    """The share of the wanted terms' weight that a text holds, 0 to 1; 0 where nothing is wanted."""
    total = sum(wanted.values())
    return sum(weight for term, weight in wanted.items() if term in text_terms) / total if total else 0.0
