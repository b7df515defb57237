"""The queue: which answers wait to be looked at, and the way to the next one."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from ragsonde.exporters.pages.site import GZIP, Site
from ragsonde.review.desk import ReviewDesk
from ragsonde.review.model import ItemState
from ragsonde.review.web.addresses import ANY_STATE, Asked, item_path
from ragsonde.review.web.answering import answered
from ragsonde.review.web.guard import TOKEN_COOKIE, guarded_form, keep_cookie, token_of
from ragsonde.review.web.reviewer import COOKIE, COOKIE_SECONDS, clean_name, cookie_value, reviewer_of

PATH = "/review"
_PAGE_SIZE = 50


class QueuePages:
    """Lists the queue, asks for the reviewer's name, and leads to the next item."""

    def __init__(self, desk: ReviewDesk, site: Site) -> None:
        self._desk = desk
        self._site = site

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            Route(PATH, answered(self._site, self._queue), middleware=GZIP),
            Route("/review/reviewer", answered(self._site, self._name), methods=["POST"]),
            Route("/review/next", answered(self._site, self._next), methods=["POST"]),
            Route("/review/undo", answered(self._site, self._undo), methods=["POST"]),
        ]

    async def _queue(self, request: Request) -> Response:
        return await run_in_threadpool(self._list, request)

    def _list(self, request: Request) -> Response:
        reviewer, asked = reviewer_of(request), Asked.read(request.query_params)
        cursor = request.query_params.get("cursor") or None
        token = token_of(request)
        response = self._site.render(
            "queue.html",
            here=PATH,
            token=token,
            reviewer=reviewer,
            asked=asked,
            page=self._desk.queue(asked.wanted(reviewer), cursor=cursor, limit=_PAGE_SIZE),
            choices=self._desk.choices(),
            counts=_by_state(self._desk),
            on_later_page=cursor is not None,
            any_state=ANY_STATE,
            finished=request.query_params.get("finished") == "1",
            renaming=request.query_params.get("rename") == "1",
            can_undo=reviewer is not None and self._desk.last_changed(reviewer) is not None,
        )
        keep_cookie(request, response, TOKEN_COOKIE, token)
        return response

    async def _name(self, request: Request) -> Response:
        form = await guarded_form(request)
        name = clean_name(form.get("name", ""))
        goal = form.get("to", PATH)
        response = RedirectResponse(goal if _is_ours(goal) and name else f"{PATH}?rename=1", 303)
        if name:
            keep_cookie(request, response, COOKIE, cookie_value(name), seconds=COOKIE_SECONDS)
        return response

    async def _next(self, request: Request) -> Response:
        await guarded_form(request)
        return await run_in_threadpool(self.to_next, request)

    def to_next(self, request: Request, **told: str) -> Response:
        """Lead to the next item for the reviewer, by the filters in the address; ``told`` is to be said there."""
        reviewer, asked = reviewer_of(request), Asked.read(request.query_params)
        if reviewer is None:
            return RedirectResponse(PATH + asked.query(rename="1"), 303)
        found = self._desk.take_next(reviewer, asked.wanted(None, state=ItemState.OPEN))
        if found is None:
            return RedirectResponse(PATH + asked.query(finished="1"), 303)
        return RedirectResponse(item_path(found) + asked.query(**told), 303)

    async def _undo(self, request: Request) -> Response:
        await guarded_form(request)
        return await run_in_threadpool(self._take_back, request)

    def _take_back(self, request: Request) -> Response:
        reviewer, asked = reviewer_of(request), Asked.read(request.query_params)
        changed = None if reviewer is None else self._desk.last_changed(reviewer)
        if reviewer is None or changed is None:
            return RedirectResponse(PATH + asked.query(), 303)
        self._desk.undo(changed, reviewer)
        return RedirectResponse(item_path(changed) + asked.query(told="undone"), 303)


def _by_state(desk: ReviewDesk) -> dict[ItemState, int]:
    counts = dict.fromkeys(ItemState, 0)
    for (_, state), count in desk.counts().items():
        counts[state] += count
    return counts


def _is_ours(path: str) -> bool:
    """Whether a path leads to the review pages: no other place may be led to by a form's field."""
    return path == PATH or (path.startswith(("/review/items/", "/review?")) and "\\" not in path)
