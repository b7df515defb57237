"""A filled prompt taken apart again: the question and the passages that a template put into one text.

Used only where nothing cleaner exists. Labels are known in many languages; where none is, structure decides: brackets
with running numbers, tags, fences, and whatever stands after the last passage.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from ragsonde.collector.model import Document
from ragsonde.collector.prompt_labels import CONTEXT_LABELS, QUESTION_LABELS

_START = r"^[ \t#*>_`\-]*"
_WORD = r"\p{L}[\p{L}\p{M}]{1,20}[ \t]*"
_LABEL_LINE = regex.compile(
    _START + r"(?P<label>\p{L}[\p{L}\p{M} _'’\-]{0,40}?)[ \t*_`]*[:：][ \t*_`]*(?P<rest>.*)$", regex.MULTILINE
)
_OPENING_TAG = regex.compile(r"<(?P<tag>\p{L}[\p{L}\p{M}\d_\-]{0,30})(?P<fields>[ \t][^<>]{0,300})?>")
_FENCE = regex.compile(r"^[ \t]*(?:-{3,}|={3,}|\*{3,}|`{3,}.*|\"{3})[ \t]*$", regex.MULTILINE)
_BRACKETED = regex.compile(
    rf"{_START}(?:{_WORD})?[\[【][ \t]*(?:{_WORD})?#?(\d{{1,3}})[ \t]*[\]】][ \t]*[:.\-–—]?[ \t]*", regex.MULTILINE
)
_WORDED = regex.compile(rf"{_START}{_WORD}#?(\d{{1,3}})[ \t]*[:：.)\-–—]+[ \t]*", regex.MULTILINE)
_PLAIN = regex.compile(r"^[ \t]*\(?(\d{1,3})[.)][ \t]+", regex.MULTILINE)
_PASSAGE_TAGS = frozenset({"document", "doc", "passage", "source", "chunk", "result", "item", "article", "snippet"})
_CONTENT_TAGS = frozenset({"document_content", "content", "text", "page_content"})
_FIELD = regex.compile(r"""(?P<name>[\w\-]+)\s*=\s*["'](?P<value>[^"']*)["']""")
_MAX_QUESTION = 4000
_WHITE = regex.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage of a prompt."""

    text: str
    number: int | None = None
    """The number that the prompt gave it: what ``[n]`` in the answer means."""
    id: str | None = None


def folded(text: str) -> str:
    """Fold white space and case, to compare texts that templates have re-wrapped."""
    return _WHITE.sub(" ", text).strip().casefold()


def is_filled_template(text: str) -> bool:
    """Whether a user message is a template filled with contexts or a labelled question, not a person's own words."""
    return bool(_question_labels(text)) or context_block(text) is not None or any(_running(_BRACKETED, text))


def cut_question(prompt: str, documents: Sequence[Document] = ()) -> str | None:
    """Cut the question out of a filled prompt: what is labelled as one, else what stands after the last passage."""
    labelled = _labelled_question(prompt)
    if labelled is not None:
        return labelled
    end = max((_end_of(document, prompt) for document in documents), default=-1)
    if end < 0:
        return None
    paragraphs = [p.strip() for p in regex.split(r"\n\s*\n", _FENCE.sub("\n\n", prompt[end:])) if p.strip(" \t\n.-*#")]
    candidates = [p for p in paragraphs if not p.endswith((":", "：")) and not p.startswith("</")]
    return candidates[-1] if candidates and len(candidates[-1]) <= _MAX_QUESTION else None


def passages_in(prompt: str, question: str | None = None) -> tuple[Passage, ...]:
    """Find the passages in a filled prompt: tagged, numbered, or the context block as one; empty where none are."""
    block = context_block(prompt)
    scope = prompt if block is None else block
    tagged = _tagged_passages(scope)
    if tagged:
        return tagged
    is_open_ended = block is None or prompt.rstrip().endswith(block)
    patterns = (_BRACKETED,) if block is None else (_BRACKETED, _WORDED, _PLAIN)
    for pattern in patterns:
        numbered = _numbered(pattern, scope, question if is_open_ended else None, is_open_ended=is_open_ended)
        if len(numbered) > 1 or (numbered and pattern is _BRACKETED):
            return numbered
    return tuple(Passage(part.strip()) for part in _FENCE.split(block or "") if part.strip())


def context_block(prompt: str) -> str | None:
    """Find the part of a prompt that is marked as context by a label, a tag or fences; None where nothing is."""
    for tag in _tags(prompt, _is_context_label):
        return tag.inner.strip() or None
    for found in _LABEL_LINE.finditer(prompt):
        if _is_context_label(found["label"]):
            return _fenced_or_until_question(prompt[found.start("rest") :]) or None
    fences = [*_FENCE.finditer(prompt)]
    if len(fences) >= 2 and any(map(_is_context_label, _words(_line_before(prompt, fences[0].start())))):
        return prompt[fences[0].end() : fences[-1].start()].strip() or None
    return None


def position_in(document: Document, prompt: str) -> int:
    """Return where a document stands in a prompt, in folded characters; -1 where it does not (``prompt`` is folded)."""
    text = folded(document.text or "")
    if not text:
        return -1
    found = prompt.find(text)
    return found if found >= 0 or len(text) <= 80 else prompt.find(text[:80])


# Questions --------------------------------------------------------------------------------------------------


def _labelled_question(prompt: str) -> str | None:
    tagged = [tag.inner.strip() for tag in _tags(prompt, _is_question_label)]
    if tagged and tagged[-1]:
        return tagged[-1]
    block = context_block(prompt)
    start = prompt.find(block) if block is not None else -1
    end = start + len(block) if block is not None and start >= 0 else -1
    outside = [label for label in _question_labels(prompt) if not start <= label.start() < end]
    for label in reversed(outside):
        text = _until_break(prompt, label.start("rest"))
        if text and len(text) <= _MAX_QUESTION:
            return text
    return None


def _question_labels(prompt: str) -> list["regex.Match[str]"]:
    return [found for found in _LABEL_LINE.finditer(prompt) if _is_question_label(found["label"])]


def _until_break(prompt: str, start: int) -> str:
    """Take a labelled text up to the next label, fence, tag or (once there is text) blank line."""
    lines: list[str] = []
    for line in prompt[start:].splitlines():
        is_break = not line.strip() or _FENCE.match(line) or line.lstrip().startswith("<")
        if lines and (is_break or _LABEL_LINE.match(line)):
            break
        if line.strip() and not is_break:
            lines.append(line.strip())
    return "\n".join(lines)


def _end_of(document: Document, prompt: str) -> int:
    text = document.text or ""
    start = prompt.find(text) if text else -1
    return start + len(text) if start >= 0 else -1


# Passages ---------------------------------------------------------------------------------------------------


def _tagged_passages(scope: str) -> tuple[Passage, ...]:
    found = []
    for tag in _tags(scope, lambda name: name.lower() in _PASSAGE_TAGS):
        name = next((tag.fields[key] for key in ("id", "index", "number", "n") if key in tag.fields), "")
        content = [inner.inner for inner in _tags(tag.inner, lambda name: name.lower() in _CONTENT_TAGS)]
        text = (content[0] if content else tag.inner).strip()
        if text:
            is_number = name.isdecimal() and len(name) < 4
            found.append(Passage(text, int(name) if is_number else None, None if is_number else name or None))
    return tuple(found)


def _numbered(
    pattern: "regex.Pattern[str]", scope: str, question: str | None, *, is_open_ended: bool
) -> tuple[Passage, ...]:
    """Split at line starts that carry running numbers; a number out of sequence belongs to the passage it stands in."""
    marks = [*_running(pattern, scope)]
    found: list[Passage] = []
    for index, (number, _, start) in enumerate(marks):
        is_last = index + 1 == len(marks)
        text = scope[start:] if is_last else scope[start : marks[index + 1][1]]
        if is_last and is_open_ended:
            text = _without_tail(text, question, has_paragraphs=any("\n\n" in passage.text for passage in found))
        if text.strip():
            found.append(Passage(text.strip(), number))
    return tuple(found)


def _running(pattern: "regex.Pattern[str]", scope: str) -> Iterator[tuple[int, int, int]]:
    """Yield number, start of the mark and start of the text, for numbers that run on from 0 or 1."""
    expected: int | None = None
    for match in pattern.finditer(scope):
        number = int(match[1])
        if number == expected or (expected is None and number in (0, 1)):
            expected = number + 1
            yield number, match.start(), match.end()


def _without_tail(text: str, question: str | None, *, has_paragraphs: bool) -> str:
    """End the last passage where the prompt goes on with something else."""
    label = next((found for found in _LABEL_LINE.finditer(text) if _is_question_label(found["label"])), None)
    if label is not None:
        text = text[: label.start()]
    if question and (at := text.rfind(question)) >= 0:
        text = text[:at]
    return text if has_paragraphs else regex.split(r"\n[ \t]*\n", text.strip(), maxsplit=1)[0]


def _fenced_or_until_question(rest: str) -> str:
    """Take what follows a context label: what is fenced, else all up to the last question label or a closing label."""
    fences = [*_FENCE.finditer(rest)]
    if len(fences) >= 2 and not rest[: fences[0].start()].strip():
        return rest[fences[0].end() : fences[-1].start()].strip()
    labels = [found for found in _LABEL_LINE.finditer(rest) if found.start() > 0]
    questions = [found.start() for found in labels if _is_question_label(found["label"])]
    if questions:
        return rest[: questions[-1]].strip()
    if labels and not rest[labels[-1].start("rest") :].strip():  # "Answer:" at the end
        return rest[: labels[-1].start()].strip()
    return rest.strip()


# Labels and tags --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Tag:
    fields: dict[str, str]
    inner: str


def _tags(text: str, is_wanted: Callable[[str], bool]) -> Iterator[_Tag]:
    """Yield the elements with a wanted name that are closed again, outermost first, in order."""
    unclosed: set[str] = set()
    position = 0
    for opening in _OPENING_TAG.finditer(text):
        name = opening["tag"]
        if opening.start() < position or name in unclosed or not is_wanted(name):
            continue
        end = text.find(f"</{name}>", opening.end())
        if end < 0:
            unclosed.add(name)
            continue
        position = end
        fields = {field["name"].lower(): field["value"] for field in _FIELD.finditer(opening["fields"] or "")}
        yield _Tag(fields, text[opening.end() : end])


def _is_question_label(label: str) -> bool:
    return _is_label(label, QUESTION_LABELS)


def _is_context_label(label: str) -> bool:
    return _is_label(label, CONTEXT_LABELS)


@lru_cache(maxsize=4096)
def _is_label(label: str, known: Sequence[str]) -> bool:
    """Whether a label is one of those known, or begins or ends with one as a word (``User's question``)."""
    name = folded(label.replace("_", " ").replace("-", " "))
    return any(
        name == word
        or name.startswith(word + " ")
        or name.endswith(word if not word.isascii() else " " + word)  # scripts without spaces have no word border
        for word in known
    )


def _line_before(prompt: str, position: int) -> str:
    lines = prompt[:position].rstrip().splitlines()
    return lines[-1] if lines else ""


def _words(line: str) -> list[str]:
    return [word.strip(".,:;") for word in line.split()]
