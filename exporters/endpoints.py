"""``/metrics``, ``/healthz`` and ``/readyz`` as Starlette routes."""

from collections.abc import Callable, Sequence

from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

Check = Callable[[], Sequence[str]]
"""Returns what is wrong, one sentence each; nothing when all is well. Quick, and callable from any thread."""

_FORMATS = frozenset({"application/openmetrics-text", "text/plain"})
_NO_STORE = {"Cache-Control": "no-store"}


def metrics_endpoint(collector: Collector) -> Route:
    """Serve ``/metrics``: OpenMetrics, with exemplars, to who prefers it, the plain text format to everyone else."""

    def metrics(request: Request) -> Response:
        encode, content_type = choose_encoder(_preferred(request.headers.get("accept", "")))
        return Response(encode(collector), headers={"Content-Type": content_type, "Vary": "Accept", **_NO_STORE})

    return Route("/metrics", metrics, methods=["GET"], middleware=[Middleware(GZipMiddleware, minimum_size=1024)])


def health_endpoints(*, alive: Check, ready: Check) -> list[BaseRoute]:
    """Serve ``/healthz`` (is the process making progress?) and ``/readyz`` (can it do its work at the moment?).

    Each answers 200, or 503 with the reasons.
    """
    return [Route("/healthz", _check_endpoint(alive)), Route("/readyz", _check_endpoint(ready))]


def _check_endpoint(check: Check) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:  # noqa: ARG001 - Starlette's signature
        reasons = list(check())
        body = {"status": "unavailable" if reasons else "ok", "reasons": reasons}
        return JSONResponse(body, status_code=503 if reasons else 200, headers=_NO_STORE)

    return endpoint


def _preferred(accept: str) -> str:
    """Return the media range to answer: the one of the highest weight that names a format we have.

    The client library reads the ranges in their order and does not look at weights (RFC 9110, section 12.5.1).
    """
    ranges = sorted((part.strip() for part in accept.split(",")), key=_weight, reverse=True)
    known = (part for part in ranges if part.partition(";")[0].strip() in _FORMATS and _weight(part) > 0)
    return next(known, "")


def _weight(media_range: str) -> float:
    for parameter in media_range.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
