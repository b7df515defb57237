"""The directory of an exported model: what must be in it, and what its files say."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.entailment.config import EntailmentConfig

_ENTAILED = frozenset(
    {"entailment", "entailed", "entails", "supported", "supports", "consistent", "grounded", "faithful"}
)
"""What label maps call it."""
_USUAL_TOKENS = 512
_EXPORT = "export the model with: optimum-cli export onnx --model NAME DIRECTORY"
_Described = TypeVar("_Described", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model on disk."""

    graph: Path
    tokenizer: Path
    labels: int
    """How many the model tells apart; 1 where it gives one logit, that of entailment."""
    supported: int
    """Which of them means entailment."""
    window: int
    """Most tokens of a pair, markers included."""
    digest: str
    """sha256 of the graph, its weights and the tokenizer."""


class _ModelConfig(BaseModel):
    """The part of ``config.json`` (Hugging Face) that is looked at."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    id2label: dict[int, str]
    max_position_embeddings: int | None = None


class _TokenizerConfig(BaseModel):
    """The part of ``tokenizer_config.json`` that is looked at."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    model_max_length: float | None = None


def read_model_files(config: EntailmentConfig) -> ModelFiles:
    """Look through the directory.

    Raises:
        ConfigError: a file is missing or does not say what it must; the message names it and the remedy.
    """
    folder = config.model_dir
    if not folder.is_dir():
        raise ConfigError(f"scoring.entailment.model_dir: there is no directory {folder}; {_EXPORT}")
    graph, tokenizer = folder / config.file, folder / "tokenizer.json"
    for path, field in ((graph, "file"), (tokenizer, "model_dir"), (folder / "config.json", "model_dir")):
        if not path.is_file():
            raise ConfigError(f"scoring.entailment.{field}: {path} is missing; {_EXPORT}")
    described = _read(_ModelConfig, folder / "config.json")
    supported = _supported(described.id2label, config.supported_label, folder / "config.json")
    return ModelFiles(
        graph, tokenizer, len(described.id2label), supported, _window(folder, described), _digest(graph, tokenizer)
    )


def _supported(labels: Mapping[int, str], wanted: str | None, path: Path) -> int:
    """The place of the label that means entailment."""
    if sorted(labels) != list(range(len(labels))) or not labels:
        raise ConfigError(f"{path}: id2label must number its labels from 0 on; it has {dict(labels)}")
    if len(labels) == 1 and wanted is None:
        return 0
    names = {wanted.casefold()} if wanted is not None else _ENTAILED
    found = [place for place, name in labels.items() if name.casefold() in names]
    if len(found) != 1:
        raise ConfigError(
            f"scoring.entailment.supported_label: name the label of {path} that means entailment; it has "
            f"{', '.join(labels[place] for place in sorted(labels))}"
        )
    return found[0]


def _window(folder: Path, described: _ModelConfig) -> int:
    """The tokens that the model was trained to read, as far as its files tell."""
    path = folder / "tokenizer_config.json"
    length = _read(_TokenizerConfig, path).model_max_length if path.is_file() else None
    given = [int(each) for each in (length, described.max_position_embeddings) if each is not None and each < 1e6]
    return min(given, default=_USUAL_TOKENS)


def _read(kind: type[_Described], path: Path) -> _Described:
    try:
        return kind.model_validate(json.loads(path.read_bytes()))
    except (ValueError, ValidationError) as error:
        raise ConfigError(f"{path} cannot be read: {error}; {_EXPORT}") from error


def _digest(graph: Path, tokenizer: Path) -> str:
    digest = hashlib.sha256()
    for path in (graph, *sorted(graph.parent.glob(f"{graph.name}?data")), tokenizer):  # large weights lie beside it
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
