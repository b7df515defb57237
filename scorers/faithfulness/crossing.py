"""Claims in another language than the contexts: words can't be compared, figures, dates and weekdays can."""

from ragsonde.scorers.facts import Facts, agrees
from ragsonde.scorers.faithfulness.alignment import Evidence, Window
from ragsonde.scorers.faithfulness.words import is_content, split_words
from ragsonde.scorers.text.language import detect_language, language_family

_COMMON_WORDS = 0.25
"""Share of the claim's other content words in the contexts from which the words themselves can be compared."""


def borne_out_across_languages(claim: str, facts: Facts, evidence: Evidence, language: str = "und") -> Window | None:
    """The sentence, in another language, that holds every measured fact of the claim; None where there is none.

    One bare number proves nothing: it takes a quantity with its unit, a date, or two facts.
    """
    own = facts.measurements
    telling = (
        sum(1 + bool(quantity.meanings) for quantity in own.quantities)
        + 2 * len(own.dates)
        + len(own.times)
        + len(own.weekdays)
    )
    if telling < 2 or _common_words(claim, facts, evidence) >= _COMMON_WORDS:
        return None
    claim_language = language_family(detect_language(claim) if language == "und" else language)
    for number, document in enumerate(evidence.documents):
        if "und" in (claim_language, document.language) or claim_language == language_family(document.language):
            continue
        for index in range(len(document.sentences)):
            there = document.measurements_of(index, index).all()
            if all(any(agrees(fact, other) for other in there) for fact in own.all()):
                return Window(number, index, index)
    return None


def _common_words(claim: str, facts: Facts, evidence: Evidence) -> float:
    """Share of the content words outside the measured facts that the contexts hold."""
    measured = facts.measurements.all()
    keys = {
        word.key
        for word in split_words(claim)
        if is_content(word.key) and not any(f.start <= word.start and word.end <= f.end for f in measured)
    }
    return sum(evidence.holds(key) > 0 for key in keys) / len(keys) if keys else 0.0
