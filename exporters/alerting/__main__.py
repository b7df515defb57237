"""Writes the rule files for a file of tunables, or checks that those there are the ones it would write."""

import argparse
import sys
from pathlib import Path

from ragsonde.collector.errors import ConfigError
from ragsonde.exporters.alerting.rendering import render
from ragsonde.exporters.alerting.tunables import Tunables, load


def main() -> int:
    """Return 0, 1 where ``--check`` finds a difference, or 2 where the tunables are wrong."""
    parser = argparse.ArgumentParser(prog="python -m ragsonde.exporters.alerting", description=__doc__)
    parser.add_argument("--tunables", type=Path, help="YAML file; without it every tunable has its default")
    parser.add_argument("--output", type=Path, required=True, help="folder for rules.yaml and alerts.yaml")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the files differ")
    arguments = parser.parse_args()
    try:
        files = render(load(arguments.tunables) if arguments.tunables is not None else Tunables())
    except ConfigError as error:
        print(f"ragsonde: {error}", file=sys.stderr)  # noqa: T201 - a command's own error
        return 2
    for name, text in files.items():
        path = arguments.output / name
        if not arguments.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        elif not path.is_file() or path.read_text("utf-8") != text:
            print(f"ragsonde: {path} is out of date: render it again", file=sys.stderr)  # noqa: T201 - as above
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
