"""Short replies. "Yes." says nothing by itself: what it claims is the question."""

import re
from typing import NamedTuple

from ragsonde.scorers.faithfulness.words import key_of

_YES_WORDS = (
    "yes yeah yep correct right true indeed ja jawohl richtig oui si sì sí sim tak da так да evet ya benar betul ano "
    "áno igen kyllä ναι نعم بله כן हाँ 是 是的 对 對 可以 能 はい ええ 네 예 có ใช่"
)
_NO_WORDS = (
    "no nope nein non não nie ne нет ні hayır hayir tidak bukan nem nej ei όχι لا نه לא नहीं 不 不是 否 不可以 不能 "
    "いいえ いえ 아니요 아니오 không ไม่"
)
_YES = frozenset(key_of(word) for word in _YES_WORDS.split())
_NO = frozenset(key_of(word) for word in _NO_WORDS.split())
_FIRST = re.compile(r"\s*([^\s,.;:!?，。！？、；：–—-]+)(?![-‑]\w)\s*(?:[,.;:!?，。！？、；：–—-]+\s*|$)")


class Reply(NamedTuple):
    """What a claim states."""

    statement: str
    """The claim without a leading yes or no; the question where nothing is left."""
    denies: bool = False
    """The claim is a bare "no": what it states is the opposite of ``statement``."""
    from_question: bool = False
    """``statement`` is the question."""


def read_reply(claim: str, question: str) -> Reply:
    """Take a leading yes or no off a claim; a bare one stands for the question."""
    match = _FIRST.match(claim)
    if match is None:
        return Reply(claim)
    word = key_of(match[1])
    if word not in _YES and word not in _NO:
        return Reply(claim)
    rest = claim[match.end() :].strip()
    if any(sign.isalnum() for sign in rest):
        return Reply(rest)
    if not question.strip():
        return Reply(claim)
    return Reply(question, denies=word in _NO, from_question=True)
