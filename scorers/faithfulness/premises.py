"""What a model for entailment reads: a claim that stands by itself, and the part of the contexts nearest to it."""

from collections.abc import Callable, Iterator

from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence
from ragsonde.scorers.faithfulness.words import is_content, split_words

_SHORT = 4
"""Claims of fewer content words are read as an answer to the question."""
_RANKED = 32
"""Sentences that are tried for a place, beside the passage that the alignment found."""
_Place = tuple[int, int]
"""A document and a sentence of it."""


def hypothesis(claim: str, question: str) -> str:
    """The claim, after the question where it says little by itself ("Yes.", "In 1889.")."""
    content = {word.key for word in split_words(claim) if is_content(word.key)}
    return f"{question.strip()} {claim}" if question.strip() and len(content) < _SHORT else claim


def premise(claim: str, alignment: Alignment, evidence: Evidence, room: int, tokens: Callable[[str], int]) -> str:
    """The contexts, or of longer ones the sentences nearest to a claim, in their order, as far as there is room.

    First come the passage that covers the claim, the sentence that adds most to it, and the one before it, which may
    say who "she" is; then whatever holds most of the claim's words. Of a single sentence that is longer than the room
    the stretch that holds most of them is taken.
    """
    every = [
        (number, at) for number, document in enumerate(evidence.documents) for at in range(len(document.sentences))
    ]
    if _fit(every, evidence, room, tokens):
        return _joined(every, evidence)
    chosen: set[_Place] = set()
    left = room
    candidates = dict.fromkeys(_nearest(claim, alignment, evidence))
    for place in candidates or every:
        length = tokens(_text(place, evidence))
        if length <= left and place not in chosen:
            chosen.add(place)
            left -= length
    if chosen:
        return _joined(sorted(chosen), evidence)
    return _stretch(_text(next(iter(candidates or every)), evidence), claim, room, tokens)


def _fit(places: list[_Place], evidence: Evidence, room: int, tokens: Callable[[str], int]) -> bool:
    total = 0
    for place in places:
        total += tokens(_text(place, evidence))
        if total > room:
            return False
    return True


def _nearest(claim: str, alignment: Alignment, evidence: Evidence) -> Iterator[_Place]:
    windows = [window for window in (alignment.window, alignment.companion) if window is not None]
    for window in windows:
        yield from ((window.document, at) for at in range(window.first, window.last + 1))
    yield from ((window.document, window.first - 1) for window in windows[:1] if window.first > 0)
    content = dict.fromkeys(word.key for word in split_words(claim) if is_content(word.key))
    yield from ((found.document, found.first) for found in evidence.best_sentences(content, _RANKED))


def _text(place: _Place, evidence: Evidence) -> str:
    number, at = place
    return evidence.documents[number].sentences[at].text


def _joined(places: list[_Place], evidence: Evidence) -> str:
    """Sentences in one text; each document begins a line."""
    texts: dict[int, list[str]] = {}
    for place in places:
        texts.setdefault(place[0], []).append(" ".join(_text(place, evidence).split()))
    return "\n".join(" ".join(text) for text in texts.values())


def _stretch(text: str, claim: str, room: int, tokens: Callable[[str], int]) -> str:
    """As many words of a text as there is room for, where they hold most of the claim's; one word at the least."""
    words, wanted = split_words(text), {word.key for word in split_words(claim)}
    held = [0]
    for word in words:
        held.append(held[-1] + (word.key in wanted))
    size = len(words)
    found = text
    while size > 1 and (length := tokens(found)) > room:
        size = max(1, min(size - 1, size * room // length))
        first = max(range(len(words) - size + 1), key=lambda at: held[at + size] - held[at])
        found = text[words[first].start : words[first + size - 1].end]
    return found
