"""A text analysed once for alignment: its sentences, words, and checkable facts; with a bounded cache by content."""

import re
import threading
from bisect import bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise

from ragsonde.scorers.detector.records import Record, read_record, record_sentences
from ragsonde.scorers.facts import Measured, Measurements, find_measurements
from ragsonde.scorers.faithfulness.table_rows import Table, find_tables
from ragsonde.scorers.faithfulness.words import Word, WordForms, cut_words, keys_of, words_of_record
from ragsonde.scorers.text.language import detect_language
from ragsonde.scorers.text.negation import find_negations
from ragsonde.scorers.text.spans import Sentence

_TELLS_LANGUAGE = 2_000
"""Characters that are enough to tell a language."""


class AnalysedText:
    """A text with what alignment asks of it; nothing of it is cut off, however long it is."""

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
        self._words: dict[int, Sequence[Word]] = {}
        self._starts = [sentence.start for sentence in self.sentences]

    @cached_property
    def tables(self) -> Sequence[Table]:
        """The tables that the text holds."""
        return find_tables(self.text)

    @cached_property
    def language(self) -> str:
        """ISO 639 code of the text's language; ``und`` where that can't be told."""
        return detect_language(self.text[:_TELLS_LANGUAGE])

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

    def forms_of(self, key: str) -> Mapping[str, float]:
        """The words of this text that may be forms of ``key``, with the strength of the match."""
        return self._forms.of(key)

    def beginning(self, start: str) -> Sequence[str]:
        """The different words of this text that begin with some letters (three at least)."""
        return self._forms.beginning(start)

    @cached_property
    def measurements(self) -> Measurements:
        """Every quantity, date, time, weekday and code of the text."""
        return find_measurements(self.text)

    @cached_property
    def measured(self) -> Sequence[Measured]:
        """The same in one row."""
        return self.measurements.all()

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
        return self.measurements.between(self.sentences[first].start, self.sentences[last].end)

    def negations_of(self, first: int, last: int) -> tuple[Sentence, ...]:
        """The negating words of sentences ``first`` to ``last``, with their place in the whole text."""
        start = self.sentences[first].start
        found = find_negations(self.text[start : self.sentences[last].end], self.language)
        return tuple(Sentence(cue.text, cue.start + start, cue.end + start) for cue in found)


class AnalysisCache:
    """Analysed texts by content, least recently used first out; a retriever returns the same passages again and again.

    Bounded by the characters of the texts it holds: an analysis takes some seventy bytes a character, the default some
    35 MB.
    """

    def __init__(self, *, max_characters: int = 500_000) -> None:
        self._max_characters = max_characters
        self._held = 0
        self._texts: OrderedDict[bytes, AnalysedText] = OrderedDict()
        self._lock = threading.Lock()

    def analysed(self, text: str, sentences: Callable[[], Sequence[Sentence]]) -> AnalysedText:
        """The analysis of ``text``; ``sentences`` is called when it is not held yet and is no record."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._lock:
            if (held := self._texts.get(key)) is not None:
                self._texts.move_to_end(key)
                return held
        record = read_record(text)
        fresh = AnalysedText(text, sentences() if record is None else record_sentences(text, record), record)
        if len(text) <= self._max_characters:
            with self._lock:
                if key not in self._texts:
                    self._texts[key] = fresh
                    self._held += len(text)
                while self._held > self._max_characters:
                    _, oldest = self._texts.popitem(last=False)
                    self._held -= len(oldest.text)
        return fresh
