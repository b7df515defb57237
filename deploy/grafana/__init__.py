"""Grafana dashboards as code. ``python -m deploy.grafana`` writes the JSON; a test holds the two equal."""
