"""One site out of several pages: the same frame, the same headers, and assets that may be kept for good."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from ragsonde import __version__
from ragsonde.collector.clock import Clock
from ragsonde.exporters.pages import evidence, wording

_HERE = Path(__file__).parent
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    # With "no-referrer" browsers would hide the origin of our own forms, by which foreign ones are told apart.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""Of every page, and of the JSON behind it."""
GZIP = [Middleware(GZipMiddleware, minimum_size=1024)]
"""For routes of pages."""


@dataclass(frozen=True, slots=True)
class Link:
    """A page to lead to from the head of each."""

    label: str
    path: str


class Assets(StaticFiles):
    """Files under an address that holds a digest of them all, so that a browser may keep them for good.

    Without the digest they are served too, to be asked for anew each time.
    """

    def __init__(self, name: str, directories: Sequence[Path]) -> None:
        super().__init__(directory=directories[0])
        self.all_directories = list(directories)
        self.path = f"/assets/{name}"
        self._digest = _digest(directories)

    def address(self, file: str) -> str:
        """Return the address of a file."""
        return f"{self.path}/{self._digest}/{file}"

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Serve a file."""
        digest, _, file = path.partition("/")
        lasting = digest == self._digest
        response = await super().get_response(file if lasting else path, scope)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable" if lasting else "no-cache"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response


class Site:
    """Renders the templates of one part of the site within the common frame."""

    def __init__(
        self,
        name: str,
        directory: Path,
        clock: Clock,
        *,
        links: Sequence[Link] = (),
        values: Mapping[str, Any] | None = None,
        filters: Mapping[str, Callable[..., Any]] | None = None,
    ) -> None:
        """Take the part's own templates and assets.

        Args:
            name: of the part; its assets lie under ``/assets/NAME``.
            directory: holds ``templates`` and ``static``.
            clock: says what time it is on the page.
            links: the pages that the head leads to.
            values: what templates may use beside what they are given.
            filters: for the templates.
        """
        self._clock = clock
        self._assets = Assets(name, [directory / "static", _HERE / "static"])
        self._templates = Environment(
            loader=FileSystemLoader([directory / "templates", _HERE / "templates"]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters |= {**wording.FILTERS, **(filters or {})}
        self._templates.globals |= {
            "links": tuple(links),
            "version": __version__,
            "asset": self._assets.address,
            "fault_name": wording.FAULT,
            **evidence.VALUES,
            **(values or {}),
        }

    def assets(self) -> Mount:
        """Return the route of the assets."""
        return Mount(self._assets.path, self._assets)

    def render(self, template: str, *, status_code: int = 200, here: str = "", **values: Any) -> HTMLResponse:
        """Return a page; ``here`` is the path of the link in its head that leads to it."""
        html = self._templates.get_template(template).render(now=self._clock.wall(), here=here, **values)
        # A lone surrogate in an application's text cannot be sent as UTF-8.
        return HTMLResponse(html.encode("utf-8", "replace"), status_code=status_code, headers=dict(HEADERS))


def _digest(directories: Sequence[Path]) -> str:
    found = hashlib.sha256()
    for path in sorted(path for directory in directories for path in directory.rglob("*") if path.is_file()):
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:12]
