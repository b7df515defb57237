"""Names and codes in text of any language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.facts import find_facts
from ragsonde.scorers.facts.names import find_codes, find_names
from ragsonde.scorers.faithfulness.words import function_words


def names(text: str, *, german: bool = False) -> list[str]:
    return [name.text for name in find_names(text, ordinary=function_words(), capitalises_nouns=german)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The tower was built by Gustave Eiffel in Paris.", ["Gustave Eiffel", "Paris"]),
        ("Gustave Eiffel built it.", ["Gustave Eiffel"]),
        ("Это сделал Иван Петров в Москве.", ["Иван Петров", "Москве"]),
        ("The WHO says so.", ["WHO"]),
        ("Growth was strong.", []),
        ("公司与 OpenAI 合作，见《红楼梦》。", ["OpenAI", "《红楼梦》"]),
        ("THIS IS ALL WRITTEN IN CAPITALS", []),
    ],
)
def test_names_are_capitals_that_the_sentence_start_does_not_explain(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_german_nouns_are_no_names() -> None:
    assert names("Die Frist für die Rückgabe beträgt zwei Wochen.", german=True) == []
    assert names("Damals war Angela Merkel im Amt.", german=True) == ["Angela Merkel"]


@pytest.mark.parametrize(
    "code",
    ["https://example.org/a?b=1", "a.b@example.org", "RTX-4090", "B12", "2.3.1", "v2.3.1", "COVID-19", "ISO9001"],
)
def test_codes_are_found_whole(code: str) -> None:
    assert [found.text for found in find_codes(f"see {code}, please")] == [code]


@pytest.mark.parametrize("text", ["5kg", "3rd", "1990s", "30-day", "14:30", "12.5"])
def test_numbers_with_a_unit_or_ending_are_no_codes(text: str) -> None:
    assert find_codes(text) == []


@given(st.text(max_size=150), st.booleans())
def test_any_text_gives_names_that_stand_in_it(text: str, german: bool) -> None:
    facts = find_facts(text, ordinary=function_words(), capitalises_nouns=german)
    for name in facts.names:
        assert text[name.start : name.end] == name.text
        assert name.words
