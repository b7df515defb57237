"""The demonstration's RAG application and its users. ``OTEL_EXPORTER_OTLP_ENDPOINT`` says where its spans go."""

import signal
import threading

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

from ragsonde.demo import run_traffic

stop = threading.Event()
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda *_: stop.set())
run_traffic(OTLPSpanExporter(), stop=stop, on_progress=lambda _: None, spike_after_seconds=600, spike_seconds=1200)
