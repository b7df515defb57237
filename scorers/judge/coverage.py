"""Whether a judge's claims cover the answer: one that is left out would count as neither supported nor not."""

from collections.abc import Sequence

import regex

from ragsonde.scorers.facts import Measurements, agrees, find_measurements
from ragsonde.scorers.faithfulness.words import WordForms, is_content, keys_of
from ragsonde.scorers.judge.errors import ClaimsMissingError
from ragsonde.scorers.judge.replies import ExtractedClaim, ExtractionReply, MergedReply
from ragsonde.scorers.reading import Reading, Statement
from ragsonde.scorers.text.folding import place_quote
from ragsonde.scorers.text.formalities import has_specifics
from ragsonde.scorers.text.language import UNDETERMINED, detect_language, language_family, scripts_of
from ragsonde.scorers.text.negation import has_negation
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
    claim may cover several. A claim with another figure than the answer's, or without its "not", covers nothing: it is
    what the judge would have said. Nothing is missed of what the judge says outright to state nothing: of a
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
        'states something, as the answer states it, and copy into "no_claim" what states nothing'
    )


def _missing(reading: Reading, claims: Sequence[ExtractedClaim], stating_nothing: Sequence[str]) -> list[Statement]:
    given = [find_measurements(text) for text in (reading.answer, reading.interaction.question or "")]
    claims = [claim for claim in claims if not _has_other_figures(claim, reading.answer, given)]
    negated = [statement.plain for statement in reading.claims if has_negation(statement.plain)]
    claims = [claim for claim in claims if not any(_drops_negation(claim, statement) for statement in negated)]
    places = [_place(claim, reading.answer) for claim in claims]
    said = Spans(place for place in places if place is not None)
    declared = Spans(place for text in stating_nothing if (place := place_quote(text, reading.answer)) is not None)
    forms = WordForms(key for claim in claims for text in (claim.claim, claim.said) for key in keys_of(text))
    missing = []
    for statement in reading.claims:
        keys = _content_of(statement.plain)
        if (
            len(keys) < _FEWEST_WORDS
            or _BRACKETED.fullmatch(statement.plain)
            or said.touches(statement.start, statement.end)
        ):
            continue
        is_declared = declared.touches(statement.start, statement.end) and not _has_measure(statement.plain)
        if not is_declared and sum(map(forms.holds, keys)) < _RESTATED * len(keys):
            missing.append(statement)
    # A claim in another language has none of the answer's words: it may be any of its sentences.
    elsewhere = [claim.claim for claim, place in zip(claims, places, strict=True) if place is None]
    return missing if len(missing) > len(elsewhere) or not _in_another_language(elsewhere, reading) else []


def _has_other_figures(claim: ExtractedClaim, answer: str, given: Sequence[Measurements]) -> bool:
    """Whether a claim gives a figure, a date or a time that is not among those ``given`` by answer and question.

    Where the words of the answer that it quotes have none, it may only say what they refer to.
    """
    figures = find_measurements(claim.claim).all()
    if not figures:
        return False
    if place_quote(claim.said, answer) is not None and not find_measurements(claim.said):
        return False
    return any(not any(agrees(figure, other) for facts in given for other in facts.like(figure)) for figure in figures)


def _drops_negation(claim: ExtractedClaim, negated: str) -> bool:
    """Whether a claim says, in the words of a negated sentence, that it is so."""
    if has_negation(claim.claim):
        return False
    mine, theirs = _content_of(claim.claim), _content_of(negated)
    held_by_mine, held_by_theirs = WordForms(mine), WordForms(theirs)
    return bool(theirs) and all(map(held_by_mine.holds, theirs)) and all(map(held_by_theirs.holds, mine))


def _in_another_language(claims: Sequence[str], reading: Reading) -> bool:
    """Whether claims are in another language than the answer, as far as that can be told."""
    written = "\n".join(claims)
    if scripts_of(written).isdisjoint(scripts_of(reading.answer)):
        return True
    languages = {language_family(code) for code in (detect_language(written), reading.language)}
    return len(languages) > 1 and UNDETERMINED not in languages


def _content_of(text: str) -> set[str]:
    return {key for key in keys_of(text) if is_content(key)}


def _has_measure(text: str) -> bool:
    facts = find_measurements(text)
    return bool(facts.dates) or any(quantity.meanings for quantity in facts.quantities)


def _place(claim: ExtractedClaim, answer: str) -> tuple[int, int] | None:
    texts = (text for text in (claim.said, claim.claim) if text.strip())
    return next((place for text in texts if (place := place_quote(text, answer)) is not None), None)
