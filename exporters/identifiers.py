"""Whether a value names one thing out of many (a user, a request, an address) rather than a kind of thing."""

import ipaddress
import re
from itertools import pairwise

_ADDRESS = re.compile(
    r"""://|www\.|[^@\s]+@[^@\s]+\.|^/
      | ^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?::\d+)?/(?:[^/]*\d[^/]*$|[^/]+/)   # api.example.com/users/...
      | /\d+(?:/|$)                                                         # .../48291
      | \d{1,3}(?:\.\d{1,3}){3}
      | \b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b                               # MAC
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""URLs with or without a scheme, e-mail addresses, paths, addresses of machines."""
_PHONE = re.compile(r"\+\d[\d ().-]{6,}")
_KEY = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{16,}|\d{9,}", re.IGNORECASE)
"""UUIDs, digests, serial numbers."""
_NUMBERED = re.compile(
    r"""(?<![^\W\d_])(?:users?|usr|uid|customers?|cust|clients?|tenants?|accounts?|acct|members?|patients?|employees?|visitors?
      |guests?|devices?|sessions?|sess|conversations?|conv|chats?|threads?|orders?|tickets?|requests?|req|traces?|spans?|messages?|msg
      |kunden?|nutzer|benutzer|konto|sitzung|utilisateurs?|usuarios?|clientes?|utente|utenti|gebruikers?|klant|klient|użytkownik
      |uživatel|korisnik|klijent|пользователь|клиент|сессия|користувач|клієнт|kullanıcı|müşteri|pengguna|pelanggan|用户|客户|会话
      |ユーザー|顧客|사용자|고객|مستخدم|عميل|کاربر|ผู้ใช้)(?:[\W_]*id)?[\W_]*\d{3,}""",
    re.IGNORECASE | re.VERBOSE,
)
_DATE_OR_SIZE = re.compile(
    r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|(?:19|20)?\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?"
    r"|16384|32768|65536|131072|262144"
)
"""Long numbers in the names of models: the day that one was made, and how many tokens it takes."""
_LONG_NUMBER = 5
_LONG_TOKEN = 8
_FEWEST_CHANGES = 3


def is_identifier(value: str) -> bool:
    """Whether a value looks like an id, a telephone number, an address, or a path with one of them in it."""
    if any(pattern.search(value) for pattern in (_ADDRESS, _PHONE, _KEY, _NUMBERED)):
        return True
    if not any(sign.isalpha() for sign in value) and sum(sign.isdigit() for sign in value) >= _LONG_NUMBER:
        return True
    return any(map(_is_key, re.findall(r"[^\W_]+", value))) or any(map(_is_ip_address, re.split(r"[\s/\[\]]", value)))


def _is_key(token: str) -> bool:
    """Whether a run of letters and digits is a long number, or one of both mixed as nobody would name a thing."""
    if any(len(digits) >= _LONG_NUMBER and not _DATE_OR_SIZE.fullmatch(digits) for digits in re.findall(r"\d+", token)):
        return True
    changes = sum(one.isdigit() != other.isdigit() for one, other in pairwise(token))
    return len(token) >= _LONG_TOKEN and changes >= _FEWEST_CHANGES


def _is_ip_address(token: str) -> bool:
    try:
        ipaddress.ip_address(token.partition("%")[0])
    except ValueError:
        return False
    return True
