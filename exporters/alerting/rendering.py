"""Turns tunables into the text of the two rule files."""

from collections.abc import Mapping
from importlib import resources

import yaml
from jinja2 import Environment, StrictUndefined

from ragsonde.exporters.alerting.recording import recording_groups
from ragsonde.exporters.alerting.tunables import Tunables

RULES_FILE = "rules.yaml"
ALERTS_FILE = "alerts.yaml"

_NOTICE = """\
# Written by `python -m ragsonde.exporters.alerting`: change the tunables and render again, rather than this file.
"""


def render(tunables: Tunables) -> Mapping[str, str]:
    """Return the rule files, name to text."""
    groups = {"groups": recording_groups(tunables)}
    rules = yaml.safe_dump(groups, sort_keys=False, allow_unicode=True, width=1_000_000)
    return {RULES_FILE: _NOTICE + rules, ALERTS_FILE: _NOTICE + _alerts(tunables)}


def _alerts(tunables: Tunables) -> str:
    environment = Environment(
        variable_start_string="<<",
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - YAML, not HTML; every value is checked against a pattern
        keep_trailing_newline=True,
    )
    source = resources.files(__package__).joinpath("alerts.yaml.j2").read_text("utf-8")
    return environment.from_string(source).render(t=tunables).lstrip()
