"""An interaction as a reader sees it: sentences, claims, citations, abstention, language; found once, used by all."""

from dataclasses import replace
from functools import cached_property

from ragsonde.collector.model import Capture, Document, Interaction
from ragsonde.scorers.citations.definitions import Definitions, find_definitions
from ragsonde.scorers.citations.markers import Marker, find_markers
from ragsonde.scorers.score import Reason
from ragsonde.scorers.text.blocks import find_blocks
from ragsonde.scorers.text.formalities import formality_languages, is_formality
from ragsonde.scorers.text.language import UNDETERMINED, detect_language, language_family
from ragsonde.scorers.text.plain import with_entities_read
from ragsonde.scorers.text.segmentation import block_sentences, split_sentences
from ragsonde.scorers.text.spans import Abstention, Sentence, Statement
from ragsonde.scorers.text.statements import ReadBlock, StatementReader, is_empty_answer
from ragsonde.scorers.text.tags import find_tags

__all__ = ["Abstention", "Marker", "Reading", "Sentence", "Statement"]


class Reading:
    """An interaction with the parts that every scorer needs. Parts are computed at first use and kept."""

    def __init__(self, interaction: Interaction) -> None:
        self.interaction = interaction

    @property
    def answer(self) -> str:
        """The answer; empty where there is none."""
        return self.interaction.answer or ""

    @cached_property
    def contexts(self) -> tuple[Document, ...] | None:
        """Contexts in rank order, those without text too; None where they were not captured.

        HTML entities in documents with markup are read: quotes and offsets of scorers are of this text.
        """
        contexts = self.interaction.contexts
        return None if contexts is None else tuple(map(_read, contexts))

    @cached_property
    def documents(self) -> tuple[Document, ...] | None:
        """``contexts`` that carry text; None where contexts were not captured; empty where none came."""
        if self.contexts is None:
            return None
        with_text = tuple(document for document in self.contexts if document.text is not None)
        return with_text if with_text or not self.contexts else None

    @cached_property
    def answer_sentences(self) -> tuple[Sentence, ...]:
        """The sentences of the answer, in order; headings, lines of code and table rows are sentences too."""
        return tuple(sentence for read in self._blocks for sentence in read.sentences)

    @cached_property
    def claims(self) -> tuple[Statement, ...]:
        """The factual statements of the answer, in order: without formalities, questions and abstention."""
        return self._statements[0]

    @cached_property
    def abstention(self) -> Abstention:
        """Whether the answer abstains, and whether it (also) answers."""
        return self._statements[1]

    @cached_property
    def asks_nothing(self) -> bool:
        """Whether the question is small talk: nothing but a greeting or thanks."""
        question = self.interaction.question or ""
        languages = formality_languages(question)
        sentences = split_sentences(question)
        return bool(sentences) and all(is_formality(sentence.text, languages) for sentence in sentences)

    @cached_property
    def context_sentences(self) -> tuple[tuple[Sentence, ...], ...]:
        """The sentences of each of ``documents``, in their order; empty where there are none."""
        return tuple(split_sentences(document.text or "") for document in self.documents or ())

    @cached_property
    def markers(self) -> tuple[Marker, ...]:
        """The citation markers of the answer, in order."""
        return find_markers(self.answer, self.interaction.contexts or ())

    @cached_property
    def definitions(self) -> Definitions:
        """What the answer's footnotes and lists of sources say."""
        return find_definitions(self.answer)

    @cached_property
    def language(self) -> str:
        """ISO 639 code of the answer's language (the question's where there is no answer); ``und`` where not known."""
        found = detect_language(self.answer)
        if found == UNDETERMINED and not any(character.isalpha() for character in self.answer):
            return detect_language(self.interaction.question or "")
        return found

    @property
    def language_family(self) -> str:
        """The group of near-identical languages that ``language`` is in (``hbs`` for bs, hr, sr)."""
        return language_family(self.language)

    @cached_property
    def _blocks(self) -> tuple[ReadBlock, ...]:
        answer, language = self.answer, self.language
        return tuple(ReadBlock(block, block_sentences(answer, block, language)) for block in find_blocks(answer))

    @cached_property
    def _statements(self) -> tuple[tuple[Statement, ...], Abstention]:
        cited = {(marker.start, marker.end) for marker in self.markers}
        texts = [document.text for document in self.documents or () if document.text]
        marks = [*cited, *(tag for tag in find_tags(self.answer, texts) if tag not in cited)]
        skipped = self.definitions.ranges
        reader = StatementReader(self.answer, language=self.language, marks=marks, skipped=skipped, contexts=texts)
        return reader.read(self._blocks)

    def unscorable(self, *, needs_contexts: bool) -> Reason | None:
        """The reason for which nothing (or nothing that needs contexts) can be said; None where it can."""
        capture = self.interaction.capture
        if capture is Capture.CONTENT_NOT_CAPTURED:
            return Reason.CONTENT_NOT_CAPTURED
        if capture is Capture.INCOMPLETE or self.interaction.answer is None:
            return Reason.INCOMPLETE
        if needs_contexts and (self.documents is None or capture is Capture.CONTEXTS_NOT_CAPTURED):
            return Reason.CONTEXTS_NOT_CAPTURED
        return None

    def not_scorable_answer(self) -> Reason | None:
        """Why the answer holds nothing to check (empty, a pure refusal, no claims); None where it holds claims.

        Says nothing of what was not captured: ask ``unscorable`` first.
        """
        if is_empty_answer(self.answer):
            return Reason.EMPTY_ANSWER
        if self.abstention.pure:
            return Reason.REFUSAL
        return None if self.claims else Reason.NO_CLAIMS


def _read(document: Document) -> Document:
    text = document.text or ""
    read = with_entities_read(text)
    return document if read == text else replace(document, text=read)
