"""What the user asked; ``extraction`` states the rules."""

from collections.abc import Sequence

import regex

from ragsonde.collector.answers import Answer
from ragsonde.collector.conventions import Role
from ragsonde.collector.conventions.messages import last_text
from ragsonde.collector.model import Document
from ragsonde.collector.prompt import cut_question, folded, is_filled_template
from ragsonde.collector.span_tree import Node
from ragsonde.collector.units import ENVELOPING, RETRIEVING, Unit, holds

_QUESTION_VARIABLES = ("question", "query", "query_str", "input", "user_input", "user_question", "user_query")


def find_question(unit: Unit, answer: Answer, documents: Sequence[Document]) -> str | None:
    """Find the question of a unit, best source first; None where the trace does not carry it."""
    known = known_question(unit, answer)
    if known is not None:
        return known
    message = last_text(answer.messages, "user")
    queries = _queries(unit)
    if message and not _is_template(message, documents) and not _holds_query(message, queries):
        return message
    asked = cut_question(message, documents) if message else None
    return _chosen(asked, message, queries) or _prompt_like_input(unit, documents) or _embedded(unit) or message or None


def known_question(unit: Unit, answer: Answer) -> str | None:
    """Return the question where a source says outright that it is one."""
    declared = [node for node in unit.nodes if node.reading.declared and node.reading.question]
    if declared:
        return min(declared, key=lambda node: (node.depth, node.started)).reading.question
    asking = [n for n in unit.nodes if _may_ask(n, unit) and not is_filled_template(n.reading.question or "")]
    if asking:
        return _first_asked(sorted(asking, key=lambda node: (node.depth, node.started)), answer)
    variables = {name.lower(): value for node in answer.twins for name, value in node.reading.variables.items()}
    return next((variables[name] for name in _QUESTION_VARIABLES if variables.get(name, "").strip()), None)


def _first_asked(asking: Sequence[Node], answer: Answer) -> str | None:
    """Take the outermost chain around the answer, and from there go back to what its question was made from.

    A chain that rewrote the question for the next returned the next one's question; a chain that only routed did not.
    """
    above = {node.span.span_id for node in answer.generation.upwards()} if answer.generation is not None else set()
    first = next((node for node in asking if node.span.span_id in above), asking[0])
    for _ in asking:
        made_from = [n for n in asking if n.started < first.started and _gave(n, first.reading.question)]
        if not made_from:
            break
        first = made_from[0]
    return first.reading.question


def _gave(node: Node, question: str | None) -> bool:
    return folded(node.reading.answer or "") == folded(question or "") != ""


def _may_ask(node: Node, unit: Unit) -> bool:
    if not node.reading.question:
        return False
    works = node is unit.top or holds(node, Role.GENERATION, Role.TOOL, Role.EMBEDDING, *RETRIEVING)
    return node.role is Role.AGENT or (
        works and (node.role is Role.CHAIN or (node is unit.top and node.role in (Role.OTHER, Role.TOOL)))
    )


def _chosen(asked: str | None, message: str | None, queries: Sequence[str]) -> str | None:
    """Choose between what was cut out of the prompt and what was searched for.

    Equal but for white space and case, the query is the cleaner one. Different, the prompt has what the user said.
    Without either in the other, a query that stands in the prompt is the question, else the first is.
    """
    if asked is not None:
        return next((query for query in queries if folded(query) == folded(asked)), asked)
    inside = [query for query in queries if message and folded(query) in folded(message)]
    return next(iter(inside or queries), None)


def _is_template(message: str, documents: Sequence[Document]) -> bool:
    if is_filled_template(message):
        return True
    text = folded(message)
    return any(document.text and folded(document.text)[:200] in text for document in documents)


def _holds_query(message: str, queries: Sequence[str]) -> bool:
    """Whether a message puts words around a query: then it is an instruction, and the query the question in it.

    A query within a sentence is none: whoever asks "And what of the refund?" is searched for with "refund".
    """
    text = folded(message)
    return any(
        len(text) / 3 <= len(query) < len(text) and _stands_apart(query, message) for query in map(folded, queries)
    )


def _stands_apart(query: str, message: str) -> bool:
    """Whether a (folded) query stands in a message as a sentence of its own: between its ends, breaks and marks."""
    words = r"\s+".join(map(regex.escape, query.split()))
    apart = rf"(?:^|[\n\p{{P}}\p{{S}}]\s*){words}(?:\s*[\n\p{{P}}\p{{S}}]|\s*$)"
    return regex.search(apart, message.casefold()) is not None


def _queries(unit: Unit) -> list[str]:
    """Return what was searched for, in order of start, each once."""
    nodes = sorted(unit.with_role(*RETRIEVING), key=lambda node: node.started)
    return [*dict.fromkeys(node.reading.question for node in nodes if node.reading.question)]


def _prompt_like_input(unit: Unit, documents: Sequence[Document]) -> str | None:
    """Cut the question out of a chain's input that is a filled prompt itself."""
    inputs = [node.reading.question for node in unit.with_role(*ENVELOPING) if node.reading.question]
    return next((asked for text in inputs if (asked := cut_question(text, documents)) is not None), None)


def _embedded(unit: Unit) -> str | None:
    """Return the text that was embedded, where it was one text only: a vector store's spans carry no query."""
    texts = [node.reading.question for node in unit.with_role(Role.EMBEDDING) if node.reading.question]
    return texts[0] if len(set(texts)) == 1 else None
