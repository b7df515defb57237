"""Fencing: text of the application stands between delimiters that it can neither write nor end.

The delimiters carry a word drawn at random for each call, so that text written before the call cannot contain it.
On top, what chat templates read as a change of role is taken apart, and characters that are invisible or reorder
text are dropped, so that what the judge reads is what a person would see.
"""

import re
import secrets
import unicodedata
from collections.abc import Callable, Iterable

DrawNonce = Callable[[], str]
"""Draws the random word of a call."""


def draw_nonce() -> str:
    """A fresh word of 16 hexadecimal digits from the system's random source."""
    return secrets.token_hex(8)


_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
# Joiners (U+200C, U+200D) are kept between letters of scripts that need them, and dropped elsewhere.
_JOINER = re.compile("(?<![^\u0000-\u05ff])[\u200c\u200d]|[\u200c\u200d](?![^\u0000-\u05ff])")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_ROLE_TOKEN = re.compile(
    r"<(?=[|｜])|(?<=[|｜])>"  # <|im_start|>, <|eot_id|>, <｜User｜>
    r"|<(?=/?s>)|<(?=/?(?:start_of_turn|end_of_turn|think|thinking|reasoning|system|user|assistant|tool_call)\b)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
    r"|<(?=<?/?SYS>)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"\[\[(?=/?[a-z_]+(?: [^\[\]\n]{1,80})?\]\])")


def neutralise(text: str) -> str:
    """``text`` without invisible and reordering characters, and with role tokens and fence look-alikes opened up.

    No word is added, removed or changed, so that a quote copied from the result is still found in the source.
    """
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _INVISIBLE.sub("", _CONTROL.sub(" ", text))
    text = _JOINER.sub("", text)
    text = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates cannot be sent
    text = _ROLE_TOKEN.sub(lambda found: found.group() + " " if found.group() != ">" else " >", text)
    return _FENCE.sub("[ [", text)


def nonce_for(texts: Iterable[str], draw: DrawNonce = draw_nonce) -> str:
    """A word that occurs in none of ``texts``.

    Raises:
        RuntimeError: the source of random words keeps giving words that the texts hold.
    """
    held = list(texts)
    for _ in range(16):
        nonce = draw()
        if not any(nonce in text for text in held):
            return nonce
    raise RuntimeError("no random delimiter could be found that the texts do not hold")


def fence(name: str, text: str, nonce: str) -> str:
    """``text`` between delimiters; it must have been neutralised, and must not hold ``nonce``."""
    return f"[[{name} {nonce}]]\n{text}\n[[/{name} {nonce}]]"
