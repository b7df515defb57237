"""Numbers written in words: the small ones of a dozen languages, and Chinese and Japanese numerals of any size.

Words that are also something else in another language (Turkish "on", German "bin", Spanish "once", the articles for
"one") are left out: a missed number costs less than an invented one.
"""

import re
from collections.abc import Iterator
from functools import cache

from ragsonde.scorers.facts.lexicon import WORD, fold, mentions_any

# Value: its words. Endings of cases are listed where they are common.
_WORDS = {
    2: "two zwei deux dos due dois duas dwa dwie dwoch два две двух dva dve dvije dviju iki dua twee två kaksi ikki",
    3: "three drei trois tres tre trzy trzech три трех трёх tri tří uc üç tiga drie tři kolme",
    4: "four vier quatre cuatro quattro quatro cztery czterech четыре четырех четырёх cetiri četiri ctyri čtyři dort dört empat neljä",
    5: "five fünf funf cinq cinco cinque piec pięć pieciu пять пяти pet pět bes beş vijf fem viisi",
    6: "six sechs seis szesc sześć szesciu шесть шести sest šest alti altı enam zes kuusi",
    7: "seven sieben sept siete sette sete siedem siedmiu семь семи sedam sedm yedi tujuh zeven seitsemän",
    8: "eight acht huit ocho otto oito osiem osmiu восемь восьми osam osm sekiz lapan delapan åtta kahdeksan",
    9: "nine neun nueve nove dziewiec dziewięć dziewieciu девять девяти devet devět dokuz sembilan negen yhdeksän",
    10: "ten zehn diez dieci dez dziesiec dziesięć десять десяти deset sepuluh tien kymmenen",
    11: "eleven undici jedenascie jedenaście одиннадцать jedanaest jedenact jedenáct sebelas",
    12: "twelve zwölf zwolf douze doce dodici doze dwanascie dwanaście двенадцать dvanaest dvanact dvanáct",
    13: "thirteen dreizehn treize trece tredici treze trzynascie trzynaście тринадцать trinaest trinact třináct",
    14: "fourteen vierzehn quatorze catorce quattordici catorze czternascie czternaście четырнадцать cetrnaest četrnaest ctrnact",
    15: "fifteen fünfzehn funfzehn quinze quince quindici pietnascie piętnaście пятнадцать petnaest patnact patnáct",
    16: "sixteen sechzehn seize dieciseis sedici dezesseis szesnascie szesnaście шестнадцать sesnaest šesnaest sestnact",
    17: "seventeen siebzehn diecisiete diciassette dezessete siedemnascie siedemnaście семнадцать sedamnaest sedmnact",
    18: "eighteen achtzehn dieciocho diciotto dezoito osiemnascie osiemnaście восемнадцать osamnaest osmnact",
    19: "nineteen neunzehn diecinueve diciannove dezenove dziewietnascie dziewiętnaście девятнадцать devetnaest devatenact",
    20: "twenty zwanzig vingt veinte venti vinte dwadziescia dwadzieścia двадцать двадцати dvadeset dvacet yirmi twintig tjugo",
    30: "thirty dreissig dreißig trente treinta trenta trinta trzydziesci trzydzieści тридцать тридцати trideset tricet třicet otuz dertig",
    40: "forty vierzig quarante cuarenta quaranta quarenta czterdziesci czterdzieści сорок cetrdeset četrdeset ctyricet kirk veertig",
    50: "fifty fünfzig funfzig cinquante cincuenta cinquanta cinquenta piecdziesiat pięćdziesiąt пятьдесят pedeset padesat elli vijftig",
    60: "sixty sechzig soixante sesenta sessanta sessenta szescdziesiat sześćdziesiąt шестьдесят sezdeset šezdeset sedesat altmis altmış zestig",
    70: "seventy siebzig setenta settanta siedemdziesiat siedemdziesiąt семьдесят sedamdeset yetmis yetmiş zeventig",
    80: "eighty achtzig ochenta ottanta oitenta osiemdziesiat osiemdziesiąt восемьдесят osamdeset seksen tachtig",
    90: "ninety neunzig noventa novanta dziewiecdziesiat dziewięćdziesiąt девяносто devedeset doksan negentig",
    100: "hundred hundert hundred cien ciento cento сто stotinu honderd hundra seratus",
}
_AMBIGUOUS = frozenset("dos due tre pet bes kirk elli".split())
"""Left out although listed: also "back", "owed", "three/tree", a pet, and so on in another language."""

_HUNDREDS = frozenset({100})
_CJK_DIGITS = {"〇": 0, "零": 0, "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_CJK_SMALL = {"十": 10, "百": 100, "千": 1_000}
_CJK_LARGE = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_CJK = re.compile("[〇零一二两兩三四五六七八九十百千万萬亿億兆]+")
_CJK_IDIOM_MARKS = frozenset("万萬亿億兆百千")
_WORD = re.compile(WORD)


@cache
def _table() -> dict[str, int]:
    table: dict[str, int] = {}
    for value, words in _WORDS.items():
        for word in words.split():
            if fold(word) not in _AMBIGUOUS:
                table.setdefault(fold(word), value)
    table |= _german_compounds(table)
    return table


def _german_compounds(table: dict[str, int]) -> dict[str, int]:
    ones = {"ein": 1, "zwei": 2, "drei": 3, "vier": 4, "funf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9}
    tens = "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig".split()
    return {f"{one}und{ten}": table[ten] + value for ten in tens for one, value in ones.items()}


def read_cjk(numeral: str) -> int | None:
    """The value of a Chinese or Japanese numeral (``三千五百万`` is 35,000,000); None where it is not one."""
    if all(sign in _CJK_DIGITS for sign in numeral):
        return int("".join(str(_CJK_DIGITS[sign]) for sign in numeral))
    total = section = digit = 0
    for sign in numeral:
        if sign in _CJK_DIGITS:
            digit = _CJK_DIGITS[sign]
        elif sign in _CJK_SMALL:
            section += (digit or 1) * _CJK_SMALL[sign]
            digit = 0
        else:
            total = (total + section + digit or 1) * _CJK_LARGE[sign] if section + digit or not total else 0
            if not total:
                return None
            section = digit = 0
    return total + section + digit


def _spelled_cjk(text: str) -> Iterator[tuple[int, int, float]]:
    for match in _CJK.finditer(text):
        numeral = match[0]
        # A single sign is more often part of a word (一般, 百姓) than a count, unless a digit is what it is (三 days).
        if numeral[0] in _CJK_IDIOM_MARKS or (len(numeral) == 1 and numeral in "〇零一十"):
            continue
        value = read_cjk(numeral)
        if value is not None and value < 10**15:
            yield match.start(), match.end(), float(value)


def spelled_numerals(text: str) -> Iterator[tuple[int, int, float]]:
    """Numbers in words as (start, end, value), in order of their script; "twenty-five" and "twenty five" are 25."""
    if mentions_any(text, _table()):
        yield from _spelled_words(text)
    if not text.isascii():
        yield from _spelled_cjk(text)


def _spelled_words(text: str) -> Iterator[tuple[int, int, float]]:
    table = _table()
    pending: tuple[int, int, int] | None = None
    for match in _WORD.finditer(text):
        value = table.get(fold(match[0]))
        if pending is not None:
            start, end, so_far = pending
            joined = _join(so_far, value) if text[end : match.start()] in ("-", " ", "‑", "\u00a0") else None
            if joined is not None:
                pending = (start, match.end(), joined)
                continue
            yield start, end, float(so_far)
        pending = None if value is None else (match.start(), match.end(), value)
    if pending is not None:
        yield pending[0], pending[1], float(pending[2])


def _join(so_far: int, value: int | None) -> int | None:
    """``twenty`` and ``five`` give 25, ``two`` and ``hundred`` 200; None where the words don't make one number."""
    if value is None:
        return None
    if value in _HUNDREDS and 2 <= so_far <= 9:
        return so_far * value
    if so_far % 100 == 0 and value < 100:
        return so_far + value
    if so_far % 10 == 0 and so_far % 100 >= 20 and value < 10:
        return so_far + value
    return None
