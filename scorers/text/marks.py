"""The written forms of citation marks: what may stand after a full stop and still belong to the sentence before it."""

import regex

SUPERSCRIPT = r"[⁰¹²³⁴-⁹]"
CIRCLED = "①-⑳❶-❿➀-➉➊-➓⓪-⓿"
"""Numbers in circles, as a class of a regular expression."""
PRIVATE_CITATION = r"\ue200cite[^\ue201\n]{1,200}\ue201"
"""The form that one vendor's models write before its client renders it."""

SOURCE_WORDS = (
    "sources?|ref(?:s|erences?)?|docs?|documents?|documento?s?|passages?|contexts?|chunks?|excerpts?|citations?|articles?|"
    "quellen?|dokumente?|fragment(?:y|u|en|e|s)?|fragmentos?|frammenti?|фрагмент(?:ы|а)?|odlom(?:ak|ci)|petikan|kutipan|fuentes?|fontes?|fonti|bron(?:nen)?|źródło|źródła|dokument(?:y|i|u|a)?|zdroje?|izvor(?:i|a)?|"
    "viri?|kaynak(?:lar)?|belge|källa|källor|kilder?|lähde|forrás|sursa|surse|πηγή|πηγές|έγγραφο|источники?|документы?|"
    "джерел[оа]|документи?|извори?|документа?|sumber|dokumen|nguồn|tài liệu|المصدر|مصدر|المصادر|المستند|وثيقة|منبع|"
    "منابع|سند|מקור|מקורות|מסמך|स्रोत|दस्तावेज़|出典|参考文献|参考|文書|資料|来源|來源|文档|文件|资料|片段|段落|출처|문서|자료|แหล่งที่มา|ที่มา|เอกสาร"
)
"""Words that say "source" before a number or a title, as alternatives of a regular expression."""

SEE_WORDS = (
    r"see(?: also)?|cf\.?|siehe|vgl\.?|s\.|voir|ver|vedi|zie|zob\.?|patrz|viz|vidi|glej|bkz\.?|см\.?|див\.?|види|виж|"
    r"lihat|xem|参照|参见|见|انظر|ראו|देखें"
)
"""Words that say "see" before a citation, as alternatives of a regular expression."""

_NUMBERS = r"\p{Nd}{1,40}(?:(?:\s{0,2}[,;،、，&+‐‑‒–—−~～-]\s{0,2}|\s\p{L}{1,6}\s)\p{Nd}{1,40}){0,30}"

TRAILING_MARK = regex.compile(
    rf"""
    [\[［〔]\^?{_NUMBERS}[\]］〕](?!\()
    | [\[［〔]\^?[^\[\]\s［］〔〕]{{1,60}}[\]］〕](?![(:])
    | [\[［〔]\p{{L}}{{1,20}}[\s:.\#]{{0,3}}{_NUMBERS}[\]］〕](?!\()
    | \[\[\p{{Nd}}{{1,4}}\]\](?:\([^()\s]{{1,500}}\))?
    | \[\p{{Nd}}{{1,4}}\]\([^()\s]{{1,500}}\)
    | 【(?=[^【】\n]{{0,120}}[\p{{Nd}}†《])[^【】\n]{{1,120}}】
    | [（(](?i:{SOURCE_WORDS}|{SEE_WORDS})(?!\w)[^()（）\n]{{1,150}}[)）]
    | [（(](?=[^()\s（）]{{0,80}}\p{{Nd}})(?=[^()\s（）]{{0,80}}[-_./\#])[^()\s（）]{{1,80}}[)）]
    | [（(]\p{{Lu}}[^()（）\n]{{1,100}}\b(?:1[5-9]|20)\p{{Nd}}{{2}}[a-z]?(?:[,;:][^()（）\n]{{1,60}})?[)）]
    | [（(]\p{{Lo}}[^()（）\n]{{0,60}}[,，、،]\s{{0,2}}(?:1[5-9]|20)\p{{Nd}}{{2}}(?:[,，、،:：][^()（）]{{1,60}})?[)）]
    | {SUPERSCRIPT}{{1,6}}(?!\w)
    | [{CIRCLED}]{{1,6}}(?=\s*(?:$|\n))
    | <(sup|cite|ref|citation)>[^<>\n]{{1,40}}</\1>
    | {PRIVATE_CITATION}
    """,
    flags=regex.VERBOSE,
)
"""A citation mark right where it is matched; generous, since it only decides which sentence a mark belongs to."""
_MARK_BEGINS = regex.compile(rf"[\[［〔【（({CIRCLED}\ue200]|{SUPERSCRIPT}|<(?:sup|cite|ref|citation)>")


def may_hold_marks(text: str) -> bool:
    """A quick look before slow ones: whether ``TRAILING_MARK`` may match anywhere in a text."""
    return _MARK_BEGINS.search(text) is not None
