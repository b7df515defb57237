import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.collector.clock import Clock
from ragsonde.exporters.status.chart import HEIGHT
from ragsonde.review.model import ItemState, Review
from ragsonde.review.overview import Overview
from ragsonde.review.web.overview_view import ALL_METRICS, Stretch, overview_view, step_name
from ragsonde.review.web.routes import review_routes
from tests.exporters.scored import scored
from tests.fakes import FakeClock
from tests.review.web.conftest import NOW, Place
from tests.review.web.elements import Elements
from tests.review.web.overviews import FixedOverview, empty, rich

UNTIL = datetime.fromtimestamp(NOW, UTC)


def page(make: Callable[[datetime, datetime], Overview], clock: Clock | None = None) -> TestClient:
    routes = review_routes(object(), FixedOverview(make), clock=clock or FakeClock(NOW))  # type: ignore[arg-type]
    return TestClient(Starlette(routes=routes))


def test_the_corrected_rate_stands_beside_the_scorer_s_and_people_s() -> None:
    words = Elements(page(rich).get("/overview").text).words
    assert "policy-desk local scorers 6.4% 3.1% to 13%" in words
    assert "corrected by people 6.4% 3.1% to 13% people alone 8.0% 3.0% to 19% scorer alone 11% 9.0% to 14%" in words
    assert "48 drawn and labelled of 1 180" in words


def test_what_is_not_known_is_said_with_the_reason_and_never_a_number() -> None:
    words = Elements(page(rich).get("/overview", params={"metric": ALL_METRICS}).text).words
    assert "shop-assistant local scorers Could not tell 1 label says nothing of how labels vary" in words
    assert "corrected by people not known yet" in words
    assert "no value second judge Could not tell: nothing was scored." in words
    assert "too few to say much" in words
    assert "abstentions not known 4.0% could not tell" in words
    assert "nan" not in words.lower()
    assert "None" not in words


def test_an_empty_overview_says_what_to_do() -> None:
    words = Elements(page(empty).get("/overview", params={"app": "shop"}).text).words
    assert "No data yet" in words
    assert "of shop" in words


def test_every_plot_has_a_title_a_description_and_a_table() -> None:
    elements = Elements(page(rich).get("/overview", params={"metric": ALL_METRICS}).text)
    plots = elements.all("svg", role="img")
    assert len(plots) == 13
    named = [(plot["aria-labelledby"] or "").split() for plot in plots]
    identifiers = [attributes["id"] for _, attributes in elements.tags if attributes.get("id")]
    assert len(identifiers) == len(set(identifiers))
    assert {name for names in named for name in names} <= set(identifiers)
    assert elements.text.count("As a table") == len(plots)


def test_plots_of_one_metric_have_one_scale_and_stay_within_it() -> None:
    view = overview_view(rich(UNTIL - timedelta(days=7), UNTIL), "faithfulness")
    (group,) = view.groups
    charts = [panel.chart for panel in group.panels if panel.chart is not None]
    assert {chart.top for chart in charts} == {1.0}
    assert len({chart.bottom for chart in charts}) == 1
    assert all(0 <= mark.high_y <= mark.y <= mark.low_y <= HEIGHT for chart in charts for mark in chart.marks)
    assert all(len(chart.bands) == 2 for chart in charts)  # nothing was scored for a while


def test_a_metric_that_nobody_gave_is_said() -> None:
    assert "No scorer has given this metric" in page(rich).get("/overview", params={"metric": "mrr"}).text


@pytest.mark.parametrize("stretch", Stretch)
def test_a_stretch_ends_now_and_stays_chosen(stretch: Stretch) -> None:
    asked: list[tuple[datetime, datetime]] = []

    def noting(since: datetime, until: datetime) -> Overview:
        asked.append((since, until))
        return rich(since, until)

    elements = Elements(page(noting).get("/overview", params={"stretch": stretch, "app": "policy-desk"}).text)
    assert asked == [(UNTIL - stretch.length, UNTIL)]
    assert elements.all("input", name="stretch", value=stretch, checked=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("query", ["stretch=9y", "metric=", "app=nobody", "x=y", "stretch=%00"])
def test_a_query_that_makes_no_sense_is_as_if_not_asked_and_is_told(query: str) -> None:
    answer = page(rich).get(f"/overview?{query}")
    assert answer.status_code == 200
    assert ("Not understood, so left out" in answer.text) == query.startswith("stretch=")


def test_steps_are_named_as_people_would() -> None:
    assert [step_name(seconds) for seconds in (86_400, 21_600, 3600, 300, 90)] == [
        "day", "6 hours", "hour", "5 minutes", "90 seconds",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ['"><img src=x onerror=alert(1)>', "a\x00b\ud800c", "</title><script>", "javascript:alert(1)"]
)
def test_names_in_the_overview_cannot_become_markup(text: str) -> None:
    def renamed(since: datetime, until: datetime) -> Overview:
        known = rich(since, until)
        return replace(
            known,
            interactions={text: 1},
            rates=[replace(series, app=text, scorer=text) for series in known.rates],
            honest=[replace(honest, app=text, scorer=text, reason=text) for honest in known.honest],
            diagnoses={text: {text: 1.0}},
            drift=[replace(drift, app=text, name=f"language:{text}") for drift in known.drift],
            judges=[replace(judge, scorer=text, failed={text: 2}) for judge in known.judges],
            queue={(text, state): 1 for state in ItemState},
            sessions={text: (1, 2)},
        )

    html = page(renamed).get("/overview").text
    before = page(rich).get("/overview").text
    assert {tag for tag, _ in Elements(html).tags} <= {tag for tag, _ in Elements(before).tags}
    assert not Elements(html).all("img", src="x")


def test_a_rate_without_an_interval_has_none() -> None:
    def unbounded(since: datetime, until: datetime) -> Overview:
        known = rich(since, until)
        return replace(known, honest=[replace(known.honest[1], uncorrected_low=None, uncorrected_high=None)])

    assert "scorer alone 14% interval not known" in Elements(page(unbounded).get("/overview").text).words


def test_the_store_s_own_overview_is_shown_and_labels_make_the_rate(place_of: Callable[..., Place]) -> None:
    answers = [
        scored(f"id-{number}", faithfulness=float(number % 4 > 0), end_ns=int((NOW - 60 * (number + 1)) * 1e9))
        for number in range(30)
    ]
    place = place_of(answers)
    client = TestClient(Starlette(routes=review_routes(place.store, place.store, clock=place.clock)))
    assert "Could not tell" in Elements(client.get("/overview?stretch=24h").text).words
    for number, item_id in enumerate(place.ids()):
        verdict = LabelVerdict.NOT_FOUND if number < 5 else LabelVerdict.SUPPORTED
        place.store.save(Review(item_id, "Anna", verdict=verdict))
    words = Elements(client.get("/overview?stretch=24h").text).words
    assert "30 drawn and labelled of 30" in words
    assert re.search(r"local scorers \d+(\.\d)?% \d+(\.\d)?% to \d+(\.\d)?% From Rate", words)


def test_plots_begin_with_the_first_score_but_never_closer_than_some_steps() -> None:
    def young(since: datetime, until: datetime) -> Overview:
        known = rich(since, until)
        rates = [
            replace(
                series,
                points=tuple(replace(one, mean=None, low=None, high=None) for one in series.points[:20])
                + series.points[20:],
            )
            for series in known.rates
        ]
        return replace(known, rates=rates)

    since = UNTIL - timedelta(days=7)
    (group,) = overview_view(young(since, UNTIL), "faithfulness").groups
    drawn = [panel for panel in group.panels if panel.chart is not None]
    assert {len(panel.series.points) for panel in drawn} == {12}
    (whole,) = overview_view(rich(since, UNTIL), "faithfulness").groups
    assert {len(panel.series.points) for panel in whole.panels if panel.chart is not None} == {28}
