"""Which golden item an interaction answers: by id, else by the question."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ragsonde.collector.model import Interaction
from ragsonde.golden.item import GoldenItem

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Joined:
    """Interactions with their golden items."""

    interactions: tuple[Interaction, ...]
    """Those that answer an item, with its reference and gold documents filled in; in their own order."""
    items: dict[str, GoldenItem]
    """The item that each of them answers, by the interaction's id."""
    strangers: tuple[Interaction, ...]
    """Interactions that answer no item."""
    unanswered: tuple[GoldenItem, ...]
    """Items that no interaction answers."""


def join(interactions: Iterable[Interaction], items: Sequence[GoldenItem]) -> Joined:
    """Find each interaction's item.

    Questions are compared without regard to case, form of letters (NFKC) and white space. A question that several
    items ask is matched by id only.
    """
    by_id = {item.id: item for item in items}
    asked = Counter(normalised(item.question) for item in items)
    by_question = {key: item for item in items if asked[key := normalised(item.question)] == 1}
    matched: list[Interaction] = []
    found: dict[str, GoldenItem] = {}
    strangers: list[Interaction] = []
    for interaction in interactions:
        item = by_id.get(interaction.id) or by_question.get(normalised(interaction.question or ""))
        if item is None:
            strangers.append(interaction)
        else:
            matched.append(with_gold(interaction, item))
            found[interaction.id] = item
    answered = {item.id for item in found.values()}
    missing = tuple(item for item in items if item.id not in answered)
    return Joined(tuple(matched), found, tuple(strangers), missing)


def with_gold(interaction: Interaction, item: GoldenItem) -> Interaction:
    """Fill in what the item knows: question, reference (the key facts where there is none) and gold document ids."""
    reference = item.reference if item.reference is not None else "\n".join(item.key_facts)
    return replace(
        interaction,
        question=interaction.question if interaction.question is not None else item.question,
        reference=None if item.unanswerable else reference or interaction.reference,
        relevant_ids=tuple(passage.section or passage.document_id for passage in item.gold) or interaction.relevant_ids,
    )


def normalised(question: str) -> str:
    """A question as it is compared."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", question)).strip().casefold()
