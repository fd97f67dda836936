"""What a bench looks at between a golden network's steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from syncfabric.models.golden.channel import Wormhole
from syncfabric.models.golden.inputs import Inputs, Place
from syncfabric.models.golden.manager import Manager
from syncfabric.models.golden.source import Sources
from syncfabric.models.golden.wires import WireModel
from syncfabric.models.messages import ManagerState

__all__ = ["Shown"]


class Shown:
    """Outputs and state at the start of the cycle about to be stepped.

    Attributes
    ----------
    As of :class:`GoldenModel`, which is one of these.
    """

    packets: Wormhole
    sources: Sources
    wires: WireModel | None = None
    managers: Mapping[int, Manager]
    started: bool
    _inputs: Inputs
    _places: Sequence[Place]
    _first_slot: int

    def observe(self, node: int) -> int:
        """Return a place's ``observe`` wires at the start of the cycle about to be stepped."""
        unit = self._places[node].unit
        return unit.observe() if self.wires is None else unit.observe(*self.wires.observe(node))

    def ready(self, node: int, register: int) -> bool:
        """Return ``ready`` of a register in the cycle about to be stepped."""
        if self.wires is not None and register >= self._first_slot:
            return self.wires.ready(node, register)
        return self._inputs.ports[node].is_ready(register, self.started)

    def done(self, node: int, register: int) -> bool:
        """Return ``done`` of a register in the cycle about to be stepped."""
        if self.wires is not None and register >= self._first_slot:
            return self.wires.done(node, register)
        return bool(self._places[node].unit.registers[register].done)

    def broken(self, node: int, register: int) -> bool:
        """Return ``broken`` of a register in the cycle about to be stepped."""
        if self.wires is not None and register >= self._first_slot:
            return self.wires.broken(node, register)
        return self._inputs.ports[node].is_broken(register)

    def holder(self, target: int, gid: int) -> int | None:
        """Return the valid register of a group at a place, None if there is none."""
        found = self._places[target].unit.by_gid.get(gid)
        if found is None and self.wires is not None:
            found = self.wires.holder(target, gid)
        return found

    def manager_state(self, node: int) -> ManagerState:
        """Return what a manager's status says in the cycle about to be stepped."""
        return self.managers[node].state

    def requests_sent(self, node: int) -> int:
        """Return how many requests a manager has sent since reset."""
        return self.managers[node].sent

    def freed(self, node: int) -> list[int]:
        """Return the groups that a manager has been told are free, the oldest first."""
        return list(self.managers[node].freed)

    def is_empty(self) -> bool:
        """Return whether no packet is waiting or under way."""
        return self.packets.is_empty() and self.sources.is_empty()
