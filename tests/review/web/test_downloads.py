from collections.abc import Callable
from pathlib import Path

from ragsonde.calibration.labels import read_labels
from ragsonde.golden.files import read_valid_set
from tests.exporters.scored import scored
from tests.review.web.conftest import NOW, Place
from tests.review.web.elements import Elements


def label_some(place: Place) -> list[str]:
    anna, ids = place.person(), place.ids()
    for number, item_id in enumerate(ids[:10]):
        fields = {"corrected_answer": "The right one."} if number % 2 else {"answer_is_right": "1"}
        anna.act(
            item_id, "save", verdict="not_found" if number < 4 else "supported", **fields, **{"claim-0": "supported"}
        )
    return ids[:10]


def test_labels_can_be_read_as_a_file_of_labels(place: Place, tmp_path: Path) -> None:
    ids = label_some(place)
    response = place.person().get("/review/labels.jsonl")
    assert "labels.jsonl" in response.headers["content-disposition"]
    file = tmp_path / "labels.jsonl"
    file.write_bytes(response.content)
    read = read_labels(file)
    assert read.bad == []
    assert {label.id for label in read.labels} == set(ids)


def test_the_golden_set_is_a_valid_one(place: Place, tmp_path: Path) -> None:
    ids = label_some(place)
    file = tmp_path / "golden.jsonl"
    file.write_bytes(place.person().get("/review/golden.jsonl").content)
    items = read_valid_set(file).items
    assert {item.id for item in items} == set(ids)
    assert all(item.reference and item.reviewed_by == ("Anna",) for item in items)


def test_what_cannot_be_a_golden_item_is_counted(place_of: Callable[..., Place]) -> None:
    scored_ones = [
        scored("asked", end_ns=int(NOW * 1e9)),
        scored("unasked", question=None, end_ns=int(NOW * 1e9)),
    ]
    anna = place_of(scored_ones).person()
    anna.act("unasked", "save", answer_is_right="1")
    refused = anna.get("/review/golden.jsonl")
    assert refused.status_code == 409
    assert "unasked" in refused.text
    anna.act("asked", "save", answer_is_right="1")
    response = anna.get("/review/golden.jsonl")
    assert response.headers["x-left-out"] == "1"
    assert response.text.count("\n") == 1


def test_without_reviews_files_are_empty_and_the_report_says_why(place: Place) -> None:
    nobody = place.person(None)
    assert nobody.get("/review/labels.jsonl").content == b""
    assert nobody.get("/review/golden.jsonl").content == b""
    report = nobody.get("/review/calibration.html")
    assert report.status_code == 409
    assert "there are no labels yet" in report.text


def test_the_calibration_report_is_one_file_that_allows_itself_nothing_else(place: Place) -> None:
    label_some(place)
    response = place.person().get("/review/calibration.html")
    elements = Elements(response.text)
    assert "Cohen's kappa" in elements.words
    assert "By answer" in elements.words
    assert "By claim" in elements.words
    assert not elements.all("script")
    assert not elements.all("link")
    assert all((image["src"] or "").startswith("data:image/svg+xml;base64,") for image in elements.all("img"))
    assert "unsafe" not in response.headers["content-security-policy"]
    assert place.person().get("/review/calibration.html?scorer=judge").status_code in {200, 409}
