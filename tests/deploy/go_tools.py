"""The Go programs of ``tests/deploy/go``: built once for each state of their sources, kept under ``.cache``."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent / "go"
CACHE = Path(__file__).parents[2] / ".cache" / "go"


def built(name: str) -> Path:
    """Return the program of ``tests/deploy/go/<name>``; skip the test where there is no Go, fail it in CI."""
    program = CACHE / _digest() / name
    if not program.exists():
        _build(program, name)
    return program


def _digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(SOURCES).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _build(program: Path, name: str) -> None:
    go = shutil.which("go")
    if go is None:
        message = "go is not installed: it builds what checks the chart, the Compose file and the collector"
        if os.environ.get("CI") == "true":
            pytest.fail(message, pytrace=False)
        pytest.skip(message)
    beside = program.with_name(f"{name}.{os.getpid()}")
    command = [go, "build", "-o", str(beside), f"./{name}"]
    done = subprocess.run(command, cwd=SOURCES, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, f"{' '.join(command)}:\n{done.stderr[-3000:]}"
    beside.rename(program)
    for other in CACHE.iterdir():  # built from sources of before
        if other != program.parent:
            shutil.rmtree(other, ignore_errors=True)
