"""Whether a figure is a bound: "more than 5 days", "≤ 1.5 %", "5 or fewer", in many languages."""

import re
from string import ascii_letters

_SIGN = re.compile(r"(≤|≥|<=|>=|<|>|⩽|⩾)\s*$")
_SIGNS = {"≤": "max", "<=": "max", "<": "max", "⩽": "max", "≥": "min", ">=": "min", ">": "min", "⩾": "min"}
_LEAST = (
    "at least|no less than|not less than|no fewer than|minimum|minimal|mindestens|au moins|al menos|por lo menos|"
    "almeno|pelo menos|co najmniej|nejméně|alespoň|najmanje|barem|не менее|не меньше|как минимум|щонайменше|en az|"
    "sekurang-kurangnya|setidaknya|minimaal|mindst|minst|vähintään|legalább|"
    "nicht weniger als|pas moins de|no menos de|non meno di|não menos de|nie mniej niż|ne méně než|ne manje od|"
    "не меньше чем|не менее чем|tidak kurang dari|tidak kurang daripada|niet minder dan|"
    "over|more than|exceed|exceeds|exceeded|exceeding|mehr als|plus de|más de|più di|mais de|więcej niż|ponad|více než|"
    "viac ako|"
    "više od|preko|более(?: чем)?|больше(?: чем)?|свыше|понад|більше(?: ніж)?|lebih dari|lebih daripada|"
    "meer dan|mere end|"
    "mer än|mer enn|mai mult de|több mint"
)
_MOST = (
    "at most|no more than|not more than|maximum|maximal|maksimum|höchstens|au plus|au maximum|como máximo|al massimo|"
    "no máximo|co najwyżej|maksymalnie|nejvýše|najviše|не более|не больше|максимум|щонайбільше|en fazla|"
    "selebih-lebihnya|paling banyak|maximaal|højst|högst|enintään|legfeljebb|up to|bis zu|jusqu'à|"
    "nicht mehr als|pas plus de|no más de|non più di|não mais de|nie więcej niż|ne více než|ne više od|"
    "не более чем|не больше чем|не свыше|не більше|tidak lebih dari|tidak lebih daripada|niet meer dan|"
    "nearly|almost|just under|fast|knapp|presque|casi|quasi|quase|prawie|niemal|gotovo|skoro|почти|майже|hampir|bijna|"
    "less than|fewer than|weniger als|moins de|menos de|meno di|mniej niż|méně než|menej ako|manje od|"
    "менее(?: чем)?|меньше(?: чем)?|менше(?: ніж)?|kurang dari|kurang daripada|"
    "minder dan|mindre end|mindre än|mindre enn|"
    "mai puțin de|kevesebb mint"
)
_LEAST_UNSPACED = "至少|不少于|不低于|超过|多于|高于|大于|少なくとも|최소|적어도"
_MOST_UNSPACED = "至多|最多|不超过|不高于|不多于|少于|低于|小于|不到|최대"
_CURRENCIES = ("€", "$", "£", "¥")
_BEFORE = re.compile(
    rf"(?:(?<![^\W\d_])(?:(?P<max>{_MOST})|(?P<min>{_LEAST}))|(?P<most>{_MOST_UNSPACED})|(?P<least>{_LEAST_UNSPACED}))"
    rf"\s*[{''.join(_CURRENCIES)}]?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s*(?:(?P<min>(?:or|oder|ou|o|lub|nebo|ili|или|або|atau|of|eller) (?:more|above|over|mehr|plus|más|más|più|mais|"
    r"więcej|více|više|более|больше|більше|lebih|meer|mere|mer)(?![^\W\d_])|и более|и больше|and above|and over|"
    r"and more|und mehr|(?:'?(?:dan|den|tan|ten) )(?:fazla|çok)|以上|이상|を超え|より多)"
    r"|(?P<max>(?:or|oder|ou|o|lub|nebo|ili|или|або|atau|of|eller) (?:less|fewer|below|under|weniger|moins|menos|meno|"
    r"mniej|méně|manje|менее|меньше|менше|kurang|minder|mindre)(?![^\W\d_])|и менее|и меньше|and below|and under|"
    r"(?:'?(?:dan|den|tan|ten) )(?:az)(?![^\W\d_])|以下|以内|未満|이하|미만))",
    re.IGNORECASE,
)
_REACH = 28
"""Characters before a number in which the words of a bound stand."""
_LAST_LETTERS = frozenset(re.findall("[a-z]+(?=[|]|$)", f"{_LEAST}|{_MOST}"))
"""What stands in ASCII at the end of such words."""
_FIRST_LETTERS = frozenset("'aAdDeEiIlLnNoOtTuU")
"""What words of a bound after a number begin with, where that is ASCII."""


def bound_of(text: str, start: int, end: int) -> str:
    """``max`` or ``min`` where a sign or words around the figure ``text[start:end]`` say so, else empty."""
    if sign := _SIGN.search(text, max(0, start - 6), start):
        return _SIGNS[sign[1]]
    words = None
    if _may_end_bound(text[max(0, start - _REACH) : start]):
        words = _BEFORE.search(text, max(0, start - _REACH), start)
    if words is None and _may_begin_bound(text[end : end + _REACH]):
        words = _AFTER.match(text, end)
    return {"min": "min", "least": "min", "max": "max", "most": "max"}[words.lastgroup or ""] if words else ""


def _may_end_bound(before: str) -> bool:
    """A quick look before a slow search: whether the last letters may be those of words of a bound."""
    words = (before[:-1] if before.endswith(_CURRENCIES) else before).rstrip()
    rest = words.rstrip(ascii_letters)
    if not rest[-1:].isascii():  # its letters may stand for others
        return True
    return words[len(rest) :].lower() in _LAST_LETTERS


def _may_begin_bound(after: str) -> bool:
    first = after.lstrip()[:1]
    return not first or not first.isascii() or first in _FIRST_LETTERS
