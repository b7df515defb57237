"""Which documents the generator was given, in which order.

The rules, in order:

1. A retrieval inside another is the same one seen twice: the outer counts, with texts that only the inner has.
2. Several retrievals are joined in order of start; a document that comes again is dropped.
3. What a reranker (or joiner) returns replaces what was retrieved before it and not reranked yet. One that names
   places only puts in order what its span says it was given, else the one result before it; of several results nobody
   knows how they were put together.
4. Results of tools count where they are lists of documents; a tool's plain text counts only where nothing else was
   retrieved and it looks like looked-up text: the telemetry or the tool's name says so, it comes in several
   paragraphs, or it is long. A calculator's number or a forecast's line is no context, nor is what a failed tool said.
5. Without any of these: documents that went through a formatting step, then the passages in the prompt itself.
6. Ids without texts get their texts from other spans, or from the prompt where it holds as many passages as ids.
7. The prompt decides the order, since ``[n]`` in the answer means its numbers; a prompt that holds more passages than
   were traced is believed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ragsonde.collector.conventions import Message, Role
from ragsonde.collector.conventions.documents import ranked
from ragsonde.collector.conventions.reranking import place_of, placed
from ragsonde.collector.model import Document
from ragsonde.collector.prompt import Passage, folded, passages_in, position_in
from ragsonde.collector.span_tree import Node
from ragsonde.collector.tool_results import listed_by_tool, texts_of_tools
from ragsonde.collector.units import RETRIEVING, Unit

_MAX_ORDERED = 500
"""More documents than this are left in the order of their retrieval: no prompt holds them, no answer cites them."""
_CONTEXT_VARIABLES = (
    "context",
    "contexts",
    "context_str",
    "documents",
    "docs",
    "passages",
    "sources",
    "input_documents",
)


@dataclass(frozen=True, slots=True)
class PromptView:
    """What of the answering generation's prompt helps to find the contexts."""

    messages: tuple[Message, ...] = ()
    variables: tuple[str, ...] = ()
    """Texts that were filled in as contexts."""
    question: str | None = None

    def texts(self) -> tuple[str, ...]:
        """Return every text that may hold passages, most likely first; what the model itself wrote is none."""
        written = [m.text for m in reversed(self.messages) if m.role != "assistant" and m.text]
        return (*self.variables, *written)

    def passages(self) -> tuple[Passage, ...]:
        """Return the passages of the first text that holds any; a variable is one as a whole."""
        if self.variables:
            return passages_in(self.variables[0]) or (Passage(self.variables[0]),)
        found = next((found for text in self.texts() if (found := passages_in(text, self.question))), ())
        return self._without_question(found[0]) if len(found) == 1 and found[0].number is None else found

    def _without_question(self, passage: Passage) -> tuple[Passage, ...]:
        """Cut the question off a block that ends with the prompt; a block with more of the prompt in it is none.

        A passage may hold the question's own words, as of a list of frequent questions: then the prompt asks it
        elsewhere as well.
        """
        question, block = folded(self.question or ""), folded(passage.text)
        asked = sum(folded(text).count(question) for text in self.texts()) if question and question in block else 0
        if not asked or asked > block.count(question):
            return (passage,)
        whole, asks = passage.text.rstrip(), (self.question or "").strip()
        kept = whole.removesuffix(asks).rstrip()
        return (replace(passage, text=kept),) if kept and kept != whole else ()


def context_variables(variables: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Pick the prompt variables that hold contexts."""
    return tuple(value for name, value in variables if name.lower() in _CONTEXT_VARIABLES)


def find_contexts(unit: Unit, answering: Node | None, prompt: PromptView) -> tuple[Document, ...] | None:
    """Find the documents that an answer was given from.

    Returns:
        The documents in the prompt's order, some perhaps with an id and no text; empty where the retrieval says that it
        found nothing; None where the trace does not tell.
    """
    before = [node for node in unit.nodes if answering is None or node.span.start_ns <= answering.ended[0]]
    documents = _retrieved(before) if _has_results(before) else _retrieved(unit.nodes)
    if documents is None:
        documents = _from_tools(before, prompt) or _last_mentioned(before, answering)
    if documents == ():
        return ()
    documents = _completed(documents or (), unit.nodes)
    passages = prompt.passages()
    if not any(document.text for document in documents):
        documents = _from_passages(documents, passages)
    else:
        documents = _in_prompt_order(documents, passages, prompt)
    return ranked(documents) if any(map(_is_named, documents)) else None


# Retrievals -------------------------------------------------------------------------------------------------


def _has_results(nodes: Iterable[Node]) -> bool:
    return any(_own_result(node) is not None for node in nodes)


def _own_result(node: Node) -> tuple[Document, ...] | None:
    """Return what one span retrieved; documents that name neither text nor id (hidden ones) are none."""
    reading = node.reading
    found: tuple[Document, ...] | None = None
    if node.role in RETRIEVING:
        found = reading.documents
    elif node.role is Role.TOOL:
        found = reading.documents or listed_by_tool(node)
    if not found:
        return found
    return tuple(d for d in found if _is_named(d) or place_of(d) is not None) or None


def _is_named(document: Document) -> bool:
    return document.text is not None or document.id is not None


def _retrieved(nodes: Sequence[Node]) -> tuple[Document, ...] | None:
    """Join the results of all retrievals; None where no span has any."""
    within = set(map(id, nodes))
    results: dict[int, list[tuple[Node, tuple[Document, ...]]]] = {}
    for node in reversed(nodes):  # children come before their parents
        inner = [item for child in node.children if id(child) in within for item in results.get(id(child), [])]
        own = _own_result(node)
        if own is None or (node.role is Role.TOOL and inner):
            results[id(node)] = inner
        else:
            seen = [document for _, documents in inner for document in documents]
            own = placed(own, node.reading.mentioned or (seen if len(inner) == 1 else ()))
            results[id(node)] = [(node, _with_texts(own, seen))]
    tops = [node for node in nodes if node.parent is None or id(node.parent) not in within]
    found = sorted((item for top in tops for item in results[id(top)]), key=lambda item: item[0].started)
    return _joined(found) if found else None


def _joined(results: Sequence[tuple[Node, tuple[Document, ...]]]) -> tuple[Document, ...]:
    plain, reranked = _Union(), _Union()
    before: list[tuple[Document, ...]] = []  # what a next reranker was given
    for node, documents in results:
        if node.role is Role.RERANK:
            reranked = reranked if plain.documents else _Union()
            ordered = placed(documents, before[0] if len(before) == 1 else ())
            reranked.add(ordered)
            plain, before = _Union(), [ordered]
        else:
            before = [*before, documents] if plain.documents else [documents]
            plain.add(documents)
    reranked.add(plain.documents)
    return tuple(reranked.documents)


class _Union:
    """Documents in the order they came, each once.

    Two are the same if they have the same text, or the same id and not both a text: chunks of one document share its
    id and differ in text. Within one result nothing is dropped, since the prompt may number repetitions.
    """

    def __init__(self) -> None:
        self.documents: list[Document] = []
        self._by_text: dict[str, int] = {}
        self._by_id: dict[str, int] = {}

    def add(self, documents: Sequence[Document]) -> None:
        """Append what is new; a document that is known already gets what the other occurrence adds to it."""
        known = len(self.documents)
        for document in documents:
            same = self._find(document)
            if same is None or same >= known:
                self.documents.append(document)
            else:
                held = self.documents[same]
                self.documents[same] = replace(held, text=held.text or document.text, id=held.id or document.id)
        for index, document in enumerate(self.documents[known:], start=known):
            if document.text:
                self._by_text.setdefault(folded(document.text), index)
            if document.id is not None:
                self._by_id.setdefault(document.id, index)

    def _find(self, document: Document) -> int | None:
        same = self._by_text.get(folded(document.text)) if document.text else None
        if same is None and document.id is not None and (named := self._by_id.get(document.id)) is not None:
            same = None if self.documents[named].text and document.text else named
        return same


# Other places -----------------------------------------------------------------------------------------------


def _from_tools(nodes: Sequence[Node], prompt: PromptView) -> tuple[Document, ...] | None:
    found = _Union()
    for documents in texts_of_tools(nodes, prompt.messages):
        found.add(documents)
    return tuple(found.documents) or None


def _last_mentioned(nodes: Sequence[Node], answering: Node | None) -> tuple[Document, ...] | None:
    """Take the documents that the last step before the answer was given."""
    own = answering.reading.mentioned if answering is not None else ()
    mentioned = [node for node in nodes if node.reading.mentioned and node is not answering]
    last = max(mentioned, key=lambda node: node.started).reading.mentioned if mentioned else ()
    return own or last or None


def _completed(documents: Sequence[Document], nodes: Iterable[Node]) -> tuple[Document, ...]:
    """Fill in texts and ids that another span of the trace knows."""
    if all(document.text is not None and document.id is not None for document in documents):
        return tuple(documents)
    elsewhere = [d for node in nodes for d in (*node.reading.mentioned, *(node.reading.documents or ()))]
    elsewhere += [document for node in nodes for document in listed_by_tool(node) or ()]
    return _with_texts(documents, elsewhere)


def _with_texts(documents: Sequence[Document], elsewhere: Iterable[Document]) -> tuple[Document, ...]:
    """Fill texts by id and ids by text, where the other side is not ambiguous."""
    texts: dict[str, set[str]] = {}
    ids: dict[str, set[str]] = {}
    for document in elsewhere:
        if document.id is not None and document.text is not None:
            texts.setdefault(document.id, set()).add(document.text)
            ids.setdefault(folded(document.text), set()).add(document.id)
    completed = []
    for document in documents:
        if document.text is None and len(known := texts.get(document.id or "", set())) == 1:
            document = replace(document, text=next(iter(known)))  # noqa: PLW2901 - the completed document goes on
        elif document.id is None and document.text and len(known := ids.get(folded(document.text), set())) == 1:
            document = replace(document, id=next(iter(known)))  # noqa: PLW2901
        completed.append(document)
    return tuple(completed)


# The prompt -------------------------------------------------------------------------------------------------


def _from_passages(documents: Sequence[Document], passages: Sequence[Passage]) -> tuple[Document, ...]:
    """Give ids their texts from the prompt where there are as many; else the passages stand for themselves."""
    if not passages:
        return tuple(documents)
    if len(documents) == len(passages):
        pairs = zip(documents, passages, strict=True)
        return tuple(replace(document, text=passage.text) for document, passage in pairs)
    return tuple(Document(text=passage.text, rank=1, id=passage.id) for passage in passages)


def _in_prompt_order(
    documents: Sequence[Document], passages: Sequence[Passage], prompt: PromptView
) -> tuple[Document, ...]:
    """Order documents as the prompt has them; those it does not have keep their order after the others."""
    numbered = _by_number(documents, passages)
    if numbered is not None:
        return numbered
    best: list[tuple[int, Document]] = []
    for text in map(folded, prompt.texts() if len(documents) <= _MAX_ORDERED else ()):
        placed = [(position, d) for d in documents if (position := position_in(d, text)) >= 0]
        best = max(best, placed, key=len)
    found = [document for _, document in sorted(best, key=lambda item: item[0])]
    return (*found, *(document for document in documents if not any(document is other for other in found)))


def _by_number(documents: Sequence[Document], passages: Sequence[Passage]) -> tuple[Document, ...] | None:
    """Follow the prompt's numbers where every document stands in a numbered passage of its own; else None.

    The prompt may then hold passages that were not traced (some versions trace only the first hit): they are added.
    """
    numbered = sorted((p for p in passages if p.number is not None), key=lambda p: p.number or 0)
    if len(numbered) < len(documents) or len(documents) > _MAX_ORDERED:
        return None
    matched: dict[int, Document] = {}
    texts = [folded(passage.text) for passage in numbered]
    for document in documents:
        place = next((i for i, text in enumerate(texts) if i not in matched and position_in(document, text) >= 0), None)
        if place is None:
            return None
        matched[place] = document
    return tuple(matched.get(i) or Document(text=p.text, rank=1, id=p.id) for i, p in enumerate(numbered))
