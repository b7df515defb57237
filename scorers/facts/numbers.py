"""Numbers as people write them: digits of any script, decimal comma or point, grouped thousands, fractions, signs.

"1.200" is one thousand two hundred in Warsaw and one point two in London, so a numeral has *readings*: every value that
the notation allows. Two numerals agree when any pair of readings does.
"""

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from ragsonde.scorers.facts.magnitudes import lone_magnitudes
from ragsonde.scorers.facts.number_words import spelled_numerals
from ragsonde.scorers.facts.scan import Scan, scanned
from ragsonde.scorers.facts.taken import Taken


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in a text; ``text == source[start:end]``."""

    text: str
    start: int
    end: int
    values: tuple[float, ...]
    """Every value that the notation allows, the likeliest first; finite."""
    spelled: bool = False
    """Written in words ("fifteen", "三百")."""
    ordinal: bool = False


_SPACES = " \u00a0\u2009\u202f\u2007"
_GROUPS = _SPACES + ".,'’٬"
_LETTER = "A-Za-z\u00c0-\u02af\u0370-\u052f"

_NUMERAL = re.compile(
    rf"""(?<![{_LETTER}0-9_])(?<![0-9][.,٫])
    (?P<sign>(?<![^\s(\[{{<>=≤≥~≈:|\u2e80-\u9fff])[-−–+])?
    (?P<body>
        [0-9]{{1,3}}(?P<group>[{_GROUPS}])[0-9]{{3}}(?:(?P=group)[0-9]{{3}})*(?![0-9])(?P<fraction>[.,٫][0-9]+)?
      | [0-9]{{1,2}}(?:,[0-9]{{2}})+,[0-9]{{3}}(?![0-9])(?:\.[0-9]+)?
      | [0-9]+(?:[.,٫][0-9]+)?
    )
    (?P<vulgar>\s?[¼½¾⅐-⅞])?""",
    re.VERBOSE,
)
_PLUS_MINUS = frozenset("-−–+")
_SLASHED = re.compile(
    r"(?<![0-9/.,])(?:(?P<whole>[0-9]{1,3})[ \u00a0-])?(?P<top>[1-9])/(?P<bottom>[2-9]|1[0-9])(?![0-9/.,])"
)
_YEAR_BEFORE = re.compile("(?<![0-9.,/-])([12][0-9]{3})[-–/]$")
_VULGAR = re.compile(r"[¼½¾⅐-⅞]")
_LONE_VULGAR = re.compile(r"(?<![0-9])[¼½¾⅐-⅞]")
_ORDINAL = re.compile(r"(?:st|nd|rd|th|º|ª|er|ème|eme|e|°|-?(?:й|я|е|го|му|ая|ый|ой|ое))(?![^\W\d_])", re.IGNORECASE)
_CENTURY = (
    r"(?:век|ст\.|столет|століт|stol|wiek|vijek|vek|viek|stulec|si[eè]cle|secol|século|siglo|centur|yüzyıl|"
    r"Jahrhundert|eeuw)"
)
_MARK = r"(?:e|ème|er|\.|-?й|-?го|-?м|-?му)?"
_ROMAN = re.compile(
    rf"(?<![^\W_])(?P<before>[IVX]{{1,6}})(?P<mark>{_MARK})[ \u00a0]{_CENTURY}"
    r"|\b(?:siglo|século|secolo|secolul|abad|abad ke-?)[ \u00a0]?(?P<after>[IVX]{1,6})(?![^\W_])",
    re.IGNORECASE,
)
_ROMAN_LETTERS = {"I": 1, "V": 5, "X": 10}
_MAY_BE_ROMAN = re.compile(rf"(?<![^\W_])[IVX]{{1,6}}(?i:{_MARK})(?![^\W_])")
_AND_A_HALF = re.compile(
    r"[ -](?:and a half|et demie?|y medi[ao]|e mezz[oa]|e mei[ao]|en een halve?|с половиной|з половиною|i pół|i po|"
    r"a půl|buçuk|setengah)(?![^\W\d_])|[个個]半(?=小时|小時|钟头|鐘頭|月|星期)",
    re.IGNORECASE,
)
_GLUED = re.compile(f"[{_LETTER}_]{{2}}")
_LETTERS = re.compile(f"[{_LETTER}]+")
_GOES_ON = frozenset("0123456789_-")
_SEPARATORS = re.compile(rf"[{_SPACES}'’٬]")
_NOT_FINITE_LENGTH = 300


def read_values(body: str) -> tuple[float, ...]:
    """Every value that a numeral of ASCII digits and separators may have, the likeliest first; empty if too long."""
    if len(body) > _NOT_FINITE_LENGTH:
        return ()
    if body.isdigit():
        return (float(body),)
    compact = _SEPARATORS.sub("", body).replace("٫", "|")
    had_groups = compact.replace("|", "") != body.replace("٫", "")
    marks = [sign for sign in compact if sign in ".,|"]
    if not marks:
        return (float(compact),)
    last = marks[-1]
    whole, _, fraction = compact.rpartition(last)
    as_decimal = float(re.sub(r"[.,|]", "", whole) + "." + fraction)
    as_groups = float(re.sub(r"[.,|]", "", compact))
    if last == "|" or had_groups or len(set(marks)) > 1:
        return (as_decimal,)
    if len(marks) > 1:
        return (as_groups,)
    if len(fraction) == 3 and 1 <= len(whole) <= 3 and not whole.startswith("0"):
        return (as_groups, as_decimal)
    return (as_decimal,)


def _vulgar(sign: str) -> float:
    return unicodedata.numeric(sign.strip())


def find_numerals(text: str | Scan, *, in_words: bool = True) -> list[Numeral]:
    """Every number of a text, in order, without overlap; digits glued to letters ("B12") are not numbers.

    ``in_words`` says whether there may be numbers written in words.
    """
    scan = scanned(text)
    taken = Taken(len(scan.text))
    spelled = _spelled(scan) if in_words else ()
    candidates = (*_slashed(scan), *_written_in_digits(scan), *_lone_vulgar(scan), *_romans(scan), *spelled)
    found = [numeral for numeral in candidates if taken.take(numeral.start, numeral.end)]
    return sorted(found, key=lambda numeral: numeral.start)


def _written_in_digits(scan: Scan) -> Iterator[Numeral]:
    plain, free = scan.plain, 0
    for digit in scan.digits:
        for start in (digit - 1, digit) if plain[digit - 1 : digit] in _PLUS_MINUS else (digit,):
            if start >= free and (match := _NUMERAL.match(plain, start)) is not None:
                free = match.end()
                if (numeral := _numeral(match, plain, scan.text)) is not None:
                    yield numeral
                break


def _lone_vulgar(scan: Scan) -> Iterator[Numeral]:
    if _VULGAR.search(scan.plain) is None:
        return
    for match in _LONE_VULGAR.finditer(scan.plain):
        yield Numeral(match[0], match.start(), match.end(), (_vulgar(match[0]),))


def _spelled(scan: Scan) -> Iterator[Numeral]:
    for start, end, value in spelled_numerals(scan):
        if (half := _AND_A_HALF.match(scan.text, end)) is not None:
            yield Numeral(scan.text[start : half.end()], start, half.end(), (value + 0.5,), spelled=True)
            continue
        yield Numeral(scan.text[start:end], start, end, (value,), spelled=True)
    for start, end, values in lone_magnitudes(scan):
        yield Numeral(scan.text[start:end], start, end, values, spelled=True)


def _romans(scan: Scan) -> Iterator[Numeral]:
    """Centuries: "XVIII век", "XIXe siècle", "siglo XX". A Roman numeral of anything else is a name."""
    if not may_hold_century(scan.text):
        return
    for match in _ROMAN.finditer(scan.plain):
        group = "before" if match["before"] else "after"
        start, end = match.span(group)
        if scan.plain[start:end].isupper() and (value := read_roman(match[group])):
            end = match.end("mark") if group == "before" else end
            yield Numeral(scan.text[start:end], start, end, (float(value),), ordinal=True)


def may_hold_century(text: str) -> bool:
    """A quick look: whether Roman letters stand in a text that may be a century."""
    return _MAY_BE_ROMAN.search(text) is not None and _ROMAN.search(text) is not None


def read_roman(written: str) -> int:
    """The value of a Roman numeral of I, V and X; 0 where it is none."""
    values = [_ROMAN_LETTERS[letter] for letter in written]
    total = sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))
    return total if written == _as_roman(total) else 0


def _as_roman(value: int) -> str:
    return "X" * (value // 10) + ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")[value % 10]


def _slashed(scan: Scan) -> Iterator[Numeral]:
    if "/" not in scan.plain:
        return
    for match in scan.matches(_SLASHED, scan.digits):
        whole, top, bottom = int(match["whole"] or 0), int(match["top"]), int(match["bottom"])
        if top < bottom:
            start, end = match.span()
            yield Numeral(scan.text[start:end], start, end, (whole + top / bottom,))


def _numeral(match: re.Match[str], plain: str, text: str) -> Numeral | None:
    end = match.end()
    values = _second_year(match, plain) or read_values(match["body"])
    if end < len(plain) and _GLUED.match(plain, end) and not _attached(plain, end):
        return None
    if (half := _AND_A_HALF.match(plain, end)) is not None:
        end = half.end()
        values = tuple(value + 0.5 for value in values)
    if match["vulgar"]:
        values = tuple(value + _vulgar(match["vulgar"]) for value in values)
    if match["sign"] in ("-", "−", "–"):
        values = tuple(-value for value in values)
    values = tuple(value for value in values if math.isfinite(value))
    if not values:
        return None
    ordinal = _ORDINAL.match(plain, end) is not None and match["body"].isdigit()
    return Numeral(text[match.start() : end], match.start(), end, values, ordinal=ordinal)


def _second_year(match: re.Match[str], plain: str) -> tuple[float, ...]:
    """The year that the 20 of "2019/20" is; empty where a number is none."""
    before = _YEAR_BEFORE.search(plain, max(0, match.start() - 6), match.start()) if len(match["body"]) == 2 else None
    year = int(before[1]) + 1 if before else 0
    return (float(year),) if year and match["body"] == f"{year % 100:02}" else ()


def _attached(plain: str, end: int) -> bool:
    """Whether the letters glued to a number are a unit or an ending ("5kg", "3rd", "10x") and not part of a code."""
    word = _LETTERS.match(plain, end)
    return word is not None and len(word[0]) <= 6 and plain[word.end() : word.end() + 1] not in _GOES_ON


def same_value(left: float, right: float) -> bool:
    """Equal but for the rounding of binary fractions and of unit conversion."""
    apart = abs(left - right)
    return apart <= 1e-6 * max(abs(left), abs(right)) or apart <= 1e-12
