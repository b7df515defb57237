"""Lists that stand as data beside the code that reads them."""

import tomllib
from importlib.resources import files
from typing import Any


def read_toml(package: str, name: str) -> dict[str, Any]:
    """A TOML file of a package, parsed."""
    return tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))
