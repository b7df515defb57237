"""Runs the examples of a document: files are written, commands run, in order.

The first word after a fence is the language; the rest says what to do: a file's name, ``exit=1`` for a command that
fails on purpose, ``prepared`` for one whose files the test brings along.
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from ragsonde.cli import app
from ragsonde.collector.errors import ConfigError

DOCS = Path(__file__).parents[1] / "docs"
_FENCE = re.compile(r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    language: str
    told: str
    text: str


def blocks(document: str) -> list[Block]:
    text = (DOCS / document).read_text(encoding="utf-8")
    return [Block(language, told or "", body) for language, told, body in _FENCE.findall(text)]


def run(command: str) -> tuple[int, str]:
    """Run one command line in this process; returned are the exit code and what was printed."""
    words = shlex.split(command)
    if words[0] != "ragsonde":
        raise ValueError(f"not a ragsonde command: {command}")
    result = CliRunner().invoke(app, words[1:])
    if isinstance(result.exception, ConfigError):
        return 2, str(result.exception)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def write_files(given: list[Block], folder: Path) -> None:
    for block in given:
        if block.told and block.language not in {"bash", "python"}:
            (folder / block.told).write_text(block.text, encoding="utf-8")


def run_commands(given: list[Block]) -> list[str]:
    """Run every command and return the outputs; each must end as the document says."""
    outputs = []
    for block in given:
        if block.language == "bash":
            expected = 1 if block.told == "exit=1" else 0
            for command in block.text.strip().splitlines():
                code, output = run(command)
                assert code == expected, f"{command}\n{output}"
                outputs.append(output)
    return outputs
