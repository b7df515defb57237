"""The language of a text: its script first, then a statistical model within that script.

Short texts in one alphabet are often undecidable, and near-identical languages (Bosnian, Croatian, Serbian; Malay,
Indonesian) are not told apart reliably by any detector: use ``language_family`` where that matters.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from operator import itemgetter

import regex

from ragsonde.scorers.text.identification import LanguageModel

UNDETERMINED = "und"
"""ISO 639-2 code for a language that could not be told."""
CAPITALISED_NOUNS = frozenset({"de", "lb", "nds"})
"""Languages that write nouns with a capital, so that it tells no name."""

_SAMPLE_CHARACTERS = 2000
_COUNTED_CHARACTERS = 600
"""Of those, what the statistics look at: more decides no language that this does not, and takes longer."""
_MIN_LETTERS = 6
_MIN_CONFIDENCE = 0.4
_MIN_CONFIDENCE_LONG = 0.25
_LONG_LETTERS = 40

# Languages that a question-answering service meets seldom, and that resemble one it meets often.
_RARE = frozenset(
    {"ca", "gl", "eu", "ga", "cy", "mt", "eo", "af", "nn", "is", "sq", "az", "sw", "be", "ky", "mn", "mk", "ne"}
)
_RARE_WEIGHT = 0.5

_FAMILIES = {
    "bs": "hbs", "hr": "hbs", "sr": "hbs", "sh": "hbs", "cnr": "hbs",
    "ms": "msa", "id": "msa",
    "nb": "no", "nn": "no",
    "gl": "pt",
}  # fmt: skip

SCRIPTS: Mapping[str, tuple[str, ...]] = {
    "Latin": (
        "en", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sk", "sl", "hr", "bs", "sr", "ro", "hu", "fi", "sv",
        "da", "nb", "nn", "no", "et", "lv", "lt", "tr", "az", "vi", "id", "ms", "tl", "sw", "sq", "eu", "ca", "gl",
        "ga", "cy", "is", "mt", "af", "eo",
    ),
    "Cyrillic": ("ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "mn"),
    "Arabic": ("ar", "fa", "ur", "ps", "ug"),
    "Devanagari": ("hi", "mr", "ne"),
    "Han": ("zh",), "Hiragana": ("ja",), "Katakana": ("ja",), "Hangul": ("ko",), "Thai": ("th",), "Lao": ("lo",),
    "Khmer": ("km",), "Myanmar": ("my",), "Hebrew": ("he",), "Greek": ("el",), "Armenian": ("hy",),
    "Georgian": ("ka",), "Bengali": ("bn",), "Gujarati": ("gu",), "Gurmukhi": ("pa",), "Oriya": ("or",),
    "Tamil": ("ta",), "Telugu": ("te",), "Kannada": ("kn",), "Malayalam": ("ml",), "Sinhala": ("si",),
    "Ethiopic": ("am",), "Tibetan": ("bo",),
}  # fmt: skip

# Letters that only one of the script's languages has: surer than statistics on a short text.
_TELLING_LETTERS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "Cyrillic": (("ђћ", "sr"), ("ѓќѕ", "mk"), ("ў", "be"), ("әғқұһ", "kk"), ("їєґ", "uk"), ("ј", "sr"), ("ыэ", "ru")),
    "Arabic": (("ٹڈڑںےۓ", "ur"), ("ۀڼښځ", "ps")),
}

_SIGNS_OF_NOISE = ("http", "@", "`", "<")
"""What ``_NOISE`` cannot match without."""
_NOISE = regex.compile(r"https?://\S+|\S+@\S+|```.*?(?:```|$)|`[^`\n]*`|<[^<>]{1,200}>", flags=regex.DOTALL)
_LETTER_OF = {script: regex.compile(rf"\p{{Script={script}}}") for script in SCRIPTS}
_LETTER = regex.compile(r"\p{L}")
_ASCII_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


@cache
def _model() -> LanguageModel:
    return LanguageModel()


def language_family(code: str) -> str:
    """The group of near-identical languages that ``code`` belongs to (``hbs`` for bs, hr, sr; ``msa`` for ms, id)."""
    return _FAMILIES.get(code, code)


def detect_language(text: str) -> str:
    """ISO 639 code of the language of ``text``; ``und`` where there is too little to tell.

    Only the first 2,000 characters count; URLs, addresses, code and tags do not.
    """
    return _detect(text[:_SAMPLE_CHARACTERS])


@lru_cache(maxsize=256)
def _detect(text: str) -> str:
    sample = _NOISE.sub(" ", text) if any(sign in text for sign in _SIGNS_OF_NOISE) else text
    plain, rest = _parted(sample)
    letters = plain + len(_LETTER.findall(rest))
    script = _main_script(plain, rest) if letters else None
    if script is None:
        return UNDETERMINED
    candidates = SCRIPTS[script]
    if len(candidates) == 1:
        return candidates[0]
    lowered = sample.casefold()
    for telling, code in _TELLING_LETTERS.get(script, ()):
        if sum(lowered.count(letter) for letter in telling) * 100 >= letters:
            return code
    return _most_likely(lowered, candidates, letters)


def scripts_of(text: str) -> frozenset[str]:
    """The scripts (Unicode names) that ``text`` writes, of those with a language we can tell."""
    plain, rest = _parted(text[:_SAMPLE_CHARACTERS])
    return frozenset(
        script
        for script, pattern in _LETTER_OF.items()
        if (plain and script == "Latin") or (rest and pattern.search(rest))
    )


def _parted(text: str) -> tuple[int, str]:
    """How many letters of the ASCII a text has, and all that is not ASCII: mostly little, so looked at more cheaply."""
    if text.isascii():
        return _ascii_letters(text.encode()), ""
    return _ascii_letters(text.encode("ascii", "ignore")), "".join(_NOT_ASCII.findall(text))


def _ascii_letters(text: bytes) -> int:
    return len(text) - len(text.translate(None, delete=_ASCII_LETTERS))


def _main_script(plain: int, rest: str) -> str | None:
    """The script of most letters, of which ``plain`` are ASCII ones and the others stand in ``rest``."""
    if not rest:
        return "Latin"
    counts = {script: len(pattern.findall(rest)) for script, pattern in _LETTER_OF.items()}
    counts["Latin"] += plain
    # Japanese mixes Han with kana, so more kana than a quoted name has decides.
    kana = counts["Hiragana"] + counts["Katakana"]
    together = counts["Han"] + kana
    if (counts["Hiragana"] * 20 >= together > 0 or kana * 5 >= together > 0) and counts["Hangul"] <= kana:
        counts["Hiragana"], counts["Han"], counts["Katakana"] = kana + counts["Han"], 0, 0
    # A character of these scripts says about as much as two letters of an alphabet.
    weights = {
        script: count * (2 if script in ("Han", "Hiragana", "Hangul") else 1) for script, count in counts.items()
    }
    script = max(weights, key=lambda name: weights[name])
    return script if weights[script] else None


def _most_likely(sample: str, candidates: tuple[str, ...], letters: int) -> str:
    if letters < _MIN_LETTERS:
        return UNDETERMINED
    likely = _model().probabilities(sample[:_COUNTED_CHARACTERS])
    weighed = [(code, likely[code] * (_RARE_WEIGHT if code in _RARE else 1.0)) for code in candidates if code in likely]
    ranked = sorted(weighed, key=itemgetter(1), reverse=True)
    total = sum(probability for _, probability in ranked)
    if total <= 0.0:
        return UNDETERMINED
    best = ranked[0][0]
    family = language_family(best)
    confidence = sum(probability for code, probability in ranked if language_family(code) == family) / total
    needed = _MIN_CONFIDENCE_LONG if letters >= _LONG_LETTERS else _MIN_CONFIDENCE
    return best if confidence >= needed else UNDETERMINED
