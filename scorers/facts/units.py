"""Quantities: a number with its magnitude ("69 million", "3,5 тыс."), its unit or currency, and its bound (≤)."""

import re
from collections.abc import Iterable
from dataclasses import replace
from string import ascii_uppercase

from ragsonde.scorers.facts.bounds import bound_of
from ragsonde.scorers.facts.clock import may_be_hour
from ragsonde.scorers.facts.digits import ascii_digits
from ragsonde.scorers.facts.following import look_up, unit_after_adjective
from ragsonde.scorers.facts.lexicon import Meaning, magnitude_words, numbering_words, sign_lists, unit_words
from ragsonde.scorers.facts.numbers import Numeral
from ragsonde.scorers.facts.quantity import AS_WRITTEN, Quantity
from ragsonde.scorers.facts.rates import as_speed, reduced, with_per
from ragsonde.scorers.facts.script import fold


def _rounding(numeral: Numeral, factors: frozenset[float]) -> float:
    """Half a unit of the last digit over the value, for round figures ("1.5 million"): 1,482,000 agrees with it.

    Only where a magnitude word follows at least two digits: "2 million" is no rounding of 1.6 million.
    """
    if max(factors) < 1e3 or numeral.spelled or not numeral.values[0]:
        return 0.0
    digits = [sign for sign in ascii_digits(numeral.text) if sign.isdigit()]
    if not 2 <= len(digits) <= 4:
        return 0.0
    decimals = re.search(r"[.,٫](\d+)", ascii_digits(numeral.text))
    unit = 10.0 ** -len(decimals[1]) if decimals else 1.0
    return 0.5 * unit / abs(numeral.values[0])


_SIGN_REACH = 24
_LAST_WORD = re.compile("(?<![^\\W\\d_])([^\\W\\d_]+)(?:[- \u00a0]| (?:and|und|y|e|i|и))$")
_BEFORE = re.compile(
    r"(%|٪|(?:US|A|C|R|HK|NT|S|NZ|CA|AU|MX)\$|[€$£¥₽₴₺₹₩₪฿₫₱₸₼₾₮]|(?<![^\W\d_])[A-Z]{2,3}|\bRp\.?|百分之|千分之)\s?$"
)
_SIGN_ENDS = frozenset("%٪€$£¥₽₴₺₹₩₪฿₫₱₸₼₾₮p.之" + ascii_uppercase)
"""What such a sign may end with."""
_RANGE = re.compile(r"\s*(?:[-–—‑~～]|至|到|до|to|bis|do|hingga|sampai|a|à|and|und|et|и|i|or|oder)\s*")
_BETWEEN_UNITS = re.compile(r"\s?,?\s?(?:and|und|et|e|y|i|и|a|ve|dan)?\s?")
_ONE_DAY = frozenset({"dan", "den", "dia"})
"""Days that are counted so only in "1 dan" and "21 dan": "14 dan" is Malay for "14 and"."""
_AFTER_YEARS = frozenset({"a", "v", "w", "pa", "in", "von", "des", "man", "men", "met", "nad", "sem", "het", "any"})
"""Prepositions and the like that follow a year ("1998 in Graz", "w 2010 w Łodzi") and spell a unit elsewhere."""
_LOOKS_LIKE_UNIT = frozenset({"a", "in", "v", "w"})
"""Words of grammar of small letters: "at 11 in summer", "4 à 6", "5 w Łodzi"; "5 A" and "12V" are units."""
_GOES_ON = re.compile(" (?!(?:long|wide|deep|high|tall|thick|across|by|x)\\b)[^\\W_]")
_EVERY = re.compile(
    r"(?:(?<![^\W\d_])(?:every|each|alle|tous les|toutes les|cada|ogni|elke|om de|co|svakih?|svake|každých|každé|"
    r"каждые|кожні|her|setiap|tiap|كل|هر) |[每毎])$",
    re.IGNORECASE,
)
_SECONDS = {"time": 1.0, "months": 2_629_800.0}
_HANGUL_SIGNS = frozenset("만억조")
_LARGE_SIGNS = _HANGUL_SIGNS | frozenset("万萬亿億兆")
_GLUED_THOUSAND = re.compile(r"[kK](?![^\W\d_])")
_MONEY_MAGNITUDE = re.compile(r"\s?(bn|mn|[mMbB])(?![^\W\d_])")
_MONEY_FACTORS = {"m": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9}


def find_quantities(text: str, numerals: Iterable[Numeral]) -> list[Quantity]:
    """Attach magnitudes, units, currencies and bounds to the numerals of ``text``; the ends of a range share a unit."""
    plain = ascii_digits(text)
    found = _summed([_quantity(text, plain, numeral) for numeral in numerals], plain, text)
    quantities = _with_thousands(found, plain, text)
    for index in range(len(quantities) - 2, -1, -1):
        left, right = quantities[index], quantities[index + 1]
        if _RANGE.fullmatch(plain, left.end, right.start) and not left.meanings and left.year is None:
            factors = right.factors if left.factors == {1.0} else left.factors
            quantities[index] = replace(left, meanings=right.meanings, factors=factors)
    return _joined(quantities, plain, text)


def _summed(quantities: list[Quantity], plain: str, text: str) -> list[Quantity]:
    """A figure of several magnitudes as one: "3万5千", "1億2000万", "3만 5천"."""
    summed: list[Quantity] = []
    for quantity in quantities:
        before = summed[-1] if summed else None
        if before is not None and _is_continued(before, quantity, plain):
            written = tuple(value + quantity.values[0] for value in before.values)
            start, end = before.start, quantity.end
            summed[-1] = replace(
                quantity, text=text[start:end], start=start, written=written, factors=AS_WRITTEN, bound=before.bound
            )
        else:
            summed.append(quantity)
    return summed


def _is_continued(before: Quantity, quantity: Quantity, plain: str) -> bool:
    """Whether a figure goes on with the next: one of ten thousands and more, glued to the rest or a space before it."""
    last = plain[before.end - 1]
    if before.meanings or before.factors is AS_WRITTEN or last not in _LARGE_SIGNS or len(quantity.values) > 1:
        return False
    gap = plain[before.end : quantity.start]
    return gap in ("", " ") and (gap == "" or last in _HANGUL_SIGNS) and 0 < quantity.values[0] < min(before.factors)


def _with_thousands(quantities: list[Quantity], plain: str, text: str) -> list[Quantity]:
    """Words for a number with the thousands before them: "two thousand five hundred", "dos mil quinientos".

    Where it isn't known how many thousands ("mille neuf cent"), the number is unknown.
    """
    found: list[Quantity] = []
    for quantity in quantities:
        before = _LAST_WORD.search(plain, max(0, quantity.start - 24), quantity.start) if quantity.spelled else None
        thousands = fold(before[1]) if before else ""
        if before is None or max(magnitude_words().get(thousands, AS_WRITTEN)) < 1e3:
            found.append(quantity)
            continue
        left = found.pop() if found and found[-1].end == before.end(1) else None
        if left is None and thousands == "bin":  # "ich bin drei Jahre alt"
            found.append(quantity)
        if left is not None and quantity.written[0] < min(left.factors) and not left.meanings:
            written = tuple(value + quantity.values[0] for value in left.values)
            start, end = left.start, quantity.end
            found.append(
                replace(
                    quantity, text=text[start:end], start=start, written=written, factors=AS_WRITTEN, bound=left.bound
                )
            )
    return found


def _joined(quantities: list[Quantity], plain: str, text: str) -> list[Quantity]:
    """Times given in two units as one: "2 hours 5 minutes" are 125 minutes, "1 year and 6 months" 18 months."""
    joined: list[Quantity] = []
    for quantity in quantities:
        before = joined[-1] if joined else None
        if before is not None and _BETWEEN_UNITS.fullmatch(plain, before.end, quantity.start):
            shared = [
                (dimension, scale, finer)
                for dimension, scale in before.meanings
                for other, finer in quantity.meanings
                if dimension == other and dimension in ("time", "months") and scale > finer
            ]
            if shared and quantity.written[0] * shared[0][2] < shared[0][1]:
                dimension, scale, finer = shared[0]
                total = before.written[0] * scale + quantity.written[0] * finer
                start, end = before.start, quantity.end
                joined[-1] = replace(
                    before, text=text[start:end], end=end, written=(total,), meanings=frozenset({(dimension, 1.0)})
                )
                continue
        joined.append(quantity)
    return joined


def _quantity(text: str, plain: str, numeral: Numeral) -> Quantity:
    start, end = numeral.start, numeral.end
    prefix, meanings = _sign_before(plain, start)
    start -= len(prefix)
    factors, end = _magnitude(plain, end, money=prefix != "")
    after, after_end = look_up(plain, end, unit_words())
    if not after:
        after, after_end = unit_after_adjective(plain, end)
    if _is_grammar(plain[end:after_end], plain[after_end : after_end + 12], numeral):
        after, after_end = frozenset(), end
    after, after_end, per = with_per(plain, end, after, after_end)
    if plain[end : end + 1] == "s" and len(numeral.text) >= 4:
        after = frozenset()  # the 1990s are no seconds
    if after and (not meanings or meanings & after):
        meanings, end = (meanings & after) or after, after_end
    else:
        per = frozenset()
    if _EVERY.search(plain, max(0, start - 12), start):
        meanings |= {
            ("interval", scale * _SECONDS[dimension]) for dimension, scale in meanings if dimension in _SECONDS
        }
    if any(dimension == "share" for dimension, _ in meanings):
        meanings |= reduced(plain, start, end, meanings)
    meanings = as_speed(plain, start, meanings)
    values = numeral.values
    if values[0] > 0 and (signed := _with_sign_words(plain, start, end, meanings)) is not None:
        start, end = signed
        values = tuple(-value for value in values)
    return Quantity(
        text[start:end],
        start,
        end,
        values,
        factors,
        meanings,
        per,
        bound=bound_of(plain, start, end, date=_may_be_year(numeral, factors, meanings)),
        spelled=numeral.spelled,
        ordinal=numeral.ordinal,
        rounding=_rounding(numeral, factors),
        numbering=not meanings and "." in numeral.text and _is_numbering(plain, start),
        hour=may_be_hour(plain, numeral.start, numeral.end, end)
        if _counts_hours(numeral, factors, meanings)
        else False,
    )


def _with_sign_words(plain: str, start: int, end: int, meanings: frozenset[Meaning]) -> tuple[int, int] | None:
    """Where the figure begins and ends with the words that make it negative: "minus 5", "零下5度", "5° below zero"."""
    lists = sign_lists()
    before = plain[max(0, start - _SIGN_REACH) : start].rstrip()
    if before and before[-1] >= "\u0e00":
        sign = next((sign for sign in lists["unspaced"] if before.endswith(sign)), "")
        return (start - len(sign), end) if sign else None
    if any(dimension in ("celsius", "fahrenheit", "angle") for dimension, _ in meanings):
        following = fold(plain[end : end + _SIGN_REACH])
        phrase = next((phrase for phrase in lists["after"] if following.lstrip().startswith(phrase)), "")
        if phrase:
            return start, end + following.index(phrase) + len(phrase)
        signs = lists["before"] | lists["before_degrees"]
    else:
        signs = lists["before"]
    words = before.split()
    if not words or fold(words[-1]) not in signs:
        return None
    if len(words) > 1 and (words[-2][-1] in "/0123456789" or fold(words[-2]) in lists["not_after"]):
        return None
    return plain.rindex(words[-1], 0, start), end


def _is_numbering(plain: str, start: int) -> bool:
    before = fold(plain[max(0, start - 16) : start]).split()
    return bool(before) and before[-1] in numbering_words()


def _counts_hours(numeral: Numeral, factors: frozenset[float], meanings: frozenset[Meaning]) -> bool:
    if numeral.spelled or numeral.ordinal or factors is not AS_WRITTEN or len(numeral.text) > 2:
        return False
    return numeral.text.isdigit() and numeral.values[0] <= 24 and (not meanings or ("time", 3600) in meanings)


def _may_be_year(numeral: Numeral, factors: frozenset[float], meanings: frozenset[Meaning]) -> bool:
    return not meanings and factors is AS_WRITTEN and len(numeral.text) == 4 and 1000 <= numeral.values[0] < 2200


def _is_grammar(after: str, following: str, numeral: Numeral) -> bool:
    """Whether the words taken for a unit end in a word of grammar of this or another language."""
    written = after.strip().rpartition(" ")[2]
    word = fold(written)
    value = numeral.values[0]
    if word in _LOOKS_LIKE_UNIT and written.islower() and after[:1].isspace():
        return word != "in" or (numeral.spelled or _GOES_ON.match(following) is not None)
    if word in _ONE_DAY:
        return value % 10 != 1 or value % 100 == 11
    return word in _AFTER_YEARS and value.is_integer() and 1000 <= value < 2200


def _sign_before(plain: str, start: int) -> tuple[str, frozenset[Meaning]]:
    """A currency or percent sign in front of the number, as written, and its meanings."""
    before = plain[max(0, start - 8) : start].rstrip()
    match = _BEFORE.search(plain, max(0, start - 8), start) if before[-1:] in _SIGN_ENDS else None
    if match is None:
        return "", frozenset()
    if match[1] in ("百分之", "千分之"):
        return match[0], frozenset({("share", 0.01 if match[1] == "百分之" else 0.001)})
    meanings = unit_words().get(fold(match[1]).strip("."), frozenset())
    if match[1] not in ("%", "٪"):
        meanings = frozenset(meaning for meaning in meanings if meaning[0].startswith("money:"))
    return (match[0], meanings) if meanings else ("", frozenset())


def _magnitude(plain: str, end: int, *, money: bool) -> tuple[frozenset[float], int]:
    """Factors that the words after the number may stand for, and where they end."""
    factors = AS_WRITTEN
    if match := _GLUED_THOUSAND.match(plain, end):
        return frozenset({1e3}), match.end()
    if money and (match := _MONEY_MAGNITUDE.match(plain, end)):
        return frozenset({_MONEY_FACTORS[match[1].lower()]}), match.end()
    for _ in range(2):  # "5 mil millones", "3万亿"
        found, stop = look_up(plain, end, magnitude_words(), inflected=False)
        if not found:
            break
        if plain[:stop].endswith("mil") and plain[stop : stop + 1] != ".":
            found = frozenset({1e3})  # a thousand in Spanish; an abbreviation for a million has its full stop
        factors = frozenset(so_far * factor for so_far in factors for factor in found)
        # The full stop of an abbreviation, where more follows: "3,5 тыс. рублей".
        end = stop + (plain[stop : stop + 2] == ". " and plain[stop + 2 : stop + 3].islower())
    return factors, end
