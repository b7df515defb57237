"""Whether a figure is a bound: "more than 5 days", "≤ 1.5 %", "5 or fewer", in many languages."""

import re

_SIGN = re.compile(r"(≤|≥|<=|>=|<|>|⩽|⩾)\s*$")
_SIGNS = {"≤": "max", "<=": "max", "<": "max", "⩽": "max", "≥": "min", ">=": "min", ">": "min", "⩾": "min"}
_LEAST = (
    "at least|no less than|not less than|no fewer than|minimum|minimal|mindestens|au moins|al menos|por lo menos|"
    "almeno|pelo menos|co najmniej|nejméně|alespoň|najmanje|barem|не менее|не меньше|как минимум|щонайменше|en az|"
    "sekurang-kurangnya|setidaknya|minimaal|mindst|minst|vähintään|legalább|"
    "nicht weniger als|pas moins de|no menos de|non meno di|não menos de|nie mniej niż|ne méně než|ne manje od|"
    "не меньше чем|не менее чем|tidak kurang dari(?:pada)?|niet minder dan|"
    "more than|exceed(?:s|ed|ing)?|mehr als|plus de|más de|più di|mais de|więcej niż|ponad|více než|viac ako|"
    "više od|preko|более(?: чем)?|больше(?: чем)?|свыше|понад|більше(?: ніж)?|lebih dari(?:pada)?|meer dan|mere end|"
    "mer än|mer enn|mai mult de|több mint"
)
_MOST = (
    "at most|no more than|not more than|maximum|maximal|maksimum|höchstens|au plus|au maximum|como máximo|al massimo|"
    "no máximo|co najwyżej|maksymalnie|nejvýše|najviše|не более|не больше|максимум|щонайбільше|en fazla|"
    "selebih-lebihnya|paling banyak|maximaal|højst|högst|enintään|legfeljebb|up to|bis zu|jusqu'à|"
    "nicht mehr als|pas plus de|no más de|non più di|não mais de|nie więcej niż|ne více než|ne više od|"
    "не более чем|не больше чем|не свыше|не більше|tidak lebih dari(?:pada)?|niet meer dan|"
    "less than|fewer than|weniger als|moins de|menos de|meno di|mniej niż|méně než|menej ako|manje od|"
    "менее(?: чем)?|меньше(?: чем)?|менше(?: ніж)?|kurang dari(?:pada)?|minder dan|mindre end|mindre än|mindre enn|"
    "mai puțin de|kevesebb mint"
)
_LEAST_UNSPACED = "至少|不少于|不低于|超过|多于|高于|大于|少なくとも|최소|적어도"
_MOST_UNSPACED = "至多|最多|不超过|不高于|不多于|少于|低于|小于|不到|최대"
_BEFORE = re.compile(
    rf"(?:(?<![^\W\d_])(?:(?P<max>{_MOST})|(?P<min>{_LEAST}))|(?P<most>{_MOST_UNSPACED})|(?P<least>{_LEAST_UNSPACED}))"
    r"\s*[€$£¥]?$",
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


def bound_of(text: str, start: int, end: int) -> str:
    """``max`` or ``min`` where a sign or words around the figure ``text[start:end]`` say so, else empty."""
    if sign := _SIGN.search(text, max(0, start - 6), start):
        return _SIGNS[sign[1]]
    words = _BEFORE.search(text, max(0, start - _REACH), start) or _AFTER.match(text, end)
    return {"min": "min", "least": "min", "max": "max", "most": "max"}[words.lastgroup or ""] if words else ""
