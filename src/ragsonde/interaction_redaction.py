"""Takes personal data and credentials out of interactions before they are scored, stored or sent anywhere."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ragsonde.collector.model import Document, Interaction
from ragsonde.redaction import RedactionSession, Redactor
from ragsonde.settings import RedactionSettings


def redaction_of(settings: RedactionSettings) -> Callable[[Interaction], Interaction]:
    """Return what takes personal data out of an interaction; one value gets one placeholder throughout it."""
    if not settings.enabled:
        return lambda interaction: interaction
    redactor = Redactor(patterns=settings.patterns, regions=settings.regions)

    def redact(interaction: Interaction) -> Interaction:
        session = redactor.session()
        contexts = interaction.contexts
        return replace(
            interaction,
            question=_redacted(session, interaction.question),
            answer=_redacted(session, interaction.answer),
            contexts=contexts and tuple(_redacted_document(session, document) for document in contexts),
            system_instructions=_redacted(session, interaction.system_instructions),
            reference=_redacted(session, interaction.reference),
            cited_ids=_redacted_ids(session, interaction.cited_ids),
            relevant_ids=_redacted_ids(session, interaction.relevant_ids),
            metadata=_redacted_value(session, dict(interaction.metadata)),
        )

    return redact


def _redacted_document(session: RedactionSession, document: Document) -> Document:
    """Redact its id as well, which may be a path or a signed address: an answer that cites it is redacted alike."""
    metadata = _redacted_value(session, dict(document.metadata))
    text, id_ = _redacted(session, document.text), _redacted(session, document.id)
    return replace(document, text=text, id=id_, metadata=metadata)


def _redacted_ids(session: RedactionSession, ids: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if ids is None else tuple(map(session.redact, ids))


def _redacted(session: RedactionSession, text: str | None) -> str | None:
    return None if text is None else session.redact(text)


def _redacted_value(session: RedactionSession, value: Any) -> Any:
    """Redact every text in an attribute value, however deep."""
    if isinstance(value, str):
        return session.redact(value)
    if isinstance(value, list):
        return [_redacted_value(session, item) for item in value]
    if isinstance(value, dict):
        return {key: _redacted_value(session, item) for key, item in value.items()}
    return value
