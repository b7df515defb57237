"""Who is at the page: a name that is asked for once. It is no account and no proof of anything."""

import base64
import unicodedata
from urllib.parse import quote, unquote

from starlette.requests import Request

COOKIE = "ragsonde_reviewer"
COOKIE_SECONDS = 365 * 24 * 3600
MAX_CHARACTERS = 60


def reviewer_of(request: Request) -> str | None:
    """Return the reviewer's name: the one given, else the user of HTTP Basic; None where neither is there."""
    kept = clean_name(unquote(request.cookies.get(COOKIE, "")))
    return kept or clean_name(_basic_user(request.headers.get("authorization", ""))) or None


def cookie_value(name: str) -> str:
    """Return a name as the cookie keeps it."""
    return quote(name, safe="")


def clean_name(given: str) -> str:
    """Return a name without what cannot be seen or would turn the text around it; empty where nothing is left."""
    visible = (" " if _is_unseen(character) else character for character in unicodedata.normalize("NFC", given))
    return " ".join("".join(visible).split())[:MAX_CHARACTERS].strip()


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character).startswith("C")


def _basic_user(header: str) -> str:
    scheme, _, credentials = header.partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(credentials, validate=True).decode("utf-8").partition(":")[0]
    except ValueError:
        return ""
