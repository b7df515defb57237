"""The captured traces and the interactions they hold.

``python -m tests.golden_traces --regenerate`` writes tests/golden anew; read the difference before committing it.
"""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from ragsonde.collector.decoder import decode_bytes
from ragsonde.collector.extraction import extract
from ragsonde.collector.model import Interaction, LogRecord, Span, Trace

TRACES = Path(__file__).parent / "traces"
GOLDEN = Path(__file__).parent / "golden"


def trace_names() -> list[str]:
    return sorted(
        path.name.removesuffix(".otlp.json") for path in TRACES.glob("*.otlp.json") if ".logs" not in path.name
    )


def spans_of(name: str, encoding: str = "json") -> tuple[Span, ...]:
    return decode_bytes((TRACES / f"{name}.otlp.{encoding}").read_bytes()).spans


def logs_of(name: str, encoding: str = "json") -> tuple[LogRecord, ...]:
    """Log records of the same run; empty where it wrote none."""
    stem = name.removesuffix(".pl")
    path = TRACES / f"{stem}.logs{name.removeprefix(stem)}.otlp.{encoding}"
    return decode_bytes(path.read_bytes()).logs if path.exists() else ()


def interactions_of(name: str, encoding: str = "json", *, with_logs: bool = False) -> tuple[Interaction, ...]:
    spans = spans_of(name, encoding)
    logs = logs_of(name, encoding) if with_logs else ()
    return extract(Trace(spans[0].trace_id, spans, logs)).interactions


def cases() -> Iterator[tuple[str, str, bool]]:
    """Yield golden name, trace name and whether its log records are read too."""
    for name in trace_names():
        yield name, name, False
        if logs_of(name):
            yield f"{name}+logs", name, True


def as_json(interactions: tuple[Interaction, ...]) -> Any:
    return orjson.loads(orjson.dumps([asdict(interaction) for interaction in interactions]))


def regenerate() -> None:
    GOLDEN.mkdir(exist_ok=True)
    for stale in GOLDEN.glob("*.json"):
        stale.unlink()
    for golden, name, with_logs in cases():
        found = as_json(interactions_of(name, with_logs=with_logs))
        (GOLDEN / f"{golden}.json").write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2) + b"\n")


if __name__ == "__main__":
    if sys.argv[1:] != ["--regenerate"]:
        sys.exit("usage: python -m tests.golden_traces --regenerate")
    regenerate()
