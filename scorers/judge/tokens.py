"""A cautious estimate of tokens, by script, for servers whose tokenizer is not at hand."""

import re

_CLASSES = (
    # Words in ASCII letters run at about four characters a token in common tokenizers; three is on the safe side.
    (re.compile(r"[A-Za-z \n]"), 1 / 3),
    # Digits and ASCII signs are split finely by many tokenizers, digits one by one.
    (re.compile(r"[\x00-\x09\x0b-\x1f!-@\[-`{-\x7f]"), 0.8),
    # Letters of two UTF-8 bytes: accented Latin, Greek, Cyrillic, Hebrew, Arabic.
    (re.compile(r"[\u0080-\u07ff]"), 0.75),
    # Three bytes: Indic, Thai, Han, kana, Hangul.
    (re.compile(r"[\u0800-\uffff]"), 1.3),
    # Four bytes: emoji, rare Han; byte fallback may give each byte a token.
    (re.compile(r"[\U00010000-\U0010ffff]"), 3.0),
)


def estimate_tokens(text: str, scale: float = 1.0) -> int:
    """Upper estimate of the tokens in ``text``, times ``scale``; rather too many than too few."""
    weighted = sum(weight * len(pattern.findall(text)) for pattern, weight in _CLASSES)
    return int(weighted * scale) + 1 if text else 0
