"""How common a word is in the world, whatever the contexts say.

A common word that the contexts lack ("popular", "offers") is a way of putting things; a rare one is news.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def _steps() -> Mapping[str, float]:
    lines = files(__package__).joinpath("common_words.txt").read_text(encoding="utf-8").splitlines()
    steps = [line.split() for line in lines if line and not line.startswith("#")]
    return {word: number / len(steps) for number, words in enumerate(steps) for word in words}


def rarity(key: str) -> float:
    """0 for the most frequent word of all languages, 1 for one that is in no list; ``key`` is folded."""
    return _steps().get(key, 1.0)
