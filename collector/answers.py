"""Which answer reached the user, and which generation gave it; ``extraction`` states the rules."""

from dataclasses import dataclass, replace

import regex

from ragsonde.collector.conventions import Message, Role
from ragsonde.collector.prompt import folded
from ragsonde.collector.span_tree import Node
from ragsonde.collector.units import RETRIEVING, Unit, holds, is_formatted_documents

_SAME_KIND_RATIO = 0.5
"""Length of a text, as a share of another, from which on it can be a version of it."""

_REASONING = regex.compile(r"(?:\s*<(think|thinking|reasoning)>.*?</\1>)+\s*", regex.DOTALL | regex.IGNORECASE)
_BEGUN_REASONING = regex.compile(r"\s*<(?:think|thinking|reasoning)>", regex.IGNORECASE)
_END_OF_REASONING = "</think>\n"
"""All that is left of the tags where a server puts the opening one into the prompt."""

_MAX_COMPARED = 50
"""Generations, latest first, and documents looked for in their prompts."""


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
    """Find the answer of a unit, without the model's reasoning; its text is None where none was captured or given."""
    found = _find_answer(unit)
    return found if found.text is None else replace(found, text=without_reasoning(found.text))


def without_reasoning(text: str) -> str:
    """Take off the reasoning that a model wrote before its answer; empty where it got no further than that."""
    blocks = _REASONING.match(text)
    rest = text[blocks.end() :] if blocks is not None else text
    if _BEGUN_REASONING.match(rest):
        return ""
    before, end, after = rest.partition(_END_OF_REASONING)
    return after.strip() if end and "<think>" not in before else rest


def _find_answer(unit: Unit) -> Answer:
    generations = [*unit.with_role(Role.GENERATION)]
    texts = [node for node in generations if node.reading.answer]
    answering = _answering(unit, texts)
    envelope = _envelope(unit, texts, answering)
    if envelope is not None:
        answer = envelope.reading.answer
        generation = _giving(answer or "", texts) or answering or _last(texts) or _last(generations)
        return _answer(answer, envelope, generation, texts)
    if answering is not None:
        return _answer(answering.reading.answer, answering, answering, texts)
    last = _last(generations)
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


def _envelope(unit: Unit, texts: list[Node], answering: Node | None) -> Node | None:
    """Find the outermost span around the answering generation that returned a text of its own."""
    declared = [node for node in unit.nodes if node.reading.declared and node.reading.answer]
    candidates = declared or [node for node in unit.nodes if _may_envelop(node, unit)]
    if texts and not declared:
        candidates = [node for node in candidates if _is_around(node, answering, unit)]
    return min(candidates, key=lambda node: (node.depth, node.started), default=None)


def _may_envelop(node: Node, unit: Unit) -> bool:
    if not node.reading.answer:
        return False
    if node.role is Role.AGENT:
        return True
    works = holds(node, Role.GENERATION, Role.TOOL, *RETRIEVING) or (
        node is unit.top and any(below.reading.mentioned for below in unit.nodes)
    )
    is_envelope = node.role is Role.CHAIN or (node is unit.top and node.role in (Role.OTHER, Role.TOOL))
    return works and is_envelope and not is_formatted_documents(node)


def _is_around(node: Node, answering: Node | None, unit: Unit) -> bool:
    if node is unit.top:
        return True
    if answering is None:  # every traced generation came before the retrieval: what answered was not traced
        return holds(node, *RETRIEVING)
    return any(above is node for above in answering.upwards())


def _answering(unit: Unit, texts: list[Node]) -> Node | None:
    """Choose the generation that answered among those with a text.

    One whose prompt holds the documents came after the retrieval, even where the clocks of two machines disagree.
    """
    retrievals = [node for node in unit.with_role(*RETRIEVING) if node.reading.documents]
    first_retrieval = min((node.span.start_ns for node in retrievals), default=0)
    documents = [folded(d.text)[:200] for node in retrievals for d in node.reading.documents or () if d.text]
    latest_first = sorted(texts, key=lambda node: node.ended, reverse=True)[:_MAX_COMPARED]
    grounded = [node for node in latest_first if _is_grounded(node, documents[:_MAX_COMPARED])]
    candidates = [node for node in latest_first if node in grounded or node.ended[0] >= first_retrieval]
    for node in candidates:
        worked_on = [earlier for earlier in grounded if earlier.ended < node.ended and _was_given(node, earlier)]
        if worked_on and not _is_of_its_length(node, worked_on[0]):  # a title, or a verdict on the answer
            continue
        if worked_on or node in grounded or not grounded:
            return node
    return candidates[0] if candidates else None


def _is_grounded(node: Node, documents: list[str]) -> bool:
    prompts = [folded(message.text) for message in node.reading.messages if message.text]
    prompts += [folded(str(value)) for message in node.reading.messages for value in message.tool_results]
    return any(document in prompt for prompt in prompts for document in documents)


def _was_given(node: Node, earlier: Node) -> bool:
    """Whether a generation got the answer of an earlier one to work on."""
    answer = folded(earlier.reading.answer or "")
    return any(answer in folded(message.text) for message in node.reading.messages if message.text)


def _is_of_its_length(node: Node, earlier: Node) -> bool:
    return len(node.reading.answer or "") >= _SAME_KIND_RATIO * len(earlier.reading.answer or "")


def _giving(answer: str, texts: list[Node]) -> Node | None:
    """Find the last generation that gave an answer, word for word or with something added or taken away."""
    given = [(node, folded(node.reading.answer or "")) for node in texts]
    wanted = folded(answer)
    same = [node for node, text in given if text == wanted]
    versions = [node for node, text in given if _is_part(text, wanted) or _is_part(wanted, text)]
    return _last(same or versions)


def _is_part(part: str, whole: str) -> bool:
    """Whether a text is most of another: a grader's "yes" is in many answers and is none of them."""
    return part in whole and len(part) >= _SAME_KIND_RATIO * len(whole)


def _last(nodes: list[Node]) -> Node | None:
    return max(nodes, key=lambda node: node.ended, default=None)
