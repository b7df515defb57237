"""What a message tells somebody to set can be set."""

import ast
import re
import typing
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

import ragsonde
from ragsonde.settings import Settings

# Parts of the package may be links.
SOURCES = [
    source
    for part in Path(ragsonde.__file__).parent.iterdir()
    for source in ([part] if part.suffix == ".py" else part.resolve().rglob("*.py"))
]
SECTIONS = "|".join([*Settings.model_fields, "judge", "entailment"])
NAMED = re.compile(rf"(?<![\w./`:@-])(?:{SECTIONS})(?:\.[a-z_]+)+\b(?!\()")


def models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in typing.get_args(annotation):
        yield from models_in(part)


def exists(path: str) -> bool:
    level: list[type[BaseModel]] = [Settings]
    for name in path.split("."):
        fields = [model.model_fields[name] for model in level if name in model.model_fields]
        if level and not fields:
            return False
        level = [model for field in fields for model in models_in(field.annotation)]
    return True


def messages(source: Path) -> Iterator[str]:
    tree = ast.parse(source.read_text(encoding="utf-8"))
    loggers = {
        id(argument)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "getLogger"
        for argument in call.args
    }
    yield from (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in loggers
    )


def test_every_setting_that_a_message_names_with_its_section_exists() -> None:
    named = {found for source in SOURCES for text in messages(source) for found in NAMED.findall(text)}
    assert {"scoring.judge.price", "kafka.connection.tls"} <= named
    assert not [path for path in sorted(named) if not exists(path)]
