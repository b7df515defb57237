"""Detecting payment card numbers and IBANs by their check digits."""

import re
from collections.abc import Iterator
from functools import cache

from ragsonde.redaction.finding import WORD, Finding, RedactionUnavailableError, ends_at, with_ascii_digits

try:
    from stdnum import iban, luhn, numdb
except ImportError as _error:
    raise RedactionUnavailableError(
        "redacting cards and IBANs needs python-stdnum: pip install 'ragsonde[redaction]'"
    ) from _error

CARD_LABEL = "CARD"
IBAN_LABEL = "IBAN"

_CARD = re.compile(rf"(?<![{WORD}.,])[0-9](?:[ \u00a0-]?[0-9]){{11,18}}")
# Issuer ranges and lengths (ISO/IEC 7812 registrations): one random number in ten passes the check digit alone.
_ISSUERS = re.compile(
    r"""(?:
        4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})                                            # Visa
      | (?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}  # Mastercard
      | 3[47][0-9]{13}                                                                # American Express
      | (?:30[0-5]|3[689][0-9])[0-9]{11}                                              # Diners
      | (?:6011|64[4-9][0-9]|65[0-9]{2})[0-9]{12,15}                                  # Discover
      | 35(?:2[89]|[3-8][0-9])[0-9]{12,15}                                            # JCB
      | 62[0-9]{14,17}                                                                # UnionPay
      | 220[0-4][0-9]{12,15}                                                          # Mir
      | (?:50[0-9]{2}|5[6-8][0-9]{2}|6304|67[0-9]{2})[0-9]{8,15}                      # Maestro
    )""",
    re.VERBOSE,
)
_ISSUER_START = re.compile(r"[2-6]")
_GROUP = re.compile(r"[0-9]+")
_IBAN_START = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z]{2}|[A-Z]{2}[ \u00a0-])[0-9]{2}(?=[ \u00a0-]?[A-Za-z0-9])")
_IBAN_REST = re.compile(r"(?:[ \u00a0-]?[A-Za-z0-9]){11,30}")


def find_cards(text: str) -> Iterator[Finding]:
    """Yield payment card numbers: a known issuer's range and length, and the Luhn check digit (ISO/IEC 7812-1)."""
    plain = with_ascii_digits(text)
    position = 0
    while match := _CARD.search(plain, position):
        end = _card_end(plain, match.start(), match.end())
        if end is not None:
            yield Finding(match.start(), end, CARD_LABEL)
        # A number may be preceded by another one: look again from the next group of digits.
        position = end or _GROUP.match(plain, match.start()).end()  # type: ignore[union-attr] # it starts with a digit


def _card_end(text: str, start: int, end: int) -> int | None:
    """Return where the card number that begins at ``start`` ends; None where none does."""
    places = [index for index in range(start, end) if text[index].isdigit()]
    number = "".join(text[index] for index in places)
    if not _ISSUER_START.match(number):
        return None
    for count in range(len(places), 11, -1):
        boundary = places[count - 1] + 1
        if not ends_at(text, boundary):
            continue
        if _ISSUERS.fullmatch(number, 0, count) and luhn.is_valid(number[:count]):
            return boundary
    return None


def find_ibans(text: str) -> Iterator[Finding]:
    """Yield IBANs: the country's length and structure, and the check digits (ISO 13616)."""
    plain = with_ascii_digits(text)
    for match in _IBAN_START.finditer(plain):
        length = _account_length(match.group()[:2].upper())
        rest = _IBAN_REST.match(plain, match.end()) if length else None
        if length is None or rest is None:
            continue
        places = [index for index in range(rest.start(), rest.end()) if plain[index].isalnum()]
        if len(places) < length:
            continue
        end = places[length - 1] + 1
        number = match.group()[:2] + match.group()[-2:] + "".join(plain[index] for index in places[:length])
        if ends_at(plain, end) and iban.is_valid(number, check_country=False):
            yield Finding(match.start(), end, IBAN_LABEL)


@cache
def _account_length(country: str) -> int | None:
    """Return the number of characters after the check digits; None for a country without IBANs."""
    properties = numdb.get("iban").info(country + "00")[0][1]
    structure = properties.get("bban") if properties else None
    return sum(int(count) for count in _GROUP.findall(structure)) if structure else None
