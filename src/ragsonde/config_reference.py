"""Renders the configuration models as documentation, so that it cannot disagree with them."""

import types
import typing
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

_WIDTH = 116


def as_markdown(model: type[BaseModel]) -> str:
    """Render every field of a model and of the models in it: one table for each model."""
    lines = []
    for path, section in sections(model):
        lines += [f"## `{path}`" if path else "## Top level", "", _summary(section), ""]
        lines += ["| field | type | default | meaning |", "| --- | --- | --- | --- |"]
        for name, field in section.model_fields.items():
            meaning = " ".join((field.description or "").split()).replace("|", "\\|")
            lines.append(f"| `{name}` | {_type_text(field.annotation)} | {_default_text(field)} | {meaning} |")
        lines.append("")
    return "\n".join(lines)


def as_commented_yaml(values: BaseModel) -> str:
    """Render values as YAML with each field's documentation above it. Secrets are masked."""
    return "".join(_yaml_lines(values, indent=0))


def plain(value: Any) -> Any:
    """Turn a configuration value into what YAML can write; secrets become a mask."""
    if isinstance(value, BaseModel):
        return {name: plain(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, SecretStr):
        return "**********"
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return value


def _yaml_lines(values: BaseModel, indent: int) -> Iterator[str]:
    pad = " " * indent
    for name, field in type(values).model_fields.items():
        value = getattr(values, name)
        for line in _wrapped(field.description or "", _WIDTH - indent):
            yield f"{pad}# {line}\n"
        if isinstance(value, BaseModel):
            yield f"{pad}{name}:\n"
            yield from _yaml_lines(value, indent + 2)
        else:
            text = yaml.safe_dump({name: plain(value)}, allow_unicode=True, sort_keys=False, width=_WIDTH)
            yield "".join(f"{pad}{line}\n" for line in text.splitlines())


def _wrapped(text: str, width: int) -> Iterator[str]:
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line:
        yield line


def sections(model: type[BaseModel], path: str = "") -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield a model and the models in it, each with its dotted path below ``path``."""
    yield path, model
    for name, field in model.model_fields.items():
        for inner in _models_in(field.annotation):
            inner_path = f"{path}.{name}" if path else name
            tag = inner.model_fields.get("type")
            if tag is not None and isinstance(tag.default, str):
                inner_path += f" (type: {tag.default})"
            yield from sections(inner, inner_path)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from _models_in(argument)


def _summary(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split())


def _default_text(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is PydanticUndefined or isinstance(value, BaseModel):
        return "see below"
    return f"`{yaml.safe_dump(plain(value), default_flow_style=True, width=1000).split(chr(10))[0]}`"


def _type_text(annotation: Any) -> str:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _type_text(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_type_text(argument) for argument in arguments if argument is not type(None))
    if origin is typing.Literal:
        return " or ".join(f"`{argument}`" for argument in arguments)
    if origin in (tuple, list, frozenset, set):
        return f"list of {_type_text(arguments[0])}" if arguments else "list"
    if origin is not None and arguments:
        return f"map to {_type_text(arguments[-1])}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "section"
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " or ".join(f"`{member.value}`" for member in annotation)
    if annotation is SecretStr:
        return "secret"
    return {str: "text", Path: "path", int: "integer", float: "number", bool: "yes or no"}.get(
        annotation, getattr(annotation, "__name__", str(annotation))
    )
