"""How likely each language is by py3langid's model: what its ``rank`` says, in less time.

The package walks its automaton byte by byte. Since a state of that automaton tells only the last few bytes, all places
of a text can be walked at once instead, each from so many bytes before it.
"""

from collections import Counter
from collections.abc import Mapping
from math import sqrt
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray
from py3langid.langid import MODEL_FILE, LanguageIdentifier

_REACH = 6
"""Bytes of the model's longest feature: its states tell no more."""


class LanguageModel:
    """A naive Bayes model over sequences of bytes (Lui & Baldwin, "langid.py", 2012). Holds nothing that changes."""

    def __init__(self) -> None:
        model = LanguageIdentifier.from_model_file(MODEL_FILE)
        self._classes = tuple(model.nb_classes)
        self._log_prior = np.asarray(model.nb_pc)
        # In the precision that is summed in: to convert the rows of a text each time takes longer than all the rest.
        self._log_likelihood = np.asarray(model.nb_ptc, dtype=np.float32)
        self._next = np.asarray(model.tk_nextmove)
        self._row = np.asarray(model.tk_row, dtype=np.intp) << 8
        self._feature = np.asarray(model.tk_output, dtype=np.intp)

    def probabilities(self, text: str) -> Mapping[str, float]:
        """The probability of every language, by ISO 639 code, for a text in small letters."""
        encoded = np.frombuffer(normalize("NFC", text).encode("utf-8", "surrogatepass"), dtype=np.uint8)
        scores = self._scores(encoded)
        scores *= 1.0 / sqrt(max(1, len(encoded)))
        np.exp(scores - scores.max(), out=scores)
        scores /= scores.sum()
        found: dict[str, float] = {}
        for code, score in zip(self._classes, scores.tolist(), strict=True):
            found[code] = found.get(code, 0.0) + score  # a language of two scripts is two classes
        return found

    def _scores(self, encoded: NDArray[np.uint8]) -> NDArray[np.float32]:
        counts = Counter(self._features(encoded).tolist())
        if not counts:
            return np.zeros(len(self._classes), dtype=np.float32)
        times = np.fromiter(counts.values(), dtype=np.float32, count=len(counts))
        table = self._log_likelihood.take(list(counts), axis=0)
        scores: NDArray[np.float32] = np.log1p(times) @ table + self._log_prior
        return scores

    def _features(self, encoded: NDArray[np.uint8]) -> NDArray[np.intp]:
        """The features of a text, each where its last byte stands."""
        state = np.zeros(len(encoded), dtype=np.intp)
        for back in range(min(_REACH, len(encoded)) - 1, -1, -1):
            state[back:] = self._next[self._row[state[back:]] + encoded[: len(encoded) - back]]
        found = self._feature[state]
        return found[found >= 0]
