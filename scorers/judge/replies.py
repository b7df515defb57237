"""What a judge may reply: one typed model per prompt, and the JSON schema that asks for it.

Every reply carries ``check``, the call's random word: text written before the call cannot hold it, so a reply that
does is the judge's own. ``list_field`` names the list that a bare top-level array may stand for.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

_MAX_CLAIMS = 500
"""More is a judge that repeats itself."""


def _label(value: object) -> object:
    """Labels compare without case, and with one word separator."""
    return "_".join(value.replace("-", " ").replace("_", " ").split()).casefold() if isinstance(value, str) else value


def _spelt(value: object) -> object:
    """A list of names in which the judge wrote whole numbers as numbers; null for an empty list."""
    if isinstance(value, list):
        return [str(item) if isinstance(item, int) and not isinstance(item, bool) else item for item in value]
    return () if value is None else value


def _listed(value: object) -> object:
    return () if value is None else value


VerdictLabel = Annotated[Literal["supported", "contradicted", "not_found"], BeforeValidator(_label)]
ExtentLabel = Annotated[Literal["fully", "partly", "no"], BeforeValidator(_label)]
AbstainsLabel = Annotated[Literal["no", "partly", "wholly"], BeforeValidator(_label)]


Names = Annotated[tuple[str, ...], BeforeValidator(_spelt)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Reply(_Part):
    """What all replies have."""

    list_field: ClassVar[str | None] = None
    check: str = ""


class Evidence(_Part):
    """A passage that decides a verdict."""

    document: int
    """Number of the document, from 1."""
    quote: str


Passages = Annotated[tuple[Evidence, ...], BeforeValidator(_listed), Field(max_length=100)]


class ClaimVerdict(_Part):
    """What the documents say of one numbered claim."""

    claim: int
    """Number of the claim, from 1."""
    verdict: VerdictLabel
    evidence: Passages = ()
    reason: str = ""


class ExtractedClaim(_Part):
    """One factual statement of the answer."""

    claim: str = Field(min_length=1)
    """The statement, understandable on its own."""
    said: str = ""
    """The words of the answer that state it."""
    cited: Names = ()
    """The documents that the answer cites for it, as written."""


class JudgedClaim(ExtractedClaim):
    """One factual statement and what the documents say of it."""

    verdict: VerdictLabel
    evidence: Passages = ()
    reason: str = ""


class DocumentVerdict(_Part):
    """Whether a document helps to answer the question."""

    document: int
    relevant: bool


class MergedReply(Reply):
    """Everything about one interaction."""

    factual: bool
    claims: tuple[JudgedClaim, ...] = Field(max_length=_MAX_CLAIMS)
    no_claim: Names = ()
    """Sentences of the answer that state nothing, word for word."""
    documents: tuple[DocumentVerdict, ...]
    needed: Names
    """Numbers of the context sentences needed to answer the question, such as ``2.1``."""
    answers_question: ExtentLabel
    abstains: AbstainsLabel
    contexts_answer: bool
    """Whether the documents hold the answer."""


class WindowReply(Reply):
    """The same for a further window of documents, about claims found before."""

    claims: tuple[ClaimVerdict, ...]
    documents: tuple[DocumentVerdict, ...]
    needed: Names
    contexts_answer: bool


class ExtractionReply(Reply):
    """The factual statements of a text."""

    factual: bool
    claims: tuple[ExtractedClaim, ...] = Field(max_length=_MAX_CLAIMS)
    no_claim: Names = ()
    """Sentences of the answer that state nothing, word for word."""


class VerificationReply(Reply):
    """A verdict for each numbered claim."""

    list_field: ClassVar[str | None] = "claims"
    claims: tuple[ClaimVerdict, ...]


class QuestionsReply(Reply):
    """Questions that the answer would answer."""

    questions: tuple[str, ...]
    noncommittal: bool


class DocumentsReply(Reply):
    """A relevance verdict for each document."""

    list_field: ClassVar[str | None] = "documents"
    documents: tuple[DocumentVerdict, ...]


class NeededReply(Reply):
    """The context sentences needed to answer the question."""

    needed: Names


class AttributionVerdict(_Part):
    """Whether one numbered sentence follows from the documents."""

    sentence: int
    attributable: bool


class AttributionReply(Reply):
    """A verdict for each sentence of the reference."""

    list_field: ClassVar[str | None] = "sentences"
    sentences: tuple[AttributionVerdict, ...]


class CorrectnessReply(Reply):
    """How the answer's statements compare with the reference's (RAGAS answer correctness)."""

    true_positives: Names
    """Statements of the answer that the reference supports."""
    false_positives: Names
    """Statements of the answer that the reference does not support."""
    false_negatives: Names
    """Statements of the reference that the answer lacks."""


class LabelReply(Reply):
    """One label of a user's rubric."""

    label: str
    explanation: str = ""


def reply_schema(model: type[Reply]) -> dict[str, Any]:
    """JSON schema in the strict form: every property required, none added, no titles or defaults."""
    schema: dict[str, Any] = _strict(model.model_json_schema())
    return schema


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    dropped = ("title", "default", "description", "minLength", "maxItems")
    strict = {
        key: {name: _strict(part) for name, part in value.items()} if key in ("properties", "$defs") else _strict(value)
        for key, value in node.items()
        if key not in dropped
    }
    if "properties" in strict:
        strict["required"] = list(strict["properties"])
        strict["additionalProperties"] = False
    return strict
