"""Detecting credentials by the name before them: ``DB_PASSWORD=…``, ``X-Api-Key: …``, ``?sig=…``, ``--token …``.

A name alone is no sign: *password: must have 12 characters* is a rule, not a password. So what follows must also look
made up. What is spelt like words and numbers (``read-only``, ``SHA-256-hashed``, ``12-stellig``) is left alone.
"""

import re
from collections.abc import Callable, Iterator

_NAMES_OF_WORDS = (
    r"pass[ _-]?(?:word|wd|phrase|code)|(?<=[_-])pass|passwort|kennwort|pwd|hasł[oa]|пароль|lozink[au]|"
    r"kata[ _]?laluan|contraseña|mot[ _]de[ _]passe|senha|密[码碼]|口令|パスワード|비밀번호"
)
_NAMES_OF_KEYS = (
    r"(?:api|access|account|auth|secret|private|signing|encryption|subscription|storage|license)[ _-]?key|"
    r"token|secret|credentials?|(?<=[?&])(?:key|sig|code)|signature"
)
_SEPARATOR = r"[0-9]{0,2}[\"'`*\]]{0,3}[ \t]{0,3}(?:=>|:=|[=:：])\*{0,2}[ \t]{0,3}"
_NAME = re.compile(
    rf"(?P<flag>(?<!-)--[a-z-]{{0,24}})?(?:(?P<password>{_NAMES_OF_WORDS})|{_NAMES_OF_KEYS})"
    rf"(?:(?(flag)[ \t]|(?!))|{_SEPARATOR})(?P<open>[\"'`*]{{0,3}})",
    re.IGNORECASE,
)

_QUOTED = re.compile(r"[^\"'`\n]{6,128}")
_PASSWORD = re.compile(r"(?:(?![\"'`,;<>|])[!-~À-ɏЀ-ӿ]){6,128}")
_QUERY_VALUE = re.compile(r"[^\s&#\"'`<>]{6,512}")
_KEY = re.compile(r"[A-Za-z0-9_+/.~%-]{16,512}={0,2}")
_KEY_REST = re.compile(r"[A-Za-z0-9_+/.~%=-]*+")

_STANDS_FOR_ONE = re.compile(r"\$\{|\$[A-Z_]+\b|%[A-Z_]+%|\{\{|\[|\(|<|\*{3}|[A-Za-z_][\w.]{0,60}[(\[]")
"""A placeholder, a variable or a call in the place of a value."""
_SYMBOL_INSIDE = re.compile(r"[^\W_][@#$%^*+=~!\\][^\W_]")
_BETWEEN_WORDS = re.compile(r"[-–/._:+&]+")
_WORD = re.compile(
    r"[0-9]+ | [^\W\d_]?[a-zß-öø-ÿа-џ]+(?:[A-ZА-Я][a-zа-џ]+)* | [A-ZÀ-ÞА-Я]+ | [0-9]{1,2}[^\W\d_]+ | v[0-9]+"
    r"| (?i:sha|md|hs|rs|es|aes|base|utf|oauth|saml|fido|pbkdf|argon|ed|curve|tls|ipv|x|p|k|s)[0-9]{1,5}(?:s|id)?",
    re.VERBOSE,
)
_VERSIONED = re.compile(r"[A-Za-z]{2,12}[0-9]{1,2}")
"""``llama3``: a word in names of models and paths, of which a key is not made; but passwords are."""
_LEAST_KEY = 16


def find_named_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the values lie that a name calls secret and that look it. Takes time linear in the text."""
    position = 0
    while name := _NAME.search(text, position):
        span = _value(text, name)
        position = span[1] if span else name.end()
        if span:
            yield span


def _value(text: str, name: re.Match[str]) -> tuple[int, int] | None:
    start = name.end()
    if name["password"]:
        if text[name.start() - 1 : name.start()] in ("?", "&"):
            pattern = _QUERY_VALUE
        else:
            pattern = _QUOTED if name["open"][-1:] in ("'", '"', "`") else _PASSWORD
        return _span(text, start, pattern, _is_password)
    span = _span(text, start, _KEY, _is_key)
    rest = _KEY_REST.match(text, span[1]) if span else None
    return (start, rest.end()) if rest else None


def _span(text: str, start: int, pattern: re.Pattern[str], is_secret: Callable[[str], bool]) -> tuple[int, int] | None:
    found = pattern.match(text, start)
    if found is None or _STANDS_FOR_ONE.match(text, start):
        return None
    value = found.group().rstrip(".:?)]} *")
    return (start, start + len(value)) if is_secret(value) else None


def _is_password(value: str) -> bool:
    if len(value) < 6 or not any(character.isalpha() for character in value):
        return value.isdigit() and len(value) >= 6
    if not any(character.isdigit() for character in value):
        return " " not in value and _SYMBOL_INSIDE.search(value) is not None
    return not all(_WORD.fullmatch(part) for part in _parts(value))


def _is_key(value: str) -> bool:
    has_both = any(character.isdigit() for character in value) and any(character.isalpha() for character in value)
    return (
        len(value) >= _LEAST_KEY
        and has_both
        and not all(_WORD.fullmatch(part) or _VERSIONED.fullmatch(part) for part in _parts(value))
    )


def _parts(value: str) -> list[str]:
    """Take a value apart into what would be words and numbers in prose, in paths and in names of models."""
    return [part for word in value.split() for part in _BETWEEN_WORDS.split(word.strip("()!,")) if part]
