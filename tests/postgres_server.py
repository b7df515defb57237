"""A real PostgreSQL for the tests: a cluster of its own in a temporary folder, on loopback only."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

USER = "tester"
PASSWORD = "tester-s3cret"
READY_WITHIN_SECONDS = 60.0


class PostgresUnavailableError(Exception):
    """There is no PostgreSQL to test with; the message says what to do about it."""


@contextmanager
def running_postgres() -> Iterator[str]:
    """Yield the SQLAlchemy address of an empty database.

    Raises:
        PostgresUnavailableError: PostgreSQL is not installed.
        RuntimeError: it did not start; the message holds the end of its log.
    """
    initdb, postgres = _program("initdb"), _program("postgres")
    account = _account()
    folder = Path(tempfile.mkdtemp(prefix="ragsonde-postgres-"))
    try:
        password = folder / "password"
        password.write_text(PASSWORD, "utf-8")
        if account:  # PostgreSQL refuses to be root
            for path in (folder, password):
                shutil.chown(path, account["user"], account["group"])
        data = folder / "data"
        options = ["-U", USER, "--pwfile", str(password), "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "-N"]
        subprocess.run([initdb, "-D", str(data), *options], check=True, capture_output=True, cwd=folder, **account)
        with _server(postgres, data, folder / "log", account) as port:
            yield f"postgresql+psycopg://{USER}:{PASSWORD}@127.0.0.1:{port}/postgres"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _server(postgres: str, data: Path, log: Path, account: dict[str, Any]) -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off"}
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [postgres, "-D", str(data), "-p", str(port), *options],
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=data.parent,
            **account,
        )
    try:
        _wait_until_ready(process, port, log)
        yield port
    finally:
        process.send_signal(signal.SIGINT)  # a fast shutdown: sessions are ended
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_ready(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    end = time.monotonic() + READY_WITHIN_SECONDS
    while process.poll() is None and time.monotonic() < end:
        if "ready to accept connections" in log.read_text("utf-8", "replace"):
            return
        time.sleep(0.1)
    raise RuntimeError(f"PostgreSQL did not start on port {port}:\n{log.read_text('utf-8', 'replace')[-2000:]}")


def _program(name: str) -> str:
    """Debian keeps the server's programs off the path."""
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: float(path.parts[-3]))
    found = shutil.which(name) or (str(installed[-1]) if installed else None)
    if found is None:
        raise PostgresUnavailableError(f"{name} not found: run tests/install_servers.sh as root")
    return found


def _account() -> dict[str, Any]:
    """Whom the server runs as: us, or where we are root, one that may do nothing else."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise PostgresUnavailableError("there is no account but root to run it as: run the tests as another user")
