"""Values as libraries hand them over, and as the wire can take them."""

from collections.abc import Mapping
from typing import Any

from opentelemetry.util.types import AttributeValue


def named(holder: Any, name: str) -> Any:
    """Return the item of a mapping or the attribute of an object; None where there is none."""
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)


def well_formed(value: AttributeValue) -> AttributeValue:
    """Return ``value`` with lone surrogates replaced, and pairs of them joined.

    A stream cut inside a character leaves such halves behind. They cannot be encoded: in an attribute they cost its
    value, in a name every span that is sent along with it.
    """
    if isinstance(value, list):
        return [_well_formed_text(item) if isinstance(item, str) else item for item in value]
    return _well_formed_text(value) if isinstance(value, str) else value


def _well_formed_text(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
