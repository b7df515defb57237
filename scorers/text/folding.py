"""Finding quotes, with what does not change meaning folded away.

A quote proves a claim only if it stands in the source. What a copyist may change is folded: white space, case, quote
marks, dashes, ellipses, width, ligatures, invisible characters. What turns the meaning round is not: a quote may leave
text out with an ellipsis, but neither there nor at its edges a negation, part of a number, a word that narrows it, nor
a condition that follows it; and what frames it ("it is untrue that …") may not take it back.
"""

import html
from collections.abc import Iterator
from functools import lru_cache

import regex

from ragsonde.scorers.text.conditions import goes_on_with_condition, has_condition
from ragsonde.scorers.text.folded import Folded, fold
from ragsonde.scorers.text.framing import has_only, is_affirmed, is_denied, is_narrowed
from ragsonde.scorers.text.language import UNDETERMINED, detect_language
from ragsonde.scorers.text.negation import has_negation
from ragsonde.scorers.text.number_edges import cuts_number
from ragsonde.scorers.text.scripts import UNSPACED

__all__ = ["Folded", "find_quote", "fold", "place_quote"]

_ELLIPSIS = regex.compile(r"\s*[\[(]?\s*(?:\.\s?){3,}\s*[\])]?\s*|\s*\[\s*(?:…|\.\.)\s*\]\s*")
_EDGE = " \"'.,;:!?。，；：！？、()[]*_"
_MARKS = " \"'*_"
_CLAUSE_START = regex.compile(r"[.!?;:,()\[\]。！？；：，、؛،۔।\n]|\s-\s")
_WORD_CHARACTER = regex.compile(r"[\p{L}\p{M}\p{N}]")
_PARAGRAPH = regex.compile(r"\n[ \t]*\n")
_ENTITY = regex.compile(r"&#?\w{1,32};")
_MAX_GAP = 400
"""Characters that one ellipsis may leave out: about a paragraph's worth of sentences."""
_MAX_STARTS = 50
_NEARBY_WORDS = 3
_TAIL_CHARACTERS = 6
_NEARBY_CHARACTERS = 80


def find_quote(quote: str, text: str, language: str | None = None, *, claim: str | None = "") -> tuple[int, int] | None:
    """Where ``quote`` stands in ``text``, as offsets of the whole stretch from its first fragment to its last; or None.

    An ellipsis in the quote splits it into fragments. They must stand in ``text`` verbatim (folded, at word
    boundaries), in the order given, in one paragraph, near each other, and what lies between must hold no negation.
    Nor may a quote begin right after a negation of the same clause that it leaves out ("not | allowed to sublet"), or
    end right before one; nor right before a condition ("refunds are paid | only if …") or beside a word that narrows it
    ("only life | members may vote"), unless ``claim``, the statement it is to prove, carries one too. It may not stop
    inside a number ("costs 5 | million"), nor stand in a clause that is denied ("it is untrue that | …").
    ``claim`` is None for a quote that proves nothing and only has to be placed.
    ``language`` is that of ``text`` (detected where None).
    """
    fragments = _fragments(quote)
    if not fragments:
        return None
    code = (detect_language(text) or UNDETERMINED) if language is None else language
    finder = _QuoteFinder(text, code, proves=claim is not None)
    folded_quote = fold(quote).text.strip(_MARKS)
    leading, trailing = folded_quote.startswith(("...", "[...", "(...")), folded_quote.endswith(("...", "...]", "...)"))
    languages = () if claim is None else (code, detect_language(claim))
    unconditional = claim is not None and not any(has_condition(claim, each) for each in languages)
    unnarrowed = claim is not None and not any(has_only(fold(claim).text, each) for each in languages)
    for start, end in finder.occurrences(fragments):
        hidden = (
            finder.hides_negation_before(start, whole_clause=leading)
            or finder.hides_negation_after(end, whole_clause=trailing)
            or (unconditional and finder.hides_condition_after(end))
            or (unnarrowed and finder.is_narrowed(start, end))
            or (claim is not None and finder.is_denied(start, end))
        )
        if not hidden:
            return finder.source_span(start, end)
    return None


def place_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Where to show ``quote`` in ``text``, as offsets into it; or None.

    As ``find_quote``, but it proves nothing by standing there: negations and conditions at its edges, or that it leaves
    out, do not matter. An HTML entity of either stands for what it writes, as scorers read marked-up documents so.
    """
    read = _with_entities_read(text)
    for wanted in dict.fromkeys((_with_entities_read(quote).text.strip(), quote.strip())):
        span = _verbatim(wanted, read.text) or _placed(wanted, read.text)
        if span is not None:
            return read.source_span(*span)
    return None


@lru_cache(maxsize=16)
def _with_entities_read(text: str) -> Folded:
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for found in _ENTITY.finditer(text):
        read = html.unescape(found[0])
        parts += text[at : found.start()], read
        starts += *range(at, found.start()), *[found.start()] * len(read)
        ends += *range(at + 1, found.start() + 1), *[found.end()] * len(read)
        at = found.end()
    rest = range(at, len(text))
    return Folded("".join([*parts, text[at:]]), (*starts, *rest), (*ends, *(place + 1 for place in rest)))


def _verbatim(quote: str, text: str) -> tuple[int, int] | None:
    """Most quotes are, and folding a long text to find them would take long."""
    start = text.find(quote) if quote else -1
    end = start + len(quote)
    return None if start < 0 or _cuts_word(text, start) or _cuts_word(text, end) else (start, end)


def _placed(quote: str, text: str) -> tuple[int, int] | None:
    fragments = _fragments(quote)
    if not fragments:
        return None
    finder = _QuoteFinder(text, UNDETERMINED, may_leave_out_negations=True)
    found = next(finder.occurrences(fragments), None)
    return None if found is None else finder.source_span(*found)


def _fragments(quote: str) -> list[str]:
    """What stands between the ellipses of a quote, folded."""
    return [fragment for part in _ELLIPSIS.split(fold(quote).text) if (fragment := part.strip(_EDGE))]


def _cuts_word(text: str, at: int) -> bool:
    if at <= 0 or at >= len(text):
        return False
    before, after = text[at - 1], text[at]
    if UNSPACED.match(before) or UNSPACED.match(after):
        return False
    return bool(_WORD_CHARACTER.match(before) and _WORD_CHARACTER.match(after))


class _QuoteFinder:
    """Looks for fragments in one source text."""

    def __init__(
        self, text: str, language: str, *, may_leave_out_negations: bool = False, proves: bool = False
    ) -> None:
        self._may_leave_out_negations = may_leave_out_negations
        self._proves = proves
        self._source = text
        self._folded = fold(text)
        self._language = language

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        return self._folded.source_span(start, end)

    def occurrences(self, fragments: list[str]) -> Iterator[tuple[int, int]]:
        """Stretches that hold all fragments in order; the nearest next fragment leaves out the least."""
        for first in self._places(fragments[0], 0):
            end: int | None = first + len(fragments[0])
            for fragment in fragments[1:]:
                end = self._next(fragment, end) if end is not None else None
            if end is not None:
                yield first, end

    def _next(self, fragment: str, after: int) -> int | None:
        limit = after + _MAX_GAP
        for place in self._places(fragment, after):
            if place > limit:
                return None
            gap = self._folded.text[after:place]
            start, end = self._folded.ends[after - 1], self._folded.starts[place]
            denied = not self._may_leave_out_negations and has_negation(gap, self._language)
            if denied or _PARAGRAPH.search(self._source, start, end):
                return None
            return place + len(fragment)
        return None

    def _places(self, fragment: str, begin: int) -> Iterator[int]:
        text = self._folded.text
        at = text.find(fragment, begin)
        for _ in range(_MAX_STARTS):
            if at < 0:
                return
            if self._is_whole(at, at + len(fragment)):
                yield at
            at = text.find(fragment, at + 1)

    def _is_whole(self, start: int, end: int) -> bool:
        """Whether no word, and in a proof no number, is cut at either edge; some scripts have no edges of words."""
        text = self._folded.text
        if _cuts_word(text, start) or _cuts_word(text, end):
            return False
        return not (self._proves and cuts_number(text, start, end))

    def hides_negation_before(self, start: int, *, whole_clause: bool) -> bool:
        """Whether the clause has a negation just before the quote (after an ellipsis: anywhere before it)."""
        before = self._folded.text[max(0, start - _MAX_GAP) : start]
        if is_affirmed(before, self._language):  # "there is no doubt that | …"
            return False
        breaks = [found.end() for found in _CLAUSE_START.finditer(before)]
        clause = before[breaks[-1] if breaks else 0 :]
        if not whole_clause and not UNSPACED.search(clause):
            clause = " ".join(clause.split()[-_NEARBY_WORDS:])
        elif not whole_clause:
            clause = clause[-_TAIL_CHARACTERS:]
        return has_negation(clause, self._language)

    def hides_negation_after(self, end: int, *, whole_clause: bool) -> bool:
        """Whether the clause goes on with a negation that the quote leaves out ("gilt | nicht", "できま | せん")."""
        after = self._folded.text[end : end + _MAX_GAP]
        found = _CLAUSE_START.search(after)
        clause = after[: found.start()] if found else after
        if whole_clause:
            return has_negation(clause, self._language)
        if UNSPACED.search(clause):
            # The verb's ending carries the negation, so look at the word that the quote breaks off in.
            tail = self._folded.text[max(0, end - 2) : end] + clause[:_TAIL_CHARACTERS]
            kept = self._folded.text[max(0, end - 2) : end]
            return has_negation(tail, self._language) and not has_negation(kept, self._language)
        first = clause.split()[:1]
        return bool(first) and has_negation(first[0], self._language)

    def hides_condition_after(self, end: int) -> bool:
        """Whether the sentence goes on with a condition that the quote leaves out ("paid | only if …")."""
        return goes_on_with_condition(self._folded.text[end : end + _NEARBY_CHARACTERS], self._language)

    def is_narrowed(self, start: int, end: int) -> bool:
        """Whether a word beside the quote narrows what it says, with more left out ("only life | members")."""
        before, after = self._around(start, end)
        return is_narrowed(before, "" if self.hides_condition_after(end) else after, self._language)

    def is_denied(self, start: int, end: int) -> bool:
        """Whether the sentence around the quote denies it ("it is untrue that | …")."""
        before, after = self._around(start, end)
        if is_affirmed(before, self._language):
            return False
        return is_denied(before, self._folded.text[start:end], after, self._language)

    def _around(self, start: int, end: int) -> tuple[str, str]:
        return self._folded.text[max(0, start - _MAX_GAP) : start], self._folded.text[end : end + _MAX_GAP]
