"""A network's nodes and node interfaces (N1), where links lead, and what is on them in a cycle."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from syncfabric.models.golden.lifecycle.port import SetUpParameters
from syncfabric.models.golden.planes.interface import InterfaceParameters
from syncfabric.models.golden.planes.pins import NodeParameters
from syncfabric.models.golden.record import GuardWires
from syncfabric.models.golden.router import XY, Flit, Routing, Source, Table
from syncfabric.models.golden.transport.message_links import MessageLinks
from syncfabric.models.golden.transport.wires import Back, Forward, Sent
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.shape import MeshNodeShape, NodeShape

__all__ = [
    "Coming",
    "Out",
    "Shown",
    "Wiring",
    "interface_parameters",
    "node_parameters",
    "transport_of",
]


def transport_of(router: NodeShape) -> str:
    """Return how messages go: "own", "shared" or "routed"."""
    if router.transport == "routed":
        return "routed"
    return "shared" if router.shared else "own"


def _routing(shape: NetworkShape, number: int, place: tuple[int, int]) -> Callable[[], Routing]:
    router = shape.router
    pairs = {port: list(outputs) for port, outputs in enumerate(router.outputs)}
    if router.routing == "table":
        return lambda: Table(router.ports, pairs, number, shape.routes[number])
    if isinstance(router, MeshNodeShape) and router.routing == "xy":
        return lambda: XY(*router.coordinate_bits, *place)
    return lambda: Source(router.ports, pairs)


def _set_up(shape: NetworkShape, number: int) -> SetUpParameters:
    manager = -1
    if not shape.interfaces and number in shape.managers:
        manager = shape.managers.index(number)
    return SetUpParameters(
        [shape.manager_header(m) for m in range(len(shape.managers))],
        shape.header.offsets["reply"],
        number,
        shape.routers,
        manager,
        shape.router.wires,
    )


def node_parameters(shape: NetworkShape, number: int) -> NodeParameters:
    """Return what a router's node is built for.

    Parameters
    ----------
    shape : NetworkShape
    number : int
        The router's.
    """
    router = shape.router
    place = (0, 0)
    if isinstance(router, MeshNodeShape):
        place = number % router.width, number // router.width
    return NodeParameters(
        router.layout,
        router.stages,
        shape.target_of(number),
        place,
        transport_of(router),
        _routing(shape, number, place) if router.channels else None,
        router.channels,
        router.buffer_flits,
        router.flit_bits,
        output_register=router.output_register,
        registers=shape.entry_registers if router.own else 0,
        watchdog=router.watchdog,
        counters=router.counters,
        read_back=router.read_back,
        check_bits=router.check_bits,
        link_registers=router.link_registers,
        near=[p for n, p in shape.nodes if n == number and not router.own],
        datelines=[p for n, p in shape.datelines if n == number],
        set_up=_set_up(shape, number) if shape.managers else None,
        slots=router.slots,
    )


def interface_parameters(shape: NetworkShape, node: int) -> InterfaceParameters:
    """Return what a node's interface is built for."""
    router = shape.router
    return InterfaceParameters(
        router.layout,
        shape.entry_registers,
        node,
        transport_of(router),
        router.channels,
        router.buffer_flits,
        router.flit_bits,
        counters=router.counters,
        check_bits=router.check_bits,
        managed=bool(shape.managers),
        manager=shape.managers.index(node) if node in shape.managers else -1,
        routers=shape.routers,
        wires=router.wires,
    )


class Out(NamedTuple):
    """Where an output leads.

    Attributes
    ----------
    link, lane : int
        The link's number, and its first lane.
    place, port : int
        The far end; a node interface has port 0.
    node : int
        The node at the port; negative: none.
    reverse : int
        The link that leads the other way.
    """

    link: int
    lane: int
    place: int
    port: int
    node: int
    reverse: int


class Wiring:
    """Numbers of places, links and lanes.

    A *place* is a router's number, or, above all of them, a node interface. Link
    ``router * ports + port`` is a router's output, with LOCAL of a mesh among them; link
    ``routers * ports + node`` leads from a node into its router. A *lane* is a bit of a link:
    ``link * width + c``, with c an ordinary channel, above these that of set-up packets, and above
    these the classes of messages, and then the slots of barrier wires.

    Parameters
    ----------
    shape : NetworkShape

    Attributes
    ----------
    width, count : int
        Lanes of a link, and of all.
    channels, messages : int
        Channels of a link, and the first lane of messages, which is the same.
    slots : int
        The first lane of slots.
    ports : int
        Of a router, the set-up sink's left out.
    outs : list of list of (Out or None), by router and port
        None: the port leads nowhere.
    """

    def __init__(self, shape: NetworkShape) -> None:
        router, self._shape = shape.router, shape
        self.routers = shape.routers
        self.ports = router.links + router.own
        self.channels = self.messages = router.link_channels
        self.slots = self.messages + (2 if transport_of(router) == "routed" else 1)
        self.width = self.slots + router.wires
        self.count = (self.routers * self.ports + len(shape.nodes)) * self.width
        self.outs = [[self._out(n, p) for p in range(self.ports)] for n in range(self.routers)]

    def injection(self, node: int) -> int:
        """Return the link from a node into its router."""
        return self.routers * self.ports + node

    def _out(self, n: int, p: int) -> Out | None:
        link = n * self.ports + p
        there, i = self._shape.ends.get((n, p)), self._shape.node_at.get((n, p), -1)
        if there is not None:
            return Out(link, link * self.width, *there, -1, there[0] * self.ports + there[1])
        if i < 0:
            return None
        far = (self.routers + i, 0) if self._shape.interfaces else (n, p)
        return Out(link, link * self.width, *far, i, self.injection(i))

    def target_of(self, place: int) -> int:
        """Return the target of a place's config words."""
        if place >= self.routers:
            return place - self.routers
        return self._shape.target_of(place)

    def place_of(self, target: int) -> int:
        """Return the place of a target."""
        nodes = len(self._shape.nodes)
        if not self._shape.interfaces:
            return target
        return target - nodes if target >= nodes else target + self.routers


class Shown:
    """What is on the wires in a cycle.

    Attributes
    ----------
    wires : dict of int to int
        Flits and messages, by lane.
    credits : list of int
        Lanes with a credit.
    guards : dict of int to GuardWires
        By link.
    answers : list of (int, Answer)
        Places whose config node has an answer in the next cycle.
    """

    __slots__ = ("credits", "guards", "wires")

    def __init__(self) -> None:
        self.wires: dict[int, int] = {}
        self.credits: list[int] = []
        self.guards: dict[int, GuardWires] = {}

    @property
    def is_empty(self) -> bool:
        """Whether all wires are 0."""
        return not (self.wires or self.credits or self.guards)


class Coming:
    """What comes out of links in a cycle.

    Attributes
    ----------
    flits : list of (int, int, Flit)
        By place and port.
    messages : dict of int to (dict of int to Sent)
        By place and port.
    tokens : list of (list of int, int)
        Credits that senders have from the next cycle on.
    message_credits : list of (MessageLinks, int, int)
        The same, of routed messages: link and classes.
    forward, back : dict of int to dict
        With check bits: wires by place and port; forward with the packet of the flit.
    """

    __slots__ = ("back", "flits", "forward", "message_credits", "messages", "tokens")

    def __init__(self) -> None:
        self.flits: list[tuple[int, int, Flit]] = []
        self.messages: dict[int, dict[int, Sent]] = {}
        self.tokens: list[tuple[list[int], int]] = []
        self.message_credits: list[tuple[MessageLinks, int, int]] = []
        self.forward: dict[int, dict[int, tuple[Forward, object]]] = {}
        self.back: dict[int, dict[int, Back]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nothing comes."""
        plain = self.flits or self.messages or self.tokens or self.message_credits
        return not (plain or self.forward or self.back)
