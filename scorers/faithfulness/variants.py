"""Words of scripts without spaces that stand for one another: such a text is cut at them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files


def find_variants(run: str) -> Iterator[tuple[int, int, str]]:
    """The listed words of a run of such a script, in simplified signs: their places, and what each is compared as."""
    beginnings = _by_first()
    at, end = 0, len(run)
    while at < end:
        for word, canonical in beginnings.get(run[at], ()):
            if run.startswith(word, at):
                yield at, at + len(word), canonical
                at += len(word)
                break
        else:
            at += 1


@cache
def variants() -> Mapping[str, str]:
    """Each listed word, in simplified signs, with what it is compared as: the first of its group."""
    lines = files(__package__).joinpath("variants.txt").read_text(encoding="utf-8").splitlines()
    groups = [line.translate(simplified()).split() for line in lines if line and not line.startswith("#")]
    return {word: group[0] for group in groups for word in group}


def canonical(word: str) -> str:
    """What a word is compared as; itself where it is not listed."""
    return variants().get(word, word)


@cache
def _by_first() -> Mapping[str, Sequence[tuple[str, str]]]:
    """The words by their first sign, the longest first; single signs are no words to cut at."""
    found: dict[str, list[tuple[str, str]]] = {}
    for word, first in sorted(variants().items(), key=lambda each: -len(each[0])):
        if len(word) > 1:
            found.setdefault(word[0], []).append((word, first))
    return found


@cache
def simplified() -> Mapping[int, str]:
    """For ``str.translate``: traditional Chinese signs and the simplified ones that they are compared as."""
    lines = files(__package__).joinpath("traditional.txt").read_text(encoding="utf-8").splitlines()
    return {ord(pair[0]): pair[1] for line in lines if not line.startswith("#") for pair in line.split()}
