"""Runbooks are read at three in the morning: each alert has one, and what it names is there."""

import re
import shlex
from pathlib import Path

import click
import promql_parser as promql
import pytest
import typer.main
import yaml
from pydantic import BaseModel

from ragsonde.cli import app
from ragsonde.settings import Settings
from tests.deploy.monitoring import DEPLOY
from tests.deploy.test_rules import ALERTS, exported, nodes, recorded

RUNBOOKS = sorted((DEPLOY / "runbooks").glob("*.md"))
HANDBOOK = DEPLOY.parent / "docs" / "alerting.md"
PAGES = [*RUNBOOKS, HANDBOOK]
NAMES = {rule["alert"] for rule in ALERTS}
PROCESS = {name: {"job", "instance"} for name in ("process_cpu_seconds_total", "process_resident_memory_bytes")}
"""What the client library exports about the process, and the runbooks name."""

by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of a language, without what they are indented by."""
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [block.strip() for block in found]


def test_each_alert_has_a_runbook_and_each_runbook_an_alert() -> None:
    assert {page.stem for page in RUNBOOKS} == NAMES


@pytest.mark.parametrize("page", RUNBOOKS, ids=lambda page: page.stem)
def test_a_runbook_says_what_it_means_what_it_does_how_to_check_and_what_to_do(page: Path) -> None:
    text = page.read_text("utf-8")
    assert re.findall(r"^#+ .*$", text, re.MULTILINE) == [
        f"# {page.stem}", "## Meaning", "## Impact", "## Check", "## Fix"
    ]  # fmt: skip
    assert blocks(page, "promql")


@pytest.mark.parametrize("page", RUNBOOKS, ids=lambda page: page.stem)
def test_each_step_begins_a_line(page: Path) -> None:
    steps = page.read_text("utf-8").partition("## Fix")[2]
    numbers = [int(number) for number in re.findall(r"(?:^|\s)(\d)\. ", steps)]
    assert numbers == [int(number) for number in re.findall(r"^(\d)\. ", steps, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))


@by_page
def test_queries_read_only_what_is_there(page: Path) -> None:
    known = exported() | recorded() | PROCESS
    for query in blocks(page, "promql"):
        for node in nodes(promql.parse(query)):
            if isinstance(node, promql.VectorSelector):
                assert node.name in known, query
                assert {matcher.name for matcher in node.matchers.matchers} <= known[node.name], query
            if isinstance(node, promql.AggregateExpr) and node.modifier is not None:
                for part in nodes(node.expr):
                    if isinstance(part, promql.VectorSelector):
                        assert set(node.modifier.labels) <= known[part.name], query


@by_page
def test_metrics_in_the_text_are_exported(page: Path) -> None:
    prose = re.sub(r"^ *```.*?^ *```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for name in re.findall(r"`(\w*:?ragsonde_[a-z_]+(?::\w+)?)`", prose):
        assert name in exported() | recorded(), name


@by_page
def test_alerts_and_links_in_the_text_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    assert set(re.findall(r"\bRagsonde[A-Z]\w+", text)) <= NAMES
    for target in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert (page.parent / target).exists(), target


@by_page
def test_commands_and_their_options_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    lines = [line for block in blocks(page, "sh") for line in block.replace("\\\n", " ").splitlines()]
    lines += re.findall(r"`(ragsonde [a-z][^`]*)`", text)
    group = typer.main.get_command(app)
    assert isinstance(group, click.Group) or hasattr(group, "commands")
    for line in lines:
        words = shlex.split(line)
        if words[0] != "ragsonde":
            continue
        command = group.commands[words[1]]  # type: ignore[attr-defined]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word.split("=")[0] for word in words[2:] if word.startswith("-")} <= known, line


@pytest.mark.parametrize("page", RUNBOOKS, ids=lambda page: page.stem)
def test_settings_in_the_text_exist(page: Path) -> None:
    for path in re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", page.read_text("utf-8")):
        if path.split(".")[0] in Settings.model_fields:
            model: type[BaseModel] = Settings
            for name in path.split("."):
                assert name in model.model_fields, path
                annotation = model.model_fields[name].annotation
                if isinstance(annotation, type) and issubclass(annotation, BaseModel):
                    model = annotation


def test_the_handbook_names_every_tunable_and_every_alert() -> None:
    text = HANDBOOK.read_text("utf-8")
    tunables = yaml.safe_load((DEPLOY / "prometheus" / "tunables.yaml").read_text("utf-8"))
    for name, value in tunables.items():
        assert f"`{name}`" in text
        for field in value if isinstance(value, dict) else ():
            assert f"`{field}`" in text, field
    assert {name for name in NAMES if name not in text} == set()
