"""The numbers of a whole network: its routers, links, nodes, targets and headers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd

from syncfabric.models.layout.flit import flit_layout
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.words import (
    ADDRESS_BITS,
    PART_BITS,
    EngineWord,
    ManagerWord,
    PortWord,
)
from syncfabric.models.messages.layout import Layout
from syncfabric.models.messages.words import WordTable

MOST_REGISTERS = 16
"""Groups that a node port can have bits for."""

Place = tuple[int, int]
"""A router and one of its ports."""


@dataclass(frozen=True)
class NetworkShape:
    """A network of equal routers; rules: docs/microarchitecture-networks.md, N1.

    Parameters
    ----------
    router : NodeShape
        What every router is built for; with ``own`` it is a node, too.
    routers : int
        How many there are.
    links : tuple of (Place, Place)
        Both ends of each link between routers.
    nodes : tuple of Place
        Where each node is, by its number.
    managers : tuple of int
        Nodes that have a manager, by the manager's number.
    routes : tuple of tuple of int
        With routing by tables: at each router, the port for each router.
    datelines : tuple of Place
        Outputs at which packets change channels.
    port_registers : int
        Groups that a node port has bits for, slots among them, if there are as many entries.
    extra : tuple of int
        Registers on each link beyond ``router.link_registers``; empty: none.
    """

    router: NodeShape
    routers: int
    links: tuple[tuple[Place, Place], ...]
    nodes: tuple[Place, ...]
    managers: tuple[int, ...] = ()
    routes: tuple[tuple[int, ...], ...] = ()
    datelines: tuple[Place, ...] = ()
    port_registers: int = MOST_REGISTERS
    extra: tuple[int, ...] = ()

    @property
    def interfaces(self) -> bool:
        """Nodes have interfaces of their own, in front of the routers (N2)."""
        return not self.router.own

    @property
    def classes(self) -> int:
        """Classes of messages on a link; of routed ones their lanes."""
        return max(1, self.router.layout.lanes)

    @property
    def registers(self) -> int:
        """Groups that a node port has bits for."""
        return self.entry_registers + self.router.wires

    @property
    def entry_registers(self) -> int:
        """Those of them that are entries: the lowest of each; slots come after them."""
        return min(self.router.layout.entries, self.port_registers - self.router.wires)

    def register_of(self, entry: int) -> int:
        """Return the register of a router's entry, or of its slot, at a node port."""
        first = self.router.layout.entries
        return entry if entry < first else self.entry_registers + entry - first

    @property
    def targets(self) -> int:
        """Targets of the config chain: nodes, and routers where they are no nodes."""
        return len(self.nodes) + self.routers * self.interfaces

    def target_of(self, router: int) -> int:
        """Return the target of a router's config words."""
        return router + len(self.nodes) * self.interfaces

    def words_at(self, target: int) -> tuple[WordTable, ...]:
        """Return the config words of a target, part by part."""
        port = tuple(PortWord) if target < len(self.nodes) else ()
        manager = tuple(ManagerWord) if target in self.managers else ()
        if target < self.target_of(0):
            return *port, *self.router.end_words, *manager
        return *EngineWord, *self.router.router_words, *port, *manager

    @cached_property
    def ends(self) -> Mapping[Place, Place]:
        """The other end of each port that has a link between routers."""
        return {here: there for a, b in self.links for here, there in ((a, b), (b, a))}

    @cached_property
    def delay_of(self) -> Mapping[Place, int]:
        """Registers on the link at each port that has one."""
        delays = dict.fromkeys(self.ends, self.router.link_registers)
        for ends, more in zip(self.links, self.extra, strict=False):
            delays |= {end: delays[end] + more for end in ends}
        return delays

    @cached_property
    def delays(self) -> tuple[int, ...]:
        """Registers that links have, each number but 0 once, ascending."""
        return tuple(sorted({*self.delay_of.values()} - {0}))

    @cached_property
    def stage(self) -> int:
        """Registers of a stage of links, of which the longer ones have several; 0: none has any."""
        return gcd(*self.delay_of.values())

    def stages_of(self, end: Place) -> int:
        """Return how many such stages the link at a port has."""
        return self.delay_of[end] // self.stage if self.stage else 0

    @cached_property
    def node_at(self) -> Mapping[Place, int]:
        """The node's number at each port that has one."""
        return {place: i for i, place in enumerate(self.nodes)}

    @cached_property
    def header(self) -> Layout:
        """What the routing reads of a head flit."""
        return self.router.header

    def header_of(self, place: Place) -> int:
        """Return the header of a packet as it leaves the network at a port, ``reply`` 0.

        With routing by the source nothing is left of it.
        """
        if self.router.routing == "source":
            return 0
        grid, (router, port) = self.router.grid, place
        fields = {"router": router}
        if grid:
            fields = dict(zip(grid.names, grid.place(router), strict=True))
        return self.header.pack(fields | ({"port": port} if "port" in self.header.offsets else {}))

    def node_of(self, header: int) -> int | None:
        """Return the node that a packet's header leads to from everywhere; None if to none."""
        if self.router.routing == "source":
            return None
        fields = self.header.unpack(header & (1 << self.header.width) - 1)
        grid, port = self.router.grid, fields.get("port", self.router.links)
        router = grid.router([fields[name] for name in grid.names]) if grid else fields["router"]
        return None if router is None else self.node_at.get((router, port))

    def route_header(self, outputs: Sequence[int]) -> int:
        """Return the header of a packet that takes these outputs, with routing by the source.

        Raises
        ------
        ValueError
            They are more than a flit holds.
        """
        if len(outputs) > len(self.header.fields):
            raise ValueError(f"a flit holds {len(self.header.fields)} outputs, not {len(outputs)}")
        return self.header.pack({f"port_{i}": output for i, output in enumerate(outputs)})

    def sink_header(self, router: int) -> int:
        """Return the header of a request to a router's set-up sink."""
        return self.header_of((router, self.router.links))

    @property
    def manager_headers(self) -> tuple[int, ...]:
        """Header of replies to each manager."""
        return tuple(map(self.manager_header, range(len(self.managers))))

    def manager_header(self, manager: int) -> int:
        """Return the header of a reply to a manager."""
        reply = 1 << self.header.offsets["reply"]
        return self.header_of(self.nodes[self.managers[manager]]) | reply


@dataclass(frozen=True)
class NetworkWords:
    """What the ports and packets of a network are made of."""

    shape: NetworkShape

    @property
    def node_bits(self) -> int:
        """Bits of a node's number, at least 1."""
        return max(1, (len(self.shape.nodes) - 1).bit_length())

    @property
    def target_bits(self) -> int:
        """Bits of the number that the config chain addresses."""
        return max(1, (self.shape.targets - 1).bit_length())

    @property
    def config_address_bits(self) -> int:
        """Bits of an address on the config chain: a target's part, and its word."""
        return ADDRESS_BITS + PART_BITS

    @property
    def header(self) -> Layout:
        """First flit of a packet; its other bits belong to the sender."""
        return self.shape.header

    @cached_property
    def flit(self) -> Layout:
        """What a link carries for a packet."""
        router = self.shape.router
        return flit_layout(router.flit_bits, cut=router.check_bits > 0)

    @property
    def sync(self) -> Layout:
        """A barrier message on a link."""
        return self.shape.router.layout.link_message
