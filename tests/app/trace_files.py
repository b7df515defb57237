"""The captured traces, with the interaction that each has to give."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

TRACES = Path(__file__).parent.parent / "traces"
GOLDEN = Path(__file__).parent.parent / "golden"


@dataclass(frozen=True)
class TraceFile:
    """One captured trace and the log records of the same run, where there are any."""

    name: str

    def spans(self, suffix: str) -> bytes:
        return (TRACES / f"{self.name}.otlp.{suffix}").read_bytes()

    def logs(self, suffix: str) -> bytes | None:
        stem, dot, language = self.name.partition(".pl")
        path = TRACES / f"{stem}.logs{dot}{language}.otlp.{suffix}"
        return path.read_bytes() if path.exists() else None

    def expected(self) -> list[dict[str, Any]]:
        with_logs = GOLDEN / f"{self.name}+logs.json"
        return list(json.loads((with_logs if with_logs.exists() else GOLDEN / f"{self.name}.json").read_text()))


@cache
def trace_files() -> tuple[TraceFile, ...]:
    names = sorted(path.name.removesuffix(".otlp.bin") for path in TRACES.glob("*.otlp.bin"))
    return tuple(TraceFile(name) for name in names if ".logs" not in name)


CONTENT_NOT_CAPTURED = {"openinference-langchain-hidden", "otel-genai-openai-nocontent"}
"""Content was hidden, or never captured, at the source."""
NO_ANSWER = {"otel-genai-llamaindex"}
"""A lone retrieval: no interaction at all."""
