"""Starts a judge server in a process of its own and talks to it from outside."""

import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragsonde.testing.judge_script import Script


class JudgeServer:
    """A running judge server, from outside."""

    def __init__(self, url: str) -> None:
        self.url = url
        """Root of the server; the OpenAI and Anthropic base URL is ``base_url``."""

    @property
    def base_url(self) -> str:
        """What a client takes as its base URL."""
        return f"{self.url}/v1"

    def control(self, script: Script) -> None:
        """Replace the script and restart its schedules."""
        self._call("/control", script.model_dump_json().encode())

    def reset(self) -> None:
        """Forget counts and prompts."""
        self._call("/reset", b"{}")

    def stats(self) -> dict[str, int]:
        """Counts: ``calls``, ``calls.<task>``, ``faults.<fault>``, ``input_tokens``, ``output_tokens``."""
        counts: dict[str, int] = self._call("/stats")
        return counts

    def prompts(self) -> list[dict[str, Any]]:
        """The last prompts as they arrived: ``task``, ``system``, ``user``, ``turns``, ``body``, ``headers``."""
        seen: list[dict[str, Any]] = self._call("/prompts")
        return seen

    def _call(self, path: str, body: bytes | None = None) -> Any:
        request = urllib.request.Request(self.url + path, body, {"content-type": "application/json"})  # noqa: S310
        with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310  # its own loopback address
            return json.load(response)


@contextmanager
def running_judge_server(
    script: Script | None = None, *, port: int = 0, start_seconds: float = 30.0
) -> Iterator[JudgeServer]:
    """A judge server in a process of its own, on a loopback port: a free one, unless ``port`` names it.

    Raises:
        RuntimeError: it did not start within ``start_seconds``.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.json"
        path.write_text((script or Script()).model_dump_json(), encoding="utf-8")
        address = Path(folder) / "address"
        module = [sys.executable, "-m", "ragsonde.testing.judge_server"]
        command = [*module, "--port", str(port), "--script", str(path), "--address-file", str(address)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        try:
            yield JudgeServer(_address(process, address, start_seconds))
        finally:
            process.kill()
            process.wait()


def _address(process: subprocess.Popen[bytes], path: Path, seconds: float) -> str:
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        if path.exists() and (text := path.read_text(encoding="utf-8")).endswith("\n"):
            return text.strip()
        time.sleep(0.02)
    raise RuntimeError(f"the judge server did not start within {seconds} s (exit code {process.poll()})")
