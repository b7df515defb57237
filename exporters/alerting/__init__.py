"""Recording rules and alerts for Prometheus, rendered from the recipes of ``promql`` and one file of tunables.

``python -m ragsonde.exporters.alerting`` writes them; ``deploy/prometheus`` holds the result for the defaults.
"""
