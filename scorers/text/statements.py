"""The factual statements of an answer, and whether it abstains."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import regex

from ragsonde.scorers.text.abstention import ClauseRole, blank_quotes, clause_role, cue_languages, split_clauses
from ragsonde.scorers.text.blocks import Block, BlockKind
from ragsonde.scorers.text.formalities import formality_languages, is_formality, is_lead_in, is_pointer
from ragsonde.scorers.text.joints import split_facts
from ragsonde.scorers.text.omissions import Told, reports_omission, reports_omission_in_signs
from ragsonde.scorers.text.plain import plain_text
from ragsonde.scorers.text.scripts import UNSPACED
from ragsonde.scorers.text.spans import Abstention, Sentence, Spans, Statement

_WORDLIKE = regex.compile(r"[\p{L}\p{N}]")
_QUESTION = regex.compile(r"[?？؟;\u037e፧⁇⁈‽][\p{Pe}\p{Pf}\p{Pi}\"'*_\s]*$")
_ASKS = frozenset("?？؟\u037e፧⁇⁈‽՞")
_QUOTE_MARK = regex.compile(r"[*_\s]*[\p{Pi}\p{Pf}\"„«»「」『』]|[?？؟][\p{Pi}\p{Pf}\"“«»」』]")
_COLON = regex.compile(r"[:：][*_\s]*$")
_STAND_IN = r"(?i:n\s?/\s?a|null|undefined|nan|no[ _]answer)[\s.]*"
_PLACEHOLDER = regex.compile(rf"[\s\p{{P}}\p{{S}}]*|{_STAND_IN}|(?i:none|nil)[\s.]*|[(\[<]\s*empty\s*[)\]>]")
_FIRST_STAND_IN = regex.compile(_STAND_IN)
"""What says nothing before a sentence that does; "None." may answer "How many?"."""
_STOP = regex.compile(r"[.!?。！？؟।\n]+(?!\w)")
_MIN_REPORTED_CHARACTERS = 6
_MIN_REPORTED_WORDS, _TELLING_LETTERS = 2, 4
"""How much a clause says so that a context's saying the same is no chance: "I don't know" is too little."""
_LINKED = regex.compile(r"\]\(\S|https?://|www\.|<a\s")
_SIGNS_OF_LINKS = ("](", "://", "www.", "<a")
"""What ``_LINKED`` cannot match without."""
_ADDRESS = regex.compile(r"(?:https?://|www\.)[^\s<>()\[\]\"，。；！？]{1,2000}")
_MIN_CLAUSE_WORDS = 2
_MIN_CLAUSE_CHARACTERS = 4
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")


@dataclass(frozen=True, slots=True)
class ReadBlock:
    """A block of the answer and the sentences in it."""

    block: Block
    sentences: tuple[Sentence, ...]


def is_empty_answer(answer: str) -> bool:
    """Whether an answer is empty or a stand-in for nothing: ``[]``, ``{}``, ``N/A``, ``null``, ``-``, ``…``."""
    return _PLACEHOLDER.fullmatch(answer.strip()) is not None


class StatementReader:
    """Reads one answer.

    ``marks`` are the citation markers, ``skipped`` the stretches (lists of sources) that state nothing; both as
    (start, end) offsets into ``answer``. ``contexts`` are the texts retrieved: what they say themselves abstains from
    nothing ("the report does not mention penalties").
    """

    def __init__(
        self,
        answer: str,
        *,
        language: str,
        marks: Iterable[tuple[int, int]] = (),
        skipped: Iterable[tuple[int, int]] = (),
        contexts: Sequence[str] = (),
    ) -> None:
        self._answer = answer
        self._language = language
        self._contexts = contexts
        self._unquoted = blank_quotes(answer)
        self._marks = Spans(marks)
        self._skipped = Spans(skipped)
        self._cues = cue_languages(answer, language)
        self._formalities = formality_languages(answer, language)

    def read(self, blocks: Sequence[ReadBlock]) -> tuple[tuple[Statement, ...], Abstention]:
        """The statements in order, and the abstention."""
        statements: list[Statement] = []
        referrals: list[Statement] = []
        abstains: list[Sentence] = []
        hedges: list[Sentence] = []
        if is_empty_answer(self._answer):
            return (), Abstention(refusal=False, answered=False)
        for read in blocks:
            for role, start, end in self._roles(read):
                if role is ClauseRole.ABSTAINS:
                    abstains.append(Sentence(self._answer[start:end], start, end))
                elif role is ClauseRole.HEDGES:
                    hedges.append(Sentence(self._answer[start:end], start, end))
                else:
                    kept = statements if role is ClauseRole.OTHER else referrals
                    kept.extend(self._statement(read.block, start, end))
        if not abstains:
            # "Call 555-0100" answers a question; after "I don't know" it only sends the reader on.
            statements += referrals
            statements.sort(key=lambda statement: statement.start)
        if not abstains and not statements:
            abstains = hedges
        cue = abstains[0] if abstains else None
        return tuple(statements), Abstention(refusal=cue is not None, answered=bool(statements), cue=cue)

    def _roles(self, read: ReadBlock) -> Iterator[tuple[ClauseRole, int, int]]:
        """What each sentence or clause does; formalities, questions, headings and code are left out."""
        if read.block.kind in (BlockKind.HEADING, BlockKind.CODE, BlockKind.TABLE_HEADER):
            return
        for sentence in read.sentences:
            if self._states_nothing(sentence):
                continue
            if read.block.kind in (BlockKind.TABLE_ROW, BlockKind.QUOTE):
                yield ClauseRole.OTHER, sentence.start, sentence.end
                continue
            yield from self._clauses(sentence)

    def _states_nothing(self, sentence: Sentence) -> bool:
        if self._skipped.touches(sentence.start, sentence.end):
            return True
        bare = self._marks.cut_from(self._answer, sentence.start, sentence.end).strip()
        if not _WORDLIKE.search(bare) or _FIRST_STAND_IN.fullmatch(bare):
            return True
        asks = _QUESTION.search(bare) if "?" in bare or not bare.isascii() else None
        if asks is not None and bare[asks.start()] in _ASKS and not _reports_question(bare, asks):
            return True
        return _COLON.search(bare) is not None and bare == sentence.text.strip() and is_lead_in(bare, self._formalities)

    def _clauses(self, sentence: Sentence) -> Iterator[tuple[ClauseRole, int, int]]:
        bare = self._spoken(sentence.start, sentence.end)
        role = self._role(bare)
        if role in (ClauseRole.OTHER, ClauseRole.REFERS) and self._only_points(sentence):
            return
        if role is ClauseRole.OTHER:
            if not is_formality(bare, self._formalities) or self._is_cited(sentence):
                yield role, sentence.start, sentence.end
            return
        if role is ClauseRole.REFERS:
            if not is_formality(bare, self._formalities):
                yield role, sentence.start, sentence.end
            return
        parts = list(self._parts(sentence, bare, role))
        # Where no part does what the whole does, the joint is within what does it: "a heading, but no text under it".
        yield from parts if any(part is role for part, _, _ in parts) else [(role, sentence.start, sentence.end)]

    def _only_points(self, sentence: Sentence) -> bool:
        """``For more information, see our [help page](https://…)``."""
        linked = any(sign in sentence.text for sign in _SIGNS_OF_LINKS) and _LINKED.search(sentence.text) is not None
        plain = _ADDRESS.sub(" ", plain_text(sentence.text)) if linked else sentence.text
        return is_pointer(plain, self._formalities, linked=linked)

    def _role(self, clause: str) -> ClauseRole:
        role = clause_role(clause, self._cues)
        return ClauseRole.OTHER if role is ClauseRole.ABSTAINS and self._is_reported(clause) else role

    def _is_reported(self, clause: str) -> bool:
        """Whether a context itself says what ``clause`` says, in the same words, or that it is left out in others."""
        if UNSPACED.search(clause):
            wanted = "".join(_WORD.findall(clause))
            if len(wanted) >= _MIN_REPORTED_CHARACTERS and any(wanted in text for text, _ in self._context_words):
                return True
            return reports_omission_in_signs(" ".join(_WORD.findall(clause)), self._context_sentences())
        words = frozenset(_WORD.findall(clause.casefold()))
        if sum(len(word) >= _TELLING_LETTERS for word in words) < _MIN_REPORTED_WORDS:
            return False
        told = self._context_sentences()
        return any(words <= sentence.words for sentence in told) or reports_omission(words, told)

    def _context_sentences(self) -> list[Told]:
        return [sentence for _, sentences in self._context_words for sentence in sentences]

    @cached_property
    def _context_words(self) -> tuple[tuple[str, tuple[Told, ...]], ...]:
        """Each context as its letters alone, and the words of each of its sentences."""
        return tuple(
            (
                "".join(_WORD.findall(text)),
                tuple(Told(frozenset(_WORD.findall(sentence))) for sentence in _STOP.split(text.casefold())),
            )
            for text in self._contexts
        )

    def _parts(self, sentence: Sentence, bare: str, role: ClauseRole) -> Iterator[tuple[ClauseRole, int, int]]:
        """The clauses of a sentence that abstains or hedges."""
        # Joints of other languages that look alike ("no", "a") would cut in the wrong place.
        spoken = [cues for cues in self._cues if clause_role(bare, [cues]) is role]
        for start, end in split_clauses(
            self._marks.cut_from(self._answer, sentence.start, sentence.end, keep_length=True), spoken
        ):
            first, after = sentence.start + start, sentence.start + end
            text = self._spoken(first, after)
            part = self._role(text)
            if part is ClauseRole.OTHER:
                if not _substantial(text) or is_empty_answer(text) or is_formality(text, self._formalities):
                    continue
                after = self._with_marks(after, sentence.end)
            yield part, first, after

    def _spoken(self, start: int, end: int) -> str:
        """The speaker's own words: no markers and no quotes, unless a quote is all there is."""
        own = self._marks.cut_from(self._unquoted, start, end)
        return own if _WORDLIKE.search(own) else self._marks.cut_from(self._answer, start, end)

    def _with_marks(self, end: int, limit: int) -> int:
        """A clause takes the markers that follow it, and the sentence's last stop."""
        for first, after in self._marks.within(end, limit):
            if self._answer[end:first].strip():
                break
            end = after
        return end if _WORDLIKE.search(self._marks.cut_from(self._answer, end, limit)) else limit

    def _is_cited(self, sentence: Sentence) -> bool:
        return self._marks.touches(sentence.start, sentence.end)

    def _statement(self, block: Block, start: int, end: int) -> Iterator[Statement]:
        if block.kind is BlockKind.TABLE_ROW:
            if plain := self._row(block, start, end):
                yield Statement(self._answer[start:end], start, end, plain)
            return
        bare = self._marks.cut_from(self._answer, start, end, keep_length=True)
        for first, after in split_facts(bare, self._language):
            yield from self._fact(start + first, self._with_marks(start + after, end))

    def _fact(self, start: int, end: int) -> Iterator[Statement]:
        marks = [(first - start, after - start) for first, after in self._marks.within(start, end)]
        if plain := plain_text(self._answer[start:end], marks):
            yield Statement(self._answer[start:end], start, end, plain)

    def _row(self, block: Block, start: int, end: int) -> str:
        """A table row with its headers, so that it can be judged alone."""
        marks = {self._answer[first:after] for first, after in self._marks.within(start, end)}
        cells = []
        for number, cell in enumerate(block.cells):
            for mark in marks:
                cell = cell.replace(mark, "")  # noqa: PLW2901 - the parser gives cells without offsets
            heading = plain_text(block.header[number]) if number < len(block.header) else ""
            cells.append((heading, plain_text(cell)))
        return "; ".join(_cell(heading, cell) for heading, cell in cells if cell)


def _cell(heading: str, cell: str) -> str:
    return f"{heading}: {cell}" if heading else cell


def _reports_question(sentence: str, asks: regex.Match[str]) -> bool:
    """``Ask yourself, "What is the evidence?"``: the question is quoted, the sentence is not one."""
    return _QUOTE_MARK.search(asks[0]) is not None and _QUOTE_MARK.match(sentence) is None


def _substantial(clause: str) -> bool:
    """Whether a clause says enough to be a statement of its own."""
    words = _WORD.findall(clause)
    if UNSPACED.search(clause):
        return sum(map(len, words)) >= _MIN_CLAUSE_CHARACTERS
    return len(words) >= _MIN_CLAUSE_WORDS
