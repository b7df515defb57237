"""Unpacking gzip within a bound."""

import gzip
import io
import zlib

from ragsonde.collector.errors import DecodeError, DecodeReason

GZIP = b"\x1f\x8b"
"""What gzip starts with; neither OTLP protobuf nor JSON can."""

_STEP_BYTES = 64 * 1024


def inflated(value: bytes, limit: int) -> bytes:
    """Unpack gzip, in small steps, so that a bomb takes no more memory than ``limit``.

    Raises:
        DecodeError: it is cut off or damaged, or holds more than ``limit`` bytes.
    """
    plain = bytearray()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(value)) as stream:
            while piece := stream.read(_STEP_BYTES):
                plain += piece
                if len(plain) > limit:
                    problem = f"the gzip record has more than {limit} bytes once it is unpacked"
                    raise DecodeError(DecodeReason.TOO_LARGE, problem)
    except (OSError, EOFError, zlib.error) as error:
        problem = f"compressed with gzip, and cut off or damaged: {error}"
        raise DecodeError(DecodeReason.INVALID_PROTOBUF, problem) from error
    return bytes(plain)
