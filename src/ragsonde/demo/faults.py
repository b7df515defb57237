"""The ways in which the demonstration's generator goes wrong, as real ones do."""

import random
import re
from collections.abc import Callable
from enum import StrEnum

from ragsonde.demo.corpus import Corpus

_NUMBER = re.compile(r"[0-9]+")


class Fault(StrEnum):
    """What was done to an answer. The scorers never see this."""

    NONE = "none"
    CHANGED_NUMBER = "changed_number"
    CHANGED_NAME = "changed_name"
    FLIPPED_NEGATION = "flipped_negation"
    INVENTED_FACT = "invented_fact"
    WRONG_CITATION = "wrong_citation"
    """A true sentence that cites another document than the one it comes from."""
    OFF_TOPIC = "off_topic"
    """A true sentence that does not answer the question."""
    RETRIEVAL_MISS = "retrieval_miss"
    """The document with the answer was not retrieved."""
    UNJUSTIFIED_REFUSAL = "unjustified_refusal"
    """The answer was retrieved, and the generator said that it does not know."""


HALLUCINATIONS = (Fault.CHANGED_NUMBER, Fault.CHANGED_NAME, Fault.FLIPPED_NEGATION, Fault.INVENTED_FACT)
"""The faults that make an answer say what its documents do not."""


def falsified(sentence: str, fault: Fault, corpus: Corpus, chance: random.Random) -> str | None:
    """Return ``sentence`` with the fault; None where it offers no hold for it.

    An invented fact is a sentence of its own, so `Fault.INVENTED_FACT` returns that sentence.
    """
    changes: dict[Fault, Callable[[], str | None]] = {
        Fault.CHANGED_NUMBER: lambda: _changed_number(sentence, chance),
        Fault.CHANGED_NAME: lambda: _replaced(sentence, corpus.names),
        Fault.FLIPPED_NEGATION: lambda: _replaced(sentence, corpus.negations),
        Fault.INVENTED_FACT: lambda: chance.choice(corpus.inventions),
    }
    return changes[fault]()


def _changed_number(sentence: str, chance: random.Random) -> str | None:
    numbers = list(_NUMBER.finditer(sentence))
    if not numbers:
        return None
    number = chance.choice(numbers)
    value = int(number.group())
    other = chance.choice([value * 2, value * 3, value + 7])
    return sentence[: number.start()] + str(other or 4) + sentence[number.end() :]


def _replaced(sentence: str, pairs: tuple[tuple[str, str], ...]) -> str | None:
    for phrase, other in pairs:
        if phrase in sentence:
            return sentence.replace(phrase, other, 1)
    return None
