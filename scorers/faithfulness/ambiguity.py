"""Contexts that give different values for different cases, and a claim that does not say which case it speaks of."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragsonde.scorers.facts import Facts, Measured, Quantity, TimeOfDay, agrees
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence, Window
from ragsonde.scorers.faithfulness.cases import cases_in_signs, word_after
from ragsonde.scorers.faithfulness.table_rows import unnamed_row
from ragsonde.scorers.faithfulness.words import (
    Word,
    is_content,
    is_grammar_elsewhere,
    key_of,
    match_strength,
    split_words,
)

_LOOKED_AT = 8
"""Other sentences compared, best first."""
_ALIKE = 0.6
"""Share of the longer sentence's words that the other must hold, to be a statement about the same thing."""
_SHORT = 8
"""Different words of a sentence that may be about the same thing with fewer shared, where the claim is in both."""
_QUALIFIERS, _QUALIFIERS_NEARBY = 4, 2
"""Words at most by which each of the two sentences differs from the other: more, and it speaks of something else.
Within one document fewer: a weather report has many sentences that are alike."""
_STILL_COVERED = 0.85
"""Share of what one sentence covers of the claim, its figure aside, that the other must cover too."""
_SERIES = 3
"""Other values from which sentences that each give several figures are a series, as a forecast by the hour is: such
values are told one after the other, with the hour said once."""
_ASIDE = re.compile(r"\([^()]*\d[^()]*\)")
"""The same in another unit."""
_SCALE = re.compile(r"\s*°?\s*[CFK](?!\w)")
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？", "؟", "।")
_POINTING_WORDS = (
    "it they he she this that these those er sie il elle ils elles lui lei esso ele ela él ella on ona ono oni one "
    "он она оно они він вона воно вони hij zij ze dia ia mereka"
)
_POINTING = frozenset(map(key_of, _POINTING_WORDS.split()))
"""Words that begin a claim whose case an earlier one may have named."""


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """Another sentence of the contexts gives another value for the same thing."""

    stated: str
    """The value that the claim gives."""
    other: str
    """The value that the other sentence gives."""
    window: Window
    """That other sentence."""
    here: tuple[str, ...]
    """Words, as written, that qualify the value the claim gives (a region, a plan)."""
    there: tuple[str, ...]
    """Words that qualify the other value."""
    asked_there: bool
    """The claim or the question names the other case and not this one: the claim gives the wrong case's value."""


def find_ambiguity(
    claim: str, facts: Facts, alignment: Alignment, evidence: Evidence, stated: Sequence[Measured] = ()
) -> Ambiguity | None:
    """Whether the contexts give another value for another case, and neither claim nor question says which is meant.

    ``stated`` are all facts of the answer: one that gives the other value too hides no case.
    """
    window = alignment.window
    own: list[Quantity | TimeOfDay] = [*facts.measurements.quantities, *facts.measurements.times]
    if window is None or not own or evidence.documents[window.document].record is not None:
        return None
    said = {word.key for word in split_words(f"{claim}\n{evidence.question}")}
    for value in own:
        here = _sentence_with(value, window, evidence)
        if here is None:
            continue
        rest = claim[: value.start] + claim[value.end :]
        rivals = list(_rivals(value, claim, here, evidence))
        if len({rival.text for _, rival in rivals}) >= _SERIES and len(_values(here, evidence)) > 1:
            continue
        for there, rival in rivals:
            if any(agrees(other, rival) for other in (*own, *stated)):
                continue
            if evidence.coverage_of(rest, there) < _STILL_COVERED * evidence.coverage_of(rest, here):
                continue
            found = _compare(value, rival, here, there, said, evidence)
            if found is not None:
                return found
        if (found := _compare_signs(value, claim, [*own, *stated], here, evidence)) is not None:
            return found
    return _between_rows(claim, own, stated, window, evidence)


def _sentence_with(value: Measured, window: Window, evidence: Evidence) -> Window | None:
    for sentence in window.sentences():
        if any(agrees(value, other) for other in _values(sentence, evidence)):
            return sentence
    return None


def _values(window: Window, evidence: Evidence) -> Sequence[Quantity | TimeOfDay]:
    measured = evidence.documents[window.document].measurements_of(window.first, window.last)
    return (*measured.quantities, *measured.times)


def _rivals(
    value: Quantity | TimeOfDay, claim: str, here: Window, evidence: Evidence
) -> Iterator[tuple[Window, Quantity | TimeOfDay]]:
    """Sentences on the topic that give another value of the same kind."""
    keys = dict.fromkeys(word.key for word in split_words(claim) if is_content(word.key))
    for there in evidence.best_sentences(keys, _LOOKED_AT):
        if there != here and (rival := _rival_in(there, value, claim, evidence)) is not None:
            yield there, rival


def _rival_in(
    there: Window, value: Quantity | TimeOfDay, claim: str, evidence: Evidence
) -> Quantity | TimeOfDay | None:
    others = _values(there, evidence)
    if any(agrees(value, other) for other in others):
        return None
    text = evidence.documents[there.document].text
    return next((other for other in others if _same_kind(value, claim, other, text)), None)


def _same_kind(value: Quantity | TimeOfDay, claim: str, other: Quantity | TimeOfDay, text: str) -> bool:
    """Whether two values measure the same, or count the same: "100 requests" and "500 requests"."""
    match value, other:
        case Quantity(), Quantity():
            if value.meanings or other.meanings:
                return bool(value.dimensions & other.dimensions)
            counted = word_after(claim, value.end)
            return bool(counted) and match_strength(counted, word_after(text, other.end)) > 0
        case TimeOfDay(), TimeOfDay():
            return True
        case _:
            return False


def _compare(
    stated: Measured, rival: Measured, here: Window, there: Window, said: set[str], evidence: Evidence
) -> Ambiguity | None:
    left, right = _content(here, evidence), _content(there, evidence)
    only_left, only_right = _without(left, right), _without(right, left)
    if len(left) == len(only_left) or not _alike(here, there, said, evidence):
        return None
    allowed = _QUALIFIERS if here.document != there.document else _QUALIFIERS_NEARBY
    if max(len(only_left), len(only_right)) > allowed:
        return None
    if not only_left and not only_right:
        only_left = _without(_heading(here, evidence), _heading(there, evidence))
        only_right = _without(_heading(there, evidence), _heading(here, evidence))
    if any(match_strength(word.key, key) for word in only_left for key in said):
        return None
    asked_there = any(match_strength(word.key, key) for word in only_right for key in said)
    if not only_left and not asked_there:  # it is the value of no case, but in general
        return None
    return Ambiguity(
        stated.text.strip(),
        rival.text.strip(),
        there,
        _written(only_left, here, evidence),
        _written(only_right, there, evidence),
        asked_there,
    )


def _alike(here: Window, there: Window, said: set[str], evidence: Evidence) -> bool:
    """Whether two sentences share most of their words, grammar included, so that they are the same statement.

    Short ones may share fewer, where the claim names what it speaks of: "until 2020 the fee was", "since 2021 the fee
    is".
    """
    left, right = _words(here, evidence), _words(there, evidence)
    shared = len(left) - len(_without(left, right))
    longest = max(len(left), len(right))
    if shared > 1 and shared >= _ALIKE * longest:
        return True
    content = [word for word in left if is_content(word.key) and word.key in said]
    return longest <= _SHORT and len(content) > len(_without(content, right)) and said.isdisjoint(_POINTING)


def _heading(window: Window, evidence: Evidence) -> list[Word]:
    """The content words of the line before a sentence, where it names the case: one that ends as no sentence does."""
    document = evidence.documents[window.document]
    if not window.first or document.sentences[window.first - 1].text.rstrip().endswith(_SENTENCE_ENDS):
        return []
    return _content(Window(window.document, window.first - 1, window.first - 1), evidence)


def _content(window: Window, evidence: Evidence) -> list[Word]:
    """The different content words of a window, names that spell a word of grammar ("Pro") among them, and numbers."""
    document = evidence.documents[window.document]
    words = _words(window, evidence)
    return [
        word
        for word in words
        if word.key.isdigit()
        or is_content(word.key)
        or (word is not words[0] and document.text[word.start].isupper())
        or is_grammar_elsewhere(word.key, document.language)
    ]


def _words(window: Window, evidence: Evidence) -> list[Word]:
    """The different words of a window outside its values with a unit, and outside brackets that hold some."""
    document = evidence.documents[window.document]
    dropped = [
        (value.start, _after_scale(document.text, value.end))
        for value in _values(window, evidence)
        if not isinstance(value, Quantity) or value.meanings or word_after(document.text, value.end)
    ]
    start, end = document.sentences[window.first].start, document.sentences[window.last].end
    dropped += [aside.span() for aside in _ASIDE.finditer(document.text, start, end)]
    words: dict[str, Word] = {}
    for word in document.words_of(window.first, window.last):
        if not any(first <= word.start and word.end <= last for first, last in dropped):
            words.setdefault(word.key, word)
    return list(words.values())


def _after_scale(text: str, end: int) -> int:
    """Where a value ends with the letter of its scale: "350 degrees F"."""
    scale = _SCALE.match(text, end)
    return scale.end() if scale else end


def _without(words: Sequence[Word], others: Sequence[Word]) -> list[Word]:
    return [word for word in words if not any(match_strength(word.key, other.key) for other in others)]


def _written(words: Sequence[Word], window: Window, evidence: Evidence) -> tuple[str, ...]:
    """Qualifiers as written, capitalised ones first, three at most; a number with the word before it."""
    text = evidence.documents[window.document].text
    written = []
    for word in words:
        before = text[: word.start].rsplit(None, 1)[-1:] if word.key.isdigit() else []
        written.append(" ".join([*before, text[word.start : word.end]]))
    return tuple(sorted(written, key=lambda word: not word[0].isupper())[:3])


def _compare_signs(
    value: Quantity | TimeOfDay, claim: str, stated: Sequence[Measured], here: Window, evidence: Evidence
) -> Ambiguity | None:
    """The same where no spaces are written, by signs: "学生票30元", "成人票60元"."""
    document = evidence.documents[here.document]
    statement = document.sentences[here.first].text
    for there in _sentences_around(here, evidence) if not claim.isascii() else ():
        rival = _rival_in(there, value, claim, evidence)
        if rival is None or any(agrees(other, rival) for other in stated):
            continue
        other = evidence.documents[there.document].sentences[there.first].text
        cases = cases_in_signs(statement, other, f"{claim}\n{evidence.question}")
        if cases is not None:
            mine, theirs, asked_there = cases
            return Ambiguity(value.text.strip(), rival.text.strip(), there, (mine,), (theirs,), asked_there)
    return None


def _sentences_around(here: Window, evidence: Evidence) -> Iterator[Window]:
    """Those next to a sentence, and the first two of the other documents."""
    for number, document in enumerate(evidence.documents):
        near = (here.first - 1, here.first + 1) if number == here.document else (0, 1)
        for index in near:
            if 0 <= index < len(document.sentences):
                yield Window(number, index, index)


def _between_rows(
    claim: str, own: Sequence[Measured], stated: Sequence[Measured], window: Window, evidence: Evidence
) -> Ambiguity | None:
    """Whether the claim gives the figure of one row of a table without naming the row."""
    document = evidence.documents[window.document]
    found = unnamed_row(own, stated, f"{claim}\n{evidence.question}", document.tables)
    if found is None:
        return None
    figure, rival, here, there = found
    index = document.sentence_at(document.text.find(there.text))
    sentence = Window(window.document, index, index)
    return Ambiguity(figure, rival, sentence, (here.name,), (there.name,), asked_there=False)
