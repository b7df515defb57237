"""The written forms of citations, and of what only looks like one, as regular expressions with bounded parts."""

import regex

from ragsonde.scorers.citations.catalogue import latin_digits
from ragsonde.scorers.text.marks import CIRCLED, PRIVATE_CITATION, SEE_WORDS, SOURCE_WORDS, SUPERSCRIPT

MAX_RANGE = 50
"""``[1-100000]`` names its two ends, not a hundred thousand documents."""
CODE = regex.compile(
    r"```.*?(?:```|\Z)|`[^`\n]{1,500}`|\$\$.{1,2000}?\$\$|\$(?=\S)[^$\n]{1,300}(?<=\S)\$(?!\d)"
    r"|\\\(.{1,500}?\\\)|\\\[.{1,2000}?\\\]",
    flags=regex.DOTALL,
)
_RANGE_WORDS = "to|thru|through|till|bis|à|au|al|até|tot|til|do|po|по|до|ila|hingga|sampai|至|到|から|إلى|الى|تا|עד|से"
_DASHES = "‐‑‒–—−~～〜-"
_AND_WORDS = "and|und|i|y|e|et|и|та|a|en|og|och|ve|dan|serta|és|ja|și|και|và|و|और|和|与|及|と|및|และ"
_NUMBER = r"\p{Nd}{1,40}"
NUMBER_LIST = rf"{_NUMBER}(?:\s{{0,3}}(?:[,;،、，&+{_DASHES}]|{_AND_WORDS}|{_RANGE_WORDS})\s{{0,3}}{_NUMBER}){{0,40}}"
LINK = (
    r"(?P<link>!?\[(?P<link_text>(?:[^\[\]\n]|\[[^\[\]\n]{0,40}\]){0,300})\]"
    r"\((?P<url>[^()\s]{1,2000}(?:\([^()\s]{0,200}\))?[^()\s]{0,200})(?:\s+\"[^\"\n]{0,200}\")?\))"
)
PATTERN = regex.compile(
    rf"""
    {LINK}
    | (?P<footnote>\[\^(?P<note>[^\[\]\s]{{1,60}})\])
    | (?P<lenticular>【(?P<inner>[^【】\n]{{1,200}})】)
    | (?P<bracket>[\[［〔](?P<content>[^\[\]［］〔〕\n]{{1,200}})[\]］〕])
    | (?P<sup><sup>(?P<sup_inner>[^<>\n]{{1,60}})</sup>)
    | (?P<cite><(?P<tag>cite|ref|citation)(?:\s[^<>\n]{{0,100}})?>(?P<cite_inner>[^<>\n]{{1,200}})</(?P=tag)>)
    | (?P<circled>[{CIRCLED}]+(?:[,、，\s]{{0,2}}[{CIRCLED}]+)*)
    | (?P<super>{SUPERSCRIPT}+(?:[,˒⁻·]{SUPERSCRIPT}+)*)
    | (?P<private>{PRIVATE_CITATION})
    | (?P<paren>[(（](?P<paren_inner>[^()（）\n]{{1,200}})[)）])
    | (?P<address><?https?://[^\s<>()\[\]"，。]{{1,2000}}>?)
    """,
    flags=regex.VERBOSE,
)
NUMBERS = regex.compile(NUMBER_LIST)
NUMBER_PART = regex.compile(rf"({_NUMBER})(?:\s*(?:[{_DASHES}]|{_RANGE_WORDS})\s*({_NUMBER}))?")
LABELLED = regex.compile(
    rf"(?:(?:{SEE_WORDS})\s+)?(?:{SOURCE_WORDS}|id)[\s:：.#№_-]{{0,3}}(?:no\.?\s?|nr\.?\s?|№\s?)?"
    rf"(?P<numbers>{NUMBER_LIST}(?:\s*[,;&]\s*(?:{SOURCE_WORDS})\s*\p{{Nd}}{{1,6}}){{0,20}})",
    flags=regex.IGNORECASE,
)
SEEN = regex.compile(
    rf"(?:{SEE_WORDS}|[#№])\s*(?P<numbers>{NUMBER_LIST}(?:\s*[,;&]\s*[#№]\s*\p{{Nd}}{{1,6}}){{0,20}})",
    flags=regex.IGNORECASE,
)
"""``[see 2]``, ``[#1]``: only in square brackets, since round ones hold such remarks of all kinds."""
PAGED = regex.compile(
    r"(?P<name>[^,:，：]{1,80}?)\s*[,:]\s*(?:pp?|S|s|ss|с|стр|str|pág|p[áa]gs?|h|hlm|hal|sek|sec|sect|section|§|¶)(?:\.\s*|\s+|(?<=[§¶]))"
    r"\p{Nd}[\p{Nd}\s,–-]{0,20}"
    r"|(?P<cjk>[^,，、:：]{1,80}?)\s*[,，、:：]\s*第?\s*\p{Nd}{1,5}\s*[页頁ページ]{1,3}"
)
"""A number or an id, and a page: ``[1, p. 34]``, ``[late-fees, p. 3]``."""
DAGGER = regex.compile(r"(?:(\p{Nd}{1,4}):)?(\p{Nd}{1,4})\s*[†‡]\s*(.{0,150})")
"""``1†source``, ``4:0†handbook.pdf``, ``1†L3-L5``."""
NAMED_ID = regex.compile(
    r"(?:(?:doc(?:ument)?|chunk|source|passage)[\s_-]?)?ids?\s*[:：#=]\s*(?P<id>\S.{0,79})", regex.IGNORECASE
)
"""``[ID: late-fees]``."""
FIGURE_BEFORE = regex.compile(
    r"(?:fig(?:ure)?|abb(?:ildung)?|option|step|schritt|рис|табл|图|圖|図|表|式|步骤|步驟|第|选项|選項|그림|표)\.?\s?$",
    flags=regex.IGNORECASE,
)
"""What a circled number after it counts: no document."""
YEAR_OR_DAY = regex.compile(r"(?:1[5-9]|2[01])\d{2}(?:(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))?")
"""``2023``, ``20230415``."""
CIRCLED_ENDS = regex.compile(r"\s*(?:$|\n|[.,;:!?。，；：！？、)）])")
DASH = regex.compile(r"\s{0,2}[‐‑‒–—−~～-]\s{0,2}")
NUMBER_CODE = regex.compile(r"\p{Nd}+(?:[‐‑‒–—−-]\p{Nd}+){2,}")
"""A telephone number, a date: more than one dash in a row spans no range."""
SOURCE = regex.compile(rf"(?:{SOURCE_WORDS})\s*[:：]\s*(?P<name>.{{2,180}})", flags=regex.IGNORECASE)
FILE = regex.compile(
    r"(?P<name>[\p{L}\p{N}][\p{L}\p{M}\p{N} ._/()-]{0,120}\."
    r"(?:pdf|docx?|odt|md|rst|html?|txt|csv|tsv|xlsx?|pptx?|json|epub))"
    r"(?:\s*[,#:].{0,40})?",
    flags=regex.IGNORECASE,
)
"""``[price-list.pdf]``, ``[price-list.pdf, p. 3]``."""
BROKEN = regex.compile(r"NaN|undefined|null|None", flags=regex.IGNORECASE)
NOT_IDS = regex.compile(r"x|X|\s|todo|tbd|fixme|citation needed|sic|…|\.\.\.|note|edit", flags=regex.IGNORECASE)
_AND_OTHERS = (
    r"et\s+al\.?|et\s+coll\.?|u\.\s?a\.|et\s+autres|y\s+(?:cols?\.?|otros|otras)|e\s+(?:cols?\.?|outros|altri)|e\.\s?a\.|i\s+in\.?|i\s+inni|"
    r"a\s+kol\.?|i\s+(?:sur|dr|sar)\.?|in\s+(?:sod|dr)\.?|и\s+(?:др|соавт|сур|сар)\.?|та\s+ін\.?|и\s+колл?\.?|ve\s+(?:ark|diğ)\w*\.?|"
    r"dkk\.?|dan\s+(?:rakan|kawan)\S*|m\.\s?fl\.?|ym\.?|és\s+mtsai\.?|și\s+colab\.?|κ\.\s?ά\.?|và\s+cộng\s+sự"
)
_AND_OTHERS_UNCASED = r"等人?|ほか|他|외|وآخرون|وزملاؤه|و\s?همکاران|ואחרים|и\s+др\.?|และคณะ|आदि"
_PAGE = (
    r"(?P<page>\s*[,:，：、،]\s*(?:pp?\.|S\.|s\.|с\.|стр\.|str\.|hlm\.|hal\.|ص\.?|第|p)?\s*\p{Nd}[\p{Nd}\s,–-]{0,20})?"
)
_YEAR = r"(?P<year>(?:1[5-9]|20)\p{Nd}{2})[a-z]?"
_YEAR_UNCASED = r"(?P<year>(?:1[5-9]|2[05])\p{Nd}{2}|[۱١][۳-۹٣-٩]\p{Nd}{2}|[۲٢][۰٠]\p{Nd}{2}|๒[๐๕]\p{Nd}{2})[a-z]?"
"""Of the Persian and Thai calendars too, in their digits."""
AUTHOR_YEAR = regex.compile(
    rf"(?:(?:{SEE_WORDS}|e\.g\.)[,]?\s+)?(?P<author>\p{{Lu}}[\p{{L}}'’-]{{1,40}})"
    rf"(?P<more>(?:\s+(?:{_AND_OTHERS})|\s*,?\s*(?:&|and|und|et|y|e|i|a|и|й|та|ve|dan|en|og|och)\s+\p{{Lu}}[\p{{L}}'’-]{{1,40}}"
    rf"|,?\s+\p{{Lu}}\.){{0,4}})(?P<comma>,)?\s+{_YEAR}{_PAGE}"
)
AUTHOR_YEAR_UNCASED = regex.compile(
    rf"(?:(?:{SEE_WORDS})\s*)?(?P<author>\p{{Lo}}[\p{{Lo}}\p{{M}}·\u200c]{{0,30}}?(?:\s[\p{{Lo}}\p{{M}}]{{1,30}}){{0,3}}?)"
    rf"\s*(?P<more>(?:{_AND_OTHERS_UNCASED})?)\s*(?P<comma>[,，、،])\s*{_YEAR_UNCASED}年?{_PAGE}"
)
"""The same in scripts without capital letters, where only the comma tells it from "(founded 2016)"."""
MONTH_OR_PLACE = regex.compile(
    r"(?:jan|feb|mar|apr|may|maj|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|янв|фев|мар|апр|май|июн|июл|авг|сен|окт|ноя|дек|"
    r"spring|summer|autumn|fall|winter|version|since|circa|est|founded)\p{L}{0,8}"
    r"|[春夏秋冬]季?|\p{Lo}{0,4}[月日年号版市省县国]|\p{Lo}{1,6}(?:년|월|일|판)|يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|"
    r"نوفمبر|ديسمبر|صيف|شتاء|ربيع|خريف",
    flags=regex.IGNORECASE,
)
CODE_WORD = regex.compile(
    r"(?:[A-Za-z_$][\w$]*[_\d$][\w$]*|[a-z]+[A-Z]\w*|[A-Za-z]|arr|array|matrix|mat|list|lst|vec|vector|data|args|argv|"
    r"df|row|rows|col|cols|items|nums|dp|"
    r"grid|table|tuple|dict|map|obj|str|tensor|values|index|buf|buffer|queue|stack|heap|input|output|result|params)"
)
BEFORE_WORD = regex.compile(r"[\w$)]+$")
INTERVAL_WORD = regex.compile(
    r"(?:range|interval|domain|∈|=|bereich|intervall|intervalle|rango|intervalo|zakres\w*|przedzia\w*|interval\w*|raspon\w*|"
    r"диапазон\w*|интервал\w*|отрезк\w*|aralı[kğ]\w*|julat|rentang|区间|范围|區間|範圍|範囲|区間|범위|구간|المجال|الفترة|बीच)"
    r"\s*(?:of|von|de|od|от|:|是|为)?\s*$",
    flags=regex.IGNORECASE,
)
UNIT_BEFORE = regex.compile(r"(?:^|[^\p{L}])(?:\p{L}|[mcdknµμ]m|ft|yd|mi|in|ha|км|см|мм|дм)$|[\p{Nd})\]]$")
"""A unit, a variable or a number: what follows it raised is a power."""
TITLE = regex.compile(r"《[^《》]{1,80}》|〈[^〈〉]{1,80}〉|『[^『』]{1,80}』")


def may_hold_citations(text: str) -> bool:
    """A quick look before a slow search: whether ``PATTERN`` may match anywhere in a text."""
    return not text.isascii() or "[" in text or "(" in text or "<" in text or "://" in text


def expand_numbers(text: str) -> list[str]:
    """``1, 3-5`` as 1, 3, 4, 5. A range longer than 50, or one that runs backwards, names its two ends only."""
    numbers: list[str] = []
    for found in NUMBER_PART.finditer(latin_digits(text)):
        first, last = int(found[1]), int(found[2] or found[1])
        if first <= last <= first + MAX_RANGE:
            numbers.extend(str(number) for number in range(first, last + 1))
        else:
            numbers.extend((str(first), str(last)))
    return numbers
