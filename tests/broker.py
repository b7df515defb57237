"""A real Apache Kafka for the tests: one node in KRaft mode, its jars from Maven Central, on loopback only."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template
from xml.etree import ElementTree as ET

import trustme
from cryptography.hazmat.primitives import serialization

REPOSITORY = Path(__file__).resolve().parent.parent
POM = REPOSITORY / "tests" / "kafka" / "pom.xml"
SERVER_PROPERTIES = REPOSITORY / "tests" / "kafka" / "server.properties"
CACHE = REPOSITORY / ".cache" / "kafka"

RUNNING_BROKER = "RAGSONDE_TEST_KAFKA"
"""Names the environment variable with the ``host:port`` of a broker that runs already."""

USER = "alice"
PASSWORD = "wonder=land 1;"  # characters that a naive reader of credentials trips over
READY_WITHIN_SECONDS = 90.0


class BrokerUnavailableError(Exception):
    """There is no Kafka to test with; the message says what to do about it."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files of the broker's certificate authority and of one client."""

    ca: Path
    client_certificate: Path
    client_key: Path
    other_ca: Path
    """An authority that did not sign the broker's certificate."""


@dataclass(frozen=True, slots=True)
class Broker:
    """The addresses of a running Kafka. A broker that someone else started has a plain listener only."""

    bootstrap: str
    sasl: str | None = None
    tls: str | None = None
    tls_by_ip: str | None = None
    """The TLS listener under a name that its certificate does not carry."""
    tls_files: TlsFiles | None = None


@contextmanager
def running_kafka(directory: Path) -> Iterator[Broker]:
    """Yield a Kafka: the one that ``RAGSONDE_TEST_KAFKA`` names, or one started in ``directory``.

    Raises:
        BrokerUnavailableError: Java or Maven is missing, or the jars cannot be fetched.
        RuntimeError: the broker did not start; the message holds the end of its log.
    """
    if address := os.environ.get(RUNNING_BROKER):
        yield Broker(bootstrap=address)
        return
    jars = fetch_jars()
    plain, sasl, tls, controller = free_ports(4)
    files = write_certificates(directory)
    properties = directory / "server.properties"
    properties.write_text(
        Template(SERVER_PROPERTIES.read_text("utf-8")).substitute(
            plain_port=plain,
            sasl_port=sasl,
            tls_port=tls,
            controller_port=controller,
            data_dir=directory / "data",
            user=USER,
            password=PASSWORD,
            tls_keystore=directory / "broker.pem",
            tls_truststore=files.ca,
        ),
        "utf-8",
    )
    broker = Broker(f"127.0.0.1:{plain}", f"127.0.0.1:{sasl}", f"localhost:{tls}", f"127.0.0.1:{tls}", files)
    format_storage(jars, properties)
    process = start(jars, properties, directory / "broker.log")
    try:
        wait_until_ready(process, broker.bootstrap, directory / "broker.log")
        yield broker
    finally:
        stop(process)


def unavailable() -> str | None:
    """Return why there can be no Kafka on this machine, and what to do about it; None where there can be one."""
    missing = [tool for tool in ("java", "mvn") if shutil.which(tool) is None]
    if not missing or RUNNING_BROKER in os.environ:
        return None
    return f"{' and '.join(missing)} not found: run tests/install_servers.sh as root, or set {RUNNING_BROKER}=host:port"


def fetch_jars() -> Path:
    """Return the folder of Kafka's jars, fetching them once.

    Raises:
        BrokerUnavailableError: Java or Maven is missing, or Maven failed.
    """
    if reason := unavailable():
        raise BrokerUnavailableError(reason)
    target = CACHE / kafka_version()
    if (target / ".complete").exists():
        return target
    scratch = CACHE / f".fetching-{os.getpid()}"
    goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
    command = ["mvn", "-q", "-B", "-f", str(POM), goal, "-DincludeScope=runtime", f"-DoutputDirectory={scratch}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        shutil.rmtree(scratch, ignore_errors=True)
        raise BrokerUnavailableError(f"Maven could not fetch Kafka's jars:\n{(done.stdout + done.stderr)[-2000:]}")
    (scratch / ".complete").touch()
    shutil.rmtree(target, ignore_errors=True)
    scratch.rename(target)
    return target


def kafka_version() -> str:
    """Return the version of Kafka that the pom names."""
    space = {"m": "http://maven.apache.org/POM/4.0.0"}
    version = ET.parse(POM).findtext("m:dependencies/m:dependency[m:groupId='org.apache.kafka']/m:version", None, space)
    if version is None:
        raise RuntimeError(f"{POM} names no version of org.apache.kafka")
    return version


def free_ports(count: int) -> list[int]:
    """Return distinct loopback ports that are free at this moment."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def write_certificates(directory: Path) -> TlsFiles:
    """Make a certificate authority, a broker certificate for ``localhost`` and a client certificate, as PEM files."""
    authority, other = trustme.CA(), trustme.CA()
    server, client = authority.issue_cert("localhost"), authority.issue_cert("client@ragsonde.test")
    files = TlsFiles(directory / "ca.pem", directory / "client.pem", directory / "client.key", directory / "other.pem")
    authority.cert_pem.write_to_path(files.ca)
    other.cert_pem.write_to_path(files.other_ca)
    files.client_key.write_bytes(client.private_key_pem.bytes())
    files.client_certificate.write_bytes(b"".join(blob.bytes() for blob in client.cert_chain_pems))
    chain = b"".join(blob.bytes() for blob in server.cert_chain_pems)
    (directory / "broker.pem").write_bytes(pkcs8(server.private_key_pem.bytes()) + chain)
    return files


def pkcs8(key_pem: bytes) -> bytes:
    """Return a private key in PKCS #8, the only form that Kafka reads from PEM."""
    key = serialization.load_pem_private_key(key_pem, password=None)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def format_storage(jars: Path, properties: Path) -> None:
    """Prepare the data folder and the SCRAM credentials."""
    credentials = [
        f'{mechanism}=[name={USER},password="{PASSWORD}"]' for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512")
    ]
    scram = [part for credential in credentials for part in ("--add-scram", credential)]
    command = [*java(jars), "kafka.tools.StorageTool", "format", "-t", "MkU3OEVBNTcwNTJENDM2Qk", "-c", str(properties)]
    done = subprocess.run([*command, *scram], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        raise RuntimeError(f"Kafka's storage could not be formatted:\n{(done.stdout + done.stderr)[-2000:]}")


def start(jars: Path, properties: Path, log: Path) -> "subprocess.Popen[bytes]":
    """Start the broker, its output going to ``log``."""
    with log.open("wb") as output:
        return subprocess.Popen(
            [*java(jars), "kafka.Kafka", str(properties)], stdout=output, stderr=subprocess.STDOUT, cwd=log.parent
        )


def java(jars: Path) -> list[str]:
    """Return the start of a command line that runs a class of Kafka."""
    return ["java", "-Xmx512m", "-Xms128m", "-XX:+UseSerialGC", "-Dlog4j2.level=WARN", "-cp", f"{jars}/*"]


def wait_until_ready(process: "subprocess.Popen[bytes]", address: str, log: Path) -> None:
    """Wait until the broker answers.

    Raises:
        RuntimeError: it ended or did not answer in time.
    """
    from kafka.admin import KafkaAdminClient
    from kafka.errors import KafkaError

    end = time.monotonic() + READY_WITHIN_SECONDS
    while time.monotonic() < end and process.poll() is None:
        host, port = address.rsplit(":", 1)
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
            KafkaAdminClient(bootstrap_servers=address, bootstrap_timeout_ms=5000).close()
        except (OSError, KafkaError):
            time.sleep(0.2)
        else:
            return
    state = "did not answer in time" if process.poll() is None else f"ended with status {process.returncode}"
    raise RuntimeError(f"Kafka {state}; the end of its log:\n{log.read_text('utf-8', 'replace')[-4000:]}")


def stop(process: "subprocess.Popen[bytes]") -> None:
    """End the broker that was started here: politely, then for good."""
    process.terminate()
    try:
        process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
