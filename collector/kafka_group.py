"""kafka-python's group member, with a fault of version 3.0 mended."""

from typing import Any

from kafka import KafkaConsumer
from kafka.coordinator.consumer import ConsumerCoordinator
from kafka.structs import MemberState


class GroupConsumer(KafkaConsumer):
    """A consumer that joins its group however short its polls are."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)  # type: ignore[no-untyped-call]
        self._coordinator.__class__ = _Coordinator  # the library's constructor names its class


class _Coordinator(ConsumerCoordinator):
    """A group member that keeps a join which came to its end between two polls, as Kafka's own client does.

    The library throws it away and joins anew, and sends no heartbeats meanwhile. Where the leader of the group does
    so, the others have to join anew as well: on a busy machine a group then goes on rebalancing for minutes, and a
    member that is away for the session timeout is put out of the group.
    """

    _joined: tuple[Any, bytes] | None = None
    """The generation that was joined and the assignment in it, until a poll has taken it."""

    async def _do_join_and_sync_async(self) -> bytes:
        joined, self._joined = self._joined, None
        if joined is None or joined[0] is not self._generation:  # heartbeats may have found it gone since
            assignment: bytes = await super()._do_join_and_sync_async()  # type: ignore[no-untyped-call]
            joined = self._generation, assignment
            with self._lock:
                self.state = MemberState.STABLE
                self._enable_heartbeat()
        self._joined = joined
        return joined[1]

    async def _on_join_complete_async(self, *joined: Any) -> None:
        self._joined = None
        await super()._on_join_complete_async(*joined)  # type: ignore[no-untyped-call]
