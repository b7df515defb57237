"""Keeps the identity of an interaction when its trace is handed on again."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace

from ragsonde.collector.model import Interaction


class InteractionLedger:
    """Remembers which interactions each trace has given, so that the same one never counts twice.

    A trace that grows may hold one answered question at first (id: the trace id) and two later (ids with span ids).
    The interaction that is known by its generation span keeps the id under which it was first scored.
    """

    def __init__(self, max_traces: int) -> None:
        self._max_traces = max_traces
        self._ids: OrderedDict[str, dict[str, str]] = OrderedDict()

    def recognise(self, interactions: Iterable[Interaction]) -> list[tuple[Interaction, bool]]:
        """Return each interaction under its lasting id, and whether that id was given out before."""
        recognised = []
        for interaction in interactions:
            known = self._ids.setdefault(interaction.trace_id, {})
            self._ids.move_to_end(interaction.trace_id)
            lasting_id = known.get(interaction.span_id, interaction.id)
            seen = lasting_id in known.values()
            known[interaction.span_id] = lasting_id
            recognised.append((replace(interaction, id=lasting_id), seen))
        while len(self._ids) > self._max_traces:
            self._ids.popitem(last=False)
        return recognised

    def forget(self, trace_ids: Iterable[str]) -> None:
        """Forget traces that another consumer reads from now on."""
        for trace_id in trace_ids:
            self._ids.pop(trace_id, None)
