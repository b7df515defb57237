"""The example configuration and the reference are what the commands print, and the example is one that works."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel
from typer.testing import CliRunner

from ragsonde.cli import app
from ragsonde.settings import Settings, load
from tests.deploy.generated import ROOT, generated

EXAMPLE = ROOT / "deploy" / "config.example.yaml"
REFERENCE = ROOT / "docs" / "configuration.md"


@pytest.mark.parametrize("path", generated(), ids=lambda path: path.name)
def test_the_file_is_up_to_date(path: Path) -> None:
    assert path.read_text("utf-8") == generated()[path], "run `python -m tests.deploy.generated`"


def test_the_files_hold_what_the_command_prints() -> None:
    assert EXAMPLE.read_text("utf-8").endswith(CliRunner().invoke(app, ["print-config"]).stdout)
    assert CliRunner().invoke(app, ["print-config", "--markdown"]).stdout.rstrip() in REFERENCE.read_text("utf-8")


def test_check_config_accepts_the_example() -> None:
    shown = CliRunner().invoke(app, ["check-config", str(EXAMPLE)])
    assert shown.exit_code == 0, shown.output


def test_the_example_changes_nothing() -> None:
    assert load(EXAMPLE) == Settings()


def test_every_option_of_the_example_is_there_and_has_a_comment() -> None:
    assert set(yaml.safe_load(EXAMPLE.read_text("utf-8"))) == set(Settings.model_fields)
    comments = " ".join(line.strip(" #") for line in EXAMPLE.read_text("utf-8").splitlines() if line.strip()[:1] == "#")
    missing = [path for path, text in documented(Settings()) if not text or " ".join(text.split()) not in comments]
    assert not missing


def documented(values: BaseModel, path: str = "") -> Iterator[tuple[str, str]]:
    """Every option that the example shows, and its documentation."""
    for name, field in type(values).model_fields.items():
        yield f"{path}{name}", field.description or ""
        value = getattr(values, name)
        if isinstance(value, BaseModel):
            yield from documented(value, f"{path}{name}.")
