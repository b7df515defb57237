"""The examples of docs/instrumenting.md run as they stand."""

import re
import socket
import subprocess
import sys
from pathlib import Path

import ragsonde

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "instrumenting.md"

PREAMBLE = """
def search(query):
    return [{"id": "returns", "content": "Goods can be returned within 30 days."}]

def model(prompt, documents):
    return "Within 30 days [1]."

def stream_model(prompt, documents):
    yield from ["Within ", "30 days [1]."]

"""


def test_every_python_example_runs_in_order() -> None:
    examples = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert len(examples) >= 7
    with socket.create_server(("127.0.0.1", 0)) as listener:
        closed = f"127.0.0.1:{listener.getsockname()[1]}"
    script = (PREAMBLE + "\n".join(examples)).replace("localhost:9092", closed)
    done = subprocess.run(
        [sys.executable, "-c", f"{script}\nprint('done')"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "done\n"


def test_the_document_names_every_public_name() -> None:
    text = DOCUMENT.read_text("utf-8")
    shortcuts = {"rag_interaction"}  # the same as the tracer's method, which the document shows
    assert [name for name in ragsonde.__all__ if name not in text and name not in shortcuts] == []
