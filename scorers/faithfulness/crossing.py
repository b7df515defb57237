"""Claims in another language than the contexts: words can't be compared, figures, dates and weekdays can."""

from collections.abc import Sequence

from ragsonde.scorers.facts import Facts, Quantity, agrees
from ragsonde.scorers.faithfulness.alignment import Evidence, Window
from ragsonde.scorers.faithfulness.objections import is_weak
from ragsonde.scorers.faithfulness.words import is_content, split_words
from ragsonde.scorers.text.language import CAPITALISED_NOUNS, UNDETERMINED, detect_language, language_family, scripts_of

_COMMON_WORDS = 0.25
"""Share of the claim's other content words in the contexts from which the words themselves can be compared."""
_SAME_WORDS = 0.3
"""Share of a text's ordinary words in the contexts from which their languages are one, whatever was detected."""
_FEWEST_WORDS = 2
"""Ordinary words without which nothing is said of a text's language."""


def in_another_language(claims: Sequence[str], evidence: Evidence, language: str) -> bool:
    """Whether the contexts are all in other languages than the claims, so that words cannot be compared.

    Only ordinary words count: names, and figures, are the same in many languages.
    """
    own = language_family(detect_language("\n".join(claims)) if language == UNDETERMINED else language)
    if own == UNDETERMINED or not _lack_words(claims, evidence, nouns=own in CAPITALISED_NOUNS):
        return False
    there = {language_family(document.language) for document in evidence.documents} - {UNDETERMINED}
    return bool(there) and own not in there


def _lack_words(claims: Sequence[str], evidence: Evidence, *, nouns: bool) -> bool:
    """Whether the contexts lack most ordinary words of the claims: what takes less time than to tell languages."""
    enough = _SAME_WORDS * sum([len(split_words(claim)) for claim in claims])
    found = 0
    seen: set[str] = set()
    for claim in claims:
        for key, start, _ in split_words(claim):
            if key in seen or not is_content(key) or key.isdigit() or not (nouns or not claim[start].isupper()):
                continue
            seen.add(key)
            found += evidence.holds(key) == 1.0  # the very word
            if found >= enough:
                return False
    return len(seen) >= _FEWEST_WORDS and found < _SAME_WORDS * len(seen)


def fact_nowhere(facts: Facts, evidence: Evidence) -> str | None:
    """A figure, date or full name of a claim that no context gives; None where there is none that says anything.

    A name of one word may have another form in another language, and any name has in another script.
    """
    own = facts.measurements.all()
    telling = (fact for fact in own if (isinstance(fact, Quantity) and fact.meanings) or not is_weak(fact))
    nowhere = (fact for fact in telling if not evidence.giving(fact))
    if (figure := next(nowhere, None)) is not None:
        return figure.text.strip()
    scripts = frozenset[str]().union(*(scripts_of(document.text) for document in evidence.documents))
    full = (name.text for name in facts.names if name.certain and " " in name.text.strip())
    return next((name for name in full if scripts_of(name) <= scripts and not _any_held(name, evidence)), None)


def _any_held(name: str, evidence: Evidence) -> bool:
    return any(evidence.holds(word.key) for word in split_words(name))


def borne_out_across_languages(
    claim: str, facts: Facts, evidence: Evidence, language: str = UNDETERMINED
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
    if telling < 2 or _has_common_words(claim, facts, evidence):
        return None
    claim_language = language_family(detect_language(claim) if language == UNDETERMINED else language)
    for number, document in enumerate(evidence.documents):
        if UNDETERMINED in (claim_language, document.language) or claim_language == language_family(document.language):
            continue
        for index in range(len(document.sentences)):
            there = document.measurements_of(index, index).all()
            if all(any(agrees(fact, other) for other in there) for fact in own.all()):
                return Window(number, index, index)
    return None


def _has_common_words(claim: str, facts: Facts, evidence: Evidence) -> bool:
    """Whether the contexts hold enough of the content words outside the measured facts."""
    measured = facts.measurements.all()
    words = split_words(claim)
    enough = _COMMON_WORDS * len(words)
    found = 0
    seen: set[str] = set()
    for key, start, end in words:
        if key in seen or not is_content(key) or any(fact.start <= start and end <= fact.end for fact in measured):
            continue
        seen.add(key)
        found += evidence.holds(key) > 0
        if found >= enough:
            return True
    return bool(seen) and found >= _COMMON_WORDS * len(seen)
