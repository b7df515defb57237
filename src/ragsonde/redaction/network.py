"""Detecting e-mail and IP addresses."""

import ipaddress
import re
from collections.abc import Iterator

from ragsonde.redaction.finding import WORD, Finding, with_ascii_digits

EMAIL_LABEL = "EMAIL"
IP_LABEL = "IP"

# Latin and Cyrillic letters, so that an address inside Chinese text, which has no spaces, ends where it should.
_LETTERS = r"A-Za-z0-9À-ɏЀ-ӿ"
_LOCAL_PART = re.compile(rf"[{_LETTERS}.!#$%&'*+/=?^_`{{|}}~-]{{1,64}}\Z")
_DOMAIN = re.compile(rf"(?:[{_LETTERS}](?:[{_LETTERS}-]{{0,61}}[{_LETTERS}])?\.){{1,8}}[A-Za-zÀ-ɏЀ-ӿ-]{{2,63}}")
_LONGEST_LOCAL_PART = 64

_IPV4 = re.compile(rf"(?<![{WORD}.])[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}}(?![{WORD}]|\.[0-9])")
_IPV6 = re.compile(rf"(?<![{WORD}:.])[0-9A-Fa-f]{{0,4}}:[0-9A-Fa-f:.]{{1,43}}[0-9A-Fa-f](?![{WORD}:])")
_VERSION_BEFORE = re.compile(
    r"(?:\bv|ver|wersj|верси|сборк|firmware|build|release|ausgabe|izdanj|keluaran|版本|固件)\w{0,8}[.:\s]{0,3}\Z",
    re.IGNORECASE,
)
_LOOK_BEHIND = 20


def find_emails(text: str) -> Iterator[Finding]:
    """Yield e-mail addresses, internationalised ones in Latin and Cyrillic letters included."""
    position = -1
    while (position := text.find("@", position + 1)) >= 0:
        before = text[max(0, position - _LONGEST_LOCAL_PART) : position]
        local = _LOCAL_PART.search(before)
        domain = _DOMAIN.match(text, position + 1) if local else None
        if local and domain:
            yield Finding(position - len(local.group()), domain.end(), EMAIL_LABEL)


def find_ip_addresses(text: str) -> Iterator[Finding]:
    """Yield IPv4 and IPv6 addresses; four-part version numbers after a word for version are left alone."""
    plain = with_ascii_digits(text)
    for match in _IPV4.finditer(plain):
        before = plain[max(0, match.start() - _LOOK_BEHIND) : match.start()]
        if _is_address(match.group()) and not _VERSION_BEFORE.search(before):
            yield Finding(match.start(), match.end(), IP_LABEL)
    for match in _IPV6.finditer(plain):
        value = match.group()
        # Two colons with letters only also stand between words of program code.
        if _is_address(value) and any(character.isdigit() for character in value):
            yield Finding(match.start(), match.end(), IP_LABEL)


def _is_address(value: str) -> bool:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True
