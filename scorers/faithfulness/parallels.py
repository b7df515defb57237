"""A claim put together of two statements that run alike: "Adults pay 9, pupils pay 4" bears out no "Pupils pay 9".

The two are laid side by side. Where they differ each has a part of its own ("adults" and "pupils", "9" and "4"); a
claim that takes such parts from both, and has nothing else, says of one what is said of the other. It needs no grammar,
and so holds for any language whose words are told apart.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations, islice

from ragsonde.scorers.facts import Facts, Measured
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence, Window
from ragsonde.scorers.faithfulness.contraries import contraries
from ragsonde.scorers.faithfulness.pieces import Clause, Piece, read_clauses
from ragsonde.scorers.faithfulness.words import Word, is_content, key_of, split_words
from ragsonde.scorers.text.negation import find_negations
from ragsonde.scorers.text.spans import Sentence

_LOOKED_AT = 4
"""Sentences, beside the passage of the claim."""
_MOST_CONTENT = 8
"""Content words of a claim, and of a clause that it is compared with."""
_MOST_CLAIMED = 3
"""Clauses of a claim."""
_LONGEST = 40
"""Words and signs of a clause, and clauses, that are looked at: the time that they take grows with their square."""
_LONGEST_SENTENCE = 2_000
"""Characters; a longer one is a list or a table without line ends."""
_SEVERAL = 2
"""Values from which a clause does not tell by itself what each of them is of."""
_HEAD = 2
"""Content words by which two sentences that are built alike begin differently."""
_SHORT = 6
"""Words of sentences that are built alike by words of grammar alone: "The CEO is Ana Holt. The CFO is Ben Rusk."."""
_LEFT = 2
"""Content words of a clause that leaves out what the one before it has said: "and Rome in July"."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """A claim that says of one thing what the contexts say of another."""

    stated: str
    """What it says, as written."""
    rightful: str
    """What the contexts say in that place."""
    against: bool
    """Whether the two exclude each other, as two values do, and need not both be true."""


def find_mixed(claim: str, facts: Facts, alignment: Alignment, evidence: Evidence) -> Mixed | None:
    """What a claim takes from one of two parallel statements though it speaks of the other; None where nothing is seen.

    A claim that one clause of the contexts bears out, or two that run alike and agree on it, mixes nothing; nor one
    with words that the contexts do not have.
    """
    own = facts.measurements.all()
    words: Sequence[Word] = split_words(claim)
    if own:
        words = [word for word in words if not any(f.start <= word.start and word.end <= f.end for f in own)]
    if alignment.window is None or not all(_known(word.key, evidence) for word in words if is_content(word.key)):
        return None
    clauses = read_clauses(claim, 0, len(claim), own)
    language = evidence.documents[alignment.window.document].language
    if len(clauses) > _MOST_CLAIMED or _denying(find_negations(claim, lambda: language)):
        return None  # "not allowed" is no more than "forbidden"
    found = (_laid_against(clause, alignment.window, evidence, whole=len(clauses) == 1) for clause in clauses)
    return next((mixed for mixed in found if isinstance(mixed, Mixed)), None)


def value_elsewhere(
    claim: str, own: Sequence[Measured], fact: Measured, window: Window, evidence: Evidence
) -> Mixed | bool:
    """What the contexts say in the place of a value that they give to something else than the claim does.

    True where one clause of them, or one of two that run alike, gives it to the same; False where that can't be told.
    """
    clauses = read_clauses(claim, 0, len(claim), own)
    meant = next((clause for clause in clauses if any(piece.value is fact for piece in clause.telling)), None)
    return meant is not None and _laid_against(meant, window, evidence, whole=len(clauses) == 1)


def _known(key: str, evidence: Evidence) -> bool:
    return evidence.holds(key) > 0 or evidence.asked(key)


@dataclass(frozen=True, slots=True)
class _Placed:
    clause: Clause
    sentence: Window
    held: frozenset[int]
    """Which content pieces of the claim it holds."""


def _laid_against(claim: Clause, window: Window, evidence: Evidence, *, whole: bool) -> Mixed | bool:
    """What a clause of a claim mixes, True where the contexts say it of one thing. ``whole``: it is all the claim."""
    told = [piece for piece in claim.telling if piece.value or piece.sign or _known(piece.key, evidence)]
    if not 1 < len(told) <= _MOST_CONTENT:
        return False
    placed: list[_Placed] = []
    for place in islice(_clauses_near(told, window, evidence, whole=whole), _LONGEST):
        if len(place.held) == len(told):
            return len(place.clause.values) < _SEVERAL
        placed.append(place)
    asked = frozenset(at for at, piece in enumerate(told) if evidence.asked(piece.key))
    framed = {place.sentence: asked for place in placed}
    for place in placed:  # "A holds 20, B 35 and C 50 people"
        framed[place.sentence] |= place.held
    mixed: Mixed | None = None
    for one, other in combinations(placed, 2):
        if one.held <= other.held or other.held <= one.held:
            continue
        if len(framed[one.sentence] | framed[other.sentence]) < len(told):
            continue
        parts = _parts_taken(claim, one, other, whole=whole)
        foreign = next((part for part in parts if part.first != parts[0].first), None)
        if foreign is None and len(parts) > 1:
            return True
        if foreign is not None and mixed is None and not (one.sentence == other.sentence and _denies(one, evidence)):
            against = any(piece.excludes(rival) for piece in foreign.own.telling for rival in foreign.rival.telling)
            mixed = Mixed(foreign.own.written, foreign.rival.written, against)
    return mixed if mixed is not None else False


def _denies(place: _Placed, evidence: Evidence) -> bool:
    """Whether a sentence denies something: a clause may leave out just that ("dogs are allowed, cats not")."""
    document = evidence.documents[place.sentence.document]
    return _denying(document.negations_of(place.sentence.first, place.sentence.first))


def _denying(cues: Sequence[Sentence]) -> bool:
    return any(key_of(cue.text) not in contraries() for cue in cues)


def _clauses_near(told: Sequence[Piece], window: Window, evidence: Evidence, *, whole: bool) -> Iterator[_Placed]:
    """The clauses of the claim's passage, and for a whole claim of the sentences that hold most of its words."""
    near = sentences_near(told, window, evidence) if whole else window.sentences()
    for sentence in near:  # a part of a claim is laid beside clauses of one sentence alone
        document = evidence.documents[sentence.document]
        short = len(document.sentences[sentence.first].text) <= _LONGEST_SENTENCE
        for clause in document.clauses_of(sentence.first) if short else ():
            if 1 < len(clause.telling) <= _MOST_CONTENT and len(clause.pieces) <= _LONGEST:
                held = frozenset(at for at, piece in enumerate(told) if clause.holds(piece))
                if held:
                    yield _Placed(clause, sentence, held)


def sentences_near(told: Sequence[Piece], window: Window, evidence: Evidence) -> Iterator[Window]:
    """The sentences of a passage, then a few others that hold most of what some pieces say."""
    passage = window.sentences()
    yield from passage
    keys = [word.key for piece in told for word in split_words(piece.text) if is_content(word.key)]
    yield from (sentence for sentence in evidence.best_sentences(keys, _LOOKED_AT) if sentence not in passage)


@dataclass(frozen=True, slots=True)
class _Part:
    """What a claim takes from one of two clauses, and what stands there in the other."""

    first: bool
    own: Clause
    rival: Clause


def _parts_taken(claim: Clause, one: _Placed, other: _Placed, *, whole: bool) -> Sequence[_Part]:
    """What the claim takes from one of two clauses only, where they differ; nothing where they do not run alike.

    Nothing either where it takes a difference from neither: then it says something of its own.
    """
    beside = _Beside(one.clause, other.clause)
    same_sentence = one.sentence == other.sentence
    if not (beside.shortened(claim) if same_sentence else whole and beside.alike()):
        return []
    parts: list[_Part] = []
    for mine, theirs in beside.differing:
        has_mine, has_theirs = claim.holds_all(mine), claim.holds_all(theirs)
        # The first part of two may be what the second leaves out, and so a claim on the second may have both in part.
        if has_mine == has_theirs or (has_mine and any(claim.holds(piece) for piece in theirs.telling)):
            return []
        parts.append(_Part(has_mine, mine, theirs) if has_mine else _Part(has_mine, theirs, mine))
    return parts


class _Beside:
    """Two clauses laid side by side."""

    def __init__(self, one: Clause, other: Clause) -> None:
        self._one, self._other = one, other
        keys = [next((mine.key for mine in one.pieces if mine.matches(piece)), piece.key) for piece in other.pieces]
        matcher = SequenceMatcher(None, [piece.key for piece in one.pieces], keys, autojunk=False)
        self._segments: list[tuple[Clause, Clause]] = []
        """The parts in which they differ, in order."""
        self._shared: list[Clause] = []
        for kind, start, end, first, last in matcher.get_opcodes():
            if kind == "equal":
                self._shared.append(one.part(start, end))
            else:
                self._segments += _by_rivals(one.part(start, end), other.part(first, last))

    @property
    def differing(self) -> Sequence[tuple[Clause, Clause]]:
        """The parts in which each has content of its own; "one" beside "2" is content."""
        return [
            (mine, theirs)
            for mine, theirs in self._segments
            if (mine.telling and theirs.telling) or (mine.pieces and theirs.pieces and (mine.values or theirs.values))
        ]

    def alike(self) -> bool:
        """Whether two sentences are built alike, as far as words tell: heads of a word or two, and nothing over."""
        differing = self.differing
        if any((mine.telling or theirs.telling) and (mine, theirs) not in differing for mine, theirs in self._segments):
            return False
        if any(len(part.telling) > _HEAD for head in differing[:1] for part in head):
            return False
        if self._shares_content or self._turned:
            return True
        short = max(len(self._one.pieces), len(self._other.pieces)) <= _SHORT
        return sum(len(part.pieces) for part in self._shared) > 1 and short and not self._one.values

    def shortened(self, claim: Clause) -> bool:
        """Whether of two clauses of a sentence the second leaves out what the first has said and the claim says."""
        if self._shares_content or self._turned:
            return True
        figures = len(self._one.values) == len(self._other.values) > 0
        left_out = bool(self._shared) and len(self._other.telling) <= _LEFT
        carried = [piece for piece in self._one.telling if piece.value is None and not self._other.holds(piece)]
        return (figures or left_out) and any(claim.holds(piece) for piece in carried)

    @property
    def _shares_content(self) -> bool:
        return any(part.telling for part in self._shared)

    @property
    def _turned(self) -> bool:
        """Whether a word of one stands where its contrary stands in the other."""
        return any(
            len(mine.pieces) == len(theirs.pieces) == 1
            and not mine.values
            and mine.pieces[0].excludes(theirs.pieces[0])
            for mine, theirs in self._segments
        )


def _by_rivals(one: Clause, other: Clause) -> Iterator[tuple[Clause, Clause]]:
    """Two parts without a piece in common, cut where value stands against value, or a word against its contrary.

    From the end on: "from 8 to 4" and "until 2" end alike.
    """
    end, theirs = len(one.pieces), len(other.pieces)
    cut: list[tuple[Clause, Clause]] = []
    for at in reversed(range(end)):
        rival = next((to for to in reversed(range(theirs)) if one.pieces[at].excludes(other.pieces[to])), None)
        if rival is not None:
            cut.append((one.part(at + 1, end), other.part(rival + 1, theirs)))
            cut.append((one.part(at, at + 1), other.part(rival, rival + 1)))
            end, theirs = at, rival
    pairs = [(one.part(at, at + 1), other.part(at, at + 1)) for at in range(end)] if end == theirs else []
    if pairs and all(mine.telling and theirs.telling for mine, theirs in pairs):  # "Tom wrote" and "Anna read"
        cut += reversed(pairs)
    else:
        cut.append((one.part(0, end), other.part(0, theirs)))
    return reversed(cut)
