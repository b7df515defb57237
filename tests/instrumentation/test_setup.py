"""The short way in, each case in a process of its own since the global provider can be set once only."""

import subprocess
import sys
import textwrap

import pytest

PREAMBLE = """
import sys
from opentelemetry import trace
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
import ragsonde
memory = InMemorySpanExporter()
"""


def run(script: str) -> str:
    """Run a script in a new interpreter; return what it printed on both streams."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning", "-c", PREAMBLE + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_two_lines_record_an_application() -> None:
    printed = run("""
        rag = ragsonde.configure("shop", exporter=memory, service_version="2.1", environment="production")

        @rag.trace_answer
        def answer(question):
            return "yes"

        answer("Is it?")
        assert rag.flush()
        [span] = memory.get_finished_spans()
        resource = span.resource.attributes
        print(resource["service.name"], resource["service.version"], resource["deployment.environment.name"])
        print(span.attributes["ragsonde.answer"])
    """)
    assert printed == "shop 2.1 production\nyes\n"


def test_the_policy_given_once_holds_for_every_way_in() -> None:
    printed = run("""
        ragsonde.configure("shop", exporter=memory, redact=str.upper)
        with ragsonde.rag_interaction("one") as turn:
            turn.answer("x")
        with ragsonde.RagTracer("other").interaction("two"):
            pass
        ragsonde.trace_answer(lambda question: "y")("three")
        trace.get_tracer_provider().force_flush()
        print([span.attributes["ragsonde.question"] for span in memory.get_finished_spans()])
    """)
    assert printed == "['ONE', 'TWO', 'THREE']\n"


def test_a_provider_that_is_set_up_already_is_kept() -> None:
    printed = run("""
        from opentelemetry.sdk.trace import TracerProvider
        theirs = TracerProvider()
        trace.set_tracer_provider(theirs)
        rag = ragsonde.configure("shop", exporter=memory)
        assert trace.get_tracer_provider() is theirs
        with theirs.get_tracer("web").start_as_current_span("GET /ask"), rag.interaction("q"):
            pass
        rag.flush()
        print([span.name for span in memory.get_finished_spans()])
    """)
    assert printed == "['invoke_workflow rag', 'GET /ask']\n"


def test_a_second_call_does_not_send_everything_twice() -> None:
    printed = run("""
        import logging
        logging.basicConfig(stream=sys.stdout, format="%(message)s")
        ragsonde.configure("shop", exporter=memory)
        rag = ragsonde.configure("shop", exporter=memory)
        with rag.interaction("q"):
            pass
        rag.flush()
        print(len(memory.get_finished_spans()))
    """)
    assert "was called before" in printed
    assert printed.endswith("1\n")


def test_a_kafka_that_is_down_delays_neither_the_start_nor_the_end() -> None:
    printed = run("""
        import socket
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        rag = ragsonde.configure("shop", kafka=f"127.0.0.1:{port}", kafka_options={"shutdown_timeout_seconds": 0.2})
        with rag.interaction("q") as turn:
            turn.answer("a")
        print("done")
    """)
    assert printed.startswith("done\n")
    assert "127.0.0.1" in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("", "exactly one of"),
        ("kafka='a:1', endpoint='http://b'", "exactly one of"),
        ("endpoint='localhost:4318'", "http://host:4318"),
        ("exporter=memory, capture='some'", "'full', 'redacted' or 'off'"),
    ],
)
def test_wrong_arguments_are_explained(arguments: str, problem: str) -> None:
    printed = run(f"""
        try:
            ragsonde.configure("shop", {arguments})
        except ValueError as error:
            print(error)
    """)
    assert problem in printed


def test_a_missing_http_exporter_is_named_by_its_package() -> None:
    printed = run("""
        sys.modules["opentelemetry.exporter.otlp.proto.http"] = None
        try:
            ragsonde.configure("shop", endpoint="http://127.0.0.1:4318")
        except ImportError as error:
            print(error)
    """)
    assert "pip install opentelemetry-exporter-otlp-proto-http" in printed


def test_a_bare_install_without_the_redaction_packages_says_which_extra_it_needs() -> None:
    printed = run("""
        sys.modules["stdnum"] = None
        sys.modules["phonenumbers"] = None
        try:
            ragsonde.configure("shop", exporter=memory, capture="redacted")
        except ImportError as error:
            print(error)
        print(ragsonde.Redactor(kinds=["email", "ip", "key"], patterns={"m": "M-[0-9]+"})("M-1 a@b.org"))
    """)
    assert "ragsonde[redaction]" in printed
    assert printed.endswith("[M_1] [EMAIL_1]\n")


def test_a_rag_application_loads_nothing_of_the_sidecar() -> None:
    printed = run("""
        rag = ragsonde.configure("shop", exporter=memory)
        with rag.interaction("q") as turn, turn.retrieval("q") as retrieval:
            retrieval.documents(["d"])
        roots = {name.partition(".")[0] for name in sys.modules}
        print(sorted(roots & {"pydantic", "httpx", "prometheus_client", "kafka", "starlette", "sqlalchemy", "yaml",
                              "phonenumbers", "stdnum", "numpy", "rich", "typer", "requests"}))
        heavy = ("ragsonde.collector", "ragsonde.scorers", "ragsonde.exporters", "ragsonde.redaction", "ragsonde.demo")
        print([name for name in sys.modules if name.startswith(heavy)])
    """)
    assert printed == "[]\n[]\n"


def test_every_public_name_can_be_loaded() -> None:
    printed = run("""
        for name in ragsonde.__all__:
            assert getattr(ragsonde, name) is not None
        assert set(ragsonde.__all__) <= set(dir(ragsonde))
        print("ok")
    """)
    assert printed == "ok\n"
