"""A network's nodes and node interfaces (N1), where links lead, and what is on them in a cycle."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from typing import NamedTuple

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.interface import NodeInterface
from syncfabric.models.golden.lifecycle.port import SetUpParameters
from syncfabric.models.golden.link import Back, Forward, LinkForm, Sent
from syncfabric.models.golden.node import Node
from syncfabric.models.golden.place import Site
from syncfabric.models.golden.record import Beat, GuardWires
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.network import NetworkShape


def node_of(shape: NetworkShape, number: int) -> Node:
    """Return the node of a router."""
    router, ports, set_up = shape.router, range(shape.router.links), None
    if shape.managers:
        here = not shape.interfaces and number in shape.managers
        set_up = SetUpParameters(
            shape.manager_headers,
            shape.header.offsets["reply"],
            number,
            shape.routers,
            shape.managers.index(number) if here else -1,
            router.wires,
        )
    site = Site(
        shape.target_of(number),
        shape.entry_registers if router.own else 0,
        number,
        router.grid.place(number) if router.grid else (),
        shape.routes[number] if shape.routes else (),
        {
            **{p: 0 for n, p in shape.nodes if n == number and not router.own},
            **{p: shape.delay_of[number, p] for p in ports if (number, p) in shape.delay_of},
        },
        [p for n, p in shape.datelines if n == number],
        set_up,
    )
    return Node(router, site)


def interface_of(shape: NetworkShape, node: int) -> NodeInterface:
    """Return a node's interface."""
    manager = shape.managers.index(node) if node in shape.managers else -1
    return NodeInterface(shape.router, node, shape.entry_registers, manager, shape.routers)


class Out(NamedTuple):
    """Where an output leads.

    Attributes
    ----------
    link, lane : int
        The link's number, and its first lane.
    place, port : int
        The far end; a node interface has port 0.
    node : int
        The node whose link it is; negative: it is between routers.
    reverse : int
        The link that leads back.
    delay : int
        Registers on the link.
    """

    link: int
    lane: int
    place: int
    port: int
    node: int
    reverse: int
    delay: int = 0


class Wiring:
    """Numbers of places, links and lanes.

    A *place* is a router's number, or, above all of them, a node interface. Link
    ``router * ports + port`` is a router's output, with LOCAL of a mesh among them; link
    ``routers * ports + node`` leads from a node into its router. A *lane* is a bit of a link:
    ``link * width + c``, with c an ordinary channel, above these that of set-up packets, and above
    these the classes of messages, the slots of barrier wires, the channels of streams, and
    their faults: levels, with the word 1.

    Parameters
    ----------
    shape : NetworkShape

    Attributes
    ----------
    width, count : int
        Lanes of a link, and of all.
    channels : int
        Channels of a link, and the first lane of messages.
    slots, streams, faults : int
        The first lanes of slots, of streams' words and of their faults.
    ports : int
        Of a router, the set-up sink's left out.
    outs : list of list of (Out or None), by place and port
        None: the port leads nowhere.
    """

    def __init__(self, shape: NetworkShape) -> None:
        router, self._shape = shape.router, shape
        self.routers = shape.routers
        self.ports = router.links + router.own
        self.channels = router.link_channels
        self.slots = self.channels + shape.classes
        self.streams = self.slots + router.wires
        self.faults = self.streams + router.streams
        self.width = self.faults + router.streams
        self.count = (self.routers * self.ports + len(shape.nodes)) * self.width
        self.outs = [[self._out(n, p) for p in range(self.ports)] for n in range(self.routers)]
        for i, (n, p) in enumerate(shape.nodes if shape.interfaces else ()):
            link = self.injection(i)
            self.outs.append([Out(link, link * self.width, n, p, i, n * self.ports + p)])

    def injection(self, node: int) -> int:
        """Return the link from a node into its router."""
        return self.routers * self.ports + node

    def _out(self, n: int, p: int) -> Out | None:
        link = n * self.ports + p
        there, i = self._shape.ends.get((n, p)), self._shape.node_at.get((n, p), -1)
        if there is not None:
            ends = (*there, -1, there[0] * self.ports + there[1])
            return Out(link, link * self.width, *ends, self._shape.delay_of[n, p])
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


class OnWires:
    """What is on the wires: flits and messages by lane, credits' lanes, and guards by link.

    Beats are those that processes take, by node.
    """

    __slots__ = ("beats", "credits", "guards", "wires")

    def __init__(self) -> None:
        self.wires: dict[int, int] = {}
        self.credits: list[int] = []
        self.guards: dict[int, GuardWires] = {}
        self.beats: dict[int, Beat] = {}

    @property
    def is_empty(self) -> bool:
        """Whether all wires are 0."""
        return not (self.wires or self.credits or self.guards or self.beats)


class Coming:
    """What comes out of links in a cycle.

    Attributes
    ----------
    flits, messages : dict of int to (dict of int to Flit or Sent)
        By place and port.
    packets, tokens : list of (int, int, Flit) or (list of int, int)
        Where the network moves packets by themselves: router, port and flit; and where credits
        are counted.
    credits : list of (int, int, int)
        Place, port and channel, with the classes of messages above; from the next cycle on.
    forward, back : dict of int to dict
        With check bits: wires by place and port; forward with the packet of the flit.
    """

    __slots__ = ("back", "credits", "flits", "forward", "messages", "packets", "tokens")

    def __init__(self) -> None:
        self.flits: dict[int, dict[int, Flit]] = {}
        self.messages: dict[int, dict[int, Sent]] = {}
        self.packets: list[tuple[int, int, Flit]] = []
        self.tokens: list[tuple[list[int], int]] = []
        self.credits: list[tuple[int, int, int]] = []
        self.forward: dict[int, dict[int, tuple[Forward, object]]] = {}
        self.back: dict[int, dict[int, Back]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nothing comes."""
        return not any(getattr(self, name) for name in self.__slots__)


STILL, QUIET = Forward(), Back()
Place = tuple[int, int]


class FaultyLinks:
    """Changes what is on links that have guards.

    Parameters
    ----------
    shape : NetworkShape
    wiring : Wiring
    form : LinkForm
    """

    def __init__(self, shape: NetworkShape, wiring: Wiring, form: LinkForm) -> None:
        self._form = form
        self._planned: dict[int, list[Fault]] = {}
        self._dead = set[int]()
        # Where each begins and where it leads, and its registers.
        self._ends: dict[int, tuple[Place, Place, int]] = {}
        guarded = shape.router.check_bits and not shape.router.wires
        for n, outs in enumerate(wiring.outs if guarded else ()):
            for p, out in enumerate(outs):
                if out and (out.node < 0 or shape.interfaces):
                    self._ends[out.link] = (n, p), (out.place, out.port), out.delay

    def inject(self, faults: Iterable[Fault]) -> None:
        """Plan faults of cycles to come.

        Raises
        ------
        ValueError
            There is no such link, or it has no guards, or barrier wires beside them.
        """
        for fault in faults:
            if fault.link not in self._ends:
                raise ValueError(f"link {fault.link} has no guards, or has barrier wires")
            self._planned.setdefault(fault.cycle, []).append(fault)

    def is_due(self, now: int) -> bool:
        """Return whether there is one in this cycle."""
        return now in self._planned

    def following(self) -> int | None:
        """Return the cycle of the next one, None if there is none."""
        return min(self._planned, default=None)

    def strike(self, now: int, coming: Mapping[int, Coming]) -> None:
        """Change what is on links in a cycle.

        Parameters
        ----------
        now : int
        coming : mapping of int to Coming
            What comes out of links so many cycles later; of 0, what does so in this one.
        """
        here = coming[0]
        struck: dict[int, list[Fault]] = {}
        for fault in self._planned.pop(now, ()):
            struck.setdefault(fault.link, []).append(fault)
            if fault.kind is FaultKind.DEAD:
                self._dead.add(fault.link)
        for link in struck.keys() | self._dead:
            (n, p), (m, q), delay = self._ends[link]
            wires, packet = here.forward.get(m, {}).get(q, (STILL, None))
            dead, lost = link in self._dead, 0
            if dead:
                wires = STILL
            else:
                wires, lost = self._inject(wires, struck[link])
            if wires != STILL:
                here.forward.setdefault(m, {})[q] = wires, packet
            elif m in here.forward:
                here.forward[m].pop(q, None)
            back = coming[delay].back.get(n, {})
            if p in back:
                channels, (credit, messages, empty) = self._form.channels, back[p]
                kept = Back(credit & ~lost, messages & ~(lost >> channels), empty)
                back[p] = QUIET if dead else kept

    def _inject(self, wires: Forward, faults: Sequence[Fault]) -> tuple[Forward, int]:
        """Return what becomes of a link's forward wires, and the credit wires that are 0.

        Faults of one cycle come one after the other, in the order of kinds and masks.
        """
        flips = lost = 0
        for _, _, kind, mask in sorted(astuple(fault) for fault in faults):
            if kind is FaultKind.FLIP:
                flips ^= mask
            elif kind is FaultKind.DROP:
                wires, flips = STILL, 0
            elif kind is FaultKind.CREDIT:
                lost |= mask
            elif kind is FaultKind.INJECTED and wires == STILL and not flips:
                flips = mask
        return self._form.flip(wires, flips), lost
