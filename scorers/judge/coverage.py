"""Whether a judge's claims cover the answer: one that is left out would count as neither supported nor not."""

from collections.abc import Sequence

import regex

from ragsonde.scorers.facts import find_measurements
from ragsonde.scorers.faithfulness.words import WordForms, is_content, keys_of
from ragsonde.scorers.judge.errors import ClaimsMissingError
from ragsonde.scorers.judge.replies import ExtractedClaim, ExtractionReply, MergedReply
from ragsonde.scorers.reading import Reading, Statement
from ragsonde.scorers.text.folding import place_quote
from ragsonde.scorers.text.formalities import has_specifics
from ragsonde.scorers.text.spans import Spans

_BRACKETED = regex.compile(r"\W*[\[({<【].*[\])}>】]\W*", regex.DOTALL)
_FEWEST_WORDS = 2
"""Words of content that a sentence must hold to be missed."""
_RESTATED = 0.6
"""Share of a sentence's words that claims must hold to have restated it, where they do not quote it."""
_MOST_NAMED = 10


def verify_coverage(reading: Reading, reply: ExtractionReply | MergedReply) -> None:
    """Refuse a reply whose claims leave sentences of the answer out.

    A sentence is covered where a claim quotes any of it, or where the claims together hold most of its words; one
    claim may cover several. Nothing is missed of what the judge says outright to state nothing: of a
    sentence, unless it holds a measure or a date; of the whole answer, unless it holds a number or an address.

    Raises:
        ClaimsMissingError: sentences are left out. The message gives their numbers, and no text of theirs.
    """
    is_all_idle = not reply.factual and not reply.claims
    if is_all_idle:
        missing = [statement for statement in reading.claims if has_specifics(statement.plain)]
    else:
        missing = _missing(reading, reply.claims, reply.no_claim)
    if not missing:
        return
    sentences = reading.answer_sentences
    numbers = [
        number
        for number, sentence in enumerate(sentences, start=1)
        if any(statement.start < sentence.end and statement.end > sentence.start for statement in missing)
    ]
    named = ", ".join(map(str, numbers[:_MOST_NAMED])) + (", …" if len(numbers) > _MOST_NAMED else "")
    raise ClaimsMissingError(
        f"claims: none for sentence {named} of the {len(sentences)} sentences of the answer; give one for each that "
        'states something, and copy into "no_claim" what states nothing'
    )


def _missing(reading: Reading, claims: Sequence[ExtractedClaim], stating_nothing: Sequence[str]) -> list[Statement]:
    places = [_place(claim, reading.answer) for claim in claims]
    said = Spans(place for place in places if place is not None)
    declared = Spans(place for text in stating_nothing if (place := place_quote(text, reading.answer)) is not None)
    forms = WordForms(key for claim in claims for text in (claim.claim, claim.said) for key in keys_of(text))
    missing = []
    for statement in reading.claims:
        keys = {key for key in keys_of(statement.plain) if is_content(key)}
        if (
            len(keys) < _FEWEST_WORDS
            or _BRACKETED.fullmatch(statement.plain)
            or said.touches(statement.start, statement.end)
        ):
            continue
        is_declared = declared.touches(statement.start, statement.end) and not _has_measure(statement.plain)
        if not is_declared and sum(map(forms.holds, keys)) < _RESTATED * len(keys):
            missing.append(statement)
    # A claim that neither stands in the answer nor has its words is in another language: it may be any of them.
    return missing if len(missing) > places.count(None) else []


def _has_measure(text: str) -> bool:
    facts = find_measurements(text)
    return bool(facts.dates) or any(quantity.meanings for quantity in facts.quantities)


def _place(claim: ExtractedClaim, answer: str) -> tuple[int, int] | None:
    texts = (text for text in (claim.said, claim.claim) if text.strip())
    return next((place for text in texts if (place := place_quote(text, answer)) is not None), None)
