"""Shows documents to a judge as numbered lines, in as many windows as their length needs. Nothing is cut away."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragsonde.scorers.judge.errors import ContextOverflowError
from ragsonde.scorers.judge.fence import fence
from ragsonde.scorers.judge.judge import Judge
from ragsonde.scorers.judge.prompt import Block, Rubric
from ragsonde.scorers.reading import Reading

_TAG = re.compile(r"\d+\.\d+")
_LINE_TAG = re.compile(r"(?:^|(?<=\s))\d+\.\d+\|\s?")
_MIN_ROOM_TOKENS = 64
_ANY_NONCE = "0" * 16
_TAG_TOKENS = 16


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of a document, or a piece of a very long one; ``tag`` is ``document.sentence``, both from 1."""

    document: int
    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class Window:
    """What one call sees of the documents."""

    lines: tuple[Line, ...]
    ids: tuple[str | None, ...]
    """Ids of all documents, by position."""

    def documents(self) -> tuple[int, ...]:
        """Numbers of the documents that it shows, in order."""
        return tuple(dict.fromkeys(line.document for line in self.lines))

    def tags(self) -> frozenset[str]:
        """Tags of the sentences that it shows."""
        return frozenset(line.tag for line in self.lines)

    def blocks(self) -> tuple[Block, ...]:
        """One fenced block for each document."""
        return tuple(
            Block(
                f"document {number}",
                lines=(
                    *((("id", name),) if (name := self.ids[number - 1]) else ()),
                    *((line.tag, line.text) for line in self.lines if line.document == number),
                ),
            )
            for number in self.documents()
        )


def document_lines(reading: Reading) -> tuple[Line, ...]:
    """All lines of all documents. Between them they hold every character that is not white space."""
    lines = []
    for number, (document, sentences) in enumerate(
        zip(reading.documents or (), reading.context_sentences, strict=True), start=1
    ):
        text = document.text or ""
        starts = [0, *(sentence.start for sentence in sentences[1:]), len(text)]
        pieces = [text[start:end] for start, end in pairwise(starts)]
        shown = [piece for piece in pieces if piece.strip()] or [""]
        lines += [Line(number, f"{number}.{place}", piece) for place, piece in enumerate(shown, start=1)]
    return tuple(lines)


def sentence_tags(reading: Reading) -> frozenset[str]:
    """Tags of all context sentences that are not blank."""
    return frozenset(line.tag for line in document_lines(reading) if line.text.strip())


def fit_windows(
    judge: Judge, rubric: Rubric, blocks: Mapping[str, tuple[Block, ...]], reading: Reading, *, reserve_tokens: int = 0
) -> tuple[Window, ...]:
    """The fewest windows in which ``rubric`` can show the documents beside ``blocks``: one where all fit.

    ``reserve_tokens`` are kept free in each where there are several.

    Raises:
        ContextOverflowError: even a part of the documents does not fit, or too many windows would be needed.
    """
    ids = tuple(document.id for document in reading.documents or ())
    lines = document_lines(reading)
    whole = Window(lines, ids)
    if not lines or judge.fits(rubric.fill({**blocks, "documents": whole.blocks()}, schema={}).chat):
        return (whole,)
    bare = judge.tokens(rubric.fill({**blocks, "documents": ()}, schema={}).chat.text())
    room = judge.config.context_window_tokens - judge.config.max_output_tokens - bare - reserve_tokens
    return plan_windows(lines, ids, room_tokens=room, tokens=judge.tokens, maximum=judge.config.max_windows)


def exchange_blocks(reading: Reading) -> dict[str, tuple[Block, ...]]:
    """Question and answer, fenced."""
    question = reading.interaction.question
    return {
        "question": (Block("question", question),) if question else (),
        "answer": (Block("answer", reading.answer),),
    }


def numbered(name: str, texts: Sequence[str]) -> tuple[Block, ...]:
    """Texts as one block of numbered lines."""
    return (Block(name, lines=tuple((str(number), text) for number, text in enumerate(texts, start=1))),)


def plan_windows(
    lines: Sequence[Line], ids: tuple[str | None, ...], *, room_tokens: int, tokens: Callable[[str], int], maximum: int
) -> tuple[Window, ...]:
    """Windows that cover all ``lines``, each within ``room_tokens``; neighbours share a sentence.

    Raises:
        ContextOverflowError: there is hardly any room, or more than ``maximum`` windows would be needed.
    """
    windows: list[list[Line]] = [[]]
    used = 0
    fences = [tokens(fence(f"document {n}", f"id| {name or ''}", _ANY_NONCE)) for n, name in enumerate(ids, start=1)]
    room_for_text = room_tokens - max(fences, default=0)
    if lines and room_for_text < _MIN_ROOM_TOKENS:
        raise ContextOverflowError("question and answer leave no room for documents in the model's window")
    for line in _pieces(lines, room_for_text, tokens):
        last = windows[-1][-1] if windows[-1] else None
        opens = last is None or last.document != line.document
        cost = _cost(line, tokens) + (fences[line.document - 1] if opens else 0)
        if last is not None and used + cost > room_tokens:
            cost = _cost(line, tokens) + fences[line.document - 1]
            shared = _cost(last, tokens)
            fits = not opens and shared <= room_tokens // 4 and shared + cost <= room_tokens
            windows.append([last] if fits else [])
            used = shared if fits else 0
        windows[-1].append(line)
        used += cost
    if len(windows) > maximum:
        raise ContextOverflowError(f"the documents need {len(windows)} windows, more than max_windows = {maximum}")
    return tuple(Window(tuple(part), ids) for part in windows)


def without_tags(quote: str) -> str:
    """A quote without the line tags that a judge may have copied with it."""
    return _LINE_TAG.sub("", quote)


def read_tag(text: str) -> str:
    """The tag in ``text`` (``2.1|``, ``[2.1]``); ``text`` itself where there is none."""
    found = _TAG.search(text)
    return found.group() if found else text


def _cost(line: Line, tokens: Callable[[str], int]) -> int:
    return tokens(f"{line.tag}| {line.text}\n")


def _pieces(lines: Sequence[Line], room_tokens: int, tokens: Callable[[str], int]) -> list[Line]:
    """The lines, those that fill a window alone cut at half its room."""
    pieces = []
    for line in lines:
        pending = [line.text]
        while pending:
            text = pending.pop()
            if tokens(text) + _TAG_TOKENS > room_tokens and len(text) > 1:
                middle = text.rfind(" ", 1, len(text) // 2 + 1)
                middle = middle if middle > len(text) // 4 else len(text) // 2
                pending += [text[middle:], text[:middle]]
            else:
                pieces.append(Line(line.document, line.tag, text))
    return pieces
