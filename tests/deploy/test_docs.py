"""The quick start works as it stands, pages name things that exist, links lead somewhere, and the site builds."""

import itertools
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from pydantic import BaseModel
from typer.main import get_command

from ragsonde.cli import app
from ragsonde.config_reference import as_markdown
from ragsonde.exporters.metrics import CATALOGUE
from ragsonde.settings import Settings, load
from tests.deploy.monitoring import eventually, free_port, running

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted(DOCS.rglob("*.md"))]
OURS = [
    DOCS / f"{name}.md" for name in ("quickstart", "concepts", "operating", "deploying", "security", "contributing")
]


def tokens(page: Path) -> Iterator[Token]:
    for token in MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8")):
        yield token
        yield from token.children or ()


def anchors(page: Path) -> set[str]:
    """The names that headings get."""
    found = set()
    everything = list(tokens(page))
    for token, following in itertools.pairwise(everything):
        if token.type == "heading_open":
            text = unicodedata.normalize("NFKD", following.content).lower()
            found.add(re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip()))
    return found


def identifier(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=identifier)
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for token in tokens(page):
        target = str(token.attrGet("href") or token.attrGet("src") or "")
        if not target or re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        if not place.exists() or (anchor and anchor not in anchors(place)):
            broken.append(target)
    assert not broken


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    mkdocs = Path(sys.executable).with_name("mkdocs")
    done = subprocess.run(
        [mkdocs, "build", "--strict", "--site-dir", tmp_path],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "quickstart" / "index.html").exists()
    page = (tmp_path / "index.html").read_text("utf-8")
    loaded = re.findall(r'<(?:link|script|img)[^>]+(?:href|src)="(https?:[^"]+)"', page)
    assert not loaded, "the site loads nothing from elsewhere"


@pytest.mark.parametrize("page", OURS, ids=identifier)
def test_pages_name_commands_metrics_files_and_options_that_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    commands = set(get_command(app).commands)  # type: ignore[attr-defined]
    assert set(re.findall(r"(?<![\w-])ragsonde ([a-z]+(?:-[a-z]+)*)\b(?=[^`\n]*`)", text)) <= commands
    metrics = {metric.name for metric in CATALOGUE}
    assert set(re.findall(r"`(ragsonde_\w+)`?", text)) <= metrics
    files = re.findall(r"`((?:deploy|docs|tests|src|bench|requirements)/[\w./-]+)`", text)
    assert not [name for name in files if not (ROOT / name).exists()]
    sections = "|".join(Settings.model_fields)
    known = option_names()
    named = re.findall(rf"`((?:{sections})(?:\.[a-z_]+)+)`", text)
    assert not [name for name in named if name not in known]


def option_names() -> set[str]:
    """Every option by its path, optional sections included."""
    names: set[str] = set()
    for line in as_markdown(Settings).splitlines():
        if heading := re.match(r"## `([\w.]+)", line):
            section = f"{heading.group(1)}."
        elif line.startswith("## "):
            section = ""
        elif option := re.match(r"\| `(\w+)` \|", line):
            names.add(section + option.group(1))
    return names


@pytest.mark.parametrize("page", [*OURS, DOCS / "judge.md"], ids=identifier)
def test_yaml_on_the_pages_is_yaml(page: Path) -> None:
    for language, text in blocks(page):
        if language == "yaml":
            yaml.safe_load(text)


def test_the_server_settings_of_the_security_page_are_accepted(tmp_path: Path) -> None:
    (text,) = [text for language, text in blocks(DOCS / "security.md") if language == "yaml"]
    path = tmp_path / "ragsonde.yaml"
    path.write_text(text, "utf-8")
    assert isinstance(load(path), BaseModel)


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(token.info, token.content) for token in tokens(page) if token.type == "fence"]


def test_the_quick_start_works_as_it_stands(tmp_path: Path) -> None:
    """A new user's path: start it, send an answer, see the verdict in the metrics."""
    shell = [text.strip() for language, text in blocks(DOCS / "quickstart.md") if language == "sh"]
    (python,) = [text for language, text in blocks(DOCS / "quickstart.md") if language == "python"]
    start, look = shell[1], shell[2]
    assert start == "ragsonde up"
    here = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", *start.split(), "--port", here.rpartition(":")[2], "--data-dir", tmp_path / "data"]
    with running([str(part) for part in command], tmp_path / "log"):
        eventually(lambda: reached(f"http://{here}/healthz"), 120, "the sidecar is up")
        sent = subprocess.run(
            [sys.executable, "-c", python.replace("127.0.0.1:4318", here)],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert sent.returncode == 0, sent.stderr
        assert sent.stdout == "The warranty lasts 5 years [1].\n"

        def shown() -> str:
            return subprocess.run(
                ["bash", "-c", look.replace("127.0.0.1:4318", here)], capture_output=True, text=True, check=False
            ).stdout

        lines = eventually(shown, 60, "claims in the metrics")
        assert re.search(r'app="shop-assistant".*verdict="contradicted".* 1\.0', lines)


def reached(url: str) -> bool:
    try:
        return httpx.get(url).is_success
    except httpx.TransportError:
        return False


def test_the_quick_start_scores_its_file(tmp_path: Path) -> None:
    ((_, records),) = [block for block in blocks(DOCS / "quickstart.md") if block[0].startswith("jsonl")]
    (tmp_path / "interactions.jsonl").write_text(records, "utf-8")
    shell = [text.strip() for language, text in blocks(DOCS / "quickstart.md") if language == "sh"]
    done = subprocess.run(
        [sys.executable, "-m", *shell[3].split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    verdicts = re.findall(r'"verdict":\s*"(\w+)"', (tmp_path / "scores.jsonl").read_text("utf-8"))
    assert {"contradicted", "supported"} <= set(verdicts)
