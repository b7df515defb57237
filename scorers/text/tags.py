"""Editors' tags in an answer: ``[TODO]``, ``[offen]``, ``- [x]``. They speak of the text and state nothing."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

import regex

_TAG = regex.compile(r"(?<![A-Za-z0-9_\]!`])[\[［【]\s{0,2}(?P<word>[^\[\]［］【】\n]{0,80}?)\s{0,2}[\]］】](?![\[(:])")
_CAPITALS = regex.compile(r"\p{Lu}{3,20}(?:[ _-]\p{Lu}{2,20}){0,3}[!?]?")
_CHECK_BOX = regex.compile(r"(?:^|\n)[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?\Z")
_ENDS = regex.compile(r"[\s\"”»)]*(?:[.!?。！？…؟۔।]|\n|\Z)")
_REMARK = regex.compile(r"\s*[:：–—-].*")


def find_tags(answer: str, contexts: Sequence[str] = ()) -> tuple[tuple[int, int], ...]:
    """Where tags stand, as (start, end) offsets.

    A tag is a listed remark, a check box, or, at the end of a sentence, a word in capitals that no context holds. What
    the contexts write in brackets themselves is what the answer is about.
    """
    if "[" not in answer and "［" not in answer and "【" not in answer:
        return ()
    return tuple(_tags(answer, contexts))


def _tags(answer: str, contexts: Sequence[str]) -> Iterator[tuple[int, int]]:
    for found in _TAG.finditer(answer):
        word = found["word"]
        held = found[0]
        if word.casefold() in ("", "x", "✓", "✔"):
            if not _CHECK_BOX.search(answer, max(0, found.start() - 20), found.start()):
                continue
        elif not _is_listed(word):
            if not _CAPITALS.fullmatch(word) or not _ENDS.match(answer, found.end()):
                continue
            held = word
        if not any(held.casefold() in text.casefold() for text in contexts):
            yield found.span()


def _is_listed(word: str) -> bool:
    folded = " ".join(word.casefold().split())
    listed, with_remark = _listed()
    if folded in listed:
        return True
    return any(
        folded.startswith(tag) and (_REMARK.match(folded, len(tag)) or word.startswith(f"{tag.upper()} "))
        for tag in with_remark
    )


@cache
def _listed() -> tuple[frozenset[str], tuple[str, ...]]:
    """All tags, and those after which a remark may follow."""
    lines = files(__package__).joinpath("tags.txt").read_text(encoding="utf-8").splitlines()
    by_language = {
        language: [tag.strip().casefold() for tag in tags.split(",")]
        for language, _, tags in (line.partition(":") for line in lines if line and not line.startswith("#"))
    }
    listed = frozenset(tag for tags in by_language.values() for tag in tags)
    return listed, tuple(tag for tag in by_language["any"] if tag.isalnum())
