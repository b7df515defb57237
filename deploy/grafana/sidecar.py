"""Is the sidecar well? Lag, memory, losses, scorers, exporters and the judge."""

from grafana_foundation_sdk.builders.dashboard import Dashboard

from deploy.grafana.panels import (
    BYTES,
    COUNT,
    PER_SECOND,
    RATIO,
    SECONDS,
    Query,
    Section,
    dashboard,
    filled,
    lines,
    number,
    quantiles,
    rate,
    values_of,
)

ON = 'instance=~"$instance"'


def sidecar() -> Dashboard:
    """Return the dashboard."""
    board = dashboard(
        "ragsonde-sidecar",
        "Ragsonde: is the sidecar well",
        "Lag, memory, losses, scorers, exporters and the judge. Every loss has a counter and a reason.",
        other="ragsonde-quality",
        other_title="Is the RAG good",
    ).with_variable(values_of("instance", "instance", "ragsonde_build_info", "Instance"))
    return filled(
        board,
        _now(),
        _losses(),
        _source(),
        _receiver(),
        _assembly(),
        _scoring(),
        _export(),
        _judge(),
        _process(),
    )


def _now() -> Section:
    return Section(
        "Now",
        number(
            "Running", "Processes by version.", Query(f"sum by (version) (ragsonde_build_info{{{ON}}})", "{{version}}")
        ),
        number(
            "Lag",
            "Records between the consumers and the end of their partitions.",
            Query(f"sum(ragsonde_source_lag_records{{{ON}}})"),
        ),
        number(
            "Paused",
            "Processes whose consumption is paused by back-pressure at the moment.",
            Query(f"sum(ragsonde_consumption_paused{{{ON}}})"),
            bad_from=1,
        ),
        number(
            "Lost in an hour",
            "Interactions or records lost by a fault of ours.",
            Query(f"sum(increase(ragsonde_dropped_total{{{ON}}}[1h]))"),
            bad_from=1,
        ),
        number(
            "Dead letters in an hour",
            "Records that could not be decoded.",
            Query(f"sum(increase(ragsonde_dead_letters_total{{{ON}}}[1h]))"),
            bad_from=1,
        ),
        number(
            "Delay",
            "95th percentile, from the end of an answer to its scores in every required exporter, over an hour.",
            Query(f"histogram_quantile(0.95, sum by (le) (increase(ragsonde_end_to_end_seconds_bucket{{{ON}}}[1h])))"),
            unit=SECONDS,
        ),
    )


def _losses() -> Section:
    return Section(
        "Losses: each with its reason",
        lines("Lost", "By a fault of ours; should stay at 0.", rate("ragsonde_dropped_total", "stage, reason", ON)),
        lines(
            "Dead letters and ignored",
            "Records that could not be decoded; spans left out on purpose, too late, or malformed (reason unreadable).",
            rate("ragsonde_dead_letters_total", "reason", ON, "dead letter {{reason}}"),
            rate("ragsonde_ignored_spans_total", "reason", ON, "ignored {{reason}}"),
            unit=PER_SECOND,
        ),
        lines(
            "Evicted traces and unmapped events",
            "Traces handed on before they were complete; events that no metric counts.",
            rate("ragsonde_evicted_traces_total", "reason", ON, "evicted {{reason}}"),
            Query(f"sum(rate(ragsonde_unmapped_events_total{{{ON}}}[$__rate_interval]))", "unmapped events"),
            unit=PER_SECOND,
        ),
    )


def _source() -> Section:
    return Section(
        "Source",
        lines(
            "Lag",
            "Records between the consumer and the end of each partition.",
            Query(f"sum by (topic, partition) (ragsonde_source_lag_records{{{ON}}})", "{{topic}} {{partition}}"),
        ),
        lines(
            "Watermark lag",
            "Records between the committed offset and the consumer: what a crash would read again.",
            Query(
                f"sum by (topic, partition) (ragsonde_source_watermark_lag_records{{{ON}}})", "{{topic}} {{partition}}"
            ),
        ),
        lines(
            "Records", "Read from the source, per second.", rate("ragsonde_records_total", "topic", ON), unit=PER_SECOND
        ),
        lines(
            "Bytes", "Read from the source, per second.", rate("ragsonde_record_bytes_total", "topic", ON), unit="Bps"
        ),
        lines(
            "Commits",
            "Of the low watermark, per second.",
            rate("ragsonde_commits_total", "result", ON),
            unit=PER_SECOND,
        ),
        lines(
            "Back-pressure",
            "Whether consumption is paused, and how often it was.",
            Query(f"ragsonde_consumption_paused{{{ON}}}", "{{instance}} paused"),
            Query(f"increase(ragsonde_pauses_total{{{ON}}}[$__rate_interval])", "{{instance}} pauses"),
        ),
    )


def _receiver() -> Section:
    return Section(
        "Receiver",
        lines(
            "Requests",
            "OTLP requests answered, per second, by HTTP status.",
            rate("ragsonde_receiver_requests_total", "signal, status", ON),
            unit=PER_SECOND,
            span=6,
        ),
        lines(
            "Items",
            "Spans and log records received, per second.",
            rate("ragsonde_receiver_items_total", "signal, result", ON),
            unit=PER_SECOND,
            span=6,
        ),
        lines(
            "Bytes",
            "Of OTLP requests, per second.",
            rate("ragsonde_receiver_request_bytes_total", "signal", ON),
            unit="Bps",
            span=6,
        ),
        lines(
            "Time to answer",
            "Of OTLP requests.",
            *quantiles("ragsonde_receiver_request_seconds", "signal", ON),
            unit=SECONDS,
            span=6,
        ),
    )


def _assembly() -> Section:
    return Section(
        "Decoding, assembly, sampling",
        lines(
            "Decoded",
            "Spans and log records, per second.",
            rate("ragsonde_decoded_items_total", "signal", ON),
            unit=PER_SECOND,
        ),
        lines("Time to decode", "A record.", *quantiles("ragsonde_decode_seconds", "signal", ON), unit=SECONDS),
        lines(
            "Assembled",
            "Interactions put together, per second, by the convention of their spans and what these carried.",
            rate("ragsonde_assembled_interactions_total", "app, convention, capture", ON),
            Query(
                f"sum(rate(ragsonde_traces_without_interaction_total{{{ON}}}[$__rate_interval]))",
                "traces without an answered question",
            ),
            unit=PER_SECOND,
        ),
        lines(
            "Late",
            "Interactions put together anew because a late span came, per second.",
            rate("ragsonde_late_interactions_total", "app", ON),
            unit=PER_SECOND,
        ),
        lines(
            "Sampling",
            "Decisions per second.",
            rate("ragsonde_sampling_decisions_total", "stratum, decision", ON),
            unit=PER_SECOND,
        ),
        lines(
            "Passages looked up",
            "By id, because the spans carried only ids, per second.",
            rate("ragsonde_document_lookups_total", "result", ON),
            unit=PER_SECOND,
        ),
    )


def _scoring() -> Section:
    return Section(
        "Scoring",
        lines(
            "Time of a scorer", "For a batch.", *quantiles("ragsonde_scorer_batch_seconds", "scorer", ON), unit=SECONDS
        ),
        lines(
            "Interactions scored",
            "Per second and scorer.",
            rate("ragsonde_scorer_interactions_total", "scorer", ON),
            unit=PER_SECOND,
        ),
        lines(
            "End-to-end delay",
            "From the end of an answer to its scores in every required exporter.",
            *quantiles("ragsonde_end_to_end_seconds", "app", ON),
            unit=SECONDS,
        ),
    )


def _export() -> Section:
    return Section(
        "Export",
        lines(
            "Time of an attempt",
            "To export a batch.",
            *quantiles("ragsonde_export_seconds", "exporter", ON),
            unit=SECONDS,
        ),
        lines(
            "Attempts",
            "To export a batch, per second.",
            rate("ragsonde_exports_total", "exporter, result", ON),
            unit=PER_SECOND,
        ),
        lines(
            "Interactions",
            "In those attempts, per second.",
            rate("ragsonde_exported_interactions_total", "exporter, result", ON),
            unit=PER_SECOND,
        ),
    )


def _judge() -> Section:
    budget = "max by (model, kind) (ragsonde_judge_budget_{}{{{}}})"
    return Section(
        "Judge",
        lines(
            "Calls",
            "Per second, by how they ended.",
            rate("ragsonde_judge_calls_total", "model, prompt, status", ON),
            unit=PER_SECOND,
        ),
        lines(
            "Rejected replies",
            "That could not be used, per second.",
            rate("ragsonde_judge_rejected_replies_total", "model, prompt, status, outcome", ON),
            unit=PER_SECOND,
        ),
        lines("Time of a call", "To the judge.", *quantiles("ragsonde_judge_call_seconds", "model", ON), unit=SECONDS),
        lines(
            "Cost of an hour",
            "In the price's currency.",
            Query(f"sum by (model) (increase(ragsonde_judge_cost_total{{{ON}}}[1h]))", "{{model}}"),
            span=6,
        ),
        lines(
            "Tokens",
            "Per second.",
            rate("ragsonde_judge_tokens_total", "model, direction", ON),
            unit=PER_SECOND,
            span=6,
        ),
        lines(
            "Today's budget",
            "Share that is spent. Replicas that keep one budget all tell the same.",
            Query(f"{budget.format('spent', ON)} / {budget.format('limit', ON)}", "{{model}} {{kind}}"),
            unit=RATIO,
            span=6,
        ),
        lines(
            "Not called",
            "Calls not made because of today's budget, per second.",
            rate("ragsonde_judge_budget_refusals_total", "model, kind", ON),
            unit=PER_SECOND,
            span=6,
        ),
        lines(
            "Circuit breaker",
            "Processes by the state of theirs.",
            Query(f"sum by (model, state) (ragsonde_judge_breaker_state{{{ON}}})", "{{model}} {{state}}"),
            span=12,
            stacked=True,
        ),
        lines(
            "Concurrency",
            "Calls that may be in flight at the moment.",
            Query(f"sum by (model) (ragsonde_judge_concurrency_limit{{{ON}}})", "{{model}}"),
            span=12,
        ),
    )


def _process() -> Section:
    return Section(
        "Process",
        lines(
            "In flight",
            "What each stage holds.",
            Query(f"sum by (stage) (ragsonde_in_flight_items{{{ON}}})", "{{stage}}"),
            unit=COUNT,
        ),
        lines(
            "Bytes in flight",
            "What each stage holds.",
            Query(f"sum by (stage) (ragsonde_in_flight_bytes{{{ON}}})", "{{stage}}"),
            unit=BYTES,
        ),
        lines(
            "Memory",
            "Resident, by process.",
            Query(f'process_resident_memory_bytes{{{ON}, job="ragsonde"}}', "{{instance}}"),
            unit=BYTES,
        ),
        lines(
            "Processor",
            "Cores in use.",
            Query(f'rate(process_cpu_seconds_total{{{ON}, job="ragsonde"}}[$__rate_interval])', "{{instance}}"),
            span=12,
        ),
        lines(
            "Open files",
            "And the most that there may be.",
            Query(f'process_open_fds{{{ON}, job="ragsonde"}}', "{{instance}}"),
            Query(f'process_max_fds{{{ON}, job="ragsonde"}}', "{{instance}} limit", dashed=True),
            span=12,
        ),
    )
