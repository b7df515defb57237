"""A text analysed once for alignment: its sentences, words, and checkable facts; with a bounded cache by content."""

import re
import threading
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise

from ragsonde.scorers.detector.records import Record, read_record, record_sentences
from ragsonde.scorers.facts import Measured, Measurements, find_measurements
from ragsonde.scorers.faithfulness.table_rows import Table, find_tables
from ragsonde.scorers.faithfulness.words import Word, cut_words, match_strength, words_of_record
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
        self.words: list[Word] = []
        bounds = array("L", [0])
        for sentence in self.sentences:
            offset = sentence.start
            found = cut_words(sentence.text) if record is None else words_of_record(sentence.text)
            self.words += [Word(key, start + offset, end + offset) for key, start, end in found]
            bounds.append(len(self.words))
        self._bounds = bounds
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
        return self.words[self._bounds[first] : self._bounds[last + 1]]

    @cached_property
    def places(self) -> Mapping[str, Sequence[int]]:
        """For each word, the indexes of the sentences that hold it, ascending, each once."""
        places: dict[str, array[int]] = {}
        for index in range(len(self.sentences)):
            for word in self.words[self._bounds[index] : self._bounds[index + 1]]:
                held = places.setdefault(word.key, array("L"))
                if not held or held[-1] != index:
                    held.append(index)
        return places

    @cached_property
    def _by_start(self) -> Mapping[str, Sequence[str]]:
        return _grouped(self.places, lambda key: key[:3])

    @cached_property
    def _by_end(self) -> Mapping[str, Sequence[str]]:
        return _grouped((key for key in self.places if len(key) >= 5), lambda key: key[-5:])

    def forms_of(self, key: str) -> Mapping[str, float]:
        """The words of this text that may be forms of ``key``, with the strength of the match."""
        near = dict.fromkeys(self._by_start.get(key[:3], ()))
        if len(key) >= 5:
            near |= dict.fromkeys(self._by_end.get(key[-5:], ()))
        return {word: strength for word in near if (strength := match_strength(key, word))}

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
        return frozenset(pair for keys in self.keys for pair in pairwise(keys))

    @cached_property
    def triples(self) -> frozenset[tuple[str, str, str]]:
        """Every three."""
        return frozenset(t for keys in self.keys for t in zip(keys, keys[1:], keys[2:], strict=False))

    @cached_property
    def keys(self) -> Sequence[Sequence[str]]:
        """The words of each sentence, folded."""
        return [[word.key for word in self.words[first:after]] for first, after in pairwise(self._bounds)]

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


def _grouped(keys: Iterable[str], group: Callable[[str], str]) -> Mapping[str, Sequence[str]]:
    groups: dict[str, list[str]] = {}
    for key in keys:
        groups.setdefault(group(key), []).append(key)
    return groups


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
