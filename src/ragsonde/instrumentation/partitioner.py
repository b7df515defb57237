"""Choosing the partition that the OpenTelemetry Collector's Kafka exporter would choose."""

from typing import Any

from kafka.partitioner import DefaultPartitioner, Partitioner

_OFFSET_BASIS = 0x811C9DC5
_PRIME = 0x01000193
_MASK = 0xFFFFFFFF
_SIGN = 0x80000000


def fnv1a_32(key: bytes) -> int:
    """Return the 32-bit FNV-1a hash of ``key``, unsigned (Fowler, Noll and Vo)."""
    value = _OFFSET_BASIS
    for byte in key:
        value = ((value ^ byte) * _PRIME) & _MASK
    return value


def sarama_partition(key: bytes, partitions: int) -> int:
    """Return the index that Sarama's hash partitioner gives ``key`` among ``partitions``.

    The hash is read as a signed 32-bit number, its remainder taken towards zero, and the sign dropped: the default of
    the Collector's Kafka exporter.
    """
    value = fnv1a_32(key)
    if value & _SIGN:
        value = (1 << 32) - value  # the magnitude of the negative number; the remainder's sign is dropped anyway
    return value % partitions


class SaramaPartitioner(Partitioner):
    """Puts keyed messages where the Collector's Kafka exporter puts them; those without a key anywhere."""

    def __init__(self) -> None:
        self._keyless: Any = DefaultPartitioner()

    def partition(
        self,
        topic: str,
        key: Any,
        serialized_key: bytes | None,
        value: Any,
        serialized_value: bytes | None,
        cluster: Any,
    ) -> int:
        """Return the partition id for one message.

        Raises:
            ValueError: the topic is not known to the cluster.
        """
        if serialized_key is None or topic not in cluster.topics():
            chosen: int = self._keyless.partition(topic, key, serialized_key, value, serialized_value, cluster)
            return chosen
        partitions: list[int] = sorted(cluster.partitions_for_topic(topic))
        return partitions[sarama_partition(serialized_key, len(partitions))]
