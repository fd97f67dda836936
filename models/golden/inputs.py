"""What the outside asks of a network in a cycle, handed to the places it is for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from syncfabric.models.golden.config_port import configure
from syncfabric.models.golden.guards import Guards
from syncfabric.models.golden.manager import Manager
from syncfabric.models.golden.record import Answer, ConfigRequest
from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.golden.watchdog import WatchedRegister
from syncfabric.models.golden.wires import WireModel
from syncfabric.models.messages import FENCE, Counter

__all__ = ["Inputs", "NodePort", "Place"]


class Place(Protocol):
    """A router, switch or node interface, as the config port sees it."""

    @property
    def unit(self) -> RegisterFile[Any]:
        """Its registers and counters."""


class NodePort(Protocol):
    """Registers at which a process arrives."""

    lasting: set[int]
    """Registers whose arrive in this cycle is the last."""

    @property
    def node(self) -> int:
        """Number of the node."""

    def is_ready(self, r: int, started: bool) -> bool:
        """Return whether a group can be used; ``started``: ``start`` has been high."""

    def is_broken(self, r: int) -> bool:
        """Return whether the process was released because its group died."""

    def accepts(self, r: int, started: bool) -> bool:
        """Return whether an arrive in this cycle is accepted; the state is the edge's before."""

    def arrive(self, r: int, data: int) -> None:
        """Take an accepted arrive."""

    def count(self, counter: Counter) -> None:
        """Count an event."""

    # For the watchdog.

    @property
    def registers(self) -> Sequence[WatchedRegister]:
        """All of them."""

    def is_dying(self, r: int) -> bool:
        """Return whether a register dies by a command of this cycle."""

    def trip(self, r: int) -> None:
        """Release the process of a register with ``broken``."""


class Inputs:
    """The config port and the node ports of a network, judged by the state before the edge.

    Parameters
    ----------
    places : sequence of Place
        All that the config port reaches, the nodes' first.
    ports : sequence of NodePort
        Where processes arrive, by node.
    answers : list of Answer
        The config port's answer in the next cycle; appended to.
    awake, touched : set of int
        Places to look at in this cycle, and places whose ``observe`` may change; added to.
    managers : mapping of node to Manager
        Who sets groups up through the network.
    wires : WireModel or None
        Who has the registers that are slots of barrier wires.
    guards : Guards or None
        Who has the fences of links.
    """

    def __init__(
        self,
        places: Sequence[Place],
        ports: Sequence[NodePort],
        answers: list[Answer],
        awake: set[int],
        touched: set[int],
        managers: Mapping[int, Manager],
        wires: WireModel | None = None,
        guards: Guards | None = None,
    ) -> None:
        self.guards = guards
        self.managers, self.wires = managers, wires
        self.places, self.ports, self.answers = places, ports, answers
        self.awake, self.touched = awake, touched
        self.marked: list[NodePort] = []

    def configure(
        self, request: ConfigRequest, met: Collection[int] = ()
    ) -> list[RegisterFile[Any]]:
        """Hand on a config request; return the unit that has to see the edge for it, if any.

        Parameters
        ----------
        request : ConfigRequest
            The request.
        met : collection of int
            Registers of its place that are busy because of what reaches them in this cycle.
        """
        if not 0 <= request.node < len(self.places):
            return []
        place = self.places[request.node]
        self.touched.add(request.node)
        manager = self.managers.get(request.node)
        if manager is not None and manager.has(request.address):
            refused, data = manager.configure(request)
            if refused and request.write:
                place.unit.count(Counter.REFUSED_WRITE)
            self.answers.append((True, refused, data))
            return []
        if self.guards is not None and request.address == FENCE:
            word = self.guards.fences.access(request.node, request.data if request.write else None)
            self.answers.append((True, False, 0 if request.write else word))
            return []
        if self.wires is not None and self.wires.has(request.address):
            answer = self.wires.access(request.node, request.address, request.write, request.data)
            self.answers.append((True, *answer))
            return []
        refused, data = configure(place.unit, request.address, request.write, request.data, met)
        self.answers.append((True, refused, data))
        return [place.unit] if place.unit.registers else []

    def mark_last(self, last: Collection[tuple[int, int]]) -> None:
        """Tell the nodes' ports which of this cycle's arrivals are the last."""
        for port in self.marked:
            port.lasting.clear()
        self.marked = [self.ports[node] for node, _ in last]
        for node, register in last:
            self.ports[node].lasting.add(register)

    def accepted(
        self, arrive: Mapping[tuple[int, int], int], started: bool
    ) -> list[tuple[NodePort, int, int]]:
        """Count the arrives that are refused, and return the others as (port, register, data)."""
        found = []
        for (node, register), data in arrive.items():
            port = self.ports[node]
            if port.accepts(register, started):
                found.append((port, register, data))
            else:
                port.count(Counter.REFUSED_ARRIVE)
            self.touched.add(node)
        return found
