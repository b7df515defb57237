"""A query as it stands in an address: values that can be read, and those that cannot, to be told to the reader."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

_E = TypeVar("_E", bound=StrEnum)
_V = TypeVar("_V")
_MAX_SHOWN = 60


class Query:
    """Reads values by name. What makes no sense is as if it had not been asked, but it is not passed over."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self._misread: dict[str, str] = {}

    @property
    def misread(self) -> tuple[str, ...]:
        """What made no sense, as ``name=value``."""
        return tuple(f"{name}={value[:_MAX_SHOWN]}" for name, value in self._misread.items())

    def text(self, name: str) -> str | None:
        """Return a text; None where it is missing or empty."""
        return self._values.get(name) or None

    def choice(self, name: str, kind: type[_E]) -> _E | None:
        """Return one of the values of ``kind``."""
        return self.read(name, kind)

    def read(self, name: str, reader: Callable[[str], _V]) -> _V | None:
        """Return what ``reader`` makes of a text; it raises ``ValueError`` where that makes no sense."""
        value = self.text(name)
        if value is None:
            return None
        try:
            return reader(value)
        except ValueError:
            self._misread[name] = value
            return None
