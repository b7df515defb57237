"""One item: the answer, its evidence, and what the reviewer says of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from ragsonde.exporters.pages.site import GZIP, Site
from ragsonde.exporters.quality import claims
from ragsonde.review.desk import ReviewConflictError, ReviewDesk, UnknownItemError
from ragsonde.review.model import ItemState, Review, ReviewItem, Turn
from ragsonde.review.web.addresses import Asked, item_path
from ragsonde.review.web.answering import answered, as_json, wants_json
from ragsonde.review.web.forms import fields_of, review_of, same_content, says_nothing
from ragsonde.review.web.guard import TOKEN_COOKIE, RefusedError, guarded_form, keep_cookie, token_of
from ragsonde.review.web.item_view import item_view
from ragsonde.review.web.queue_page import PATH, QueuePages
from ragsonde.review.web.reviewer import reviewer_of

Form = Mapping[str, str]


class ItemPages:
    """Shows an item and takes what is said of it."""

    def __init__(
        self, desk: ReviewDesk, site: Site, queue: QueuePages, *, rubrics: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Take the desk.

        Args:
            desk: holds the items.
            site: renders the pages.
            queue: leads to the next item.
            rubrics: the operator's own rubrics with their labels.
        """
        self._desk = desk
        self._site = site
        self._queue = queue
        self._rubrics = rubrics or {}
        self._actions: Mapping[str, Callable[[Request, Form, str, str], Response]] = {
            "save": self._save,
            "next": self._save_and_next,
            "skip": self._skip,
            "dismiss": self._dismiss,
            "restore": self._restore,
            "undo": self._undo,
            "hold": self._hold,
        }

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            Route("/review/items/{item_id:path}", answered(self._site, self._show), middleware=GZIP),
            Route("/review/items/{item_id:path}", answered(self._site, self._act), methods=["POST"]),
        ]

    async def _show(self, request: Request) -> Response:
        return await run_in_threadpool(self._render, request)

    async def _act(self, request: Request) -> Response:
        form = await guarded_form(request)
        reviewer = reviewer_of(request)
        if reviewer is None:
            raise RefusedError(403, "say who you are first: open the queue and give a name")
        action = self._actions.get(form.get("action", "save"))
        if action is None:
            raise RefusedError(400, f"field action: one of {', '.join(self._actions)}")
        return await run_in_threadpool(action, request, form, request.path_params["item_id"], reviewer)

    def _render(
        self, request: Request, *, given: Review | None = None, conflict: Review | None = None, status_code: int = 200
    ) -> Response:
        """Show the item, with what was ``given`` in the form where it could not be saved for a ``conflict``."""
        token, asked, reviewer = token_of(request), Asked.read(request.query_params), reviewer_of(request)
        if reviewer is None:
            to = item_path(request.path_params["item_id"]) + asked.query()
            response: Response = self._site.render("who.html", here=PATH, token=token, to=to)
        else:
            item = self._desk.item(request.path_params["item_id"])
            response = self._site.render(
                "item.html",
                status_code=status_code,
                here=PATH,
                token=token,
                reviewer=reviewer,
                asked=asked,
                view=item_view(item, reviewer, self._turns(item, reviewer), self._rubrics, given=given),
                conflict=conflict,
                told=request.query_params.get("told", ""),
                before=request.query_params.get("before", ""),
                held_by=self._holder(item, reviewer),
            )
        keep_cookie(request, response, TOKEN_COOKIE, token)
        return response

    def _turns(self, item: ReviewItem, reviewer: str) -> list[Turn]:
        """The conversation, without verdicts of others on what this reviewer may yet have to label blind."""
        interaction = item.scored.interaction
        if interaction.conversation_id is None:
            return []
        turns = self._desk.conversation(interaction.conversation_id, interaction.app)
        return [self._unspoiled(turn, item, reviewer) for turn in turns]

    def _unspoiled(self, turn: Turn, shown: ReviewItem, reviewer: str) -> Turn:
        if turn.verdict is None or not turn.in_queue:
            return turn
        try:
            item = shown if turn.id == shown.scored.interaction.id else self._desk.item(turn.id)
        except UnknownItemError:  # past its retention since the conversation was read
            return turn
        if item.state is not ItemState.OPEN:
            return turn
        own = next((review.verdict for review in item.reviews if review.reviewer == reviewer), None)
        return replace(turn, verdict=own)

    def _holder(self, item: ReviewItem, reviewer: str) -> str | None:
        if item.state is not ItemState.OPEN:
            return None
        return self._desk.hold(item.scored.interaction.id, reviewer)

    # What can be done -----------------------------------------------------------------------------------------

    def _save(self, request: Request, form: Form, item_id: str, reviewer: str) -> Response:
        given = review_of(form, item_id, reviewer)
        try:
            saved = self._store(given)
        except ReviewConflictError as error:
            return self._collided(request, given, error.latest)
        if wants_json(request):
            return as_json({"review": fields_of(saved)})
        return self._back(request, item_id, told="kept")

    def _save_and_next(self, request: Request, form: Form, item_id: str, reviewer: str) -> Response:
        given = review_of(form, item_id, reviewer)
        if says_nothing(given):
            return self._back(request, item_id, told="empty")
        try:
            self._store(given)
        except ReviewConflictError as error:
            return self._collided(request, given, error.latest)
        return self._queue.to_next(request, told="saved", before=item_id)

    def _skip(self, request: Request, form: Form, item_id: str, reviewer: str) -> Response:
        given = replace(review_of(form, item_id, reviewer), skipped=True)
        try:
            self._store(given)
        except ReviewConflictError as error:
            return self._collided(request, given, error.latest)
        return self._queue.to_next(request, told="skipped", before=item_id)

    def _dismiss(self, request: Request, _form: Form, item_id: str, reviewer: str) -> Response:
        self._desk.dismiss(item_id, reviewer)
        return self._queue.to_next(request, told="dismissed", before=item_id)

    def _restore(self, request: Request, _form: Form, item_id: str, reviewer: str) -> Response:
        self._desk.dismiss(item_id, reviewer, dismissed=False)
        return self._back(request, item_id, told="restored")

    def _undo(self, request: Request, _form: Form, item_id: str, reviewer: str) -> Response:
        stands = self._desk.undo(item_id, reviewer)
        if wants_json(request):
            return as_json({"review": fields_of(stands)})
        return self._back(request, item_id, told="undone")

    def _hold(self, _request: Request, _form: Form, item_id: str, reviewer: str) -> Response:
        return as_json({"held_by": self._desk.hold(item_id, reviewer)})

    def _store(self, given: Review) -> Review:
        """Save, but not what stands there already: the history would only grow."""
        item = self._desk.item(given.item_id)
        count = len(claims(item.scored))
        if (beyond := max(given.claims, default=-1)) >= count:
            raise RefusedError(400, f"field claim-{beyond}: the answer has {count} claims; reload the page")
        stored = next((review for review in item.reviews if review.reviewer == given.reviewer), None)
        return stored or given if same_content(stored, given) else self._desk.save(given)

    def _collided(self, request: Request, given: Review, latest: Review) -> Response:
        """Show what somebody saved meanwhile beside what was to be saved; nothing of either is lost."""
        if wants_json(request):
            told = "you have saved this item elsewhere meanwhile"
            return as_json({"error": told, "latest": fields_of(latest)}, 409)
        return self._render(request, given=replace(given, version=latest.version), conflict=latest, status_code=409)

    def _back(self, request: Request, item_id: str, *, told: str) -> Response:
        return RedirectResponse(item_path(item_id) + Asked.read(request.query_params).query(told=told), 303)
