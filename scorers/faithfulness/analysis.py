"""A text analysed once for alignment: its sentences, words, and checkable facts; with a bounded cache by content."""

import re
import threading
from bisect import bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeVar

from ragsonde.scorers.detector.records import Record, read_record, record_sentences
from ragsonde.scorers.facts import Measurements, find_measurements
from ragsonde.scorers.faithfulness.contraries import permitting
from ragsonde.scorers.faithfulness.passage import Passage
from ragsonde.scorers.faithfulness.pieces import Clause, read_clauses
from ragsonde.scorers.faithfulness.polarity import Polarity
from ragsonde.scorers.faithfulness.table_rows import Table, find_tables
from ragsonde.scorers.faithfulness.words import Word, WordForms, cut_words, keys_of, words_of_record
from ragsonde.scorers.text.language import UNDETERMINED, detect_language
from ragsonde.scorers.text.negation import find_negations
from ragsonde.scorers.text.spans import Sentence

_T = TypeVar("_T")
_Key = TypeVar("_Key", bound=Hashable)
_TELLS_LANGUAGE = 2_000
"""Characters that are enough to tell a language."""
_SAME_BEGINNING = 5
"""Letters of a beginning by which a word is taken for another form of a word."""
_KEPT_WORDS = 100
"""Words that were looked up, and are kept, beside a quarter as many as a text has."""
_KEPT_PASSAGES = 8
"""Sentences that were held against a claim."""


class Held(NamedTuple):
    """What a text has of one word."""

    forms: Mapping[str, float]
    """The words that may be forms of it, with the strength of the match."""
    hits: Mapping[int, float]
    """The sentences that hold one of them, with the strength of the best; where none does, those with all its signs."""
    strongest: float
    """That of the best match; 0 where only its signs are there."""


_APART = 24
"""Signs of the pieces of a sentence, most of which come twice, between the two of a pair."""
_SCATTERED = 0.6
"""Strength of a pair of signs that stand apart in a sentence."""
_PERMITS = 0.8
"""That of a word that permits or forbids, with another such word."""
_EMPTY: Set[int] = frozenset()
_NOT_HELD = Held({}, {}, 0.0)
_NOWHERE = (0, 0)


class AnalysedText:
    """A text with what alignment asks of it; nothing of it is cut off, however long it is.

    What was found of the words that were last asked about is kept, so that a text that comes again costs little. Two
    threads may look the same up at once; either result will do.
    """

    def __init__(self, text: str, sentences: Sequence[Sentence], record: Record | None = None) -> None:
        self.text = text
        self.record = record
        """The fields, where the text is a record rather than prose."""
        self.sentences = tuple(sentences)
        self.keys: Sequence[Sequence[str]] = [
            keys_of(sentence.text) if record is None else [word.key for word in words_of_record(sentence.text)]
            for sentence in self.sentences
        ]
        """The words of each sentence, folded."""
        self._language: str | None = None
        self._words: dict[int, Sequence[Word]] = {}
        self._held: dict[str, Held] = {}
        self._bits: dict[str, tuple[int, int]] = {}
        self._measured: dict[tuple[int, int], Measurements] = {}
        self._passages: dict[int, Passage] = {}
        self._clauses: dict[int, Sequence[Clause]] = {}
        self._polarities: dict[tuple[int, str], Polarity] = {}
        self._starts = [sentence.start for sentence in self.sentences]

    @cached_property
    def tables(self) -> Sequence[Table]:
        """The tables that the text holds."""
        return find_tables(self.text)

    @property
    def language(self) -> str:
        """ISO 639 code of the text's language; ``und`` where that can't be told."""
        if self._language is None:
            self._language = detect_language(self.text[:_TELLS_LANGUAGE])
        return self._language

    def words_of(self, first: int, last: int) -> list[Word]:
        """The words of sentences ``first`` to ``last``, both included."""
        return [word for index in range(first, last + 1) for word in self._words_at(index)]

    def _words_at(self, index: int) -> Sequence[Word]:
        """The words of one sentence: few are asked for, so only those are made."""
        words = self._words.get(index)
        if words is None:
            sentence = self.sentences[index]
            found = cut_words(sentence.text) if self.record is None else words_of_record(sentence.text)
            words = [Word(key, start + sentence.start, end + sentence.start) for key, start, end in found]
            self._words[index] = words  # two threads may make the same
        return words

    @cached_property
    def places(self) -> Mapping[str, Sequence[int]]:
        """For each word, the indexes of the sentences that hold it, ascending, each once."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for index, keys in enumerate(self.keys):
            for key in dict.fromkeys(keys):
                places[key].append(index)
        return dict(places)

    @cached_property
    def _forms(self) -> WordForms:
        return WordForms(self.places)

    def held(self, key: str) -> Held:
        """The forms of a word in this text, and where they stand."""
        held = self._held.get(key)
        if held is None:
            held = self._look_up(key)
            _keep(self._held, key, held, most=self._most_words)
        return held

    def _look_up(self, key: str) -> Held:
        forms = self._forms.of(key)
        if key in permitting():
            forms = {**{word: _PERMITS for word in permitting()[key] if word in self.places}, **forms}
        if not forms:
            scattered = self._scattered(key)
            return Held({}, dict.fromkeys(scattered, _SCATTERED), 0.0) if scattered else _NOT_HELD
        places = self.places
        if len(forms) == 1:
            ((form, strength),) = forms.items()
            return Held(forms, dict.fromkeys(places[form], strength), strength)
        hits: dict[int, float] = {}
        for form, strength in forms.items():
            for place in places[form]:
                if strength > hits.get(place, 0.0):
                    hits[place] = strength
        return Held(forms, hits, max(forms.values()))

    def _scattered(self, key: str) -> Set[int]:
        """The sentences that hold both signs of a Chinese pair, apart: other words stand between them, or their order
        differs."""
        if len(key) != 2 or not "\u3400" <= key[0] <= "\u9fff" or not "\u3400" <= key[1] <= "\u9fff":
            return _EMPTY
        both = self._signs.get(key[0], _EMPTY) & self._signs.get(key[1], _EMPTY)
        return frozenset(place for place in both if self._near_by(key, place))

    def _near_by(self, key: str, place: int) -> bool:
        """Whether the signs of a pair stand close to each other in a sentence."""
        signs = "".join(self.keys[place])
        firsts, seconds = ([at for at, sign in enumerate(signs) if sign == each] for each in key)
        return any(abs(first - second) <= _APART for first in firsts for second in seconds)

    @cached_property
    def _signs(self) -> Mapping[str, Set[int]]:
        """For each Chinese sign the sentences that hold it."""
        signs: defaultdict[str, set[int]] = defaultdict(set)
        for key, places in self.places.items():
            if key[0] >= "\u3400":
                for sign in key:
                    signs[sign].update(places)
        return dict(signs)

    def bits_of(self, key: str) -> tuple[int, int]:
        """The sentences that hold a word, and those that hold it or one with the same beginning.

        A bit each, from the second bit on.
        """
        bits = self._bits.get(key)
        if bits is None:
            held = alike = _bits(self.places.get(key, ()))
            if len(key) >= _SAME_BEGINNING:
                for word in self._forms.beginning(key[:_SAME_BEGINNING]):
                    if word != key:
                        alike |= _bits(self.places[word])
            elif not held:
                alike = _bits(self._scattered(key))
            for word in permitting().get(key, ()):
                alike |= _bits(self.places.get(word, ()))
            bits = (held, alike) if alike else _NOWHERE
            _keep(self._bits, key, bits, most=self._most_words)
        return bits

    @property
    def _most_words(self) -> int:
        return _KEPT_WORDS + len(self.places) // 4

    def passage(self, index: int) -> Passage:
        """One sentence, for the rules that hold a claim to it."""
        passage = self._passages.get(index)
        if passage is None:
            passage = Passage(self.sentences[index].text)
            _keep(self._passages, index, passage, most=_KEPT_PASSAGES)
        return passage

    def clauses_of(self, index: int) -> Sequence[Clause]:
        """The clauses of one sentence."""
        clauses = self._clauses.get(index)
        if clauses is None:
            sentence = self.sentences[index]
            measured = self.measurements_of(index, index).all()
            clauses = read_clauses(self.text, sentence.start, sentence.end, measured)
            _keep(self._clauses, index, clauses, most=_KEPT_PASSAGES)
        return clauses

    def polarity_of(self, index: int, language: str) -> Polarity:
        """The words of one sentence, and which are negated; ``language`` where the text doesn't tell its own."""
        polarity = self._polarities.get((index, language))
        if polarity is None:
            negations = self.negations_of(index, index, language)
            polarity = Polarity(self.text, self._words_at(index), negations)
            _keep(self._polarities, (index, language), polarity, most=_KEPT_PASSAGES)
        return polarity

    @cached_property
    def measurements(self) -> Measurements:
        """Every quantity, date, time, weekday and code of the text."""
        return find_measurements(self.text)

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Every two words that follow one another within a sentence."""
        return frozenset().union(*map(pairwise, self.keys))

    @cached_property
    def triples(self) -> frozenset[tuple[str, str, str]]:
        """Every three."""
        return frozenset().union(*(zip(keys, keys[1:], keys[2:], strict=False) for keys in self.keys))

    @cached_property
    def squashed(self) -> str:
        """The text in lower case without white space, hyphens and slashes: codes and titles are looked for in it."""
        return re.sub(r"[\s\-_/]+", "", self.text.lower())

    def sentence_at(self, offset: int) -> int:
        """The index of the sentence that holds a character, or of the last one that begins before it."""
        return max(0, bisect_right(self._starts, offset) - 1)

    def measurements_of(self, first: int, last: int) -> Measurements:
        """Those of sentences ``first`` to ``last``."""
        found = self._measured.get((first, last))
        if found is None:
            found = self.measurements.between(self.sentences[first].start, self.sentences[last].end)
            _keep(self._measured, (first, last), found, most=_KEPT_WORDS)
        return found

    def language_or(self, language: str) -> str:
        """The text's language; another where that can't be told."""
        return language if self.language == UNDETERMINED else self.language

    def negations_of(self, first: int, last: int, language: str = UNDETERMINED) -> tuple[Sentence, ...]:
        """The negating words of sentences ``first`` to ``last``, with their place in the whole text.

        ``language`` where the text doesn't tell its own.
        """
        start = self.sentences[first].start
        found = find_negations(self.text[start : self.sentences[last].end], lambda: self.language_or(language))
        return tuple(Sentence(cue.text, cue.start + start, cue.end + start) for cue in found)


def _keep(kept: dict[_Key, _T], key: _Key, found: _T, *, most: int) -> None:
    """Keep what was found, and no more than so many: then all before is forgotten."""
    if len(kept) >= most:
        kept.clear()
    kept[key] = found


def _bits(places: Iterable[int]) -> int:
    bits = 0
    for place in places:
        bits |= 2 << place
    return bits


class AnalysisCache:
    """Analysed texts by content, least recently used first out; a retriever returns the same passages again and again.

    Bounded by the characters of the texts it holds: an analysis takes some hundred bytes a character, and up to two
    hundred more for what was asked about a short text; the default some 50 MB, at most 150.
    """

    def __init__(self, *, max_characters: int = 500_000) -> None:
        self._max_characters = max_characters
        self._held = 0
        self._texts: OrderedDict[str, AnalysedText] = OrderedDict()
        self._lock = threading.Lock()

    def analysed(self, text: str, sentences: Callable[[], Sequence[Sentence]]) -> AnalysedText:
        """The analysis of ``text``; ``sentences`` is called when it is not held yet and is no record."""
        with self._lock:
            if (held := self._texts.get(text)) is not None:
                self._texts.move_to_end(text)
                return held
        record = read_record(text)
        fresh = AnalysedText(text, sentences() if record is None else record_sentences(text, record), record)
        if len(text) <= self._max_characters:
            with self._lock:
                if text not in self._texts:
                    self._texts[text] = fresh
                    self._held += len(text)
                while self._held > self._max_characters:
                    _, oldest = self._texts.popitem(last=False)
                    self._held -= len(oldest.text)
        return fresh
