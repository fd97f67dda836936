"""What a node and a node interface have in common: ends of links, and a config node."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from syncfabric.models.golden.config import ConfigNode, Words
from syncfabric.models.golden.engine.engine import Outputs
from syncfabric.models.golden.engine.memory import Answer, Message
from syncfabric.models.golden.engine.node_port import Arrival, NodePortOutputs
from syncfabric.models.golden.lifecycle.port import SetUpParameters
from syncfabric.models.golden.link import Back, Carried, Forward, LinkEnd, LinkForm, Sent
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.router import Adaptive, Dimension, Flit, Routing, Source, Table
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.words import RouterWord

STILL, QUIET = Forward(), Back()
Flits: TypeAlias = Mapping[int, Flit]
Messages: TypeAlias = Mapping[int, Sent]
NO_FLITS: Flits = {}
NO_MESSAGES: Messages = {}
NO_WORDS: Mapping[int, Carried] = {}
NO_ARRIVALS: Mapping[int, Arrival] = {}
NO_ENGINE = Outputs({}, False, None, None, None)
NO_PROCESS = NodePortOutputs(frozenset(), frozenset(), frozenset(), frozenset(), ())


@dataclass(frozen=True)
class Site:
    """What is constant of one node, or node interface, of a network.

    Attributes
    ----------
    number : int
        On the config chain.
    registers : int
        R of the node port; 0: the engine's own port is shown.
    router : int
        The router's number.
    place : sequence of int
        Its coordinates.
    routes : sequence of int
        With routing by tables: the port for each router.
    delays : mapping of int to int
        Registers on the links of ports, where they are not ``link_registers``.
    datelines : collection of int
        Outputs at which packets change channels.
    set_up : SetUpParameters or None
        Set-up by managers: links have one channel more, and a router without ``own`` one port.
    """

    number: int = 0
    registers: int = 0
    router: int = 0
    place: Sequence[int] = (0, 0)
    routes: Sequence[int] = ()
    delays: Mapping[int, int] = field(default_factory=dict)
    datelines: Collection[int] = ()
    set_up: SetUpParameters | None = None


def transport_of(shape: NodeShape) -> str:
    """Return how messages go: "own", "shared" or "routed"."""
    return "routed" if shape.layout.routed else "shared" if shape.shared else "own"


def form_of(shape: NodeShape) -> LinkForm:
    """Return how the wires of a link between routers are made up."""
    stream, checks = shape.stream, shape.check_bits
    sizes = shape.link_channels, shape.flit_bits, shape.layout
    streams = stream if stream and stream.shared else None
    places = shape.buffer_flits
    cut = checks > 0
    return LinkForm(
        *sizes, transport_of(shape), checks, cut=cut, streams=streams, buffer_flits=places
    )


def routing_of(shape: NodeShape, site: Site) -> Routing:
    """Return the routing of a router."""
    pairs = {port: list(outputs) for port, outputs in enumerate(shape.outputs)}
    if shape.routing == "table":
        return Table(shape.ports, pairs, site.router, site.routes)
    if shape.grid and shape.escapes:
        sizes = shape.grid, site.place, shape.ports
        return Adaptive(*sizes, own=shape.own, escapes=shape.escapes)
    if shape.grid:
        return Dimension(shape.grid, site.place, shape.ports, own=shape.own)
    return Source(shape.ports, pairs)


class PlaceInputs(NamedTuple):
    """Inputs in a cycle: by port, from the chain's two sides, and of the process.

    ``arrive`` is of a node without a node port; ``inject`` and ``eject_credit``, a bit a channel,
    are of a node interface. Its link is port 0.
    """

    forward: Mapping[int, Forward] = {}
    back: Mapping[int, Back] = {}
    request: ConfigRequest | None = None
    further: Answer | None = None
    arrivals: Mapping[int, Arrival] = NO_ARRIVALS
    arrive: Message | None = None
    inject: Flit | None = None
    eject_credit: int = 0
    reset: bool = False


class PlaceOutputs(NamedTuple):
    """What is driven in a cycle.

    ``engine`` is a node's, with the process's signals where there is no node port; ``process`` are
    those with one; ``eject`` and ``inject_credit``, a bit a channel, are of a node interface.
    """

    forward: dict[int, Forward]
    back: dict[int, Back]
    passing: ConfigRequest | None
    answer: Answer | None
    engine: Outputs
    process: NodePortOutputs
    eject: Flit | None = None
    inject_credit: int = 0


class Driven(NamedTuple):
    """What a place sends in a cycle, by port.

    Attributes
    ----------
    flits, messages : mapping of int to Flit or Sent
        On links.
    freed : sequence of (int, int)
        Credits: port and channel, with the classes of messages above the channels.
    leaves : Flit or None
        What a router sends to its set-up port.
    paid : bool
        The set-up port gets a credit of the router.
    sends : mapping of int to Sent
        Messages that the engine sends.
    """

    flits: Flits = NO_FLITS
    messages: Messages = NO_MESSAGES
    freed: Sequence[tuple[int, int]] = ()
    leaves: Flit | None = None
    paid: bool = False
    sends: Messages = NO_MESSAGES


IDLE = Driven()


class Crossed(NamedTuple):
    """What comes to a place in a cycle, behind its links' ends.

    ``credits`` are as of ``Driven.freed``; ``events`` are those of links' ends.
    """

    flits: Flits = NO_FLITS
    messages: Messages = NO_MESSAGES
    credits: Sequence[tuple[int, int]] = ()
    events: Sequence[RouterWord] = ()


class Place(ABC):
    """A node, or a node interface: what it drives is known before anything comes.

    A cycle is ``drive``, then ``take`` with what comes, then ``credited``. ``wires`` and ``cross``
    take links' ends into account.

    Attributes
    ----------
    ends : dict of int to LinkEnd
        By port.
    words : Words
    """

    ends: dict[int, LinkEnd]
    words: Words
    _driven: Driven | None

    def _end(
        self, shape: NodeShape, channels: int, registers: int, *, link: bool = True
    ) -> LinkEnd:
        """Return an end of a link, or of a process's port, which has packets alone."""
        checks = shape.check_bits if link else 0
        sizes = channels, shape.flit_bits, shape.layout
        form = form_of(shape) if link else LinkForm(*sizes, "", cut=shape.check_bits > 0)
        return LinkEnd(form, shape.buffer_flits, registers, guarded=checks > 0)

    @property
    def config(self) -> ConfigNode:
        """The config node."""
        return self.words.config

    @abstractmethod
    def drive(self, inject: Flit | None = None, freed: Iterable[int] = ()) -> Driven:
        """Return what is sent in this cycle.

        Parameters
        ----------
        inject, freed : Flit or None, iterable of int
            Of a node interface: the process's flit, and the channels of its credits.
        """

    def _words(self) -> dict[int, int]:
        """Return the credits of this cycle by port, a bit a channel."""
        words: dict[int, int] = {}
        for p, c in self.drive().freed:
            words[p] = words.get(p, 0) | 1 << c
        return words

    def wires(
        self, carried: Mapping[int, Carried] = NO_WORDS
    ) -> tuple[dict[int, Forward], dict[int, Back]]:
        """Return what is on the links in this cycle, by port; words of streams are these."""
        driven, ends = self.drive(), self.ends
        flits, messages, freed = driven.flits, driven.messages, self._words()
        forward = {
            p: end.forward(flits.get(p), messages.get(p), carried.get(p)) for p, end in ends.items()
        }
        return forward, {p: end.back(freed.get(p, 0)) for p, end in ends.items()}

    def cross(self, forward: Mapping[int, Forward], back: Mapping[int, Back]) -> Crossed:
        """Take a cycle's wires past the links' ends."""
        driven, freed = self.drive(), self._words()
        flits: dict[int, Flit] = {}
        messages: dict[int, Sent] = {}
        events: list[RouterWord] = []
        credits = []
        for p, end in self.ends.items():
            sent = driven.flits.get(p), driven.messages.get(p), freed.get(p, 0)
            got = end.step(*sent, forward.get(p, STILL), back.get(p, QUIET))
            if got.flit:
                flits[p] = got.flit
            if got.sent:
                messages[p] = got.sent
            if got.credit:
                credits += [(p, c) for c in range(got.credit.bit_length()) if got.credit >> c & 1]
            if got.corrupt or got.lost:
                events += [RouterWord.CORRUPT] * got.corrupt + [RouterWord.LOST] * got.lost
        return Crossed(flits, messages, credits, events)

    @abstractmethod
    def take(
        self,
        came: Crossed,
        arrivals: Mapping[int, Arrival] = NO_ARRIVALS,
        request: ConfigRequest | None = None,
        further: Answer | None = None,
        arrive: Message | None = None,
    ) -> bool | Flit | None:
        """Go over a clock edge, but for credits."""

    @abstractmethod
    def credited(self, port: int, channel: int) -> bool:
        """Take a credit of a cycle that is over; return whether it is the process's."""
