"""Texts as vectors, computed on this machine. Importing this package loads no model and none of its libraries."""

from ragsonde.scorers.embedding.config import EmbeddingConfig
from ragsonde.scorers.embedding.embedder import Embedder, TextKind
from ragsonde.scorers.embedding.onnx_embedder import OnnxEmbedder, open_embedder

__all__ = ["Embedder", "EmbeddingConfig", "OnnxEmbedder", "TextKind", "open_embedder"]
