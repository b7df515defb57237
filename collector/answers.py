"""Which answer reached the user, and which generation gave it; ``extraction`` states the rules."""

from dataclasses import dataclass

from ragsonde.collector.conventions import Message, Role
from ragsonde.collector.prompt import folded
from ragsonde.collector.span_tree import Node
from ragsonde.collector.units import RETRIEVING, Unit, holds

_SAME_KIND_RATIO = 0.5
"""Length of a post-processed answer, as a share of the one it was made from, above which it replaces it."""


@dataclass(frozen=True)
class Answer:
    """An answer and where it comes from."""

    text: str | None
    source: Node | None = None
    """The span that the text was read from."""
    generation: Node | None = None
    """The generation that gave it, or the last that would have; what evaluation events belong to."""
    twins: tuple[Node, ...] = ()
    """That generation and others that recorded the same call: where its prompt can be found."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """The prompt of the generation."""
        return next((node.reading.messages for node in self.twins if node.reading.messages), ())


def find_answer(unit: Unit) -> Answer:
    """Find the answer of a unit; its text is None where none was captured or given."""
    generations = unit.with_role(Role.GENERATION)
    texts = [node for node in generations if node.reading.answer]
    envelope = _envelope(unit, texts)
    if envelope is not None:
        answer = envelope.reading.answer
        matching = [node for node in texts if _is_version_of(node.reading.answer, answer)]
        generation = _last(matching) or _last(texts) or _last([*generations])
        return _answer(answer, envelope, generation, texts)
    generation = _answering(unit, texts)
    if generation is not None:
        return _answer(generation.reading.answer, generation, generation, texts)
    last = _last([*generations])
    if last is not None and last.reading.answer == "":  # captured, and empty: that is what the user got
        return _answer("", last, last, [])
    return _answer(None, None, last, [])


def _answer(text: str | None, source: Node | None, generation: Node | None, texts: list[Node]) -> Answer:
    if generation is None:
        return Answer(text, source)
    same = [node for node in texts if node is not generation and node.reading.answer == generation.reading.answer]
    twins = sorted((node for node in [generation, *same]), key=lambda node: (not node.reading.messages, node.ended))
    if generation.reading.messages == () and twins[0].reading.messages:
        generation = twins[0]
    return Answer(text, source, generation, (generation, *(node for node in twins if node is not generation)))


def _envelope(unit: Unit, texts: list[Node]) -> Node | None:
    """Find the outermost span around the answering generation that returned a text of its own."""
    declared = [node for node in unit.nodes if node.reading.declared and node.reading.answer]
    if declared:
        return min(declared, key=lambda node: (node.depth, node.started))
    answering = _answering(unit, texts)
    candidates = [
        node for node in unit.nodes if _may_envelop(node, unit) and (not texts or _is_around(node, answering, unit))
    ]
    return min(candidates, key=lambda node: (node.depth, node.started), default=None)


def _may_envelop(node: Node, unit: Unit) -> bool:
    if not node.reading.answer:
        return False
    if node.role is Role.AGENT:
        return True
    works = holds(node, Role.GENERATION, Role.TOOL, *RETRIEVING)
    is_envelope = node.role is Role.CHAIN or (node is unit.top and node.role in (Role.OTHER, Role.TOOL))
    return works and is_envelope and not _is_formatted_documents(node)


def _is_formatted_documents(node: Node) -> bool:
    """Whether a chain only retrieved and put the texts together: that is a context, not an answer."""
    if holds(node, Role.GENERATION):
        return False
    retrievals = [below.reading.documents or () for below in node.below() if below.role in RETRIEVING]
    texts = [folded(document.text) for documents in retrievals for document in documents if document.text]
    answer = folded(node.reading.answer or "")
    return bool(texts) and all(text in answer for text in texts)


def _is_around(node: Node, answering: Node | None, unit: Unit) -> bool:
    if node is unit.top:
        return True
    if answering is None:  # every traced generation came before the retrieval: what answered was not traced
        return holds(node, *RETRIEVING)
    return any(below is answering for below in node.below())


def _answering(unit: Unit, texts: list[Node]) -> Node | None:
    """Choose the generation that answered among those with a text."""
    retrievals = [node for node in unit.with_role(*RETRIEVING) if node.reading.documents]
    first_retrieval = min((node.span.start_ns for node in retrievals), default=0)
    after = [node for node in texts if node.ended[0] >= first_retrieval]
    last = _last(after)
    if last is None:
        return None
    documents = [folded(d.text)[:200] for node in retrievals for d in node.reading.documents or () if d.text]
    grounded = _last([node for node in after if _is_grounded(node, documents)])
    if grounded is None or grounded is last or _is_grounded(last, documents):
        return last
    return last if _is_version_made_from(last, grounded) else grounded


def _is_grounded(node: Node, documents: list[str]) -> bool:
    prompts = [folded(message.text) for message in node.reading.messages if message.text]
    prompts += [folded(str(value)) for message in node.reading.messages for value in message.tool_results]
    return any(document in prompt for prompt in prompts for document in documents)


def _is_version_made_from(last: Node, grounded: Node) -> bool:
    """Whether the last generation got the grounded answer to work on and returned one like it."""
    answer = grounded.reading.answer or ""
    was_given = any(folded(answer) in folded(message.text) for message in last.reading.messages if message.text)
    return was_given and len(last.reading.answer or "") >= _SAME_KIND_RATIO * len(answer)


def _is_version_of(text: str | None, answer: str | None) -> bool:
    first, second = folded(text or ""), folded(answer or "")
    return bool(first) and bool(second) and (first in second or second in first)


def _last(nodes: list[Node]) -> Node | None:
    return max(nodes, key=lambda node: node.ended, default=None)
