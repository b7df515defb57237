"""The reader of the packed weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.errors import PermanentError
from ragsonde.scorers.embedding.weights import Matrix, _unpack, read_packed_model


@given(
    scale=st.floats(-8, 8, width=16, allow_nan=False),
    quanta=st.lists(st.integers(0, 15), min_size=32, max_size=32),
)
def test_a_block_unpacks_as_its_format_says(scale: float, quanta: list[int]) -> None:
    packed = bytes(low | high << 4 for low, high in zip(quanta[:16], quanta[16:], strict=True))
    block = np.frombuffer(np.float16(scale).tobytes() + packed, np.uint8).reshape(1, 1, 18)

    values = _unpack(block).values()

    np.testing.assert_allclose(values[0], [(quantum - 8) * scale for quantum in quanta], rtol=1e-6)


def test_values_put_the_blocks_of_a_row_side_by_side() -> None:
    quanta = np.full((2, 3, 32), 9, np.uint8)
    scales = np.array([[1, 2, 3], [4, 5, 6]], np.float16)

    values = Matrix(quanta, scales).values()

    assert values.shape == (2, 96)
    assert values[1, ::32].tolist() == [4.0, 5.0, 6.0]


@pytest.mark.parametrize("content", [b"", b"E5S", b"GGUF" + bytes(64)])
def test_another_file_is_refused(content: bytes) -> None:
    with pytest.raises(PermanentError, match="E5S1"):
        read_packed_model(content)


def test_another_version_is_refused() -> None:
    with pytest.raises(PermanentError, match="version 7"):
        read_packed_model(b"E5S1" + (7).to_bytes(4, "little") + bytes(64))
