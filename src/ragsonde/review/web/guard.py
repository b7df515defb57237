"""Whether a request that changes something comes from our own page: by its origin, and by a token.

The token stands in a cookie and in every form of the page ("double submit"). A foreign page can neither read it nor,
from another origin, send what the browser would call our own; so either check alone would do, and both must pass.
"""

import hmac
import secrets
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import Response

TOKEN_COOKIE, TOKEN_FIELD = "ragsonde_form", "token"
MAX_BODY_BYTES = 2 * 2**20
"""Of a form: a corrected answer may be long."""
_MAX_FIELDS = 5_000


class RefusedError(Exception):
    """A request that is not taken: the status to answer with, and why."""

    def __init__(self, status_code: int, message: str) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.message = message


def token_of(request: Request) -> str:
    """Return the token that forms of the page are to carry."""
    return request.cookies.get(TOKEN_COOKIE) or secrets.token_urlsafe(24)


def keep_cookie(request: Request, response: Response, name: str, value: str, *, seconds: int | None = None) -> None:
    """Set a cookie that scripts cannot read and that foreign pages cannot make use of."""
    response.set_cookie(
        name,
        value,
        max_age=seconds,
        path="/review",
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


async def guarded_form(request: Request) -> Mapping[str, str]:
    """Read the form of a request that comes from our own page; of a field that is there twice the last one counts.

    Raises:
        RefusedError: it comes from elsewhere, is too large, or is no form.
    """
    _require_own_origin(request)
    form = await _read(request)
    kept = request.cookies.get(TOKEN_COOKIE, "")
    if not kept or not hmac.compare_digest(kept.encode(), form.get(TOKEN_FIELD, "").encode()):
        raise RefusedError(403, "this form is out of date: reload the page, then do it again (cookies must be allowed)")
    return form


def _require_own_origin(request: Request) -> None:
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        own = site == "same-origin"
    else:  # not sent over plain HTTP to other machines
        own = urlsplit(request.headers.get("origin", "")).netloc == request.headers.get("host", "-")
    if not own:
        raise RefusedError(403, "this request does not come from a page of this server, so nothing was changed")


async def _read(request: Request) -> Mapping[str, str]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise RefusedError(415, "a form is expected (application/x-www-form-urlencoded)")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise RefusedError(413, f"the form is larger than {MAX_BODY_BYTES} bytes: shorten the texts")
    try:
        return dict(parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MAX_FIELDS))
    except ValueError as error:
        raise RefusedError(400, f"the form cannot be read: {error}") from error
