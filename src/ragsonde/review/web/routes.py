"""The routes of the review pages, the overview and their downloads."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from starlette.routing import BaseRoute

from ragsonde.collector.clock import Clock
from ragsonde.exporters.pages.site import Link, Site
from ragsonde.review.desk import ReviewDesk
from ragsonde.review.model import ItemState, SelectedBecause
from ragsonde.review.overview import OverviewSource
from ragsonde.review.web import words
from ragsonde.review.web.addresses import item_path
from ragsonde.review.web.downloads import Downloads
from ragsonde.review.web.forms import VERDICTS, offered
from ragsonde.review.web.item_page import ItemPages
from ragsonde.review.web.overview_page import OverviewPage
from ragsonde.review.web.queue_page import QueuePages

_HERE = Path(__file__).parent


def review_routes(
    desk: ReviewDesk,
    overview: OverviewSource,
    *,
    clock: Clock,
    links: Sequence[Link] = (),
    rubrics: Mapping[str, Sequence[str]] | None = None,
) -> list[BaseRoute]:
    """Return the routes under ``/review`` and ``/overview``, and their assets.

    Args:
        desk: the queue and the reviews.
        overview: what the overview shows.
        clock: says what time it is; stretches of the overview end there.
        links: the pages that the head of each page leads to.
        rubrics: the operator's own rubrics by name, with the labels to choose from.
    """
    site = Site(
        "review",
        _HERE,
        clock,
        links=links,
        values={
            "verdicts": VERDICTS,
            "item_path": item_path,
            "reasons": list(SelectedBecause),
            "states": list(ItemState),
        },
        filters={**words.FILTERS, "offered": offered},
    )
    queue = QueuePages(desk, site)
    return [
        *queue.routes(),
        *ItemPages(desk, site, queue, rubrics=rubrics).routes(),
        *Downloads(desk, site, clock).routes(),
        *OverviewPage(overview, site, clock).routes(),
        site.assets(),
    ]
