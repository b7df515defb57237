"""Write the dashboards beside this file, under ``dashboards/``."""

from deploy.grafana.build import DASHBOARDS, FOLDER, to_json

for name, dashboard in DASHBOARDS.items():
    (FOLDER / f"{name}.json").write_text(to_json(dashboard()), "utf-8")
