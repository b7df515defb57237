"""The words of a claim or a passage, and which of them are negated."""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import pairwise

from ragsonde.scorers.faithfulness.contraries import cut_out, is_unspaced
from ragsonde.scorers.faithfulness.negators import FULL_NEGATION, negates_nothing, negates_partly
from ragsonde.scorers.faithfulness.variants import simplified
from ragsonde.scorers.faithfulness.words import (
    Word,
    WordForms,
    is_content,
    key_of,
    match_strength,
    split_words,
)
from ragsonde.scorers.text.spans import Sentence

_REACH = 4
"""Words to either side of a negating word that it may negate."""
_KANA_REACH = 8
"""The same in Japanese, where a verb negates at its end and a word is a pair of signs."""
_KANA = re.compile("[\u3040-\u309f]")
_CLAUSE_END = re.compile(r"[,;:，；：、،؛](?!\d)|\s[–—-]\s")
_TOLD_OF = re.compile(
    r"(?:-\w+)*\s*,\s*(?:who|whom|whose|which|der|die|das|qui|que|quien|quienes|che|который|которая|которые|котор\w+|koji|koja|koje|"
    r"który|która|które|který|která|yang|when|where|wenn|wo|quand|où|cuando|quando|wanneer|gdy|kiedy|kdy|keď|kad|kada|"
    r"kdaj|когда|коли|ketika|när|når)(?!\w)",
    re.IGNORECASE,
)
"""After the word that is negated: a clause that says of it what is not negated."""
_WITHOUT_WORDS = "without ohne sans sin senza sem zonder bez без tanpa utan uden uten fără sense brez χωρίς بدون"
_WITHOUT = frozenset(map(key_of, _WITHOUT_WORDS.split()))
_WITHOUT_REACH = 2
"""Words after "without" among which the one is that it negates: "without a ticket", but "without him in January"."""
_LINKS_WORDS = (
    "and but while whereas und aber jedoch sondern während et mais tandis y pero mientras e ma mentre mas enquanto en "
    "maar terwijl i ale lecz zaś natomiast ali dok и а но та але ve ama dan tetapi manakala sedangkan och men og"
)
_LINKS = frozenset(_LINKS_WORDS.split())
"""Words that link clauses."""
_EXCEPTING_WORDS = (
    "except excluding ausser außer ausgenommen behalve förutom undtagen unntatt sauf hormis excepté salvo excepto "
    "exceto eccetto tranne exceptând excepte oprócz poza wyjątkiem kromě vyjma okrem razen osim осим кроме исключая "
    "крім окрім освен išskyrus izņemot paitsi kivéve hariç kecuali εκτός باستثناء إلا مگر جز بجز למעט सिवाय"
)
EXCEPTING = frozenset(map(key_of, _EXCEPTING_WORDS.split()))
"""Negating words that only take one case out."""
_TOLD_THEN = re.compile("[^,;:]*" + _TOLD_OF.pattern, re.IGNORECASE)
"""After a word for "except": a clause that says what holds in that case."""
_EXCEPTION = 40
"""Characters on either side of a word for "except" in which the exception stands."""
_NO_HEADS = frozenset(
    {
        "longer",
        "ever",
        "any",
        "anymore",
        "yet",
        "됩니",
        "니다",
        "습니",
        "합니",
        "입니",
        "ます",
        "です",
        "され",
        "れて",
        "てい",
    }
)
"""Words that go with a negation ("no longer open"), and endings."""
_INFIX = re.compile(r"m[aeiu]")
_FEWEST_SHARED = 4
"""Letters that two forms of one negated word begin with: "show" is none of "shoot"."""
PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "ne", "nie", "bez", "bes", "mis")
"""Of words that may be others with a negating prefix."""

_LONGEST_SUBJECT = 2
"""Content words of what a clause without a subject may speak of."""


class Polarity:
    """The words of a stretch of text, and which of them stand near a negation."""

    def __init__(self, text: str, words: Sequence[Word], cues: Iterable[Sentence]) -> None:
        """Take the words of (a part of) ``text`` and the negating words in it, with their places in ``text``."""
        self.unspaced = bool(words) and is_unspaced(text, words[0].start, words[-1].end)
        self._words = words = cut_out(text, words) if self.unspaced else words
        self._text = text
        self._given = cues = tuple(cues)
        kana = bool(words) and not text.isascii() and _KANA.search(text, words[0].start, words[-1].end) is not None
        self._reach = _KANA_REACH if kana else _REACH
        self.partly = False
        """Something holds of some and not of others: "not all"."""
        cue_words: list[list[int]] = []
        self._cue_spans: list[tuple[int, int]] = []
        for cue in cues:
            if negates_nothing(text, cue):
                continue
            if negates_partly(text, cue):
                self.partly = True
                continue
            self._cue_spans.append((cue.start, cue.end))
            inside = [at for at, word in enumerate(words) if word.start < cue.end and cue.start < word.end]
            if inside:
                cue_words.append(inside)
        self._cues = [at for inside in cue_words for at in inside]
        self._clauses = self._number_clauses() if cue_words else ()
        self._heads = [(frozenset(words[at].key for at in inside), self._head_of(inside)) for inside in cue_words]
        self.keys = frozenset(word.key for word in words)
        self.prefixed = tuple(key for key in self.keys if key.startswith(PREFIXES))
        """The words that may be others with a negating prefix."""
        self._forms: WordForms | None = None
        self.cue_keys = frozenset(words[at].key for at in self._cues)

    def heads(self, *, without: Collection[str] = ()) -> Sequence[str]:
        """The negated words, as keys, but for those negated by one of ``without``."""
        kept = (heads for cue, heads in self._heads if not any(key in without for key in cue))
        return tuple(dict.fromkeys(head for heads in kept for head in heads))

    def _number_clauses(self) -> Sequence[int]:
        """For each word, which clause of the text it stands in."""
        numbers, clause, end = [], 0, self._words[0].start
        for word in self._words:
            clause += _CLAUSE_END.search(self._text, end, word.start) is not None
            numbers.append(clause)
            end = word.end
        return numbers

    def _head_of(self, cue: Sequence[int]) -> list[str]:
        """The word that a negation most likely negates: the next content word, or the one before at the end."""
        if self._words[cue[0]].key in FULL_NEGATION and any(0 < cue[0] - at <= self._reach for at in self._cues):
            return []  # one negation with the "ne" before it
        reach, back = (_WITHOUT_REACH, 0) if self._words[cue[0]].key in _WITHOUT else (self._reach, self._reach)
        after = range(cue[-1] + 1, min(len(self._words), cue[-1] + 1 + reach))
        before = range(cue[0] - 1, max(-1, cue[0] - 1 - back), -1)
        here = self._clauses[cue[0]]
        near = [at for at in (*after, *before) if self._clauses[at] == here]
        for at in (*near, *after, *before):
            word = self._words[at]
            if at not in self._cues and is_content(word.key) and word.key not in _NO_HEADS:
                return [] if _TOLD_OF.match(self._text, word.end) else [word.key]
        return []

    def runs_like(self, other: "Polarity") -> bool:
        """Whether the words of this text follow one another in the other as they do here, negations left out."""
        if self.unspaced:
            own, theirs = self.signs_unnegated(), other.signs_unnegated()
            return len(own) > 1 and own in theirs
        mine, there = self.told(other), other.told(self)
        if len(mine) < 2:
            return False
        starts = (at for at, word in enumerate(there) if _same_word(mine[0], word))
        return any(
            at + len(mine) <= len(there) and all(map(_same_word, mine, there[at : at + len(mine)])) for at in starts
        )

    def runs_through(self, other: "Polarity") -> bool:
        """The same, where the other may have more words between them."""
        there = iter(other.told(self))
        return all(any(_same_word(key, word) for word in there) for key in self.told(other))

    def denies_of_something(self, other: "Polarity") -> bool:
        """Whether a clause without a subject of its own ("It does not cover loss") denies what another text says.

        That is, all its content words end the other, which has a word or two before them: "The policy covers loss".
        """
        theirs = [key for key, negates in other.content() if not negates]
        for part in self.clauses() if self.denies and not other.denies else ():
            own = [key for key, negates in part.content() if not negates]
            subject = len(theirs) - len(own)
            same_end = 0 < subject <= _LONGEST_SUBJECT and all(map(_same_word, own, theirs[subject:]))
            if same_end and part.denies and len(own) > 1:
                return True
        return False

    def told(self, other: "Polarity") -> list[str]:
        """The content words; of those that negate, only those that the other text has without the negation in them."""
        there = [key for key, negates in other.content() if not negates]
        return [key for key, negates in self.content() if not negates or any(_twins(key, word) for word in there)]

    @property
    def denies(self) -> bool:
        """Whether a word negates, other than "without", which negates no clause."""
        return not self.cue_keys <= _WITHOUT

    def clauses(self) -> list["Polarity"]:
        """The parts between commas and words that link clauses; itself where there are none."""
        starts = [at for at in range(1, len(self._words)) if self._begins_clause(at) and not self._excepts(at)]
        if not starts:
            return [self]
        parts = (self._words[start:end] for start, end in pairwise([0, *starts, len(self._words)]))
        return [Polarity(self._text, part, [c for c in self._given if _within(c, part)]) for part in parts]

    def _excepts(self, at: int) -> bool:
        """Whether an exception begins at a word, or at the next: it belongs to the clause before."""
        return any(word.key in EXCEPTING for word in self._words[at : at + 2])

    def _begins_clause(self, at: int) -> bool:
        before, word = self._words[at - 1], self._words[at]
        if word.start <= before.end:
            return False
        gap, first = self._text[before.end : word.start], self._text[word.start]
        if _CLAUSE_END.search(gap) or self._text[word.start : word.end].lower() in _LINKS:
            return True
        # Thai writes spaces between clauses; Arabic writes "and" as part of a word, which its key leaves out.
        return "\u0e00" <= first <= "\u0e7f" or (first == "و" and word.key[0] != "و")

    def joined(self, other: "Polarity") -> "Polarity":
        """This part of a text and the next."""
        return Polarity(self._text, [*self._words, *other._words], (*self._given, *other._given))  # noqa: SLF001

    def content(self) -> list[tuple[str, bool]]:
        """The content words, as keys, each with whether it negates."""
        return [
            (word.key, at in self._cues)
            for at, word in enumerate(self._words)
            if is_content(word.key) and word.key not in _NO_HEADS
        ]

    def signs_unnegated(self) -> str:
        """The letters in a row, without the words that negate."""
        start = self._words[0].start if self._words else 0
        parts = []
        for first, last in sorted(self._cue_spans):
            parts.append(self._text[start : max(start, first)])
            start = max(start, last)
        end = self._words[-1].end if self._words else 0
        return "".join(filter(str.isalnum, "".join([*parts, self._text[start:end]]))).translate(simplified())

    def written(self, key: str) -> str:
        """The first form of ``key`` as the text writes it; ``key`` itself where it does not occur."""
        found = (word for word in self._words if match_strength(key, word.key))
        return next((self._text[word.start : word.end] for word in found), key)

    @property
    def text(self) -> str:
        """The stretch of text from the first word to the last."""
        return self._text[self._words[0].start : self._words[-1].end] if self._words else ""

    @cached_property
    def lowered(self) -> str:
        """The same in small letters."""
        return self.text.lower()

    def exceptions(self) -> list[tuple[str, str]]:
        """What stands in its clause after and before each word for "except"."""
        if self.cue_keys.isdisjoint(EXCEPTING):
            return []
        spans = [(start, end) for start, end in self._cue_spans if key_of(self._text[start:end]) in EXCEPTING]
        return [
            (
                _CLAUSE_END.split(self._text[end : end + _EXCEPTION])[0],
                _CLAUSE_END.split(self._text[max(0, start - _EXCEPTION) : start])[-1],
            )
            for start, end in spans
            if not _TOLD_THEN.match(self._text, end)
        ]

    def denied_outside(self, stretch: str) -> bool:
        """Whether a word negates that is no part of ``stretch``, given in small letters."""
        at = self._text.lower().find(stretch, self._words[0].start) if self._words else -1
        return any(not (at <= start and end <= at + len(stretch)) for start, end in self._cue_spans)

    def holds(self, key: str) -> bool:
        """Whether a form of ``key`` occurs."""
        if key in self.keys:
            return True
        if self._forms is None:
            self._forms = WordForms(self.keys)
        return self._forms.holds(key)

    def sides(self, key: str) -> tuple[frozenset[str], frozenset[str]]:
        """The content words of what stands before ``key`` and of what comes after; "after A, B" is "B after A"."""
        at = next((place for place, word in enumerate(self._words) if word.key == key), 0)
        before, after = self._words[:at], self._words[at + 1 :]
        if not any(is_content(word.key) for word in before):
            comma = self._text.find(",", self._words[at].end)
            before, after = [w for w in after if w.start > comma], [w for w in after if w.start < comma]
        return _content_of(before), _content_of(after)

    def led(self, key: str) -> bool:
        """Whether a content word comes before ``key``."""
        at = next((place for place, word in enumerate(self._words) if word.key == key), 0)
        return any(is_content(word.key) for word in self._words[:at])

    def negated(self, key: str) -> bool | None:
        """Whether ``key`` stands near a negation wherever it occurs; None where it does not occur, or does both."""
        at = [place for place, word in enumerate(self._words) if forms_of_one(key, word.key)]
        near = {any(self._reaches(cue, place) for cue in self._cues) for place in at}
        return near.pop() if len(near) == 1 else None

    def _reaches(self, cue: int, place: int) -> bool:
        """Whether a negating word may negate another: one close by, of the same clause where it comes before.

        One that opens a clause may negate all of it.
        """
        together = self._clauses[place] == self._clauses[cue]
        if together and place > cue and (not cue or self._clauses[cue - 1] < self._clauses[cue]):
            return True  # "none of …", "neither … nor …"
        return 0 < abs(place - cue) <= self._reach and (place > cue or together)

    def content_after(self, key: str) -> str | None:
        """The next content word after a word; None where there is none."""
        at = next((place for place, word in enumerate(self._words) if word.key == key), len(self._words))
        return next((word.key for word in self._words[at + 1 :] if is_content(word.key)), None)


def _within(cue: Sentence, words: Sequence[Word]) -> bool:
    return words[0].start < cue.end and cue.start < words[-1].end


def _content_of(words: Iterable[Word]) -> frozenset[str]:
    return frozenset(word.key for word in words if is_content(word.key))


def forms_of_one(one: str, other: str) -> bool:
    """Whether two keys are forms of one word, surely enough to say that it is negated."""
    if min(len(one), len(other)) < _FEWEST_SHARED:
        return one in (other, f"{other}s") or other == f"{one}s"  # "run", "runs"
    return one == other or (one[:_FEWEST_SHARED] == other[:_FEWEST_SHARED] and match_strength(one, other) > 0)


def _same_word(one: str, other: str) -> bool:
    return forms_of_one(one, other) or _twins(one, other) or _twins(other, one)


def _twins(negative: str, word: str) -> bool:
    """Whether one is the other with a negation in it: Turkish "girmez" and "girer", Czech "neotevírá" and "otevírá"."""
    if negative == f"ne{word}":
        return True
    shared = next((at for at, (one, other) in enumerate(zip(negative, word, strict=False)) if one != other), 0)
    return shared >= 2 and _INFIX.match(negative, shared) is not None


def read_polarity(text: str, cues: Iterable[Sentence]) -> Polarity:
    """The polarity of a text whose negating words are ``cues``."""
    return Polarity(text, split_words(text), cues)
