"""The shape of a golden item: one question and what is known to be right about it."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

SCHEMA_VERSION: Literal[1] = 1
"""Raised when a reader of the older shape would misread the newer one."""

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
LanguageTag = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$")]


class QuestionType(StrEnum):
    """What kind of answer a question asks for."""

    FACT = "fact"
    YES_NO = "yes_no"
    LIST = "list"
    NUMBER = "number"
    PROCEDURE = "procedure"
    COMPARISON = "comparison"
    MULTI_HOP = "multi_hop"
    SUMMARY = "summary"
    FOLLOW_UP = "follow_up"
    OTHER = "other"


class Difficulty(StrEnum):
    """How hard the question is for the application."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class Risk(StrEnum):
    """How bad a wrong answer would be."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class GoldPassage(_Part):
    """A passage that answers the question: a whole document, or a section of it."""

    document_id: Text
    """Id of the document, as the retriever reports it."""
    section: Text | None = None
    """Id of the section (chunk, page, heading) within the document; null where any part of it will do."""
    grade: Annotated[float, Field(gt=0.0, le=100.0)] = 1.0
    """How relevant it is, above 0; the gain in nDCG."""


class SourceVersion(_Part):
    """The state of a document when the item was written, so that a later change is noticed."""

    document_id: Text
    version: Text | None = None
    """A revision, date or tag."""
    sha256: Sha256 | None = None
    """Of the document's bytes, in lower-case hex."""

    @model_validator(mode="after")
    def _names_a_state(self) -> Self:
        if self.version is None and self.sha256 is None:
            raise ValueError("give version or sha256: without either no change can be noticed")
        return self


class GoldenItem(_Part):
    """One question of a golden set."""

    schema_version: Literal[1] = SCHEMA_VERSION
    """Version of this shape."""
    id: Text
    """Unique in the set; stays when the item is edited."""
    question: Text
    """What is asked, as a user would."""
    gold: tuple[GoldPassage, ...] = ()
    """Passages that hold the answer."""
    reference: Text | None = None
    """A right answer in full."""
    key_facts: tuple[Text, ...] = ()
    """Statements that a right answer makes, each a sentence of its own."""
    unanswerable: bool = False
    """Whether the sources do not hold the answer, so that the right thing is to say so."""
    question_type: QuestionType | None = None
    """What kind of answer is asked for."""
    difficulty: Difficulty | None = None
    """How hard it is."""
    risk: Risk | None = None
    """How bad a wrong answer would be."""
    language: LanguageTag | None = None
    """Language of the question, such as ``en`` or ``pt-BR`` (BCP 47)."""
    sources: tuple[SourceVersion, ...] = ()
    """The documents' state when the item was written."""
    created_by: Text | None = None
    """Who wrote it."""
    created_at: datetime | None = None
    """When it was written (ISO 8601)."""
    reviewed_by: tuple[Text, ...] = ()
    """Who has checked it."""
    reviewed_at: datetime | None = None
    """When it was last checked (ISO 8601)."""
    tags: tuple[Text, ...] = ()
    """Words to group items by."""
    note: Text | None = None
    """A remark for the reader."""

    @model_validator(mode="after")
    def _says_what_is_right(self) -> Self:
        if self.unanswerable and (self.gold or self.key_facts):
            raise ValueError(
                "an unanswerable item can have neither gold passages nor key facts: remove them, or set unanswerable "
                "to false"
            )
        if not (self.unanswerable or self.gold or self.key_facts or self.reference):
            raise ValueError(
                "nothing is known to be right: give reference, key_facts or gold, or set unanswerable to true"
            )
        return self
