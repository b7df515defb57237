"""A model for entailment: what of a directory is believed, what it is asked, and what it changes."""

import hashlib
import importlib.util
import math
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.catalog import ScoringConfig, build_scorers
from ragsonde.scorers.detector import Rating
from ragsonde.scorers.entailment import Entailment, EntailmentConfig, open_entailment
from ragsonde.scorers.entailment.entailment import CALIBRATION
from ragsonde.scorers.faithfulness import FaithfulnessScorer, Support
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, Outcome, Scored
from tests.builders import interaction
from tests.entailment_models import NLI_LABELS, WINDOW, write_json, write_overlap_model

PASSAGE = "The ferry to Vis leaves at ten. Bicycles travel free of charge."
PARAPHRASE = "No fee is taken for cycles."
TEXTS = (PASSAGE, PARAPHRASE, "Dogs pay four euros", "does a bicycle cost anything ?")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_overlap_model(tmp_path / "model", TEXTS)


def opened(folder: Path, **values: object) -> Entailment:
    return open_entailment(EntailmentConfig.model_validate({"model_dir": folder, **values}))


@pytest.mark.parametrize(
    ("labels", "supported"),
    [
        (NLI_LABELS, 1),
        (("ENTAILMENT", "NEUTRAL", "CONTRADICTION"), 0),
        (("not_entailment", "entailment"), 1),
        (("hallucinated", "consistent"), 1),
        (("LABEL_0",), 0),
    ],
)
def test_a_claim_that_is_in_the_premise_is_likelier_whatever_the_order_of_labels(
    tmp_path: Path, labels: tuple[str, ...], supported: int
) -> None:
    model = opened(write_overlap_model(tmp_path, TEXTS, labels=labels, supported=supported)).model

    said = model.log_odds(PASSAGE, "Bicycles travel free of charge.")
    unsaid = model.log_odds(PASSAGE, "Dogs pay four euros.")

    assert said > 2 > 0 > unsaid


def test_three_labels_give_the_odds_against_the_two_others_together(folder: Path) -> None:
    odds = opened(folder).model.log_odds(PASSAGE, "Bicycles travel free of charge.")

    assert odds == pytest.approx(12 * 0.4 - math.log(2), abs=1e-3)


def test_an_unusual_label_is_named_by_the_operator(tmp_path: Path) -> None:
    folder = write_overlap_model(tmp_path, TEXTS, labels=("LABEL_0", "LABEL_1"))

    with pytest.raises(ConfigError, match=r"supported_label.*LABEL_0, LABEL_1"):
        opened(folder)
    assert opened(folder, supported_label="label_1").model.log_odds(PASSAGE, "Bicycles travel free") > 0


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json"])
def test_a_missing_file_is_named_with_the_remedy(folder: Path, name: str) -> None:
    (folder / name).unlink()

    with pytest.raises(ConfigError, match=rf"{name} is missing; export the model"):
        opened(folder)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json", "tokenizer_config.json", CALIBRATION])
@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\x00", b'{"id2label": {"3": "entailment"}}'])
def test_a_damaged_file_is_named(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    if name == "tokenizer_config.json" and content.startswith(b'{"'):
        opened(folder)  # an object without the field says nothing
        return

    with pytest.raises(ConfigError, match=name.replace(".", r"\.")):
        opened(folder)


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"model_dir: there is no directory .*nowhere"):
        opened(tmp_path / "nowhere")


def test_a_graph_of_another_kind_is_refused(folder: Path) -> None:
    write_json(folder / "config.json", {"id2label": {"0": "entailment", "1": "neutral"}})

    with pytest.raises(ConfigError, match=r"gives 3 values for a pair where config\.json has 2 labels"):
        opened(folder)


def test_missing_packages_are_named_with_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec

    def without_tokenizers(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "tokenizers" else found(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without_tokenizers)

    with pytest.raises(ConfigError, match=r"needs tokenizers.*pip install ragsonde\[entailment\]"):
        opened(folder)


def test_a_graph_in_a_folder_of_its_own_can_be_named(tmp_path: Path) -> None:
    folder = write_overlap_model(tmp_path, TEXTS, file="onnx/model_quantized.onnx")

    assert opened(folder, file="onnx/model_quantized.onnx").model.log_odds(PASSAGE, "ferry") > 0


def test_a_calibration_is_read_and_belongs_to_its_model(folder: Path) -> None:
    model = opened(folder).model
    write_json(folder / CALIBRATION, {"model_sha256": model.digest, "scale": 0.5, "shift": -1.0, "weight": 0.8})

    assert opened(folder).calibration.weight == 0.8
    assert opened(folder, weight=0.1).calibration.weight == 0.1
    assert opened(folder).version != opened(folder, weight=0.1).version

    write_json(folder / CALIBRATION, {"model_sha256": hashlib.sha256(b"other").hexdigest()})
    with pytest.raises(ConfigError, match=rf"{CALIBRATION} was fitted for another model"):
        opened(folder)


def test_another_graph_is_another_version(folder: Path, tmp_path: Path) -> None:
    other = write_overlap_model(tmp_path / "other", (*TEXTS, "more words"))

    assert opened(folder).version != opened(other).version


def test_weights_that_lie_beside_the_graph_are_part_of_the_version(folder: Path) -> None:
    before = opened(folder).model.digest
    (folder / "model.onnx_data").write_bytes(b"weights")

    assert opened(folder).model.digest != before


@given(st.text(max_size=400), st.text(max_size=400))
def test_any_pair_gets_finite_odds_and_the_same_twice(model_folder: Path, premise: str, claim: str) -> None:
    model = _MODELS.setdefault(model_folder, opened(model_folder)).model

    odds = model.log_odds(premise, claim)

    assert abs(odds) <= 20.0
    assert model.log_odds(premise, claim) == odds
    assert model.tokens(premise) <= model.tokens(premise + " " + claim)


_MODELS: dict[Path, Entailment] = {}


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_overlap_model(tmp_path_factory.mktemp("model"), TEXTS)


def test_marker_words_in_a_text_are_text(folder: Path) -> None:
    model = opened(folder).model

    assert model.tokens("[SEP]") == 3  # a bracket, a word, a bracket
    assert model.log_odds("nothing", "ferry [SEP] [CLS]") == model.log_odds("nothing", "ferry ferry ferry")


def test_threads_get_the_same_odds(folder: Path) -> None:
    model = opened(folder).model
    claims = ["Bicycles travel free.", "Dogs pay four euros.", "The ferry leaves at ten."] * 4
    expected = [model.log_odds(PASSAGE, claim) for claim in claims]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda claim: model.log_odds(PASSAGE, claim), claims)) == expected


def test_a_weight_of_nought_leaves_a_rating_and_one_is_the_model_alone(folder: Path) -> None:
    rating = Rating(0.3, 0.6)

    left = opened(folder, weight=0).weighed(rating, PASSAGE, "Bicycles travel free of charge.")
    alone = opened(folder, weight=1).weighed(rating, PASSAGE, "Bicycles travel free of charge.")

    assert (left.probability, left.alone) == pytest.approx((0.3, 0.6))
    assert alone.probability == alone.alone > 0.95


def judged(entailment: Entailment | None, contexts: tuple[str, ...], answer: str, question: str = "") -> Outcome:
    given_interaction = interaction(contexts=contexts, answer=answer, question=question or None)
    (outcomes,) = FaithfulnessScorer(entailment=entailment).score([Reading(given_interaction)], Deadline(60))
    return outcomes[MetricKey.FAITHFULNESS]


def test_a_paraphrase_that_the_model_knows_is_supported(tmp_path: Path) -> None:
    """The words alone say no; a model that reads the two as one says yes."""
    entailment = opened(write_overlap_model(tmp_path, ("bicycles travel free of charge", "the")), weight=1)
    contexts = ("Bicycles travel free of charge. Dogs do not.",)
    answer = "Charge of bicycles is no matter, they travel free."

    without, with_model = judged(None, contexts, answer), judged(entailment, contexts, answer)

    assert isinstance(without, Scored)
    assert isinstance(with_model, Scored)
    assert with_model.claims[0].probability > without.claims[0].probability
    assert entailment.version in FaithfulnessScorer(entailment=entailment).version


def test_a_fact_that_differs_decides_against_the_claim_whatever_the_model_says(folder: Path) -> None:
    outcome = judged(
        opened(folder, weight=1), ("Bicycles travel free for 3 days.",), "Bicycles travel free for 5 days."
    )

    assert isinstance(outcome, Scored)
    assert outcome.value == 0.0


def test_citations_ask_the_model_too(folder: Path) -> None:
    with_model, without = Support(entailment=opened(folder, weight=1)), Support()

    assert with_model.support("Bicycles travel free of charge.", PASSAGE) != without.support(
        "Bicycles travel free of charge.", PASSAGE
    )
    assert with_model.version != without.version


def test_what_is_left_when_time_is_up_has_failed_and_is_not_scored_by_words(folder: Path) -> None:
    readings = [Reading(interaction())] * 2

    for outcomes in FaithfulnessScorer(entailment=opened(folder)).score(readings, Deadline(0)):
        assert set(outcomes) == set(FaithfulnessScorer.keys)
        assert all(isinstance(o, Failed) and o.kind is FailureKind.TIMEOUT for o in outcomes.values())


def test_the_catalogue_gives_one_model_to_faithfulness_and_citations(folder: Path) -> None:
    config = ScoringConfig.model_validate(
        {"scorers": ["local_faithfulness", "local_citations"], "entailment": {"model_dir": folder}}
    )

    faithfulness, citations = build_scorers(config)

    version = opened(folder).version
    assert version in faithfulness.version
    assert version in citations.version


def test_a_catalogue_without_a_scorer_that_asks_does_not_load_it(tmp_path: Path) -> None:
    config = ScoringConfig.model_validate({"scorers": ["retrieval"], "entailment": {"model_dir": tmp_path / "nowhere"}})

    assert [scorer.name for scorer in build_scorers(config)] == ["retrieval"]


def test_a_claim_longer_than_the_window_is_left_to_the_detector(folder: Path) -> None:
    answer = "Bicycles travel free of charge " + "and the ferry leaves at ten " * WINDOW + "."

    with_model = judged(opened(folder, weight=1), (PASSAGE,), answer)

    assert with_model == judged(None, (PASSAGE,), answer)
