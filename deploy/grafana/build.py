"""The dashboards there are, and how they become JSON."""

from collections.abc import Callable, Mapping
from pathlib import Path

from grafana_foundation_sdk.builders.dashboard import Dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder

from deploy.grafana.quality import quality
from deploy.grafana.sidecar import sidecar

FOLDER = Path(__file__).parent / "dashboards"
DASHBOARDS: Mapping[str, Callable[[], Dashboard]] = {"quality": quality, "sidecar": sidecar}
"""By file name: is the RAG good, and is the sidecar well."""


def to_json(dashboard: Dashboard) -> str:
    """Return what Grafana loads."""
    return JSONEncoder(sort_keys=True, indent=2, ensure_ascii=False).encode(dashboard.build()) + "\n"
