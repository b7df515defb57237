"""Keys land where the Collector would put them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka.partitioner.default import murmur2

from ragsonde.instrumentation.partitioner import SaramaPartitioner, fnv1a_32, sarama_partition


class Cluster:
    """The three questions that a partitioner asks of the cluster's metadata."""

    def __init__(self, partitions: set[int]) -> None:
        self._partitions = partitions

    def topics(self) -> set[str]:
        return {"otlp_spans"}

    def partitions_for_topic(self, topic: str) -> set[int]:
        return self._partitions

    def available_partitions_for_topic(self, topic: str) -> set[int]:
        return self._partitions


# Published test vectors of FNV-1a, 32 bits.
@pytest.mark.parametrize(
    ("text", "expected"),
    [(b"", 0x811C9DC5), (b"a", 0xE40C292C), (b"b", 0xE70C2DE5), (b"foo", 0xA9F37ED7), (b"foobar", 0xBF9CF968)],
)
def test_fnv1a_gives_the_published_values(text: bytes, expected: int) -> None:
    assert fnv1a_32(text) == expected


@given(st.binary(max_size=64), st.integers(min_value=1, max_value=1000))
def test_the_partition_is_the_magnitude_of_a_signed_remainder(key: bytes, partitions: int) -> None:
    signed = int.from_bytes(fnv1a_32(key).to_bytes(4, "big"), "big", signed=True)
    towards_zero = abs(signed) % partitions * (-1 if signed < 0 else 1)
    assert sarama_partition(key, partitions) == abs(towards_zero)
    assert 0 <= sarama_partition(key, partitions) < partitions


def test_partition_ids_are_chosen_in_order_even_with_gaps() -> None:
    key = b"4bf92f3577b34da6a3ce929d0e0e4736"
    chosen = SaramaPartitioner().partition("otlp_spans", key, key, b"", b"", Cluster({4, 9, 2}))
    assert chosen == [2, 4, 9][sarama_partition(key, 3)]


def test_a_message_without_a_key_goes_to_some_partition() -> None:
    assert SaramaPartitioner().partition("otlp_spans", None, None, b"", b"", Cluster({0, 1})) in {0, 1}


def test_an_unknown_topic_is_refused() -> None:
    with pytest.raises(ValueError, match="nowhere"):
        SaramaPartitioner().partition("nowhere", b"k", b"k", b"", b"", Cluster({0}))


def test_the_two_hashes_do_differ() -> None:
    keys = [f"{number:032x}".encode() for number in range(64)]
    assert any(sarama_partition(key, 12) != (murmur2(key) & 0x7FFFFFFF) % 12 for key in keys)
