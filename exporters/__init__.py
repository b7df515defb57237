"""From scored interactions to Prometheus, topics, files and pages."""
