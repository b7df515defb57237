"""Conditions on a reply that its type cannot state: one verdict for each thing shown, and nothing else."""

from collections.abc import Sequence

from ragsonde.scorers.judge.errors import InvalidReplyError
from ragsonde.scorers.judge.replies import DocumentVerdict
from ragsonde.scorers.judge.windows import Window, read_tag


def verify_numbers(field: str, numbers: Sequence[int], count: int) -> None:
    """Refuse a reply whose list does not name each of 1 to ``count`` exactly once.

    Raises:
        InvalidReplyError: it does not.
    """
    if sorted(numbers) != list(range(1, count + 1)):
        raise InvalidReplyError(
            f"{field}: exactly one entry for each number from 1 to {count}, not {len(numbers)} entries"
        )


def verify_documents(documents: Sequence[DocumentVerdict], window: Window) -> None:
    """Refuse a reply that judges other documents than it was shown.

    Raises:
        InvalidReplyError: it does.
    """
    shown = window.documents()
    if sorted(verdict.document for verdict in documents) != sorted(shown):
        raise InvalidReplyError(
            f"documents: exactly one entry for each of the documents {', '.join(map(str, shown)) or '(none)'}, "
            f"not {len(documents)} entries"
        )


def verify_tags(needed: Sequence[str], window: Window) -> None:
    """Refuse sentence numbers that were not shown.

    Raises:
        InvalidReplyError: one was not.
    """
    if any(read_tag(tag) not in window.tags() for tag in needed):
        raise InvalidReplyError('needed: only numbers of sentences that were shown, such as "1.1"')
