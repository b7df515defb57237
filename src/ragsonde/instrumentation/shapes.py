"""Reading a named value out of whatever a library hands over."""

from collections.abc import Mapping
from typing import Any


def named(holder: Any, name: str) -> Any:
    """Return the item of a mapping or the attribute of an object; None where there is none."""
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)
