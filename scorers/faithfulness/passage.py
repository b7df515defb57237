"""A sentence of a context as the rules read it that hold a claim to its deciding passage."""

from collections.abc import Sequence
from functools import cached_property

from ragsonde.scorers.faithfulness.roles import Parts, read_parts
from ragsonde.scorers.faithfulness.scope import Quantifier, quantifiers_of
from ragsonde.scorers.faithfulness.written import WrittenWord, written_words


class Passage:
    """A sentence with what those rules ask of it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def written(self) -> Sequence[WrittenWord]:
        """Its words as written."""
        return list(written_words(self.text))

    @cached_property
    def quantifiers(self) -> Sequence[Quantifier]:
        """Its quantifiers."""
        return quantifiers_of(self.text)

    @cached_property
    def parts(self) -> Parts:
        """Its words, with names of several words as one."""
        return read_parts(self.text)
