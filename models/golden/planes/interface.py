"""A node interface: a node port, and packets of a process, at the far end of a link (N2)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from syncfabric.models.golden.counters import MOST
from syncfabric.models.golden.engine import Answer, Message
from syncfabric.models.golden.engine.node_port import Arrival, NodePort, NodePortOutputs
from syncfabric.models.golden.lifecycle.manager import Manager
from syncfabric.models.golden.planes.words import Words
from syncfabric.models.golden.router import Flit
from syncfabric.models.golden.slots.port import SlotPorts
from syncfabric.models.golden.transport.config_chain import ChainRequest, ConfigNode
from syncfabric.models.golden.transport.link import LinkEnd
from syncfabric.models.golden.transport.wires import Back, Forward, LinkForm, Sent
from syncfabric.models.layout.engine import EngineLayout
from syncfabric.models.layout.network import RouterWord, Target

__all__ = ["InterfaceInputs", "InterfaceOutputs", "InterfaceParameters", "NodeInterface"]


@dataclass(frozen=True)
class InterfaceParameters:
    """What a node interface is built for; as of ``NodeParameters``.

    Attributes
    ----------
    layout : EngineLayout
        Of the router's engine.
    number : int
        On the config chain.
    channels : int
        Of packets.
    managed : bool
        The link has one channel more, of set-up packets.
    manager, routers : int
        The manager that is here, and routers of the network; negative: there is none.
    wires : int
        Slots of barrier wires; ``step`` leaves them out, a network takes them through a cycle.
    """

    layout: EngineLayout
    registers: int
    number: int = 0
    transport: str = "own"
    channels: int = 0
    buffer_flits: int = 4
    flit_bits: int = 16
    counters: bool = True
    check_bits: int = 0
    managed: bool = False
    manager: int = -1
    routers: int = 0
    wires: int = 0


class InterfaceInputs(NamedTuple):
    """Inputs of a node interface in a cycle.

    ``inject`` is the process's flit, ``eject_credit`` a bit for each channel of its ejection port.
    """

    forward: Forward = Forward()
    back: Back = Back()
    request: ChainRequest | None = None
    further: Answer | None = None
    arrivals: Mapping[int, Arrival] = {}
    inject: Flit | None = None
    eject_credit: int = 0
    reset: bool = False


class InterfaceOutputs(NamedTuple):
    """What a node interface drives in a cycle; ``inject_credit`` is a bit a channel."""

    forward: Forward
    back: Back
    passing: ChainRequest | None
    answer: Answer | None
    process: NodePortOutputs
    eject: Flit | None
    inject_credit: int


class Crossed(NamedTuple):
    """What comes to a node interface in a cycle, behind its link's end.

    ``credit`` is a bit a channel; ``events`` are those of the end.
    """

    flit: Flit | None = None
    sent: Sent | None = None
    credit: int = 0
    events: Iterable[RouterWord] = ()


class NodeInterface:
    """Cycle-exact model of a node interface.

    ``step`` goes through a cycle with everything at the pins. A network that knows what moves
    takes ``drive`` and ``take`` in its place.

    Parameters
    ----------
    parameters : InterfaceParameters

    Attributes
    ----------
    message : Message or None
        What the node port gets in this cycle: the link's message of the one before.
    freed : int
        The credit of channel V that is high in this cycle, as a bit of the link's.
    tokens : int
        Credits of channel V at the router; the network adds those that come.
    """

    def __init__(self, parameters: InterfaceParameters) -> None:
        self.parameters = parameters
        self._reset = False
        self._build()

    def _build(self) -> None:
        """Put all state to what it is after reset."""
        has = self.parameters
        checks = has.check_bits
        sizes = has.channels + has.managed, has.flit_bits, has.layout
        form = LinkForm(*sizes, has.transport, checks, cut=checks > 0)
        self.end = LinkEnd(form, has.buffer_flits, 0, guarded=checks > 0)
        self.node_port = NodePort(has.registers, counters=has.counters)
        self.slot_ports = SlotPorts(has.wires, counters=has.counters)
        targets = {Target.PORT, Target.ROUTER} if checks else {Target.PORT}
        self.manager: Manager | None = None
        if has.manager >= 0:
            targets.add(Target.MANAGER)
            about = has.layout.image_words, has.routers, has.channels
            self.manager = Manager(has.manager, *about, counters=has.counters)
        self.freed, self.tokens = 0, has.buffer_flits
        self._own_links = has.transport == "own"
        self._held = deque[Flit]()
        counted = [RouterWord.CORRUPT, RouterWord.LOST]
        counted += [RouterWord.OVERFLOW] if has.channels else []
        self.words = Words(has.number, targets, counted, 1, counters=has.counters)
        self.message: Message | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves without inputs, and nothing is on its wires."""
        return (
            not self._held
            and not self.message
            and self.node_port.is_idle
            and self.words.is_idle
            and not self.freed
            and (self.manager is None or self.manager.is_idle)
            and self.end.is_idle
        )

    @property
    def config(self) -> ConfigNode:
        """The config node."""
        return self.words.config

    def drive(self, inject: Flit | None = None) -> tuple[Flit | None, Sent | None]:
        """Return the flit and the message on the link to the router.

        Parameters
        ----------
        inject : Flit or None
            The process's.
        """
        offer = self.node_port.offer
        sent = Sent(offer) if offer else None
        if sent and not self._own_links:
            return None, sent
        if self.manager and self.manager.offer and self.tokens:
            return self.manager.offer, sent
        return (self._held[0] if self._held else inject), sent

    def step(self, inputs: InterfaceInputs) -> InterfaceOutputs:
        """Go through a cycle."""
        driven = self.drive(inputs.inject)
        freed = inputs.eject_credit | self.freed
        forward, back = self.end.forward(*driven), self.end.back(freed)
        passing, answer = self.config.passing, self.config.answer
        came = self.cross(driven, freed, inputs.forward, inputs.back)
        process = self.node_port.shown(self.message)
        eject = self.take(
            came, driven, inputs.inject, inputs.arrivals, inputs.request, inputs.further
        )
        self.tokens += came.credit >> self.parameters.channels & 1
        credit = came.credit & (1 << self.parameters.channels) - 1
        if self._reset:
            self._build()
        self._reset = inputs.reset
        return InterfaceOutputs(forward, back, passing, answer, process, eject, credit)

    def cross(
        self,
        driven: tuple[Flit | None, Sent | None],
        freed: int,
        forward: Forward,
        back: Back,
    ) -> Crossed:
        """Take a cycle's wires past the link's end; ``freed`` are credits, a bit a channel."""
        got = self.end.step(*driven, freed, forward, back)
        events = [RouterWord.CORRUPT] * got.corrupt + [RouterWord.LOST] * got.lost
        return Crossed(got.flit, got.sent, got.credit, events)

    def take(
        self,
        came: Crossed,
        driven: tuple[Flit | None, Sent | None],
        inject: Flit | None = None,
        arrivals: Mapping[int, Arrival] = {},
        request: ChainRequest | None = None,
        further: Answer | None = None,
    ) -> Flit | None:
        """Go over a clock edge; return the flit that the process gets in this cycle.

        Parameters
        ----------
        came : Crossed
        driven : (Flit or None, Sent or None)
            As of ``drive``, with this ``inject``.
        inject : Flit or None
            The process's.
        arrivals : mapping of int to Arrival
            By register.
        request, further : ChainRequest or None, Answer or None
            From the chain's two sides.
        """
        events = [*came.events]
        flit, sent = driven
        eject, heard = came.flit, None
        if eject and eject.channel == self.parameters.channels:
            eject, heard = None, eject
        self.freed = 1 << heard.channel if heard else 0
        managed = None
        if self.manager:
            managed, offer = self.manager.answer, self.manager.offer
            leaves = offer is not None and flit is offer
            self.tokens -= leaves
            self.manager.step(self.config.request(Target.MANAGER), heard, taken=leaves)
        full = len(self._held) >= self.parameters.buffer_flits * self.parameters.channels
        if self._held and flit is self._held[0]:
            self._held.popleft()
        if inject and flit is not inject:
            if full:
                events.append(RouterWord.OVERFLOW)
            else:
                self._held.append(inject)
        refused = min(MOST, self.node_port.refused + self.slot_ports.refused)
        self.node_port.advance(arrivals, self.message, taken=sent is not None)
        self.message = came.sent.message if came.sent else None
        self.words.step(request, further, managed, refused, events)
        self.end.fenced = bool(self.words.fence)
        return eject
