"""What a convention makes of one span."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from ragsonde.collector.conventions.values import Attributes
from ragsonde.collector.model import AttributeValue, Document


class Role(StrEnum):
    """What a span does in answering a question."""

    AGENT = "agent"
    """An agent or a whole application call: answers by its kind, whatever it holds."""
    CHAIN = "chain"
    RETRIEVAL = "retrieval"
    RERANK = "rerank"
    """Orders or joins what was retrieved: its result replaces what went in."""
    GENERATION = "generation"
    TOOL = "tool"
    EMBEDDING = "embedding"
    GUARDRAIL = "guardrail"
    """Checks; a generation inside it is not an answer."""
    EVALUATION = "evaluation"
    """Judges an answer: never part of an interaction, with all that is below it."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt or a reply."""

    role: str
    """``system``, ``user``, ``assistant`` or ``tool``."""
    text: str | None = None
    tool_results: tuple[AttributeValue, ...] = ()
    calls_tool: bool = False
    """Whether it asks for a tool: its text then came on the way to a reply."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back to the model."""

    name: str
    value: AttributeValue
    is_datastore: bool = False
    """Whether the telemetry itself says that the tool looks things up (``gen_ai.tool.type``)."""


@dataclass(frozen=True, slots=True)
class SpanReading:
    """One span read by one convention, or by several merged. None always means: the span does not say."""

    convention: str
    role: Role = Role.OTHER
    question: str | None = None
    """Its clean text input: what a chain was asked, what a retriever looked for, what was embedded."""
    answer: str | None = None
    """Its text output; None also where a generation ended in a tool call."""
    declared: bool = False
    """Question and answer were named as such by the application itself."""
    messages: tuple[Message, ...] = ()
    """The prompt of a generation, in order."""
    system_instructions: str | None = None
    documents: tuple[Document, ...] | None = None
    """What it retrieved, in rank order; empty where it says that it found nothing."""
    mentioned: tuple[Document, ...] = ()
    """Documents that passed through it: where ids or texts that a retrieval lacks can be found."""
    variables: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Variables that were filled into the prompt."""
    tool_result: ToolResult | None = None
    called_tool: bool = False
    """A generation that ended in a tool call rather than in text."""
    model: str | None = None
    conversation_id: str | None = None
    app: str | None = None
    app_version: str | None = None
    environment: str | None = None
    feedback: float | None = None
    cited_ids: tuple[str, ...] | None = None
    hidden: bool = False
    """Content was there and has been replaced by a marker, or the span says that it is switched off."""
    cut: bool = False
    """Content was lost to the SDK's attribute length limit."""
    cut_lengths: frozenset[int] = frozenset()
    """Lengths of JSON values that were cut: the SDK's attribute length limit, where there is one."""
    cancelled: bool = False
    """The reader left before the answer was whole."""


def noting(reading: SpanReading, attributes: Attributes) -> SpanReading:
    """Add what was hidden or cut while its attributes were read."""
    if not attributes.hidden and not attributes.cut_lengths:
        return reading
    return replace(
        reading,
        hidden=reading.hidden or attributes.hidden,
        cut=reading.cut or bool(attributes.cut_lengths),
        cut_lengths=reading.cut_lengths | attributes.cut_lengths,
    )
