"""Write the list of common words that the detector ships: ``python -m bench.detector.common_words``.

The vocabulary of multilingual-e5-small (MIT), which is that of XLM-R, holds for each piece the logarithm of its
frequency in a hundred languages. Pieces that are whole words, folded as the scorers fold them, are written in steps of
falling frequency, one step a line. Needs the ``local`` extra.
"""

from itertools import groupby
from pathlib import Path

import regex

from ragsonde.scorers.embedding.store import _source
from ragsonde.scorers.embedding.weights import read_packed_model
from ragsonde.scorers.faithfulness.words import key_of

PLACE = Path(__file__).parent.parent.parent / "scorers" / "detector" / "common_words.txt"
WORDS = 32_000
_MARK = "\u2581"
_WHOLE_WORD = regex.compile(rf"{_MARK}\p{{L}}[\p{{L}}\p{{M}}]+|\p{{Han}}{{2}}")
_STEP = 0.5
_HEADER = (
    "# Common words of many languages, folded, the most frequent first: each line is one step of falling frequency.\n"
    "# From the vocabulary of multilingual-e5-small (MIT); bench/detector/common_words.py writes this file.\n"
)


def common_words() -> dict[str, float]:
    """Folded words with the greatest log frequency of any of their spellings, most frequent first."""
    vocabulary = read_packed_model(_source()).vocabulary
    found: dict[str, float] = {}
    for piece, score in zip(vocabulary.pieces, vocabulary.scores, strict=True):
        if _WHOLE_WORD.fullmatch(piece) and (key := key_of(piece.removeprefix(_MARK))):
            found[key] = max(score, found.get(key, -1e9))
    ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return dict(ranked[:WORDS])


def main() -> None:
    lines = [
        " ".join(sorted(word for word, _ in step))
        for _, step in groupby(common_words().items(), key=lambda item: int(-item[1] / _STEP))
    ]
    PLACE.write_text(_HEADER + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
