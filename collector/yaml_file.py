"""YAML files of settings, read so that no key is lost without a word."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from ragsonde.collector.errors import ConfigError


def read_yaml(path: Path) -> Any:
    """Return what a YAML file holds; None where it is empty.

    Raises:
        ConfigError: it cannot be read, is not valid YAML, or gives a key twice in one mapping, where YAML itself would
            take the last one in silence; the message names file and line.
    """
    try:
        return yaml.load(path.read_text("utf-8"), Loader=_StrictLoader)  # noqa: S506 - a SafeLoader
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid YAML: {error}") from error


class _StrictLoader(yaml.SafeLoader):
    """Refuses a key that stands twice in one mapping."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                line = key.start_mark.line + 1
                if key.value in lines:
                    first = lines[key.value]
                    raise yaml.YAMLError(
                        f"line {line}: the key {key.value!r} stands on line {first} already: remove one"
                    )
                lines[key.value] = line
        return super().construct_mapping(node, deep)
