"""Reads OTLP protobuf whose strings are not all UTF-8, as where an SDK cut a text at a number of bytes.

Protobuf refuses the whole message for one such byte. Here the same message is read by types whose strings are plain
bytes, mended, and written again: fields of other types and unknown ones stay as they are.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FileDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass


def with_valid_utf8(value: bytes, wanted: Descriptor) -> bytes | None:
    """Return a message of type ``wanted`` with U+FFFD for what is no UTF-8; None where that is not what ails it."""
    message_class, strings = _class_of_bytes(wanted)
    message = message_class()
    try:
        message.ParseFromString(value)
    except DecodeError:
        return None
    return message.SerializeToString() if _mend(message, strings) else None


@cache
def _class_of_bytes(wanted: Descriptor) -> tuple[type[Message], frozenset[str]]:
    """Return the type with bytes for every string, and the full names of the fields that are strings by rights."""
    pool = DescriptorPool()
    strings: set[str] = set()
    _add(wanted.file, pool, strings)
    return GetMessageClass(pool.FindMessageTypeByName(wanted.full_name)), frozenset(strings)


def _add(file: FileDescriptor, pool: DescriptorPool, strings: set[str]) -> None:
    """Add a file, after those that it imports."""
    for imported in file.dependencies:
        _add(imported, pool, strings)
    copy = FileDescriptorProto()
    file.CopyToProto(copy)
    for message_type in copy.message_type:
        for name, field in _strings_of(message_type, copy.package):
            field.type = FieldDescriptorProto.TYPE_BYTES
            strings.add(name)
    pool.AddSerializedFile(copy.SerializeToString())


def _strings_of(message_type: DescriptorProto, outer: str) -> Iterator[tuple[str, FieldDescriptorProto]]:
    name = f"{outer}.{message_type.name}"
    for field in message_type.field:
        if field.type == FieldDescriptorProto.TYPE_STRING:
            yield f"{name}.{field.name}", field
    for nested in message_type.nested_type:
        yield from _strings_of(nested, name)


def _mend(message: Any, strings: frozenset[str]) -> bool:
    """Replace what is no UTF-8 in a message and in all that it holds; return whether anything was."""
    mended = False
    for field, value in message.ListFields():
        if field.message_type is not None:
            for child in (value,) if isinstance(value, Message) else value:
                mended |= _mend(child, strings)
        elif field.full_name in strings:
            is_one = isinstance(value, bytes)
            old = [value] if is_one else list(value)
            new = [text.decode("utf-8", "replace").encode() for text in old]
            if new == old:
                continue
            mended = True
            if is_one:
                setattr(message, field.name, new[0])
            else:
                value[:] = new
    return mended
