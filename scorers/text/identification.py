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
_EDGE = np.ones(1, dtype=np.bool_)


class LanguageModel:
    """A naive Bayes model over sequences of bytes (Lui & Baldwin, "langid.py", 2012). Holds nothing that changes."""

    def __init__(self) -> None:
        model = LanguageIdentifier.from_model_file(MODEL_FILE)
        self._classes = tuple(model.nb_classes)
        self._twice = {
            code: [place for place, other in enumerate(self._classes) if other == code]
            for code, times in Counter(self._classes).items()
            if times > 1
        }
        """A language of two scripts is two classes."""
        self._log_prior = np.asarray(model.nb_pc)
        # In the precision that is summed in: to convert the rows of a text each time takes longer than all the rest.
        self._log_likelihood = np.asarray(model.nb_ptc, dtype=np.float32)
        rows = np.asarray(model.tk_row, dtype=np.int32) << 8
        self._first_row = rows[0]
        # What each move leads to: a row, which every step but the last asks for, or at the last a feature. Moves are
        # looked up all over these tables, so that their size is what takes time.
        self._next_row = rows[model.tk_nextmove]
        self._next_feature = np.asarray(model.tk_output, dtype=np.int32)[model.tk_nextmove]

    def probabilities(self, text: str) -> Mapping[str, float]:
        """The probability of every language, by ISO 639 code, for a text in small letters."""
        encoded = np.frombuffer(normalize("NFC", text).encode("utf-8", "surrogatepass"), dtype=np.uint8)
        scores = self._scores(encoded)
        scores *= 1.0 / sqrt(max(1, len(encoded)))
        np.exp(scores - scores.max(), out=scores)
        scores /= scores.sum()
        each: list[float] = scores.tolist()
        found = dict(zip(self._classes, each, strict=True))
        for code, places in self._twice.items():
            found[code] = sum(each[place] for place in places)
        return found

    def _scores(self, encoded: NDArray[np.uint8]) -> NDArray[np.float32]:
        found = self._features(encoded)
        if not len(found):
            return np.zeros(len(self._classes), dtype=np.float32)
        features, times = _counted(found)
        table = self._log_likelihood.take(features, axis=0)
        scores: NDArray[np.float32] = np.log1p(times) @ table + self._log_prior
        return scores

    def _features(self, encoded: NDArray[np.uint8]) -> NDArray[np.int32]:
        """The features of a text, each where its last byte stands."""
        size = len(encoded)
        row = np.full(size, self._first_row)
        for back in range(min(_REACH, size) - 1, 0, -1):
            row[back:] = self._next_row.take(row[back:] + encoded[: size - back])
        found: NDArray[np.int32] = self._next_feature.take(row + encoded)
        return found[found >= 0]


def _counted(features: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The different features (there is one) in the order in which they come first, and how often each comes."""
    order = features.argsort(kind="stable")
    ranked = features.take(order)
    bounds = np.flatnonzero(np.concatenate((_EDGE, ranked[1:] != ranked[:-1], _EDGE)))
    first = order.take(bounds[:-1])
    by_place = first.argsort()
    times = (bounds[1:] - bounds[:-1]).astype(np.float32)
    return features.take(first.take(by_place)), times.take(by_place)
