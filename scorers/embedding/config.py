"""What the operator may set about the local model."""

from pathlib import Path

from pydantic import Field

from ragsonde.collector.config import Config


class EmbeddingConfig(Config):
    """The local multilingual model."""

    model_dir: Path | None = None
    """Directory that keeps the converted model (about 75 MB); default: ``ragsonde`` in the user's cache directory
    (``$XDG_CACHE_HOME`` or ``~/.cache`` on Linux)."""
    threads: int = Field(default=1, ge=1, le=256)
    """Processor threads that one call may use; default 1, since scoring workers already run side by side."""
    batch_tokens: int = Field(default=1024, ge=512, le=65536)
    """Most tokens, padding included, in one pass of the model; bounds its working memory."""
    cache_entries: int = Field(default=10_000, ge=0, le=10_000_000)
    """Passages whose vectors are kept, about 2 kB each; 0 keeps none. Retrieval returns the same passages often."""
    lock_timeout_seconds: float = Field(default=120.0, gt=0, le=3600)
    """Longest wait for another process that is converting the model into the same directory, in seconds."""
