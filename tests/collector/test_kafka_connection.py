"""What the Kafka settings accept, refuse and hide, and how kafka-python's errors are sorted."""

import logging
from pathlib import Path

import pytest
from kafka import errors as kafka_errors
from pydantic import ValidationError

from ragsonde.collector.errors import ConfigError, PermanentError, RetryableError
from ragsonde.collector.kafka_connection import KafkaConfig, SaslConfig, TlsConfig, connect, mapped


@pytest.mark.parametrize("address", ["broker:9092", "10.0.0.1:9092", "[::1]:9092", "kafka-0.kafka.svc.cluster.local:1"])
def test_addresses_with_a_port_are_taken(address: str) -> None:
    assert KafkaConfig(bootstrap_servers=(address,)).bootstrap_servers == (address,)


def test_a_comma_separated_text_is_split() -> None:
    assert KafkaConfig.model_validate({"bootstrap_servers": "a:1, b:2"}).bootstrap_servers == ("a:1", "b:2")


@pytest.mark.parametrize(
    "address", ["broker", "broker:", "broker:0", "broker:70000", "kafka://broker:9092", "::1:9092", ""]
)
def test_other_addresses_are_refused(address: str) -> None:
    with pytest.raises(ValidationError):
        KafkaConfig.model_validate({"bootstrap_servers": [address]})


def test_a_cluster_without_an_address_is_refused() -> None:
    with pytest.raises(ValidationError):
        KafkaConfig.model_validate({"bootstrap_servers": []})


@pytest.mark.parametrize(
    ("tls", "sasl", "protocol"),
    [(False, False, "PLAINTEXT"), (True, False, "SSL"), (False, True, "SASL_PLAINTEXT"), (True, True, "SASL_SSL")],
)
def test_the_protocol_follows_from_what_is_configured(tls: bool, sasl: bool, protocol: str) -> None:
    config = KafkaConfig(
        bootstrap_servers=("a:1",),
        tls=TlsConfig() if tls else None,
        sasl=SaslConfig.model_validate({"mechanism": "PLAIN", "username": "u", "password": "p"}) if sasl else None,
    )
    assert config.client_arguments()["security_protocol"] == protocol


@pytest.mark.parametrize(
    "sasl",
    [
        {"mechanism": "PLAIN"},
        {"mechanism": "PLAIN", "username": "u"},
        {"mechanism": "PLAIN", "username": "u", "password": "p", "password_file": "f"},
        {"mechanism": "OAUTHBEARER"},
        {"mechanism": "OAUTHBEARER", "username": "u", "oauth": {"token_file": "f"}},
        {"mechanism": "SCRAM-SHA-256", "username": "u", "password": "p", "oauth": {"token_file": "f"}},
        {"mechanism": "GSSAPI", "username": "u", "password": "p"},
    ],
)
def test_incomplete_credentials_are_refused(sasl: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SaslConfig.model_validate(sasl)


def test_the_password_is_masked_and_reaches_the_client(tmp_path: Path) -> None:
    sasl = SaslConfig.model_validate({"mechanism": "PLAIN", "username": "u", "password": "hunter2"})
    config = KafkaConfig(bootstrap_servers=("a:1",), sasl=sasl)
    assert "hunter2" not in repr(config)
    assert "hunter2" not in config.model_dump_json()
    assert config.client_arguments()["sasl_plain_password"] == "hunter2"


@pytest.mark.parametrize("line_end", ["", "\n", "\r\n"])
def test_a_password_file_may_end_in_a_line_end_and_keeps_its_blanks(tmp_path: Path, line_end: str) -> None:
    file = tmp_path / "password"
    file.write_bytes(f" pass wörd {line_end}".encode())
    sasl = SaslConfig.model_validate({"mechanism": "PLAIN", "username": "u", "password_file": file})
    arguments = KafkaConfig(bootstrap_servers=("a:1",), sasl=sasl).client_arguments()
    assert arguments["sasl_plain_password"] == " pass wörd "


@pytest.mark.parametrize("field", ["ca_file", "certificate_file"])
def test_a_file_that_cannot_be_read_is_named_with_its_field(tmp_path: Path, field: str) -> None:
    (tmp_path / "broken.pem").write_text("not PEM")
    for name in ("missing.pem", "broken.pem"):
        with pytest.raises(ConfigError, match=rf"kafka\.connection\.tls\.{field}.*{name}"):
            TlsConfig.model_validate({field: tmp_path / name}).context()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (kafka_errors.KafkaTimeoutError(), RetryableError),
        (kafka_errors.CommitFailedError(), RetryableError),
        (kafka_errors.RebalanceInProgressError(), RetryableError),
        (kafka_errors.UnknownMemberIdError(), RetryableError),
        (kafka_errors.NotLeaderForPartitionError(), RetryableError),
        (kafka_errors.SaslAuthenticationFailedError(), ConfigError),
        (kafka_errors.KafkaConfigurationError("bad"), ConfigError),
        (kafka_errors.TopicAuthorizationFailedError({"spans"}), PermanentError),
        (kafka_errors.GroupAuthorizationFailedError("group"), PermanentError),
        (kafka_errors.FencedInstanceIdError(), PermanentError),
        (kafka_errors.MessageSizeTooLargeError(), PermanentError),
        (kafka_errors.UnsupportedCodecError("lz4"), PermanentError),
        (kafka_errors.CorruptRecordError(), PermanentError),
    ],
)
def test_errors_say_whether_to_try_again(error: Exception, kind: type[Exception]) -> None:
    assert type(mapped(error)) is kind


def refused(*, kafka_client: object, **settings: object) -> None:
    """A client as kafka-python makes one of an address where nothing answers: it logs each try, and gives up."""
    log = logging.getLogger("kafka.net.manager")
    log.warning("Bootstrap connection to bootstrap-0 failed: KafkaConnectionError: 111 ECONNREFUSED (backoff 0.1 secs)")
    raise kafka_errors.KafkaTimeoutError("Unable to bootstrap")


def test_a_cluster_that_does_not_answer_is_one_error_and_no_log_of_each_try(caplog: pytest.LogCaptureFixture) -> None:
    config = KafkaConfig(bootstrap_servers=("broker:9092",), connect_timeout_seconds=1)
    with pytest.raises(RetryableError, match="cannot connect to Kafka at broker:9092 within 1 s: 111 ECONNREFUSED"):
        connect(refused, config)
    assert not caplog.records
    logging.getLogger("kafka.net.manager").warning("heard again")
    assert [record.getMessage() for record in caplog.records] == ["heard again"]
