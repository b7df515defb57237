"""Shares partitions out so that one replica reads the same partition number of every topic.

Message content may come as log records on another topic than the spans. Producers that key both by trace id put a trace
on the same partition number of both topics, so the two only meet when one consumer reads that number of each. Kafka's
sticky assignors balance over all partitions alike and may give one replica every partition of the busy topic.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment
from kafka.structs import TopicPartition


def share_out(numbers: Sequence[int], members: Sequence[str], owners: Mapping[int, str]) -> dict[int, str]:
    """Give each partition number to one member: as evenly as can be, and moving as few as that allows.

    ``owners`` says who has a number now; owners that are no members are passed over. ``members`` must not be empty.
    """
    held: dict[str, list[int]] = {member: [] for member in sorted(members)}
    for number in sorted(numbers):
        if (owner := owners.get(number)) in held:
            held[owner].append(number)
    floor, extra = divmod(len(numbers), len(held))
    # Who holds most now may keep one more than the others: that moves the fewest.
    by_load = sorted(held, key=lambda member: (-len(held[member]), member))
    quota = {member: floor + (place < extra) for place, member in enumerate(by_load)}
    shared = {number: member for member, kept in held.items() for number in kept[: quota[member]]}
    free = [number for number in sorted(numbers) if number not in shared]
    count = Counter(shared.values())
    for member in sorted(held):
        while count[member] < quota[member]:
            shared[free.pop(0)] = member
            count[member] += 1
    return shared


class CopartitionedAssignor(CooperativeStickyAssignor):
    """Assigns partition numbers rather than partitions, by the cooperative protocol (KIP-429).

    A partition that moves is left out of the new owner's assignment until its old owner has given it up.
    """

    name = "ragsonde-copartitioned"

    def assign(self, cluster: Any, members: Any) -> dict[str, Any]:
        """Return each member's assignment; called by the client library on the group's leader."""
        owned = {
            partition: member.member_id
            for member in members
            for partition in self.parse_member_metadata(member.metadata).partitions
        }
        topics = {topic for member in members for topic in member.metadata.topics}
        partitions = [
            TopicPartition(topic, number) for topic in topics for number in cluster.partitions_for_topic(topic) or ()
        ]
        target = share_out(
            sorted({partition.partition for partition in partitions}),
            [member.member_id for member in members],
            _owners_of_numbers(owned),
        )
        assigned: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for partition in sorted(partitions):
            member_id = target[partition.partition]
            if owned.get(partition, member_id) == member_id:
                assigned[member_id][partition.topic].append(partition.partition)
        return {
            member.member_id: ConsumerProtocolAssignment(self.version, sorted(assigned[member.member_id].items()), b"")
            for member in members
        }


def _owners_of_numbers(owned: Mapping[Any, str]) -> dict[int, str]:
    """Return who has most of each partition number's topics now."""
    votes: dict[int, Counter[str]] = defaultdict(Counter)
    for partition, member_id in sorted(owned.items()):
        votes[partition.partition][member_id] += 1
    return {number: counts.most_common(1)[0][0] for number, counts in votes.items()}
