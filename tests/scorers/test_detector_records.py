"""Contexts that are records: read with their places, and claims held to their fields."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.detector.record_checks import RecordCheck, RecordFindings
from ragsonde.scorers.detector.records import Record, read_record, record_sentences, words_of_name

LISTING = {
    "name": "Juniper & Rye",
    "address": "12 Canal Street",
    "hours": {"Monday": "9:0-17:0", "Tuesday": "9:0-17:0", "Friday": "11:30-22:0"},
    "attributes": {
        "BusinessParking": {"garage": False, "street": True, "valet": None},
        "RestaurantsReservations": False,
        "RestaurantsTakeOut": None,
        "OutdoorSeating": True,
        "WiFi": "no",
        "Music": None,
        "Ambience": {"romantic": False, "trendy": False},
    },
    "business_stars": 4.5,
    "review_info": [
        {"review_text": "We sat outside. The soup was cold and nobody said sorry, which was a pity indeed!"}
    ],
}
scalars = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=20)
records = st.dictionaries(
    st.text(min_size=1, max_size=10),
    st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=8), inner, max_size=3),
        max_leaves=8,
    ),
    min_size=3,
    max_size=6,
)


def record(value: object = LISTING) -> Record:
    found = read_record(json.dumps(value))
    assert found is not None
    return found


@pytest.mark.parametrize("text", [json.dumps(LISTING), json.dumps(LISTING, indent=2), repr(LISTING)])
def test_json_and_python_literals_give_the_same_fields(text: str) -> None:
    found = read_record(text)
    assert found is not None
    assert [(f.path, f.value) for f in found.fields if not isinstance(f.value, str)] == [
        (("attributes", "BusinessParking", "garage"), False),
        (("attributes", "BusinessParking", "street"), True),
        (("attributes", "BusinessParking", "valet"), None),
        (("attributes", "RestaurantsReservations"), False),
        (("attributes", "RestaurantsTakeOut"), None),
        (("attributes", "OutdoorSeating"), True),
        (("attributes", "Music"), None),
        (("attributes", "Ambience", "romantic"), False),
        (("attributes", "Ambience", "trendy"), False),
        (("business_stars",), 4.5),
    ]
    assert all(text[f.start : f.end] == f.value for f in found.fields if isinstance(f.value, str))


def test_a_line_of_prose_before_a_record_does_no_harm() -> None:
    assert read_record("Structured data:\n" + json.dumps(LISTING)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Prose with {curly} braces and nothing else.",
        '{"a": 1, "b": 2, "c": }',
        '{"a": 1, "b": 2, "c": 3',
        '{"a": 1}',
        "[" * 5000,
        '{"a":' * 5000,
        "A long page of prose. " * 50 + '{"a": 1, "b": 2, "c": 3}',
        "",
    ],
)
def test_what_is_no_record_is_read_as_prose(text: str) -> None:
    assert read_record(text) is None


@given(records)
def test_every_value_of_a_record_is_found_in_order(value: dict[str, object]) -> None:
    text = json.dumps(value)
    found = read_record(text)
    values = list(_scalars(value))
    assert found is None or len(found.fields) == len(values)
    assert found is not None or len(values) < 3
    for field, expected in zip(found.fields if found else (), values, strict=False):
        shown = f'"{field.value}"' if isinstance(expected, str) else text[field.start : field.end]
        assert json.loads(shown) == expected


@given(st.text(max_size=200) | st.text(alphabet='{}[]":,truefalsn01 \\', max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    found = read_record(text)
    if found is not None:
        sentences = record_sentences(text, found)
        assert all(text[s.start : s.end] == s.text for s in sentences)
        assert all(one.end <= other.start for one, other in pairwise(sentences))


def test_a_record_is_cut_into_groups_of_values_and_the_sentences_of_long_ones() -> None:
    text = json.dumps(LISTING)
    sentences = [s.text for s in record_sentences(text, record())]
    assert any("Monday" in s and "Friday" in s and "Canal" not in s for s in sentences)
    assert any("garage" in s and "valet" in s for s in sentences)
    assert any("soup" in s and "outside" not in s for s in sentences)


def test_the_words_of_a_name_do_not_depend_on_how_it_joins_them() -> None:
    assert words_of_name("OutdoorSeating") == words_of_name("outdoor_seating") == words_of_name("outdoor-seating")
    assert words_of_name("GPSUnit2") == ("gps", "unit", "2")


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("It offers takeout.", RecordFindings(unknown=1)),
        ("Take-out is not available.", RecordFindings(unknown=1)),
        ("It takes reservations.", RecordFindings(asserted=1)),
        ("It does not take reservations.", RecordFindings(borne_out=1)),
        ("Outdoor seating is available, but there is no WiFi.", RecordFindings(borne_out=2)),
        ("There is no outdoor seating.", RecordFindings(denied=1)),
        ("Garage parking and valet service are offered.", RecordFindings(unknown=1, asserted=1)),
        ("The ambience is trendy.", RecordFindings(asserted=2)),
        ("The soup was cold.", RecordFindings()),
        ("Open from 9 AM to 5 PM on Monday.", RecordFindings(borne_out=2)),
        ("On Monday it is open from 9 AM to 5 PM.", RecordFindings(borne_out=2)),
        ("On Friday it is open from 9 AM to 5 PM.", RecordFindings(wrong_days=1)),
        ("Monday to Wednesday, 9 AM to 5 PM.", RecordFindings(wrong_days=1)),
        ("It is open daily from 9 AM to 5 PM.", RecordFindings(wrong_days=5)),
        ("On Monday it is open until 8 PM.", RecordFindings(wrong_times=1, wrong_days=1)),
    ],
)
def test_claims_are_held_to_the_fields(claim: str, expected: RecordFindings) -> None:
    assert RecordCheck([record()], "en").find(claim) == expected


def test_weekdays_and_negations_of_other_languages_are_read() -> None:
    value = {"Öffnungszeiten": {"Montag": "9:00-17:00", "Dienstag": "9:00-12:00"}, "Terrasse": False, "Garten": True}
    check = RecordCheck([record(value)], "de")
    assert check.find("Am Dienstag ist von 9 bis 17 Uhr geöffnet.").wrong_days == 1
    assert check.find("Es gibt keine Terrasse.") == RecordFindings(borne_out=1)
    assert check.find("Es gibt eine Terrasse, aber keinen Garten.") == RecordFindings(asserted=1, denied=1)


def _scalars(value: object) -> list[object]:
    if isinstance(value, dict):
        return [inner for item in value.values() for inner in _scalars(item)]
    if isinstance(value, list):
        return [inner for item in value for inner in _scalars(item)]
    return [value]
