"""A clause that says what a clause of the passage says but for its beginning or end, in scripts that write no spaces.

With all else equal, such a stretch is another subject, object or place, unless it is a listed synonym or grammar:
"茶叶产自浙江" is not "茶叶产自福建". Synonyms of Chinese mostly share a sign, so stretches that share one are let be.
In Japanese, where particles tell nouns, it may stand anywhere.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import regex

from ragsonde.scorers.faithfulness.unspaced import is_grammar, leads_to_noun
from ragsonde.scorers.faithfulness.variants import find_variants, simplified, variants

_CLAUSE = regex.compile(r"[^。！？；，,;!?\n：:…（）()「」『』“”\"]+")
_JAPANESE_CLAUSE = regex.compile(_CLAUSE.pattern.replace("[^", "[^、"))
_KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}]")
_THAI = regex.compile(r"\p{Thai}")
_THAI_MONTH = regex.compile("มกราคม|กุมภาพันธ์|มีนาคม|เมษายน|พฤษภาคม|มิถุนายน|กรกฎาคม|สิงหาคม|กันยายน|ตุลาคม|พฤศจิกายน|ธันวาคม")
_HAN = regex.compile(r"\p{Han}")
_HANGUL = regex.compile(r"\p{Hangul}")
_DIGIT = regex.compile(r"\p{N}|[零〇一二两三四五六七八九十百千万亿几数]")
_NOUN = regex.compile(r"[\p{Han}\p{Katakana}ー]+")
_NOUN_END = regex.compile(r"[\p{Han}\p{Katakana}ー]+$")
_PARTICLE = regex.compile(r"(?:で|に|は|が|を|の|と|から|まで|へ|や|も|だ)(?!あ?る?し[てた])|です|$")
_PREDICATE = regex.compile(r"です|で|から|に|へ|まで|だ")
"""Before these, nouns that share a sign are others too: "小麦です" and "大麦です"."""
_PREFIX_LEAST, _LONGEST, _LONGEST_CLAUSE = 3, 6, 40
_THAI_LEAST, _THAI_SHORTEST, _THAI_LONGEST, _THAI_LONGEST_CLAUSE = 6, 3, 24, 80
_CHINESE_SHORTEST = 2
_VERBAL = regex.compile("[在于是有为由从被把将的]")
"""Signs of more than a noun or a verb."""
_NEGATING = regex.compile("不|没|無|无|未|非|勿|莫|禁|ไม่|ห้าม")


class _Clause(NamedTuple):
    """A clause, its listed words as what they are compared as, with the place of each sign in the text."""

    signs: str
    places: Sequence[tuple[int, int]]

    def written(self, text: str, start: int, end: int) -> str:
        """The text of some signs."""
        return text[self.places[start][0] : self.places[end - 1][1]]


def exchanged_stretch(claim: str, passage: str, known: Sequence[str]) -> tuple[str, str] | None:
    """The stretch of a claim's clause that has another's place, and that other, as written; None where there is none.

    ``known`` are the contexts and the question: what they hold anywhere is not taken for another word.
    """
    theirs: list[_Clause] | None = None
    for own in _clauses(claim):
        if _HANGUL.search(own.signs) or len(own.signs) > (_THAI_LONGEST_CLAUSE if _is_thai(own) else _LONGEST_CLAUSE):
            continue
        theirs = list(_clauses(passage)) if theirs is None else theirs
        if any(other.signs == own.signs for other in theirs):
            continue
        for other in theirs:
            if (found := _differing(own, other)) is not None:
                start, end, first, last = found
                stated = own.written(claim, start, end)
                if not any(stated in text for text in known):
                    return stated, other.written(passage, first, last)
    return None


def _clauses(text: str) -> Iterator[_Clause]:
    signs = text.translate(simplified())
    for match in (_JAPANESE_CLAUSE if _KANA.search(text) else _CLAUSE).finditer(signs):
        written: list[str] = []
        places: list[tuple[int, int]] = []
        at = match.start()
        for first, last, word in find_variants(match[0]):
            start, end = match.start() + first, match.start() + last
            written += signs[at:start]
            places += ((place, place + 1) for place in range(at, start))
            written += word
            places += ((start, end) for _ in word)
            at = end
        written += signs[at : match.end()]
        places += ((place, place + 1) for place in range(at, match.end()))
        kept = [
            (sign, place) for sign, place in zip(written, places, strict=True) if not sign.isspace() and sign != "."
        ]
        if kept:
            yield _Clause("".join(sign for sign, _ in kept), [place for _, place in kept])


def _is_thai(clause: _Clause) -> bool:
    return _THAI.search(clause.signs) is not None


def _differing(own: _Clause, other: _Clause) -> tuple[int, int, int, int] | None:
    """Where the only stretch in which two clauses differ stands in both; None where it says nothing."""
    mine, theirs = own.signs, other.signs
    before = _shared(mine, theirs)
    after = _shared(mine[before:][::-1], theirs[before:][::-1])
    start, end, first, last = before, len(mine) - after, before, len(theirs) - after
    if (months := _other_month(mine, theirs)) is not None:
        return months
    stated, found = mine[start:end], theirs[first:last]
    if _KANA.search(mine):
        stated, found, start, end, first, last = _whole_nouns(mine, theirs, start, end, first, last)
    if not stated or not found or before + after < max(_PREFIX_LEAST, len(stated) // (2 if _is_thai(own) else 1)):
        return None
    if stated in found or found in stated or any(map(_DIGIT.search, (stated, found))):
        return None
    if any(map(_NEGATING.search, (stated, found))) or any(
        signs not in variants() and is_grammar(signs) for signs in (stated, found)
    ):
        return None
    if any(map(_DIGIT.search, (mine[max(0, start - 1) : start], mine[end : end + 1]))):
        return None  # a unit, or the bound of a figure
    if _KANA.search(mine):
        another = _other_noun(mine[:start], stated, found, mine[end:])
    elif _is_thai(own):
        another = _other_in_thai(stated, found, before + after)
    else:  # between what is equal, a verb often has its synonym
        ends = end == len(mine)
        led = ends and leads_to_noun(mine[:start], "")
        another = (ends or not start) and _other_in_chinese(stated, found, led=led)
    return (start, end, first, last) if another else None


def _other_month(mine: str, theirs: str) -> tuple[int, int, int, int] | None:
    """Where the months of two Thai clauses stand that differ in nothing else: their names end alike."""
    one, other = _THAI_MONTH.search(mine), _THAI_MONTH.search(theirs)
    if one is None or other is None or one[0] == other[0]:
        return None
    alike = mine[: one.start()] == theirs[: other.start()] and mine[one.end() :] == theirs[other.end() :]
    return (*one.span(), *other.span()) if alike else None


def _shared(one: str, other: str) -> int:
    """How many signs two texts begin with both."""
    return next(
        (at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right),
        min(len(one), len(other)),
    )


def _whole_nouns(
    mine: str, theirs: str, start: int, end: int, first: int, last: int
) -> tuple[str, str, int, int, int, int]:
    """The stretches with the signs around them that belong to the same words: kana end a noun of Japanese."""
    left = _NOUN_END.search(mine[:start])
    right = _NOUN.match(mine, end)
    back, on = len(left[0]) if left else 0, len(right[0]) if right else 0
    start, end, first, last = start - back, end + on, first - back, last + on
    return mine[start:end], theirs[first:last], start, end, first, last


def _other_noun(left: str, stated: str, found: str, right: str) -> bool:
    """Japanese: another noun, before a particle."""
    if not (_NOUN.fullmatch(stated) and _NOUN.fullmatch(found)) or max(len(stated), len(found)) > _LONGEST:
        return False
    if left and not _KANA.match(left[-1]):
        return False
    if set(stated).isdisjoint(found):
        return _PARTICLE.match(right) is not None
    return len(stated) == len(found) and _PREDICATE.match(right) is not None


def _other_in_chinese(stated: str, found: str, *, led: bool) -> bool:
    if not (_HAN.match(stated) and _HAN.match(found)) or not (led or set(stated).isdisjoint(found)):
        return False
    if _VERBAL.search(stated) or _VERBAL.search(found):
        return False
    shortest, longest = sorted((len(stated), len(found)))
    return shortest >= _CHINESE_SHORTEST and longest <= _LONGEST


def _other_in_thai(stated: str, found: str, equal: int) -> bool:
    shortest, longest = sorted((len(stated), len(found)))
    if equal < _THAI_LEAST or shortest < _THAI_SHORTEST or longest > _THAI_LONGEST:
        return False
    pieces = {stated[at : at + _THAI_SHORTEST] for at in range(len(stated) - _THAI_SHORTEST + 1)}
    return not any(piece in found for piece in pieces)
