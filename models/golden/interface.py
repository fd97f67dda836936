"""A node interface: a node port, and packets of a process, at the far end of a link (N2, V13)."""

from collections import deque
from collections.abc import Collection, Iterable, Mapping

from syncfabric.models.golden.config import Words
from syncfabric.models.golden.counters import MOST
from syncfabric.models.golden.engine.memory import Answer, Message
from syncfabric.models.golden.engine.node_port import Arrival, NodePort
from syncfabric.models.golden.lifecycle.manager import Manager
from syncfabric.models.golden.link import Sent
from syncfabric.models.golden.place import (
    NO_ARRIVALS,
    NO_ENGINE,
    NO_FLITS,
    NO_MESSAGES,
    Crossed,
    Driven,
    Place,
    PlaceInputs,
    PlaceOutputs,
    transport_of,
)
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.router import Flit
from syncfabric.models.golden.slots import SlotPorts
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.words import RouterWord, Target


class NodeInterface(Place):
    """Cycle-exact model of a node interface, whose link is port 0.

    Parameters
    ----------
    shape : NodeShape
        Of the routers.
    number : int
        On the config chain.
    registers : int
        R of the node port.
    manager, routers : int
        The manager that is here, and routers of the network; negative: there is none.

    Attributes
    ----------
    message : Message or None
        What the node port gets in this cycle: the link's message of the one before.
    tokens : int
        Credits of channel V at the router.
    carries : collection of int
        (0,) if a word of a stream is on the link in this cycle: the network sets it before
        ``drive``.
    late : bool
        The last ``drive`` has kept a flit back for such a word.
    """

    def __init__(
        self, shape: NodeShape, number: int, registers: int, manager: int = -1, routers: int = 0
    ) -> None:
        self.shape = shape
        self._about = number, registers, manager, routers
        self._reset = False
        self._build()

    def _build(self) -> None:
        """Put all state to what it is after reset."""
        shape, (number, registers, manager, routers) = self.shape, self._about
        counters, channels = shape.counters, shape.channels
        self.end = self._end(shape, shape.link_channels, 0)
        self.ends = {0: self.end}
        self.node_port = NodePort(registers, counters=counters)
        self.slot_ports = SlotPorts(shape.wires, counters=counters)
        targets = {Target.PORT, Target.ROUTER} if shape.check_bits else {Target.PORT}
        self.manager: Manager | None = None
        if manager >= 0:
            targets.add(Target.MANAGER)
            about = shape.layout.image_words, routers, channels
            self.manager = Manager(manager, *about, counters=counters)
        self._freed: tuple[int, ...] = ()
        self.tokens = shape.buffer_flits
        self._own_links = transport_of(shape) == "own"
        self._held = deque[Flit]()
        self.carries: Collection[int] = ()
        self.late = False
        self.words = Words(number, targets, shape.end_words, 1, counters=counters)
        self.message: Message | None = None
        self._driven = None
        self._inject: Flit | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves without inputs, and nothing is on its wires."""
        return (
            not self._held
            and not self.message
            and self.node_port.is_idle
            and self.words.is_idle
            and not self._freed
            and (self.manager is None or self.manager.is_idle)
            and self.end.is_idle
        )

    def drive(self, inject: Flit | None = None, freed: Iterable[int] = ()) -> Driven:
        """Return what is on the link to the router; the first call of a cycle counts."""
        if self._driven is None:
            self._inject = inject
            offer, flit = self.node_port.offer, None
            if offer is None or self._own_links:
                managed = self.manager.offer if self.manager and self.tokens else None
                flit = managed or (self._held[0] if self._held else inject)
            self.late = bool(self.carries and flit)
            flit = None if self.carries else flit
            self._driven = Driven(
                {0: flit} if flit else NO_FLITS,
                {0: Sent(offer)} if offer else NO_MESSAGES,
                [(0, c) for c in (*freed, *self._freed)],
            )
        return self._driven

    def step(self, inputs: PlaceInputs) -> PlaceOutputs:
        """Go through a cycle with everything at the pins."""
        channels = range(self.shape.channels)
        self.drive(inputs.inject, [c for c in channels if inputs.eject_credit >> c & 1])
        wires = self.wires()
        passing, answer = self.config.passing, self.config.answer
        came = self.cross(inputs.forward, inputs.back)
        process = self.node_port.outputs(self.message)
        eject = self.take(came, inputs.arrivals, inputs.request, inputs.further)
        credit = sum([self.credited(p, c) << c for p, c in came.credits])
        if self._reset:
            self._build()
        self._reset = inputs.reset
        return PlaceOutputs(*wires, passing, answer, NO_ENGINE, process, eject, credit)

    def credited(self, port: int, channel: int) -> bool:
        """Take a credit of a cycle that is over; return whether it is the process's."""
        managed = channel == self.shape.channels
        self.tokens += managed
        return not managed

    def take(
        self,
        came: Crossed,
        arrivals: Mapping[int, Arrival] = NO_ARRIVALS,
        request: ConfigRequest | None = None,
        further: Answer | None = None,
        arrive: Message | None = None,
    ) -> Flit | None:
        """Go over a clock edge; return the flit that the process gets in this cycle."""
        driven, self._driven = self.drive(), None
        inject, self._inject = self._inject, None
        events = [*came.events]
        flit, eject, to_manager = driven.flits.get(0), came.flits.get(0), None
        if eject and eject.channel == self.shape.channels:
            eject, to_manager = None, eject
        self._freed = (to_manager.channel,) if to_manager else ()
        managed = None
        if self.manager:
            managed, offer = self.manager.answer, self.manager.offer
            leaves = offer is not None and flit is offer
            self.tokens -= leaves
            self.manager.step(self.config.request(Target.MANAGER), to_manager, granted=leaves)
        full = len(self._held) >= self.shape.buffer_flits * self.shape.channels
        if self._held and flit is self._held[0]:
            self._held.popleft()
        if inject and flit is not inject:
            if full:
                events.append(RouterWord.OVERFLOW)
            else:
                self._held.append(inject)
        refused = min(MOST, self.node_port.refused + self.slot_ports.refused)
        self.node_port.advance(arrivals, self.message, granted=bool(driven.messages))
        self.message = came.messages[0].message if came.messages else None
        self.words.step(request, further, managed, refused, events)
        self.end.fenced = bool(self.words.fence)
        return eject
