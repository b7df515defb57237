"""A claim put together of two sentences: "Adults pay 9 euros. Pupils pay 4 euros." bears out no "Pupils pay 9 euros".

Only short sentences that run alike are compared: one has the claim's value and another subject, the other the claim's
subject and another value, or a word that excludes the claim's.
"""

from collections.abc import Sequence

from ragsonde.scorers.facts import Facts, Quantity, agrees
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence, Window
from ragsonde.scorers.faithfulness.contraries import contraries
from ragsonde.scorers.faithfulness.words import is_content, split_words

_LOOKED_AT = 4
_MOST_WORDS = 8
"""Content words of a claim, and of a sentence that it is compared with."""


def put_together(claim: str, facts: Facts, alignment: Alignment, evidence: Evidence) -> tuple[str, str] | None:
    """The claim's value or word and that of the sentence on the claim's subject; None where nothing is seen."""
    quantities = facts.measurements.quantities
    own = quantities[0] if len(quantities) == 1 else None
    words = [word for word in split_words(claim) if is_content(word.key)]
    keys = [word.key for word in words if own is None or not (own.start <= word.start and word.end <= own.end)]
    listed = contraries()
    turnable = [key for key in keys if key in listed]
    if alignment.window is None or not 1 < len(words) <= _MOST_WORDS or not (turnable or (own and own.dimensions)):
        return None
    whole = [
        Window(alignment.window.document, at, at) for at in range(alignment.window.first, alignment.window.last + 1)
    ]
    sentences = dict.fromkeys([*whole, *evidence.best_sentences(keys, _LOOKED_AT)])
    read = [(sentence, _content(sentence, evidence)) for sentence in sentences]
    lacking = [
        (sentence, content, [key for key in keys if not evidence.strength_in(key, sentence)])
        for sentence, content in read
    ]
    if own is not None:
        return _other_value(own, len(keys), lacking, evidence)
    if any(not missing for _, _, missing in lacking):
        return None
    for sentence, there, missing in lacking:
        if len(missing) != 1 or missing[0] not in turnable or len(there) > len(keys):
            continue
        (key,) = missing
        other = next((word for word in there if word in listed[key]), None)
        beside = any(key in content and len(content) <= len(keys) + 1 for _, content, _ in lacking)
        if other is not None and beside:
            passage = evidence.documents[sentence.document].sentences[sentence.first].text
            return _written(claim, key), _written(passage, other)
    return None


def _other_value(
    own: Quantity, size: int, lacking: Sequence[tuple[Window, Sequence[str], Sequence[str]]], evidence: Evidence
) -> tuple[str, str] | None:
    rival: str | None = None
    beside = False
    for sentence, content, missing in lacking:
        theirs = evidence.documents[sentence.document].measurements_of(sentence.first, sentence.last).quantities
        gives = any(agrees(own, other) for other in theirs)
        if not missing and gives:
            return None
        if len(theirs) != 1 or len(content) > size + 2:
            continue
        if not missing and own.dimensions & theirs[0].dimensions:
            rival = theirs[0].text.strip()
        beside = beside or (gives and len(missing) == 1 and bool(content) and not evidence.asked(content[0]))
    return (own.text.strip(), rival) if rival is not None and beside and size > 1 else None


def _content(window: Window, evidence: Evidence) -> Sequence[str]:
    words = evidence.documents[window.document].words_of(window.first, window.last)
    return [word.key for word in words if is_content(word.key)]


def _written(text: str, key: str) -> str:
    return next((text[word.start : word.end] for word in split_words(text) if word.key == key), key)
