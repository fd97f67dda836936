"""The registers that a process has for slots of barrier wires: each is a node port of its own."""

from __future__ import annotations

from collections.abc import Mapping

from syncfabric.models.golden.counters import Counters
from syncfabric.models.golden.engine.memory import Message
from syncfabric.models.golden.engine.node_port import Arrival, NodePort
from syncfabric.models.golden.slots.slot import SlotMessage

__all__ = ["SlotPorts"]


class SlotPorts:
    """Cycle-exact model of the slots' part of ``rtl/slots/plane.py`` (X1.4).

    Parameters
    ----------
    slots : int
    counters : bool
        Refused arrives are counted.

    Attributes
    ----------
    ports : list of NodePort
        By slot, with one register.
    """

    def __init__(self, slots: int, *, counters: bool) -> None:
        self.ports = [NodePort(1, counters=False) for _ in range(slots)]
        self._counters = Counters(1, built=counters)

    @property
    def refused(self) -> int:
        """Cycles with a refused arrive."""
        return self._counters[0]

    @property
    def is_idle(self) -> bool:
        """Whether nothing changes without an arrival or a message."""
        return self._counters.is_idle and all(port.is_idle for port in self.ports)

    def step(
        self, arrivals: Mapping[int, Arrival], answers: Mapping[int, SlotMessage]
    ) -> dict[int, SlotMessage]:
        """Go through a cycle; return the messages for slots.

        Parameters
        ----------
        arrivals, answers : mapping of int to Arrival or SlotMessage
            By slot.
        """
        sends: dict[int, SlotMessage] = {}
        refuses = False
        for s, port in enumerate(self.ports):
            if s not in arrivals and s not in answers and port.is_idle:
                continue
            offer = port.offer
            if offer:
                sends[s] = SlotMessage(offer.kind, offer.data)
            heard = Message(0, 0, *answers[s]) if s in answers else None
            here = {0: arrivals[s]} if s in arrivals else {}
            port.advance(here, heard, taken=offer is not None)
            refuses |= port.refuses
        self._counters.step([0] if refuses else [])
        return sends
