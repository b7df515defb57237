"""Claims in another language than the contexts: words can't be compared, figures, dates and weekdays can."""

from ragsonde.scorers.facts import Facts, Measurements
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence, Window
from ragsonde.scorers.faithfulness.objections import date_agrees, quantity_agrees, time_agrees, weekday_agrees
from ragsonde.scorers.text.language import detect_language, language_family

_NO_COMMON_WORDS = 0.35
"""Coverage above which the words themselves can be compared: a shared name or number alone stays below."""


def borne_out_across_languages(
    claim: str, facts: Facts, alignment: Alignment, evidence: Evidence, language: str = "und"
) -> Window | None:
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
    if telling < 2 or alignment.coverage > _NO_COMMON_WORDS:
        return None
    claim_language = language_family(detect_language(claim) if language == "und" else language)
    for number, document in enumerate(evidence.documents):
        if "und" in (claim_language, document.language) or claim_language == language_family(document.language):
            continue
        for index in range(len(document.sentences)):
            if _holds_all(own, document.measurements_of(index, index)):
                return Window(number, index, index)
    return None


def _holds_all(own: Measurements, there: Measurements) -> bool:
    return (
        all(any(quantity_agrees(fact, other) for other in (*there.quantities, *there.dates)) for fact in own.quantities)
        and all(any(date_agrees(fact, other) for other in there.dates) for fact in own.dates)
        and all(any(time_agrees(fact, other) for other in there.times) for fact in own.times)
        and all(any(weekday_agrees(fact, other) for other in there.weekdays) for fact in own.weekdays)
        and {code.key for code in own.codes} <= {code.key for code in there.codes}
    )
