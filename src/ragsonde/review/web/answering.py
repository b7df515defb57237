"""What a page answers when something is wrong: in words, with a remedy, as a page or as JSON."""

import logging
from collections.abc import Awaitable, Callable

import orjson
from starlette.requests import Request
from starlette.responses import Response

from ragsonde.collector.errors import PermanentError, RetryableError
from ragsonde.exporters.pages.site import HEADERS, Site
from ragsonde.review.desk import UnknownItemError
from ragsonde.review.web.guard import RefusedError

_log = logging.getLogger(__name__)

Endpoint = Callable[[Request], Awaitable[Response]]


def wants_json(request: Request) -> bool:
    """Whether the page's script asks, and not the browser for a page."""
    return request.headers.get("accept", "").startswith("application/json")


def as_json(value: object, status_code: int = 200) -> Response:
    """Return JSON with the headers of the pages."""
    return Response(orjson.dumps(value), status_code, dict(HEADERS), "application/json")


def answered(site: Site, endpoint: Endpoint) -> Endpoint:
    """Wrap an endpoint so that what goes wrong in it is told to the reader."""

    async def wrapped(request: Request) -> Response:
        try:
            return await endpoint(request)
        except RefusedError as error:
            return _told(site, request, error.status_code, "This was not taken", error.message)
        except UnknownItemError:
            told = "It was never selected, or it is older than the reviews are kept."
            return _told(site, request, 404, "This item is not here", told)
        except PermanentError as error:
            return _told(site, request, 400, "This cannot be shown", str(error))
        except RetryableError as error:
            _log.warning("the review store does not answer: %s", error)
            told = "The review store does not answer at the moment. Nothing is lost: try again."
            return _told(site, request, 503, "Try again", told)

    return wrapped


def _told(site: Site, request: Request, status_code: int, heading: str, message: str) -> Response:
    if wants_json(request):
        return as_json({"error": message}, status_code)
    return site.render("told.html", status_code=status_code, here="/review", heading=heading, message=message)
