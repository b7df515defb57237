"""A sidecar that sends its evaluation events to itself: they arrive, and are nothing to score."""

import socket
from pathlib import Path

from tests.app.sidecars import rag_trace, running, wait_for


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def test_own_events_are_received_ignored_and_have_nothing_scored_again(tmp_path: Path) -> None:
    port = free_port()
    settings = {
        "server": {"port": port},
        "exporters": {"otlp_events": {"endpoint": f"http://127.0.0.1:{port}", "not_applicable": True}},
    }
    with running(tmp_path, **settings) as sidecar:
        for number in (1, 2):  # by the time that the second one is scored, the first one's events have come back
            context = f"Items number {number} may be returned within 30 days."
            assert sidecar.post(rag_trace("How long?", [context], context)).status_code == 200
            wait_for(
                lambda expected=number: sidecar.total("ragsonde_interactions_total") == expected, "it to be scored"
            )
            outcomes = sidecar.total("ragsonde_outcomes_total", scorer="local")
            assert outcomes > 0
            wait_for(
                lambda expected=outcomes: sidecar.total("ragsonde_ignored_spans_total", reason="own_span") == expected,
                "every outcome's event to be received and ignored",
            )
        assert sidecar.total("ragsonde_interactions_total") == 2
        assert sidecar.total("ragsonde_rescored_total") == 0
        assert sidecar.total("ragsonde_dropped_total") == 0
