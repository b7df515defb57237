"""Takes scored interactions to the review store."""

from collections.abc import Sequence

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import ConfigError, PermanentError
from ragsonde.exporters.exporter import PartlyRefusedError
from ragsonde.review.store import ReviewStore
from ragsonde.scorers.score import ScoredInteraction

_MAX_ID_CHARACTERS = 256
"""A trace id and a span id take fifty; indexes of PostgreSQL hold no key of any length."""


class ReviewExporter:
    """Adds interactions to the store, a batch in one transaction. Idempotent by id, also after a restart.

    A rescoring replaces what was stored, except the record of an item that somebody reviews or has reviewed.
    """

    name = "review"

    def __init__(self, store: ReviewStore, *, required: bool) -> None:
        self.required = required
        self._store = store

    def start(self) -> None:
        """Do nothing: the store makes itself ready at its first use, so that a database may be away at the start."""

    def export(self, batch: Sequence[ScoredInteraction], deadline: Deadline) -> None:  # noqa: ARG002 - the store's own
        """Add a batch.

        Raises:
            RetryableError: the database is away, busy or full; nothing of the batch is in the store.
            PartlyRefusedError: all is in the store but interactions with an id beyond all reason.
            PermanentError: the database refuses the batch, or is that of a newer program.
        """
        too_long = {
            index: PermanentError(f"an id of {len(scored.interaction.id)} characters")
            for index, scored in enumerate(batch)
            if len(scored.interaction.id) > _MAX_ID_CHARACTERS
        }
        try:
            self._store.add([scored for index, scored in enumerate(batch) if index not in too_long])
        except ConfigError as error:
            raise PermanentError(str(error)) from error
        if too_long:
            raise PartlyRefusedError(too_long)

    def flush(self, deadline: Deadline) -> None:
        """Do nothing: what was exported is committed."""

    def shutdown(self, deadline: Deadline) -> None:
        """Do nothing: the store is closed by whoever opened it, since pages read it as well."""
