from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

from ragsonde.collector.errors import ConfigError
from ragsonde.config_reference import as_commented_yaml, as_markdown
from ragsonde.settings import Settings, load


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "ragsonde.yaml"
    path.write_text(text)
    return path


def test_defaults_are_embedded_and_on_loopback() -> None:
    settings = load()
    assert settings.kafka is None
    assert (settings.server.host, settings.server.port) == ("127.0.0.1", 4318)


def test_the_command_line_wins_over_the_environment_and_that_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "server: {port: 1111, host: 127.0.0.2}\nsampling: {probability: 0.5, salt: file}\n")
    monkeypatch.setenv("RAGSONDE__SERVER__PORT", "2222")
    monkeypatch.setenv("RAGSONDE__SAMPLING__PROBABILITY", "0.25")
    settings = load(path, {"server": {"port": 3333}})
    assert settings.server.port == 3333
    assert settings.server.host == "127.0.0.2"
    assert settings.sampling.probability == 0.25
    assert settings.sampling.salt == "file"


@pytest.mark.parametrize(
    ("text", "path", "remedy"),
    [
        ("serverr: {port: 1}", "serverr", "unknown key, perhaps server?"),
        ("server: {prot: 1}", "server.prot", "unknown key, perhaps port?"),
        ("server: {zzz: 1}", "server.zzz", "unknown key; `ragsonde print-config`"),
        ("sampling:\nserver: {port: 1}", "sampling", "the section is empty: leave it out"),
        ("sampling: 0.5", "sampling", "a section with keys is expected, not float"),
        ("kafka: {connection: }", "kafka.connection", "the section is empty: leave it out"),
        ("sampling: {probability: 0}", "sampling.probability", "greater than 0"),
        ("sampling: {probability: 2}", "sampling.probability", "less than or equal to 1"),
        ("server: {host: 0.0.0.0}", "server", "set token or token_file"),
        ("scoring: {scorers: [locl]}", "scoring.scorers", "choose among local"),
        ("kafka: {connection: {bootstrap_servers: [broker]}}", "kafka.connection.bootstrap_servers", "host:port"),
        ("assembly: {quiet_seconds: 10, max_age_seconds: 5}", "assembly", "must not be below quiet_seconds"),
        ('redaction: {patterns: {x: "("}}', "redaction.patterns: x: missing )", "a regular expression"),
        ('redaction: {patterns: {x: "a*"}}', "redaction.patterns: x", "matches the empty text"),
        ("redaction: {patterns: {9x: a}}", "redaction.patterns: '9x'", "must be a letter followed by"),
        ("redaction: {regions: [ZZ, PL]}", "redaction.regions: not a country code of libphonenumber: ZZ", "ISO 3166"),
        (
            "sampling: {salt: a}\nsampling: {salt: b}",
            "line 2: the key 'sampling' stands on line 1 already",
            "remove one",
        ),
        ("sampling:\n  salt: a\n  salt: b", "line 3: the key 'salt'", "remove one"),
    ],
)
def test_what_is_wrong_is_refused_with_its_path_and_the_remedy(
    tmp_path: Path, text: str, path: str, remedy: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        load(write(tmp_path, text))
    message = str(refused.value)
    assert "ragsonde.yaml" in message
    assert path in message
    assert remedy in message


@pytest.mark.parametrize("text", ["- a list", "just text", "a: [unclosed", "\x00"])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"ragsonde\.yaml"):
        load(write(tmp_path, text))


def test_a_missing_file_and_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read"):
        load(tmp_path / "none.yaml")
    assert load(write(tmp_path, "")) == load()


def test_an_environment_variable_that_names_no_section_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSONDE__SERVRE__PORT", "1")
    with pytest.raises(ConfigError, match="RAGSONDE__SERVRE__PORT"):
        load()


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("RAGSONDE_SAMPLING__PROBABILITY", "RAGSONDE__SAMPLING__PROBABILITY"),
        ("RAGSONDE_DATA_DIR", "RAGSONDE__DATA_DIR"),
    ],
)
def test_an_environment_variable_with_one_underscore_too_few_is_refused(
    monkeypatch: pytest.MonkeyPatch, variable: str, meant: str
) -> None:
    monkeypatch.setenv(variable, "1")
    with pytest.raises(ConfigError, match=f"{variable}: two underscores are expected, {meant}$"):
        load()


def test_variables_that_kubernetes_sets_for_services_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAGSONDE_SERVICE_HOST", "RAGSONDE_PORT_4318_TCP", "RAGSONDE_REVIEW_SERVICE_PORT"):
        monkeypatch.setenv(name, "10.0.0.1")
    assert load() == Settings()


def test_a_list_of_brokers_may_stand_in_the_environment_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSONDE__KAFKA__CONNECTION__BOOTSTRAP_SERVERS", "a:9092,b:9092")
    kafka = load().kafka
    assert kafka is not None
    assert kafka.connection.bootstrap_servers == ("a:9092", "b:9092")


@pytest.mark.parametrize(
    ("variable", "value", "path"),
    [
        ("RAGSONDE__TOPICS__TRACES", "spans", "topics.traces"),
        ("RAGSONDE__SAMPLING", "0.5", "sampling"),
        ("RAGSONDE__SAMPLING__PROBABILITY", "half", "sampling.probability"),
        ("RAGSONDE__SCORING__SCORERS", "local", "scoring.scorers"),
        ("RAGSONDE__SERVER__PORT", "", "server.port"),
    ],
)
def test_a_wrong_value_in_the_environment_is_refused_with_its_variable(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, path: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError) as refused:
        load()
    assert f"  {path}: " in str(refused.value)
    assert f"(set by {variable};" in str(refused.value)


def test_printed_settings_are_valid_settings_and_hide_secrets(tmp_path: Path) -> None:
    settings = load(command_line={"server": {"token": "hidden-value"}})
    text = as_commented_yaml(settings)
    assert "hidden-value" not in text
    assert yaml.safe_load(text)["server"]["token"] == "**********"
    assert load(write(tmp_path, text)).assembly == settings.assembly


def models(model: type[BaseModel]) -> set[type[BaseModel]]:
    """A model and every model in it."""
    found = {model}
    for field in model.model_fields.values():
        for inner in nested(field.annotation):
            found |= models(inner)
    return found


def nested(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [inner for argument in getattr(annotation, "__args__", ()) for inner in nested(argument)]


@pytest.mark.parametrize("model", sorted(models(Settings), key=lambda model: model.__name__), ids=lambda m: m.__name__)
def test_every_setting_is_documented(model: type[BaseModel]) -> None:
    assert model.__doc__
    undocumented = [name for name, field in model.model_fields.items() if not field.description]
    assert undocumented == [] or undocumented == ["type"]


def test_the_reference_names_every_setting() -> None:
    reference = as_markdown(Settings)
    for model in models(Settings):
        for name in model.model_fields:
            assert f"| `{name}` |" in reference


def test_merged_yaml_keys_are_no_keys_given_twice(tmp_path: Path) -> None:
    text = "server: &base {host: 127.0.0.1, port: 1111}\nreceiver: {}\n"
    assert load(write(tmp_path, text + "assembly: {quiet_seconds: 1}\n")).server.port == 1111
    merged = "sampling: {<<: {salt: a, probability: 0.5}, salt: b}\n"
    settings = load(write(tmp_path, merged))
    assert (settings.sampling.salt, settings.sampling.probability) == ("b", 0.5)


def test_patterns_and_regions_that_can_be_used_are_taken(tmp_path: Path) -> None:
    settings = load(write(tmp_path, "redaction: {patterns: {member: 'M-[0-9]{6}'}, regions: [PL, US]}"))
    assert settings.redaction.patterns == {"member": "M-[0-9]{6}"}
    assert load(write(tmp_path, "redaction: {regions: []}")).redaction.regions == ()
