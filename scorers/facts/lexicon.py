"""Words for months, weekdays, units, currencies and magnitudes, taken from the Unicode CLDR by way of Babel.

The words of all languages are read into one table: a text need not say its language, and may mix several. A word that
means different things in different languages ("billion", "mil") keeps all its meanings; whoever compares two facts
asks whether any pair of meanings agrees.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

from babel import Locale

LOCALES = (
    "en de fr es it pt nl ca ro pl cs sk sl hr bs sr mk bg ru uk be lt lv et fi hu el tr sv da nb is "
    "ms id vi th zh zh_Hant ja ko hi bn ur ta ar fa he hy ka kk"
).split()

MARKS = "".join(chr(code) for code in range(0x0300, 0x1100) if unicodedata.category(chr(code)) in ("Mn", "Mc"))
"""Vowel signs and accents: part of a word, although Python's regular expressions don't count them as letters."""

WORD = rf"[^\W\d_](?:[^\W\d_]|[{MARKS}])*"
"""Regular expression of a word in any script."""

_WORDS = re.compile(WORD)

Meaning = tuple[str, float]
"""A dimension (``time``, ``length``, ``money:EUR``, …) and the factor to the dimension's base unit."""

UNITS: Mapping[str, Meaning] = {
    "duration-second": ("time", 1),
    "duration-minute": ("time", 60),
    "duration-hour": ("time", 3_600),
    "duration-day": ("time", 86_400),
    "duration-week": ("time", 604_800),
    "duration-month": ("months", 1),
    "duration-year": ("months", 12),
    "duration-decade": ("months", 120),
    "duration-century": ("months", 1_200),
    "duration-millisecond": ("time", 1e-3),
    "length-millimeter": ("length", 1e-3),
    "length-centimeter": ("length", 1e-2),
    "length-meter": ("length", 1),
    "length-kilometer": ("length", 1e3),
    "length-inch": ("length", 0.0254),
    "length-foot": ("length", 0.3048),
    "length-yard": ("length", 0.9144),
    "length-mile": ("length", 1_609.344),
    "length-nautical-mile": ("length", 1_852),
    "length-micrometer": ("length", 1e-6),
    "length-nanometer": ("length", 1e-9),
    "length-light-year": ("light-years", 1),
    "mass-microgram": ("mass", 1e-9),
    "mass-milligram": ("mass", 1e-6),
    "mass-gram": ("mass", 1e-3),
    "mass-kilogram": ("mass", 1),
    "mass-tonne": ("mass", 1e3),
    "mass-pound": ("mass", 0.45359237),
    "mass-ounce": ("mass", 0.028349523125),
    "temperature-celsius": ("celsius", 1),
    "temperature-fahrenheit": ("fahrenheit", 1),
    "temperature-kelvin": ("kelvin", 1),
    "volume-milliliter": ("volume", 1e-3),
    "volume-centiliter": ("volume", 1e-2),
    "volume-deciliter": ("volume", 0.1),
    "volume-liter": ("volume", 1),
    "volume-hectoliter": ("volume", 100),
    "volume-cubic-centimeter": ("volume", 1e-3),
    "volume-cubic-meter": ("volume", 1e3),
    "volume-gallon": ("volume", 3.785411784),
    "area-square-centimeter": ("area", 1e-4),
    "area-square-meter": ("area", 1),
    "area-square-kilometer": ("area", 1e6),
    "area-hectare": ("area", 1e4),
    "area-acre": ("area", 4_046.8564224),
    "area-square-foot": ("area", 0.09290304),
    "area-square-mile": ("area", 2_589_988.110336),
    "speed-kilometer-per-hour": ("speed", 1 / 3.6),
    "speed-meter-per-second": ("speed", 1),
    "speed-mile-per-hour": ("speed", 0.44704),
    "digital-bit": ("bits", 1),
    "digital-byte": ("bytes", 1),
    "digital-kilobyte": ("bytes", 1e3),
    "digital-megabyte": ("bytes", 1e6),
    "digital-gigabyte": ("bytes", 1e9),
    "digital-terabyte": ("bytes", 1e12),
    "energy-joule": ("energy", 1),
    "energy-kilojoule": ("energy", 1e3),
    "energy-kilocalorie": ("energy", 4_184),
    "energy-kilowatt-hour": ("energy", 3.6e6),
    "power-watt": ("power", 1),
    "power-kilowatt": ("power", 1e3),
    "power-megawatt": ("power", 1e6),
    "power-gigawatt": ("power", 1e9),
    "power-horsepower": ("horsepower", 1),
    "frequency-hertz": ("frequency", 1),
    "frequency-kilohertz": ("frequency", 1e3),
    "frequency-megahertz": ("frequency", 1e6),
    "frequency-gigahertz": ("frequency", 1e9),
    "electric-volt": ("voltage", 1),
    "electric-ampere": ("current", 1),
    "electric-milliampere": ("current", 1e-3),
    "pressure-bar": ("pressure", 1e5),
    "pressure-hectopascal": ("pressure", 1e2),
    "pressure-pascal": ("pressure", 1),
    "pressure-kilopascal": ("pressure", 1e3),
    "pressure-megapascal": ("pressure", 1e6),
    "angle-degree": ("angle", 1),
    "concentr-percent": ("share", 0.01),
    "concentr-permille": ("share", 0.001),
}
"""CLDR unit ids with what they are converted to. Days are not converted to months: a month has no fixed length."""

CURRENCIES = (
    "EUR USD GBP JPY CNY CHF RUB UAH PLN CZK HUF RON BGN RSD BAM MKD TRY SEK NOK DKK ISK INR IDR MYR SGD THB VND KRW "
    "PHP HKD TWD AUD NZD CAD BRL MXN ARS COP CLP ZAR EGP NGN KES ILS AED SAR KZT BTC"
).split()

# What people write and CLDR does not list: nouns without the country, adjectives, other spellings.
_MORE_UNITS: Mapping[str, tuple[str, ...]] = {
    "concentr-percent": ("%", "٪", "％", "per cent", "pct", "procent", "procenta", "posto", "peratus", "个百分点"),
    "concentr-permille": ("‰",),
    "duration-day": ("дневный", "дневного", "дневной", "tägig", "working days", "business days", "calendar days", "工作日"),
    "duration-month": ("个月", "個月", "ヶ月", "か月", "カ月", "ay", "mo"),
    "duration-year": ("letni", "летний", "jährig", "лет", "周年", "yr"),
    "duration-week": ("недельный", "周", "星期", "个星期"),
    "duration-hour": ("h", "hr", "hrs", "小時", "个小时"),
    "duration-minute": ("min", "mins"),
    "duration-second": ("s", "sec", "secs"),
    "length-millimeter": ("mm", "мм"),
    "length-centimeter": ("cm", "см"),
    "length-meter": ("m", "м", "mtr", "公尺"),
    "length-kilometer": ("km", "км", "公里"),
    "length-inch": ("in",),
    "length-foot": ("ft",),
    "length-mile": ("mi",),
    "length-yard": ("yd",),
    "mass-tonne": ("t", "т"),
    "mass-pound": ("lb", "lbs"),
    "mass-ounce": ("oz",),
    "area-hectare": ("ha", "га"),
    "power-watt": ("w",),
    "power-kilowatt": ("kw",),
    "power-megawatt": ("mw",),
    "power-gigawatt": ("gw",),
    "power-horsepower": ("hp", "л.с"),
    "frequency-hertz": ("hz",),
    "electric-volt": ("v",),
    "electric-ampere": ("a",),
    "pressure-pascal": ("pa",),
    "mass-kilogram": ("kg", "кг", "公斤"),
    "mass-gram": ("g", "г", "克"),
    "mass-milligram": ("mg", "мг"),
    "temperature-celsius": ("°c", "℃", "° c"),
    "temperature-fahrenheit": ("°f", "℉", "° f"),
    "volume-milliliter": ("ml", "мл"),
    "volume-liter": ("l", "л"),
    "area-square-meter": ("m²", "m2", "м²", "平方米", "平米", "sqm"),
    "area-square-kilometer": ("km²", "km2", "км²", "平方公里"),
    "area-square-foot": ("sq ft", "sqft"),
    "volume-cubic-meter": ("m³", "m3", "м³", "立方米"),
    "speed-kilometer-per-hour": ("km/h", "км/ч", "kmh", "kph"),
    "speed-mile-per-hour": ("mph",),
    "energy-kilowatt-hour": ("kwh", "квт·ч"),
    "digital-kilobyte": ("kb",),
    "digital-megabyte": ("mb",),
    "digital-gigabyte": ("gb",),
    "digital-terabyte": ("tb",),
    "angle-degree": ("°",),
}

_MORE_CURRENCIES: Mapping[str, tuple[str, ...]] = {
    "EUR": ("€", "euro", "euros", "eura", "eurů", "еврo", "евро", "欧元", "歐元", "ユーロ"),
    "USD": ("$", "us$", "dollar", "dollars", "доллар", "доллара", "долларов", "dolar", "dolarów", "dolares", "美元", "ドル"),
    "GBP": ("£", "pound", "pounds", "pound sterling", "pounds sterling", "英镑"),
    "JPY": ("¥", "yen", "円", "日元"),
    "CNY": ("yuan", "renminbi", "rmb", "元", "块", "人民币", "юаней"),
    "RUB": ("₽", "руб", "рубль", "рубля", "рублей"),
    "UAH": ("₴", "грн", "гривень", "гривны"),
    "PLN": ("zł", "zloty", "złoty", "złote", "złotych", "pln"),
    "CZK": ("kč", "korun", "koruny"),
    "BAM": ("km", "маракa", "konvertibilnih maraka"),
    "RSD": ("din", "dinara", "динара"),
    "TRY": ("₺", "tl", "lira"),
    "INR": ("₹", "rs", "rupees", "rupee"),
    "MYR": ("rm", "ringgit"),
    "IDR": ("rp", "rupiah"),
    "KRW": ("₩", "won", "원"),
    "SEK": ("kr", "kronor"),
    "NOK": ("kr", "kroner"),
    "DKK": ("kr", "kroner"),
    "CHF": ("fr", "franken", "francs"),
    "BRL": ("r$", "reais"),
}

_MORE_MAGNITUDES: Mapping[float, tuple[str, ...]] = {
    1e3: ("thousand", "thousands", "тыс", "tys", "tis", "tsd", "ribu", "rb", "bin", "mille", "mila", "mil", "千"),
    1e4: ("万", "萬", "만"),
    1e5: ("lakh", "lakhs", "लाख"),
    1e6: ("million", "millions", "mln", "mio", "млн", "juta", "jt", "milyon", "milion", "milionu", "百万", "百萬"),
    1e7: ("crore", "crores", "千万", "千萬"),
    1e8: ("亿", "億", "억"),
    1e9: ("billion", "billions", "bn", "mlrd", "mrd", "млрд", "milyar", "miliar", "milijardi", "miliard", "十亿", "十億"),
    1e12: ("trillion", "трлн", "bln", "万亿", "兆"),
}


_ACCENTS = re.compile("[\u0300-\u036f]")
_LETTERS = str.maketrans("łđıøæ", "ldioa")


def fold(word: str) -> str:
    """Case and diacritics taken away, so that "Złotych" and "zlotych" are one word."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFD", word.casefold())
    # Only the accents of alphabetic scripts: the vowel signs of Thai or Hindi are letters, not ornaments.
    plain = _ACCENTS.sub("", decomposed)
    return unicodedata.normalize("NFC", plain).translate(_LETTERS)


def mentions_any(text: str, words: Collection[str]) -> bool:
    """Whether a word of the text, folded, is among ``words``: a quick look before a slow search."""
    return any(word in words for word in frozenset(_WORDS.findall(fold(text))))


def _locale_data() -> Iterator[Mapping[str, Any]]:
    for name in LOCALES:
        # Babel has no public access to the patterns of a unit; the data file itself is CLDR's and stable.
        yield Locale.parse(name)._data  # noqa: SLF001


def _tells(word: str) -> bool:
    """Whether an abbreviation is long enough to be no other language's word: the short Latin ones are listed by hand."""
    return len(word) >= 3 or not (word.isascii() and word.isalpha())


def _pattern_words(patterns: Any) -> Iterator[str]:
    """The words around the number in patterns like ``{0} days``, for every plural form."""
    if isinstance(patterns, str):
        word = fold(re.sub(r"\{0\}", " ", patterns)).strip(" .\u200e\u200f\u061c\xa0\u202f")
        if word and "{" not in word:
            yield re.sub(r"\s+", " ", word)
    elif hasattr(patterns, "items"):
        for form, pattern in patterns.items():
            if form not in {"per", "gender"}:
                yield from _pattern_words(pattern)


Meanings = Mapping[str, frozenset[Meaning]]


def _frozen(table: dict[str, set[Meaning]]) -> Meanings:
    return {word: frozenset(meanings) for word, meanings in table.items()}


@cache
def unit_words() -> Meanings:
    """Folded unit and currency words with their meanings."""
    table: dict[str, set[Meaning]] = {}
    for unit, words in _MORE_UNITS.items():
        for word in words:
            table.setdefault(fold(word), set()).add(UNITS[unit])
    for code in CURRENCIES:
        for word in (code, *_MORE_CURRENCIES.get(code, ())):
            table.setdefault(fold(word), set()).add((f"money:{code}", 1.0))
    for data in _locale_data():
        for unit, meaning in UNITS.items():
            widths = data["unit_patterns"].get(unit, {})
            for word in {w for width in ("long", "short") for w in _pattern_words(widths.get(width, {}))}:
                if _tells(word):
                    table.setdefault(word, set()).add(meaning)
        for code in CURRENCIES:
            names = [data["currency_names"].get(code), data["currency_symbols"].get(code)]
            names.extend(dict(data["currency_names_plural"].get(code, {})).values())
            for word in {fold(name).strip(" .") for name in names if name}:
                if _tells(word):
                    table.setdefault(word, set()).add((f"money:{code}", 1.0))
    return _frozen(table)


@cache
def magnitude_words() -> Mapping[str, frozenset[float]]:
    """Folded words for powers of ten that follow a number: thousand, mln, 万, juta."""
    table: dict[str, set[float]] = {}
    for factor, words in _MORE_MAGNITUDES.items():
        for word in words:
            table.setdefault(fold(word), set()).add(factor)
    for data in _locale_data():
        for width in ("long", "short"):
            for by_size in data["compact_decimal_formats"].get(width, {}).values():
                for size, pattern in by_size.items():
                    _add_magnitude(table, float(size), pattern.pattern)
    return {word: frozenset(factors) for word, factors in table.items()}


def _add_magnitude(table: dict[str, set[float]], size: float, pattern: str) -> None:
    zeros = pattern.count("0")
    word = fold(re.sub(r"[0'¤]", "", pattern.split(";", maxsplit=1)[0])).strip(" .\xa0\u202f\u200e\u200f")
    if zeros and word and _tells(word) and "." not in word:
        table.setdefault(word, set()).add(size / 10 ** (zeros - 1))


def _calendar_words(field: str, kinds: tuple[str, ...]) -> Mapping[str, int]:
    table: dict[str, int] = {}
    for data in _locale_data():
        for kind in kinds:
            for width in ("wide", "abbreviated"):
                for number, name in dict(data[field][kind].get(width, {})).items():
                    word = fold(name).strip(" .\u200f")
                    if len(word) >= 3 and not any(sign.isdigit() for sign in word) and " " not in word:
                        table.setdefault(word, int(number))
    return table


@cache
def month_words() -> Mapping[str, int]:
    """Folded month names, full and short, with 1 to 12; names that hold a digit (CJK) are not among them."""
    return _calendar_words("months", ("format", "stand-alone"))


_WEDNESDAYS = "srode srody srodzie sredu sredo sredi stredu stredy srijede srijedu srijedom"
"""Cases of a short word whose stem would be too short to tell."""


@cache
def weekday_words() -> Mapping[str, int]:
    """Folded full weekday names with 0 (Monday) to 6, and each without its last letter where it stays long enough."""
    table: dict[str, int] = {}
    for data in _locale_data():
        for kind in ("format", "stand-alone"):
            for number, name in dict(data["days"][kind].get("wide", {})).items():
                # "terça-feira", "thứ ba": the first part alone is another word
                word = fold(name)
                if word.isalpha() and len(word) >= 4:
                    table.setdefault(word, int(number))
    for word, number in tuple(table.items()):
        if len(word) >= (6 if word.isascii() else 5) and ord(word[0]) < 0x0590:
            table.setdefault(word[:-1], number)
    for word in _WEDNESDAYS.split():
        table.setdefault(word, 2)
    return table
