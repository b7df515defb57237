import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.clock import Deadline, SystemClock
from ragsonde.collector.model import Document
from ragsonde.scorers.citations.definitions import find_definitions
from ragsonde.scorers.citations.grammar import expand_numbers
from ragsonde.scorers.citations.markers import MarkerStyle, find_markers
from ragsonde.scorers.citations.resolution import resolve, statement_of, undecided_markers
from ragsonde.scorers.citations.scorer import CitationScorer
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, NotApplicable, Outcome, Reason, Scored
from ragsonde.scorers.text.spans import Spans
from tests.scorers.reading_builders import reading

DOCUMENTS = (
    Document(
        text="The fee is 20 EUR.",
        rank=1,
        id="doc-1",
        metadata={"source": "https://example.org/a?x=1", "title": "Fees 2024"},
    ),
    Document(
        text="Members vote yearly (Walker, 2008).", rank=2, id="doc-2", metadata={"file_name": "dir/handbook.pdf"}
    ),
    Document(text="《某经》第3卷 说：水是蓝色的。", rank=3, id="doc-3"),
)
NAMELESS = tuple(Document(text=f"Text {n}.", rank=n) for n in (1, 2, 3))


def cited(answer: str, documents: tuple[Document, ...] = DOCUMENTS) -> list[tuple[str, str | None]]:
    markers = find_markers(answer, documents)
    assert all(answer[marker.start : marker.end] == marker.text for marker in markers)
    notes = find_definitions(answer).notes
    return [(citation.cited, citation.context_id) for citation in resolve(markers, documents, notes)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It is so [1].", ["doc-1"]),
        ("It is so [1][2].", ["doc-1", "doc-2"]),
        ("It is so [1, 3].", ["doc-1", "doc-3"]),
        ("It is so [1; 2].", ["doc-1", "doc-2"]),
        ("It is so [1-3].", ["doc-1", "doc-2", "doc-3"]),
        ("It is so [1–2].", ["doc-1", "doc-2"]),
        ("It is so [8–9].", [None, None]),
        ("It is so [1 and 2].", ["doc-1", "doc-2"]),
        ("It is so ［1］ and 〔2〕.", ["doc-1", "doc-2"]),
        ("هكذا [١].", ["doc-1"]),
        ("ऐसा है [२]।", ["doc-2"]),
        ("天是蓝的[1]。", ["doc-1"]),
        ("The sky is blue[1].", ["doc-1"]),
        ("天是蓝的【1†source】。", ["doc-1"]),
        ("It is so 【4:0†handbook.pdf】 and 【4:0†source】.", ["doc-2", "doc-1"]),
        ("水是蓝色的【《某经》第3卷】。", ["doc-3"]),
        ("It is so.¹ And so² too.", ["doc-1", "doc-2"]),
        ("It is so.¹²", ["doc-1", "doc-2"]),
        ("It is so.<sup>1</sup> And<sup>[2]</sup>.", ["doc-1", "doc-2"]),
        ("It is so (doc-1).", ["doc-1"]),
        ("It is so [Doc-2].", ["doc-2"]),
        ("It is so [doc-1, doc-3].", ["doc-1", "doc-3"]),
        ("It is so [Source 2] [Document 3] [Doc. 1].", ["doc-2", "doc-3", "doc-1"]),
        ("Es ist so [Quelle 1]. 是的[来源2]。 Так [Источник 3].", ["doc-1", "doc-2", "doc-3"]),
        ("It is so (see [2]).", ["doc-2"]),
        ("It is so (Walker, 2008, p. 34).", ["doc-2"]),
        ("It is so [Walker 2008].", ["doc-2"]),
        ("It is so (Source: handbook.pdf).", ["doc-2"]),
        ("It is so (Source: Document 3).", ["doc-3"]),
        ("It is so [fees](https://www.example.org/a/).", ["doc-1"]),
        ("It is so https://example.org/a#top.", ["doc-1"]),
        ("It is so [[2]](https://elsewhere.org/b).", ["doc-2"]),
        ("It is so [^1].\n\n[^1]: handbook.pdf, p. 3", ["doc-2"]),
        ("It is so [1].\n\nSources:\n[1] handbook.pdf\n[2] Fees 2024", ["doc-2"]),
        ("It is so [9]. And [0]. And [NaN].", [None, None, None]),
        ("It is so [1-100000].", ["doc-1", None]),
        ("It is so [99999999999999999999999]. Or [1-1000000000].", [None, "doc-1", None]),
        ("It is so [1 to 3].", ["doc-1", "doc-2", "doc-3"]),
        ("Es ist so [1 bis 2]. Так [2 до 3]. 是的[1至2]。", ["doc-1", "doc-2", "doc-2", "doc-3", "doc-1", "doc-2"]),
        ("It is so [1†L3-L5].", ["doc-1"]),
        ("It is so ①. 是的②③。", ["doc-1", "doc-2", "doc-3"]),
        ("是的［来源：1］。", ["doc-1"]),
        ("It is so <cite>2</cite>. And <ref>doc-3</ref>.", ["doc-2", "doc-3"]),
        ("It is so [doc-2, p. 3].", ["doc-2"]),
        ("It is so [ID: doc-3].", ["doc-3"]),
        ("It is so [doc-99].", [None]),
        ("It is so (Source: other.pdf).", [None]),
    ],
)
def test_a_marker_leads_to_the_document_it_names(answer: str, expected: list[str | None]) -> None:
    assert [context_id for _, context_id in cited(answer)] == expected


@pytest.mark.parametrize(
    "answer",
    [
        "Use matrix[0][1] as the pivot.",
        "Then arr[0] and data[1] and my_list[2] and x[3].",
        "`list[1]` and ```\nfoo[1]\n``` and $x_{[1]}$ and \\(y[1]\\)",
        "The range [0, 100], the interval [1, 3] and values in [0, 1].",
        "диапазон [1, 3] и 区间[1, 3]",
        "- [ ] open\n- [x] done [TODO] [sic] [...]",
        "See [Wikipedia](https://example.net) and [doc-99](https://example.com) and ![1](https://example.net/i.png).",
        "An area of 5 m² and 10⁶ cells, x³ and CO₂.",
        "(1) First, (2) second, (in 2008), (May 2008), (Berlin 1936).",
        "【注意】请看 [12:30] 的记录。",
        "a[1] = 3",
        "",
        "① Open the lid. ② Press.\n③ Close it.",
        "步骤：①打开②按下。见图①。",
        "The <cite>Iliad</cite> is long. <cite index='0-1'>It is so.</cite>",
        "成立（2016年），冬（冬, 2016）。",
        "It began on [20240115].",
    ],
)
def test_what_is_no_citation_is_left_alone(answer: str) -> None:
    assert find_markers(answer, DOCUMENTS) == ()


@pytest.mark.parametrize(
    "answer",
    [
        "水【《别经》第9卷】。",
        "It is so \ue200cite\ue202turn0search0\ue201.",
        "It is so (Smith et al., 2020).",
        "Tak jest (Nowak i in., 2016, s. 12).",
        "Tako je (Marić i sur., 2016).",
        "Это так (Иванов и соавт., 2016, с. 12).",
        "是的(王,2016)。",
        "是的（王等，2016，第3页）。",
        "هكذا (الأحمد وآخرون، 2019).",
        "چنین است (احمدی و همکاران، ۱۳۹۵).",
        "그렇다 (김, 2016).",
        "It is so ⑨.",
        "It is so [oven, p. 3].",
    ],
)
def test_a_citation_we_cannot_look_up_is_reported_and_never_called_fabricated(answer: str) -> None:
    markers = find_markers(answer, DOCUMENTS)
    (claim,) = reading(answer, list(DOCUMENTS)).claims
    assert markers[0].text not in claim.plain
    assert len(markers) == 1
    assert resolve(markers, DOCUMENTS) == ()
    assert undecided_markers(markers, DOCUMENTS) == markers


def test_a_circled_number_that_the_documents_speak_of_cites_nothing() -> None:
    assert find_markers("答案是①。", (Document(text="选项①正确。", rank=1),)) == ()


def test_a_bare_unknown_id_is_fabricated_beside_a_link_of_the_same_name() -> None:
    answer = (
        "A [adverse-action]. B [Wikipedia](https://example.org). C [late-fees]. D [late-fees](https://example.com)."
    )
    documents = (Document(text="x", rank=1, id="adverse-action"),)
    assert cited(answer, documents) == [("adverse-action", "adverse-action"), ("late-fees", None)]


def test_numbers_mean_ids_where_ids_are_numbers_and_ranks_otherwise() -> None:
    documents = (Document(text="x", rank=1, id="7"), Document(text="y", rank=2, id="1"))
    assert cited("A [7] B [1] C [2].", documents) == [("7", "7"), ("1", "1"), ("2", "1")]
    assert cited("A [2] B [4].", NAMELESS) == [("2", "2"), ("4", None)]


def test_every_number_is_fabricated_where_nothing_was_retrieved() -> None:
    assert cited("A [1].", ()) == [("1", None)]


@pytest.mark.parametrize(
    ("answer", "cited"),
    [
        ("The fee is 20 EUR [prices.pdf].", "docs/prices.pdf"),
        ("The fee is 20 EUR [prices.pdf, p. 3].", "docs/prices.pdf"),
        ("The fee is 20 EUR [invented.pdf].", None),
    ],
)
def test_a_bare_file_name_is_a_citation(answer: str, cited: str | None) -> None:
    documents = [Document(id="docs/prices.pdf", text="The fee is 20 EUR.", rank=1)]
    (found,) = resolve(find_markers(answer, documents), documents)
    assert found.context_id == cited


def test_names_are_undecided_where_documents_carry_none() -> None:
    markers = find_markers("A (Source: other.pdf).", NAMELESS)
    assert [marker.style for marker in markers] == [MarkerStyle.SOURCE]
    assert resolve(markers, NAMELESS) == ()


def test_long_ranges_do_not_explode() -> None:
    assert expand_numbers("1-100000") == ["1", "100000"]
    assert expand_numbers("5-3") == ["5", "3"]
    assert expand_numbers("1-3, 7") == ["1", "2", "3", "7"]


def test_a_marker_belongs_to_the_statement_it_stands_in_or_follows() -> None:
    found = reading("It is free. [1] It is fast [2].\n\n[3]\n\nIs it? [1]", {"a": "x", "b": "y", "c": "z"})
    marks = Spans((marker.start, marker.end) for marker in found.markers)
    statements = [statement_of(marker, found.answer, found.claims, marks) for marker in found.markers]
    assert [statement.plain if statement else None for statement in statements] == [
        "It is free.",
        "It is fast.",
        "It is fast.",
        None,
    ]


@given(
    st.lists(
        st.sampled_from(
            [
                "[",
                "]",
                "1",
                "(",
                ")",
                "【",
                "】",
                "†",
                "^",
                "-",
                ",",
                " ",
                "a",
                "doc-1",
                "¹",
                "http://a.b",
                "Source: ",
                "\n",
                "<sup>",
                "</sup>",
                "《",
                "2008",
                "Walker, ",
                "`",
                "$",
                ":",
            ]
        ),
        max_size=40,
    ).map("".join)
)
def test_any_brackets_are_read_without_a_crash_and_in_order(answer: str) -> None:
    markers = find_markers(answer, DOCUMENTS)
    assert all(answer[marker.start : marker.end] == marker.text for marker in markers)
    assert [marker.start for marker in markers] == sorted(marker.start for marker in markers)
    assert all(first.end <= second.start for first, second in pairwise(markers))
    resolve(markers, DOCUMENTS, find_definitions(answer).notes)


# The scorer -------------------------------------------------------------------------------------------------


class WordJudge:
    """Supports a statement as far as its words stand in the document: enough for sentences made for it."""

    version = "words"

    def support(self, statement_plain: str, document_text: str) -> float:
        words = set(re.findall(r"\w+", statement_plain.casefold()))
        return len(words & set(re.findall(r"\w+", document_text.casefold()))) / len(words) if words else 0.0


CONTEXTS: dict[str, str | None] = {
    "a": "The fee is 20 EUR per year.",
    "b": "The office opens at nine.",
    "c": "Dogs are welcome.",
}


def scores(found: Reading, threshold: float = 0.9) -> dict[str, Outcome]:
    outcomes = CitationScorer(WordJudge(), threshold=threshold).score([found], Deadline(60.0, SystemClock()))[0]
    assert set(outcomes) == {MetricKey.CITATION_PRESENCE, MetricKey.CITATION_COVERAGE, MetricKey.CITATION_ACCURACY}
    return {key.removeprefix("citation_"): outcome for key, outcome in outcomes.items()}


def value(outcome: Outcome) -> float:
    assert isinstance(outcome, Scored), outcome
    return outcome.value


def label(outcome: Outcome) -> str | None:
    assert isinstance(outcome, Scored), outcome
    return outcome.label


def test_supported_citations_score_one() -> None:
    found = scores(reading("The fee is 20 EUR [1]. The office opens at nine [2].", CONTEXTS))
    assert [value(found[key]) for key in ("presence", "coverage", "accuracy")] == [1.0, 1.0, 1.0]
    assert label(found["accuracy"]) is None


def test_a_claim_cited_to_the_wrong_document_is_misattributed() -> None:
    found = scores(reading("The fee is 20 EUR [2].", CONTEXTS))
    assert value(found["presence"]) == 1.0
    assert value(found["coverage"]) == value(found["accuracy"]) == 0.0
    assert label(found["accuracy"]) == "misattributed"


def test_a_claim_no_document_supports_is_unsupported() -> None:
    assert label(scores(reading("Cats sing loudly [2].", CONTEXTS))["accuracy"]) == "unsupported"


def test_a_fabricated_citation_counts_and_is_labelled() -> None:
    found = scores(reading("The fee is 20 EUR [1][9].", CONTEXTS))
    assert value(found["accuracy"]) == 0.5
    assert label(found["accuracy"]) == "fabricated"
    assert value(found["coverage"]) == 1.0


def test_uncited_statements_lower_presence_and_not_accuracy() -> None:
    found = scores(reading("The fee is 20 EUR [1]. The office opens at nine.", CONTEXTS))
    assert [value(found[key]) for key in ("presence", "coverage", "accuracy")] == [0.5, 0.5, 1.0]


def test_no_citation_at_all_is_not_applicable_for_accuracy_and_nought_for_the_rest() -> None:
    found = scores(reading("The fee is 20 EUR.", CONTEXTS))
    assert found["accuracy"] == NotApplicable(Reason.NO_CITATIONS)
    assert value(found["presence"]) == value(found["coverage"]) == 0.0


def test_two_documents_may_support_a_statement_together() -> None:
    found = scores(reading("The fee is 20 EUR; the office opens at nine [1][2].", CONTEXTS))
    assert value(found["accuracy"]) == 1.0


def test_a_cited_document_with_empty_text_does_not_support() -> None:
    assert value(scores(reading("The fee is 20 EUR [1].", {"a": "", "b": "Other."}))["accuracy"]) == 0.0


def test_contexts_that_were_not_captured_leave_presence() -> None:
    found = scores(reading("The fee is 20 EUR [1]. Dogs may enter.", None))
    assert value(found["presence"]) == 0.5
    assert found["accuracy"] == found["coverage"] == NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)


def test_a_document_captured_without_text_is_not_judged() -> None:
    found = scores(reading("The fee is 20 EUR [1].", {"a": None, "b": "Other."}))
    assert isinstance(found["accuracy"], NotApplicable)
    assert found["accuracy"].reason is Reason.CONTEXTS_NOT_CAPTURED


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", Reason.EMPTY_ANSWER),
        ("I don't know.", Reason.REFUSAL),
        ("Only the heading exists, not the rule itself [2].", Reason.REFUSAL),
        ("Hello!", Reason.NO_CLAIMS),
    ],
)
def test_an_answer_without_statements_is_not_applicable(answer: str, reason: Reason) -> None:
    assert set(scores(reading(answer, CONTEXTS)).values()) == {NotApplicable(reason)}


def test_a_citation_at_an_abstention_is_not_held_against_the_answer() -> None:
    found = scores(reading("The sources do not mention parking [2]. The fee is 20 EUR [1].", CONTEXTS))
    assert value(found["accuracy"]) == 1.0


def test_ids_reported_by_the_application_count_for_the_answer_as_a_whole() -> None:
    found = scores(reading("The fee is 20 EUR. Dogs are welcome.", CONTEXTS, cited_ids=("a", "b", "zz")))
    assert isinstance(found["presence"], NotApplicable)
    assert value(found["coverage"]) == 0.5
    assert value(found["accuracy"]) == pytest.approx(1 / 3)
    assert label(found["accuracy"]) == "fabricated"


def test_reported_ids_that_markers_name_already_count_once() -> None:
    found = scores(reading("The fee is 20 EUR [1].", CONTEXTS, cited_ids=("a",)))
    assert isinstance(found["accuracy"], Scored)
    assert len(found["accuracy"].citations) == 1


def test_an_unknown_style_is_present_and_said_to_be_unknown() -> None:
    found = scores(reading("水是蓝色的【《别经》第9卷】。", CONTEXTS))
    assert value(found["presence"]) == 1.0
    assert isinstance(found["accuracy"], NotApplicable)
    assert "《别经》" in (found["accuracy"].explanation or "")


def test_a_source_line_counts_for_the_answer_as_a_whole() -> None:
    documents = [Document(text="The fee is 20 EUR.", rank=1, metadata={"title": "Fees 2024"})]
    found = scores(reading("The fee is 20 EUR.\n\nSource: Fees 2024", documents))
    assert value(found["accuracy"]) == value(found["coverage"]) == 1.0


@pytest.mark.parametrize(
    ("line", "accuracy"),
    [
        ("Sources: [1], [2]", 0.5),
        ("**Sources:** [1][9]", 0.5),
        ("Source: fees.pdf; dogs.pdf", 0.5),
        ("Quelle: fees.pdf", 1.0),
    ],
)
def test_a_source_line_may_name_several(line: str, accuracy: float) -> None:
    documents = [
        Document(text="The fee is 20 EUR.", rank=1, metadata={"file_name": "fees.pdf"}),
        Document(text="Dogs are welcome.", rank=2, metadata={"file_name": "dogs.pdf"}),
    ]
    assert value(scores(reading(f"The fee is 20 EUR.\n\n{line}", documents))["accuracy"]) == accuracy


def test_a_deadline_that_has_passed_fails_with_timeout() -> None:
    outcomes = CitationScorer(WordJudge()).score(
        [reading("The fee is 20 EUR [1].", CONTEXTS)], Deadline(0.0, SystemClock())
    )
    assert set(outcomes[0].values()) == {Failed(FailureKind.TIMEOUT)}


@pytest.mark.parametrize("threshold", [0.0, 1.0, -1.0])
def test_a_threshold_outside_its_range_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        CitationScorer(WordJudge(), threshold=threshold)
