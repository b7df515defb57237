"""Settings in environment variables: ``RAGSONDE__SECTION__FIELD``, lists and maps as JSON."""

import json
import os
from collections.abc import Collection, Sequence
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource

from ragsonde.collector.errors import ConfigError

PREFIX = "RAGSONDE__"
DELIMITER = "__"
_SHORT_PREFIX = "RAGSONDE_"


class EnvironmentSource(EnvSettingsSource):
    """Reads variables as pydantic-settings does, but leaves what is no JSON as the text that it is.

    A field may take a text where it holds a list (``a:9092,b:9092``), and one that does not then refuses it under its
    own path.
    """

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:  # noqa: D102 - as above
        try:
            return super().decode_complex_value(field_name, field, value)
        except json.JSONDecodeError:
            return value


def check_variables(sections: Collection[str]) -> None:
    """Refuse variables that look like settings and name none: they would be passed over in silence.

    Raises:
        ConfigError: a variable names no section, or has one underscore in the place of two.
    """
    known = {name.upper() for name in sections}
    for variable in os.environ:
        name = variable.upper()
        if name.startswith(PREFIX):
            section = name.removeprefix(PREFIX).split(DELIMITER)[0]
            if section not in known:
                raise ConfigError(
                    f"environment variable {variable}: there is no section {section.lower()!r}; "
                    f"the sections are {', '.join(sections)}"
                )
        elif name.startswith(_SHORT_PREFIX):
            rest = name.removeprefix(_SHORT_PREFIX)
            # Kubernetes sets RAGSONDE_REVIEW_PORT and the like for services of such names: those are left alone.
            if rest.split(DELIMITER)[0] in known:
                raise ConfigError(f"environment variable {variable}: two underscores are expected, {PREFIX}{rest}")


def variable_behind(path: Sequence[object]) -> str | None:
    """Return the variable that set a value, by the value's path or what it stands in; None where none did."""
    parts = [str(part).upper() for part in path]
    names = {PREFIX + DELIMITER.join(parts[: length + 1]) for length in range(len(parts))}
    return next((variable for variable in os.environ if variable.upper() in names), None)
