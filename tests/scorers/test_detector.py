"""The detector: features of words, the trees, and what the scorer makes of them."""

import json
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.clock import Deadline
from ragsonde.scorers.detector import AnswerFeatures, ClaimFeatures, Detector
from ragsonde.scorers.detector.commonness import rarity
from ragsonde.scorers.detector.features import ANSWER, CLAIM, FEATURES, answer_row, claim_row, direction, vectors
from ragsonde.scorers.detector.lexical import LEXICAL, AnswerLexical, ContextIndex, Token, lexical_features
from ragsonde.scorers.detector.linear import Linear, read_linear
from ragsonde.scorers.detector.model import Blend, Platt, pooled, read_model, shipped_model
from ragsonde.scorers.detector.trees import Forest, Tree
from ragsonde.scorers.faithfulness import FaithfulnessScorer
from ragsonde.scorers.faithfulness.alignment import Evidence
from ragsonde.scorers.faithfulness.analysis import AnalysedText, AnalysisCache
from ragsonde.scorers.faithfulness.observation import Observer
from ragsonde.scorers.faithfulness.words import key_of
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import MetricKey, Scored
from ragsonde.scorers.text.segmentation import split_sentences
from ragsonde.scorers.text.spans import Sentence
from tests.builders import interaction

CONTEXT = [
    ["the", "museum", "opened", "in", "1974", "and", "was", "designed", "by", "ines", "duarte"],
    ["entry", "is", "free", "on", "the", "first", "sunday", "of", "every", "month"],
]


def indexed(sentences: list[list[str]]) -> AnalysedText:
    """A context whose sentences are words between spaces."""
    text = "\n".join(" ".join(words) for words in sentences)
    found, at = [], 0
    for words in sentences:
        line = " ".join(words)
        found.append(Sentence(line, at, at + len(line)))
        at += len(line) + 1
    return AnalysedText(text, found)


def features(text: str, contexts: list[list[str]] = CONTEXT, question: str = "") -> dict[str, float]:
    words = text.split()
    tokens = [Token(w.lower(), len(w) > 3 or w.isdigit(), n > 0 and w[0].isupper()) for n, w in enumerate(words)]
    values = lexical_features(tokens, ContextIndex([indexed(contexts)]), question.split().__contains__)
    return dict(zip(LEXICAL, values, strict=True))


# Words ---------------------------------------------------------------------------------------------------------


def test_a_copied_sentence_is_covered_whole() -> None:
    found = features("the museum opened in 1974 and was designed by Ines Duarte")
    assert found["covered"] == found["pairs"] == found["triples"] == found["fragment_longest"] == 1.0
    assert found["stretch_low"] == found["together"] == 1.0
    assert found["missing"] == found["run_missing"] == found["missing_rare"] == 0.0


def test_an_invented_clause_shows_although_the_rest_is_copied() -> None:
    copied = features("the museum opened in 1974 and was designed by Ines Duarte")
    found = features("the museum opened in 1974 and was demolished after floods in Lisbon 1988")
    assert found["stretch_low"] <= 0.5 < copied["stretch_low"]
    assert found["run_missing"] >= 3
    assert found["missing_names"] == 1.0
    assert found["missing_digits"] == 1.0


def test_words_of_the_question_count_as_given() -> None:
    found = features("the library opened in 1974", question="when has the library opened")
    assert found["missing"] == 1.0
    assert found["missing_rare"] == 0.0
    assert found["covered_beyond_question"] == 1.0


def test_words_from_far_apart_do_not_stand_together() -> None:
    near, far = [["alpha", "beta"], ["gamma"]], [["alpha"], ["other"], ["words"], ["beta"]]
    assert features("alpha beta", near)["together"] == 1.0
    assert features("alpha beta", far)["together"] == 0.0


def test_two_words_that_the_context_writes_as_one_are_there() -> None:
    assert features("take away", [["takeaway", "food"]])["covered"] == 1.0


def test_common_words_of_several_languages_are_commoner_than_names() -> None:
    for word in ("the", "und", "sie", "dan", "который", "jest"):
        assert rarity(key_of(word)) < 0.8 < rarity("duarte-xyz") == 1.0


@given(
    st.lists(st.lists(st.text("abcde", min_size=1, max_size=6), max_size=12), max_size=5),
    st.text("abcde 1", max_size=80),
)
def test_shares_stay_within_bounds(contexts: list[list[str]], text: str) -> None:
    found = features(text, contexts)
    counts = {"words", "fragment", "run_missing", "missing", "missing_names", "missing_digits", "missing_rare"}
    assert all(0.0 <= value <= 1.0 for name, value in found.items() if name not in counts)
    assert all(found[name] >= 0.0 for name in counts)


# Trees ---------------------------------------------------------------------------------------------------------

STUMP = Tree((0, -1, -1), (0.5, 0, 0), (1, 0, 0), (2, 0, 0), (0, 2.0, -2.0))
random_vectors = st.lists(
    st.floats(0, 1) | st.integers(0, 30).map(float), min_size=len(FEATURES), max_size=len(FEATURES)
)


def test_a_tree_goes_left_up_to_its_threshold() -> None:
    assert [STUMP.at([value]) for value in (0.0, 0.5, 0.51)] == [2.0, 2.0, -2.0]


def test_a_forest_is_the_sum_of_its_trees() -> None:
    assert Forest(0.5, (STUMP, STUMP)).at([0.0]) == pytest.approx(4.5)


@given(random_vectors, st.integers(0, len(FEATURES) - 1), st.floats(0, 20))
def test_more_evidence_never_raises_the_log_odds_of_a_fault_and_more_against_it_never_lowers_them(
    vector: list[float], changed: int, more: float
) -> None:
    forest = shipped_model().record.forest
    grown = [value + more if at == changed else value for at, value in enumerate(vector)]
    assert (forest.at(grown) - forest.at(vector)) * (direction(FEATURES[changed]) or 0) >= -1e-12


# Regressions ---------------------------------------------------------------------------------------------------


def test_a_regression_weighs_its_row() -> None:
    assert Linear(0.5, (2.0, -1.0)).at((1.0, 3.0)) == pytest.approx(-0.5)


def test_the_shipped_regressions_pull_the_way_that_their_features_mean() -> None:
    prose = shipped_model().prose
    for names, weights in ((CLAIM, prose.claim.weights), (ANSWER, prose.answer.weights)):
        assert all(weight * direction(name) >= 0 for name, weight in zip(names, weights, strict=True))
        assert any(weights)


def test_a_regression_that_punishes_evidence_is_refused() -> None:
    with pytest.raises(ValueError, match=r"own\.covered pulls the wrong way"):
        read_linear({"intercept": 0.0, "weights": {"own.covered": 0.1}}, ("own.covered",))


def test_a_claim_is_blended_with_its_answer_and_also_rated_alone() -> None:
    (rating,) = Blend(0.25, Platt(2.0, 0.0), Platt(1.0, 1.0)).ratings([1.0], -1.0)
    assert rating.probability == pytest.approx(Platt(1.0, 0.0).supported(1.0))
    assert rating.alone == pytest.approx(Platt(1.0, 0.0).supported(2.0))


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=12))
def test_an_answer_is_at_least_as_doubtful_as_its_worst_claim(claims: list[float]) -> None:
    assert pooled(claims) >= max(claims) - 1e-9
    assert pooled([*claims, max(claims)]) > pooled(claims)


def test_a_model_for_other_features_is_refused() -> None:
    table: dict[str, Any] = json.loads(
        files("ragsonde.scorers.detector").joinpath("model.json").read_text(encoding="utf-8")
    )
    with pytest.raises(ValueError, match="fit it anew"):
        read_model(table | {"record": table["record"] | {"features": FEATURES[1:]}})
    with pytest.raises(ValueError, match="fit it anew"):
        read_linear(table["prose"]["claim"], CLAIM[1:])
    with pytest.raises(ValueError, match="fit it anew"):
        read_model(table | {"format": 0})


# The detector --------------------------------------------------------------------------------------------------


def rated(claims: list[str], contexts: list[str], question: str = "", language: str = "en") -> list[float]:
    cache = AnalysisCache()
    analysed = [cache.analysed(text, lambda text=text: split_sentences(text)) for text in contexts]
    observer = Observer(Evidence(analysed, question), language)
    features = [observer.observe(claim).features for claim in claims]
    return [rating.probability for rating in Detector().rate(features, observer.whole(claims))]


PASSAGE = (
    "The Marlow Bridge was opened in 1832 after three years of work. William Tierney Clark designed it. "
    "The bridge carries a weight limit of 3 tonnes, and was closed for repairs in 2016."
)


def test_each_claim_is_rated_in_order() -> None:
    good, bad = rated(
        ["The bridge was opened in 1832.", "Queen Adelaide sang to sailors at its noisy inauguration ball."], [PASSAGE]
    )
    assert bad < 0.5 < 0.8 < good
    assert rated([], [PASSAGE]) == []


def test_a_claim_is_rated_in_the_light_of_its_answer() -> None:
    claim = "The bridge carries a weight limit of 3 tonnes."
    clean = rated([claim, "It was opened in 1832."], [PASSAGE])[0]
    dirty = rated([claim, "Giraffes crossed it weekly, wearing velvet boots made by Portuguese monks."], [PASSAGE])[0]
    assert dirty < clean


@given(st.lists(st.text(max_size=60), min_size=1, max_size=3), st.lists(st.text(max_size=120), min_size=1, max_size=2))
def test_any_claim_gets_a_probability(claims: list[str], contexts: list[str]) -> None:
    assert all(0.0 <= probability <= 1.0 for probability in rated(claims, contexts))


def test_vectors_have_a_value_for_each_feature() -> None:
    claim = ClaimFeatures((0.0,) * 10, (0.0,) * len(LEXICAL))
    answer = AnswerFeatures((0.0,) * len(LEXICAL), 10, 1, False, 3)
    assert [len(vector) for vector in vectors([claim, claim], answer)] == [len(FEATURES)] * 2
    assert len(claim_row(claim)) == len(CLAIM)
    assert len(answer_row([claim, claim], answer)) == len(ANSWER)


def test_an_answer_gives_each_feature_as_its_text_does() -> None:
    words = [*CONTEXT[0][:4], "lisbon", "in", "1988"]
    tokens = [Token(word, len(word) > 3, word == "lisbon") for word in words]
    index = ContextIndex([indexed(CONTEXT)])
    answer = AnswerLexical(tokens, index, ["museum"].__contains__)
    alone = [answer[at] for at in range(len(LEXICAL))]
    assert alone == list(answer) == list(lexical_features(tokens, index, ["museum"].__contains__))


# In the scorer -------------------------------------------------------------------------------------------------


def faithfulness(context: str, answer: str) -> Scored:
    given = interaction(contexts=(context,), answer=answer, question=None)
    outcome = FaithfulnessScorer().score([Reading(given)], Deadline(10))[0][MetricKey.FAITHFULNESS]
    assert isinstance(outcome, Scored)
    return outcome


LISTING = json.dumps({
    "name": "Harbour Table",
    "hours": {"Monday": "9:0-17:0", "Friday": "9:0-22:30"},
    "attributes": {"OutdoorSeating": True, "RestaurantsTakeOut": True, "RestaurantsReservations": False, "WiFi": None},
    "review_info": [{"review_text": "The chowder was rich and creamy. We will come back for it, and for the view!"}],
})  # fmt: skip


def test_a_description_of_a_record_is_held_to_its_fields() -> None:
    told = faithfulness(
        LISTING, "Outdoor seating is available. On Friday, Harbour Table is open from 9 AM to 10:30 PM."
    )
    assert told.value == 1.0
    invented = faithfulness(LISTING, "Reservations are accepted. Free WiFi is provided to all guests.")
    assert invented.value == 0.0
    assert [claim.reason for claim in invented.claims] == [
        "The record says otherwise in a field that the claim speaks of.",
        "The record gives no value for what the claim speaks of.",
    ]


def test_a_quote_from_a_record_is_verbatim() -> None:
    (claim,) = faithfulness(LISTING, "The chowder was rich and creamy.").claims
    assert claim.quote is not None
    assert claim.quote in LISTING


def test_languages_without_labelled_answers_are_named_as_such() -> None:
    german = faithfulness("Die Brücke wurde 1832 nach drei Jahren Bauzeit eröffnet.", "Die Brücke wurde 1832 eröffnet.")
    assert german.explanation is not None
    assert "(de)" in german.explanation
    english = faithfulness(PASSAGE, "William Tierney Clark designed the bridge.")
    assert english.explanation is not None
    assert "human labels" not in english.explanation
