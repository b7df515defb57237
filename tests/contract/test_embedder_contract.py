"""What every embedder promises, run over the real one and the one that tests use."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ragsonde.scorers.embedding import Embedder, TextKind
from tests.embedders import TrigramEmbedder, local_embedder

TEXTS = ("The crossing takes two hours.", "Переправа занимает два часа.", "渡轮需要两个小时。", "a", "Ferry!")


@pytest.fixture(params=["trigrams", "onnx"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return TrigramEmbedder() if request.param == "trigrams" else local_embedder()


@pytest.mark.parametrize("kind", list(TextKind))
def test_embed_gives_one_unit_row_a_text(embedder: Embedder, kind: TextKind) -> None:
    vectors = embedder.embed(TEXTS, kind)

    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_embed_of_nothing_is_an_empty_array(embedder: Embedder) -> None:
    assert embedder.embed([], TextKind.PASSAGE).shape == (0, embedder.dimension)


def test_vectors_do_not_depend_on_what_stands_beside_them(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS, TextKind.QUERY)
    alone = np.concatenate([embedder.embed([text], TextKind.QUERY) for text in TEXTS])

    np.testing.assert_allclose(together, alone, atol=1e-6)


def test_order_and_repetition_are_kept(embedder: Embedder) -> None:
    texts = [TEXTS[2], TEXTS[0], TEXTS[2]]

    vectors = embedder.embed(texts, TextKind.PASSAGE)

    np.testing.assert_array_equal(vectors[0], vectors[2])
    np.testing.assert_allclose(vectors[1], embedder.embed([TEXTS[0]], TextKind.PASSAGE)[0], atol=1e-6)


def test_any_text_can_be_embedded(embedder: Embedder) -> None:
    odd = ["", " ", "\x00", "\ud800", "👩‍👩‍👧", "</s> <mask>", "\u200f", "x" * 5000]

    assert np.isfinite(embedder.embed(odd, TextKind.PASSAGE)).all()


def test_the_end_of_a_long_text_counts(embedder: Embedder) -> None:
    start = "The harbour was built in stages over many decades. " * 120
    endings = [start, start + "Penguins cannot fly and live on fish. " * 40]

    vectors = embedder.embed(endings, TextKind.PASSAGE)

    assert float(vectors[0] @ vectors[1]) < 0.999


def test_threads_get_the_same_vectors(embedder: Embedder) -> None:
    expected = embedder.embed(TEXTS, TextKind.QUERY)

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: embedder.embed(TEXTS, TextKind.QUERY), range(8)))

    for vectors in results:
        np.testing.assert_allclose(vectors, expected, atol=1e-6)


def test_texts_of_one_subject_are_closer_than_others(embedder: Embedder) -> None:
    question = embedder.embed(["How long does the ferry crossing take?"], TextKind.QUERY)[0]
    near, far = embedder.embed(
        ["The ferry crossing takes two hours.", "Violins are made of spruce and maple."], TextKind.PASSAGE
    )

    assert float(question @ near) > float(question @ far)
