"""The image builds in its steps and gives a sidecar that runs; the Compose file is valid and its files are there.

No container engine is needed: the steps of the build stage run here, in folders of their own.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from ragsonde.settings import load
from tests.deploy.go_tools import built
from tests.deploy.monitoring import eventually, running

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = DEPLOY / "Dockerfile"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))


@dataclass(frozen=True)
class Instruction:
    name: str
    text: str


def stages() -> list[list[Instruction]]:
    """The instructions of each stage, comments and line continuations taken off."""
    lines = [line for line in DOCKERFILE.read_text("utf-8").splitlines() if not line.startswith("#")]
    found: list[list[Instruction]] = []
    for line in re.sub(r"\\\n", "", "\n".join(lines)).splitlines():
        name, _, text = line.strip().partition(" ")
        if name == "FROM":
            found.append([])
        if found and name:
            found[-1].append(Instruction(name, text.strip()))
    return found


def texts(stage: list[Instruction], name: str) -> list[str]:
    return [instruction.text for instruction in stage if instruction.name == name]


def test_the_dockerfile_passes_its_linter() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([hadolint, DOCKERFILE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_final_stage_runs_as_nobody_special_in_exec_form_and_brings_no_installer() -> None:
    build, final = stages()
    assert texts(final, "USER") == ["10001:10001"]
    assert json.loads(texts(final, "ENTRYPOINT")[0]) == ["ragsonde"]
    assert json.loads(texts(final, "CMD")[0])[0] == "run"
    assert all(text.startswith("--from=build") for text in texts(final, "COPY"))
    assert "pip uninstall" in texts(final, "RUN")[0]
    assert "--without-pip" in texts(build, "RUN")[0]


def test_the_build_context_lets_through_what_is_copied() -> None:
    ignore = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    allowed = {line[1:] for line in ignore if line.startswith("!")}
    copied = {source for text in texts(stages()[0], "COPY") for source in text.split()[:-1]}
    assert copied == allowed
    assert all((ROOT / source).exists() for source in copied)


@dataclass(frozen=True)
class Image:
    """What the build stage made, in a folder."""

    environment: Path
    variables: dict[str, str]

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [str(self.environment / "bin" / arguments[0]), *arguments[1:]]
        return subprocess.run(command, env=self.variables, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """Run the build stage as the Dockerfile says, with its paths moved into a folder."""
    folder = tmp_path_factory.mktemp("image")
    base, source = folder / "base", folder / "src"
    subprocess.run([sys.executable, "-m", "venv", str(base)], check=True)
    moved = {"/opt/ragsonde": str(folder / "ragsonde"), "/dist": str(folder / "dist")}
    variables = {"PATH": f"{base / 'bin'}:{os.environ['PATH']}", "HOME": str(folder / "home")}
    variables |= {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))}
    if "PIP_CACHE_DIR" not in variables and (cache := Path.home() / ".cache" / "pip").is_dir():
        variables["PIP_CACHE_DIR"] = str(cache)
    source.mkdir()
    for instruction in stages()[0]:
        if instruction.name == "COPY":
            copy_into(source, instruction.text)
        elif instruction.name == "ENV" and not instruction.text.startswith("PIP_"):
            name, _, value = instruction.text.partition("=")
            variables[name] = at(value, moved)
        elif instruction.name == "RUN":
            done = subprocess.run(
                ["bash", "-euc", at(instruction.text, moved)],
                cwd=source,
                env=variables,
                capture_output=True,
                text=True,
                check=False,
                timeout=900,
            )
            assert done.returncode == 0, f"RUN {instruction.text}\n{(done.stdout + done.stderr)[-3000:]}"
    return Image(Path(moved["/opt/ragsonde"]), final_variables(moved))


def at(text: str, moved: dict[str, str]) -> str:
    return re.sub("|".join(map(re.escape, moved)), lambda match: moved[match.group()], text)


def copy_into(source: Path, text: str) -> None:
    *names, target = text.split()
    for name in names:
        place = source / target / Path(name).name if target.endswith("/") else source / target
        place.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, place)


def final_variables(moved: dict[str, str]) -> dict[str, str]:
    pairs = re.findall(r"(\w+)=(\S+)", " ".join(texts(stages()[1], "ENV")))
    variables = {name: at(value, moved).replace("$PATH", os.environ["PATH"]) for name, value in pairs}
    return variables | {"HOME": "/nonexistent"}


def test_what_is_built_imports_and_answers(image: Image) -> None:
    assert image.run("ragsonde", "--version").stdout.strip()
    shown = image.run("ragsonde", "check-config", str(DEPLOY / "docker" / "ragsonde.yaml"))
    assert shown.returncode == 0, shown.stderr
    assert not (image.environment / "bin" / "pip").exists()


@contextmanager
def serving(image: Image, folder: Path) -> Iterator[str]:
    """Run the sidecar that was built; give its address."""
    command = [str(image.environment / "bin" / "ragsonde"), "up", "--port", "0", "--data-dir", str(folder / "data")]
    log = folder / "log"
    with running(command, log, image.variables) as process:

        def address() -> str | None:
            assert process.poll() is None, log.read_text("utf-8")
            found = re.search(r"health\s+(\S+)/healthz", log.read_text("utf-8"))
            return found.group(1) if found else None

        yield eventually(address, 120, "the sidecar says where it is")


def test_what_is_built_is_healthy_and_writes_to_its_data_directory_only(image: Image, tmp_path: Path) -> None:
    before = contents(image.environment)
    (health,) = texts(stages()[1], "HEALTHCHECK")
    probe = json.loads(health[health.index("CMD") + 3 :])
    with serving(image, tmp_path) as url:
        assert httpx.get(f"{url}/readyz").is_success
        moved = [part.replace("http://127.0.0.1:4318", url) for part in probe]
        healthy = image.run(*moved)
        assert healthy.returncode == 0, healthy.stderr
    assert image.run(*moved).returncode != 0
    assert contents(image.environment) == before


def test_the_demonstration_of_the_stack_sends_what_is_scored(image: Image, tmp_path: Path) -> None:
    demo = COMPOSE["services"]["demo"]
    (mount,) = demo["volumes"]
    source, inside, _ = mount.split(":")
    assert demo["entrypoint"] == ["python", inside]
    with serving(image, tmp_path) as url:
        variables = image.variables | {"OTEL_EXPORTER_OTLP_ENDPOINT": url}
        program = [str(image.environment / "bin" / "python"), str(DEPLOY / source)]
        with running(program, tmp_path / "demo", variables) as process:

            def scored() -> bool:
                assert process.poll() is None, (tmp_path / "demo").read_text("utf-8")
                return "ragsonde_interactions_total{" in httpx.get(f"{url}/metrics").text

            eventually(scored, 60, "interactions are scored")
            process.terminate()
            assert process.wait(timeout=30) == 0


def contents(folder: Path) -> dict[str, float]:
    return {str(path): path.stat().st_mtime for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    """The stack as Docker Compose's own loader reads it."""
    done = subprocess.run([built("compose"), DEPLOY / "compose.yaml"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def mounts(project: dict[str, Any]) -> Iterator[Path]:
    for service in project["services"].values():
        yield from (Path(volume["source"]) for volume in service.get("volumes", ()) if volume["type"] == "bind")
    yield from (Path(secret["file"]) for secret in project["secrets"].values())


def test_everything_that_the_stack_mounts_is_there(project: dict[str, Any]) -> None:
    missing = [str(path) for path in mounts(project) if not path.exists()]
    assert not missing
    build = project["services"]["ragsonde"]["build"]
    assert (Path(build["context"]) / build["dockerfile"]) == DOCKERFILE


def test_the_stack_publishes_on_loopback_only(project: dict[str, Any]) -> None:
    ports = [port for service in project["services"].values() for port in service.get("ports", ())]
    assert ports
    assert all(port["host_ip"] == "127.0.0.1" for port in ports)
    assert len({port["published"] for port in ports}) == len(ports)


def test_the_stack_pins_what_it_pulls(project: dict[str, Any]) -> None:
    pulled = [service["image"] for service in project["services"].values() if service["image"] != "ragsonde"]
    assert all(re.search(r":v?\d", image) for image in pulled)


def test_the_topics_are_those_that_collector_and_sidecar_use() -> None:
    script = (DEPLOY / "docker" / "create_topics.sh").read_text("utf-8")
    made = set(re.findall(r"--topic (ragsonde\.\w+)", script)) | {"otlp_spans", "otlp_logs"}
    settings = load(DEPLOY / "docker" / "ragsonde.yaml")
    assert settings.exporters.scores_topic is not None
    used = {*settings.topics.traces, *settings.topics.logs, settings.dead_letter.topic}
    assert used | {settings.exporters.scores_topic.topic} == made
    assert "for topic in otlp_spans otlp_logs" in script
    assert subprocess.run(["bash", "-n", DEPLOY / "docker" / "create_topics.sh"], check=False).returncode == 0


def test_the_addresses_in_the_configuration_are_services_of_the_stack() -> None:
    services = set(COMPOSE["services"])
    settings = load(DEPLOY / "docker" / "ragsonde.yaml")
    assert settings.kafka is not None
    prometheus = yaml.safe_load((DEPLOY / "docker" / "prometheus.yaml").read_text("utf-8"))
    targets = [
        *settings.kafka.connection.bootstrap_servers,
        *prometheus["scrape_configs"][0]["static_configs"][0]["targets"],
        *prometheus["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"],
        COMPOSE["services"]["collector"]["environment"]["KAFKA_BROKER"],
        COMPOSE["services"]["demo"]["environment"]["OTEL_EXPORTER_OTLP_ENDPOINT"].removeprefix("http://"),
        COMPOSE["services"]["grafana"]["environment"]["PROMETHEUS_URL"].removeprefix("http://"),
        re.search(r"@(\w+)/", COMPOSE["services"]["ragsonde"]["environment"]["PASSAGES_URL"]).group(1),  # type: ignore[union-attr]
    ]
    assert {target.partition(":")[0] for target in targets} <= services


def test_one_token_opens_everything_in_the_stack() -> None:
    token = (DEPLOY / "docker" / "token").read_text("utf-8").strip()
    assert f":{token}@" in COMPOSE["services"]["ragsonde"]["environment"]["PASSAGES_URL"]
    settings = load(DEPLOY / "docker" / "ragsonde.yaml")
    secret = str(settings.server.token_file)
    prometheus = yaml.safe_load((DEPLOY / "docker" / "prometheus.yaml").read_text("utf-8"))
    assert prometheus["scrape_configs"][0]["authorization"]["credentials_file"] == secret
    name = Path(secret).name
    assert all(name in COMPOSE["services"][service]["secrets"] for service in ("ragsonde", "prometheus"))


def test_reviews_are_kept_in_the_database_of_the_stack() -> None:
    settings = load(DEPLOY / "docker" / "ragsonde.yaml")
    name = Path(str(settings.review.database_url_file)).name
    assert name in COMPOSE["services"]["ragsonde"]["secrets"]
    address = (DEPLOY / COMPOSE["secrets"][name]["file"]).read_text("utf-8").strip()
    assert address == COMPOSE["services"]["ragsonde"]["environment"]["PASSAGES_URL"]
    assert settings.review.is_enabled(embedded=False)


def test_prometheus_accepts_the_configuration_of_the_stack(tmp_path: Path) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("no promtool: run tests/install_servers.sh as root")
    text = (DEPLOY / "docker" / "prometheus.yaml").read_text("utf-8")
    text = text.replace("/etc/prometheus/rules", str(DEPLOY / "prometheus"))
    text = text.replace("/run/secrets/ragsonde_token", str(DEPLOY / "docker" / "token"))
    (tmp_path / "prometheus.yaml").write_text(text, "utf-8")
    command = [promtool, "check", "config", tmp_path / "prometheus.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
