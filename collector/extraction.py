"""A trace to interactions: what was asked, what was retrieved, what was said. Pure, and independent of span order.

``units`` says which spans belong to one answered question, ``contexts`` which documents it was answered from. The rest
of the rules stands here:

Answer
    What the outermost chain or agent around the answering generation returned, where that is a text: post-processing
    is part of what reached the user. Else the answering generation's text. That generation is the last one with a
    text, but for one that was given an earlier answer and returned much less than it (a title, a verdict), and, where
    some prompt holds the retrieved documents, for one whose prompt holds neither those nor an earlier answer. A
    generation that ended in a tool call has no answer, nor has one that ended before anything was
    retrieved (it rewrote the question).

Question
    What the application declared; else the outermost chain's or agent's text input; else a prompt variable that names
    it; else the last user message, where that is a person's own words; else the retrieval query. Where the last user
    message is a filled template and the query does not stand in it as its question, the question is cut out of the
    template: a query that was rewritten for the search engine is not what the user asked.

No answer
    Content that is hidden or switched off gives an interaction that says so, with no text at all. Content that the
    SDK's length limit cut, a generation that failed, or a trace that is not complete gives an incomplete one, if it
    shows a question. A trace without generation and without an answering agent (a health check, a lone retrieval, an
    embedding job) gives none; nor does a chain that returned only the documents it retrieved, which is counted.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import regex

from ragsonde.collector.answers import Answer, find_answer
from ragsonde.collector.contexts import PromptView, context_variables, find_contexts
from ragsonde.collector.conventions import CONTENT_REMEDIES, Role
from ragsonde.collector.length_limit import any_is_cut
from ragsonde.collector.model import AttributeValue, Capture, Document, Interaction, Span, Trace
from ragsonde.collector.questions import find_question, known_question
from ragsonde.collector.span_tree import Node, build_tree
from ragsonde.collector.telemetry import IgnoreReason
from ragsonde.collector.units import ENVELOPING, RETRIEVING, Unit, find_units, is_formatted_documents

_STATUS_ERROR = 2
_MAY_FORMAT = (*ENVELOPING, Role.TOOL, Role.OTHER)
_DEFAULT_SERVICES = ("unknown_service", "trulens")
"""Service names that an SDK or a library sets when the application sets none."""

_LIMIT_REMEDY = (
    "The application's SDK cut content off: unset OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT and "
    "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT, or raise them."
)
_FAILED_REMEDY = "The generation failed before it gave an answer: see the error on its span."
_CANCELLED_REMEDY = "The reader left before the answer was whole; nothing needs to be done."
_MISSING_REMEDY = (
    "Spans are missing: instrument the model client that gives the answer, and let the assembler wait longer "
    "if spans come late."
)
_UNREAD_REMEDY = (
    "There is text under {}, in a form that Ragsonde does not read: instrument the model client by one of the "
    "conventions that it reads, or record question and answer with Ragsonde's own decorators."
)
_NAMES_CONTENT = regex.compile(
    r"^(?!http\.|url\.|exception\.|db\.|rpc\.|user_agent).*"
    r"(?:prompt|completion|input|output|message|content|request|response|question|answer|reply)",
    regex.IGNORECASE | regex.DOTALL,
)
_WORDS = regex.compile(r"\p{L}\s+\p{L}|[\p{Han}\p{Thai}]{5}")
_MAX_KEY = 80
_IDS_ONLY_REMEDY = (
    "The spans carry document ids without texts: add a `content` key to gen_ai.retrieval.documents, "
    "or configure a document resolver."
)
_NO_DOCUMENTS_REMEDY = (
    "The retrieval span names no documents: let the retriever's instrumentation record them, "
    "or add gen_ai.retrieval.documents with a `content` key."
)
_NO_RETRIEVAL_REMEDY = (
    "No retrieval was traced and the prompt holds no passages: instrument the retriever "
    "(gen_ai.operation.name=retrieval, or any convention that Ragsonde reads)."
)


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a trace held."""

    interactions: tuple[Interaction, ...]
    ignored: Mapping[IgnoreReason, int]
    """Spans and log records left out on purpose, by reason."""


def extract(trace: Trace) -> Extraction:
    """Read the answered questions of a trace; the module says by which rules."""
    tree = build_tree(trace)
    ignored = Counter(tree.ignored)
    found: list[tuple[Unit, Interaction]] = []
    for unit in find_units(tree):
        interaction = _read(unit, is_complete=trace.complete)
        if interaction is not None:
            found.append((unit, interaction))
        elif formatted := sum(map(is_formatted_documents, unit.with_role(*_MAY_FORMAT))):
            ignored[IgnoreReason.ONLY_DOCUMENTS] += formatted
    if len(found) == 1:
        interactions = [replace(found[0][1], id=trace.trace_id)]
    else:
        interactions = [replace(found_in, id=f"{trace.trace_id}:{_first_id(unit)}") for unit, found_in in found]
    return Extraction(tuple(replace(i, trace_id=trace.trace_id) for i in interactions), dict(ignored))


def _first_id(unit: Unit) -> str:
    return (unit.top or unit.nodes[0]).span.span_id


def _read(unit: Unit, *, is_complete: bool) -> Interaction | None:
    answer = find_answer(unit)
    if answer.text is None:
        return _without_answer(unit, answer, is_complete=is_complete)
    prompt = _prompt_view(unit, answer)
    contexts = find_contexts(unit, answer.generation, prompt)
    question = find_question(unit, answer, contexts or ())
    interaction = _described(unit, answer)
    interaction = replace(interaction, question=question, answer=answer.text, contexts=contexts)
    return _with_capture(interaction, unit)


def _prompt_view(unit: Unit, answer: Answer) -> PromptView:
    variables = context_variables(item for node in answer.twins for item in node.reading.variables.items())
    return PromptView(answer.messages, variables, known_question(unit, answer))


# What is missing, and why -----------------------------------------------------------------------------------


def _with_capture(interaction: Interaction, unit: Unit) -> Interaction:
    texts = [interaction.question, interaction.answer, *(d.text for d in interaction.contexts or ())]
    has_contexts = _all_have_texts(interaction.contexts)
    if any(node.reading.cancelled for node in unit.nodes):
        return replace(interaction, capture=Capture.INCOMPLETE, remedy=_CANCELLED_REMEDY)
    is_lacking = not has_contexts or interaction.question is None
    if (is_lacking and _is_cut(unit)) or any_is_cut([text for text in texts if text], unit):
        return replace(interaction, capture=Capture.INCOMPLETE, remedy=_LIMIT_REMEDY)
    if not has_contexts:
        remedy = _contexts_remedy(interaction.contexts, unit)
        return replace(interaction, capture=Capture.CONTEXTS_NOT_CAPTURED, remedy=remedy)
    return interaction


def _all_have_texts(contexts: tuple[Document, ...] | None) -> bool:
    return contexts is not None and all(document.text is not None for document in contexts)


def _contexts_remedy(contexts: tuple[Document, ...] | None, unit: Unit) -> str:
    if contexts is not None:
        return _IDS_ONLY_REMEDY
    hidden = next((node for node in unit.with_role(*RETRIEVING, Role.TOOL) if node.reading.hidden), None)
    if hidden is not None:
        return CONTENT_REMEDIES.get(hidden.reading.convention, _NO_DOCUMENTS_REMEDY)
    return _NO_DOCUMENTS_REMEDY if unit.with_role(*RETRIEVING) else _NO_RETRIEVAL_REMEDY


def _without_answer(unit: Unit, answer: Answer, *, is_complete: bool) -> Interaction | None:
    if not unit.with_role(Role.GENERATION, Role.AGENT) and not any(node.reading.declared for node in unit.nodes):
        return None
    described = _described(unit, answer)
    withheld = _withheld(unit, is_complete=is_complete)
    if withheld is not None:
        return _not_captured(described, withheld)
    incomplete = _incomplete(described, unit, answer)
    return incomplete if incomplete.question is not None or _is_cut(unit) else None


def _withheld(unit: Unit, *, is_complete: bool) -> Node | None:
    """Return a span whose content is hidden, or whose convention's capture is switched off."""
    hidden = next((node for node in unit.nodes if node.reading.hidden), None)
    if hidden is not None or not is_complete:
        return hidden
    return next((node for node in unit.with_role(Role.GENERATION) if _says_nothing(node)), None)


def _incomplete(described: Interaction, unit: Unit, answer: Answer) -> Interaction:
    contexts = find_contexts(unit, None, _prompt_view(unit, answer))
    question = find_question(unit, answer, contexts or ())
    remedy = _incomplete_remedy(unit)
    return replace(described, question=question, contexts=contexts, capture=Capture.INCOMPLETE, remedy=remedy)


def _incomplete_remedy(unit: Unit) -> str:
    if _is_cut(unit):
        return _LIMIT_REMEDY
    if any(node.reading.cancelled for node in unit.nodes):
        return _CANCELLED_REMEDY
    last = max(unit.with_role(Role.GENERATION), key=lambda node: node.started, default=unit.top)
    return _FAILED_REMEDY if last is not None and last.span.status_code == _STATUS_ERROR else _MISSING_REMEDY


def _not_captured(described: Interaction, node: Node) -> Interaction:
    convention = node.reading.convention
    unread = None if node.reading.hidden else _unread_key(node.span)
    remedy = CONTENT_REMEDIES.get(convention) if unread is None else _UNREAD_REMEDY.format(unread[:_MAX_KEY])
    return replace(
        described,
        convention=convention,
        capture=Capture.CONTENT_NOT_CAPTURED,
        remedy=remedy,
        system_instructions=None,
        cited_ids=None,
    )


def _unread_key(span: Span) -> str | None:
    """Return a key of a span that said nothing, under which there is a text all the same."""
    held = [*span.attributes.items(), *(item for event in span.events for item in event.attributes.items())]
    keys = [
        key for key, value in held if _NAMES_CONTENT.search(key) and isinstance(value, str) and _WORDS.search(value)
    ]
    return min(keys, default=None)


def _says_nothing(node: Node) -> bool:
    """Whether a generation ended well and carries no content: its capture is switched off."""
    reading = node.reading
    has_ended = node.span.end_ns > 0 and node.span.status_code != _STATUS_ERROR
    says_something = reading.answer is not None or reading.messages or reading.called_tool or reading.cut
    return has_ended and not says_something


def _is_cut(unit: Unit) -> bool:
    return any(node.reading.cut for node in unit.nodes)


# What describes it ------------------------------------------------------------------------------------------


def _described(unit: Unit, answer: Answer) -> Interaction:
    """Fill in all but question, answer, contexts and capture."""
    readings = [node.reading for node in unit.nodes]
    source = answer.source or answer.generation or _first_telling(unit)
    generation = answer.generation or source
    app, version = _service(source, unit)
    resource = source.span.resource
    environment = _text(resource, "deployment.environment.name", "deployment.environment")
    models = [node.reading.model for node in (generation, *unit.with_role(Role.GENERATION, *ENVELOPING))]
    instructions = [node.reading.system_instructions for node in (*answer.twins, *unit.with_role(Role.AGENT))]
    return Interaction(
        id="",
        question=None,
        answer=None,
        contexts=None,
        span_id=generation.span.span_id,
        convention=source.reading.convention,
        app=app,
        app_version=version,
        environment=environment or next((r.environment for r in readings if r.environment), None),
        conversation_id=_conversation(unit),
        model=next(filter(None, models), None),
        start_ns=min(node.span.start_ns for node in ([unit.top] if unit.top else unit.nodes)),
        end_ns=max(node.span.end_ns for node in ([unit.top] if unit.top and unit.top.span.end_ns else unit.nodes)),
        system_instructions=next(filter(None, instructions), None),
        cited_ids=next((r.cited_ids for r in readings if r.cited_ids is not None), None),
        feedback=_latest_feedback(unit),
    )


def _first_telling(unit: Unit) -> Node:
    return next((node for node in unit.nodes if node.reading.convention), unit.nodes[0])


def _service(source: Node, unit: Unit) -> tuple[str, str | None]:
    """Return the application and its version; a library's own name and version are neither."""
    resource = source.span.resource
    service = _text(resource, "service.name")
    readings = [source.reading, *(node.reading for node in unit.nodes)]
    named = next((r.app for r in readings if r.app), None)
    version = next((r.app_version for r in readings if r.app_version), None)
    if service is None or service.startswith(_DEFAULT_SERVICES[0]) or service in _DEFAULT_SERVICES:
        return named or "unknown", version
    return service, _text(resource, "service.version") or version


def _conversation(unit: Unit) -> str | None:
    for node in (*unit.nodes, *unit.nodes[0].upwards()):  # a wrapper of several questions names it for all
        found = _text(node.span.attributes, "session.id") or node.reading.conversation_id
        if found is not None:
            return found
    return None


def _latest_feedback(unit: Unit) -> float | None:
    given = [node for node in unit.nodes if node.reading.feedback is not None]
    return max(given, key=lambda node: node.started).reading.feedback if given else None


def _text(attributes: Mapping[str, AttributeValue], *keys: str) -> str | None:
    found = (attributes.get(key) for key in keys)
    return next((value for value in found if isinstance(value, str) and value), None)
