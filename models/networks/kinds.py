"""Networks of the collective engine: one table of keys, and the two ways to say what is linked."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.engine import WORD_BITS, entries_of
from syncfabric.models.layout.network import MOST_REGISTERS, NetworkShape, NetworkWords
from syncfabric.models.layout.shape import MeshNodeShape, NodeShape
from syncfabric.models.layout.slots import MOST_SLOTS
from syncfabric.models.networks.explain import show
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh, Port
from syncfabric.models.networks.soundness import WrittenOut, check_dateline_channels
from syncfabric.models.networks.table import (
    BufferFlits,
    Channels,
    CheckBits,
    DataBits,
    Flag,
    FlitBits,
    LinkRegisters,
    Managers,
    Operations,
    Table,
    Whole,
    WholePlace,
)

__all__ = ["IrregularKeys", "IrregularSpec", "MeshSpec", "MessageKeys"]

EngineSetUp: TypeAlias = Literal["local", "manager", "paper"]

_ROUTER_KEYS = (
    *("transport", "groups", "message_links", "data_bits", "engine_stages", "flit_bits"),
    *("buffer_flits", "channels", "output_register", "link_registers", "check_bits", "watchdog"),
    *("counters", "read_back", "wires"),
)
"""Keys of a router's shape that are keys of the network, too."""


class MessageKeys(Table):
    """Keys that all networks of the engine share, and what follows from them."""

    transport: Literal["link", "routed"] = Field(
        default="link",
        description="Whether barrier messages go from neighbour to neighbour, or are routed.",
    )
    groups: Whole = Field(default=16, ge=1, le=256, description="Groups a router can hold.")
    wires: Whole = Field(
        default=0,
        ge=0,
        le=MOST_SLOTS,
        description="Slots of barrier wires beside messages; 0: no wires.",
    )
    port_registers: Whole = Field(
        default_factory=lambda made: (
            min(entries_of(made.get("groups", 1)), MOST_REGISTERS) + made.get("wires", 0)
        ),
        ge=1,
        le=MOST_REGISTERS + MOST_SLOTS,
        description="Groups that a node's port has registers for; all that it can by default.",
    )
    message_links: Literal["own", "shared"] = Field(
        default="own", description="Links of barrier messages: their own, or those of packets."
    )
    data_bits: DataBits = 4
    operations: Operations = "bitwise"
    engine_stages: Whole = Field(
        default=0, ge=0, le=4, description="Cycles that an engine takes; 0: as few as it can."
    )
    flit_bits: FlitBits = 32
    buffer_flits: BufferFlits = 4
    channels: Channels = 1
    output_register: Flag = Field(
        default=False, description="Whether a register stands before each link of packets."
    )
    link_registers: LinkRegisters = 0
    check_bits: CheckBits = 0
    watchdog: Whole = Field(
        default=0,
        ge=0,
        le=65535,
        description="Cycles from entry to entry that the watchdog looks at; 0: none.",
    )
    counters: Flag = Field(default=True, description="Whether events are counted.")
    read_back: Flag = Field(
        default=True, description="Whether the config port reads entries whole, or their status."
    )
    setup: EngineSetUp = Field(
        default="local", description="Who sets groups up: the config chain, or managers' packets."
    )
    managers: Managers = ()

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return "network: "

    @property
    def managed(self) -> bool:
        """Whether managers set groups up and end them by packets."""
        return self.setup == "manager"


class EngineNetwork(MessageKeys):
    """What follows from the keys of a network whose routers and links are known."""

    @property
    @abstractmethod
    def topology(self) -> Mesh | Irregular:
        """The nodes, and what is between them."""

    @property
    @abstractmethod
    def ports_graph(self) -> Irregular:
        """Routers and links by number."""

    @property
    @abstractmethod
    def shape(self) -> NetworkShape:
        """Its numbers, as hardware and golden model are built from."""

    def _check(self) -> None:
        """Refuse managers and registers that cannot be, and routers that cannot be built."""
        buffers = EngineNetwork.model_fields["buffer_flits"].default
        if not self.channels and self.buffer_flits != buffers:
            raise SpecError(
                f"network: buffer_flits = {self.buffer_flits} is for packets, and with "
                "channels = 0 there are none; remove it, or give it channels"
            )
        if self.managers and not self.managed:
            raise SpecError(
                f'network: managers set groups up with setup = "manager", not "{self.setup}"; '
                'set it, or remove "managers"'
            )
        for manager in self.managers:
            if not self.topology.contains(manager):
                raise SpecError(f"network: manager {show(manager)} is no node; name nodes")
        if len(set(self.managers)) < len(self.managers):
            raise SpecError("network: a manager is named twice; name each once")
        most = min(entries_of(self.groups), MOST_REGISTERS) + self.wires
        if not self.wires < self.port_registers <= most:
            least = f"{self.wires + 1} to" if self.wires else "at most"
            keys = f"groups = {self.groups}" + (f" and wires = {self.wires}" if self.wires else "")
            raise SpecError(
                f"network: port_registers must be {least} {most} with {keys},"
                f" not {self.port_registers}; leave it out for that"
            )
        try:
            self.shape  # noqa: B018
        except SpecError as error:
            raise SpecError(f"network: {error}") from None

    def _router_keys(self) -> dict[str, Any]:
        """Return the keys of a router's shape that are keys of the network, too."""
        return {
            **{name: getattr(self, name) for name in _ROUTER_KEYS},
            "operations": self.operations if self.data_bits else "none",
            "managers": len(self.manager_nodes),
        }

    @property
    def manager_nodes(self) -> tuple[WholePlace, ...]:
        """The nodes that set groups up: those named, or the first node."""
        if not self.managed:
            return ()
        return self.managers or (self.topology.node(0),)

    @cached_property
    def layout(self) -> NetworkWords:
        """Widths of what the network's ports and packets say."""
        return NetworkWords(self.shape)

    @property
    def guarded(self) -> bool:
        """Whether links have a guard at each end."""
        return self.check_bits > 0

    @property
    def watched(self) -> bool:
        """Whether entries have a watchdog."""
        return self.watchdog > 0

    @property
    def link_channels(self) -> int:
        """Channels of a link: those of packets, and that of set-up packets."""
        return self.shape.router.link_channels


class MeshSpec(EngineNetwork):
    """The table ``[network]`` of a mesh."""

    kind: Literal["mesh"] = Field(description="The kind of network.")
    width: Whole = Field(ge=1, le=1024, description="Nodes from west to east.")
    height: Whole = Field(ge=1, le=1024, description="Nodes from south to north.")

    @model_validator(mode="after")
    def _can_be_built(self) -> Self:
        if self.setup == "paper":
            raise SpecError(
                'network: setup = "paper" is paper BTIN\'s way, for irregular networks; on a mesh'
                ' set "local" or "manager"'
            )
        self._check()
        return self

    @cached_property
    def topology(self) -> Mesh:
        """The mesh itself."""
        return Mesh(self.width, self.height)

    @property
    def mesh(self) -> Mesh:
        """The same."""
        return self.topology

    @cached_property
    def ports_graph(self) -> Irregular:
        """Routers and links by number: router y * width + x, ports as :class:`Port`."""
        mesh = self.topology
        links = []
        for node in mesh.nodes:
            for port in (Port.EAST, Port.NORTH):
                if other := mesh.neighbour(node, port):
                    links.append(((mesh.index(node), port), (mesh.index(other), port.opposite)))
        nodes = tuple((i, int(Port.LOCAL)) for i in range(len(mesh.nodes)))
        plain = tuple(((a, int(p)), (b, int(q))) for (a, p), (b, q) in links)
        return Irregular(len(Port), len(mesh.nodes), plain, nodes)

    @cached_property
    def shape(self) -> NetworkShape:
        """Its numbers, as hardware and golden model are built from."""
        router = MeshNodeShape(width=self.width, height=self.height, **self._router_keys())
        graph = self.ports_graph
        managers = tuple(self.topology.index(node) for node in self.manager_nodes)
        return NetworkShape(
            router,
            graph.switches,
            graph.links,
            graph.nodes,
            managers,
            port_registers=self.port_registers,
        )


class IrregularKeys(MessageKeys):
    """What a network file says of an irregular network however it names the links."""

    kind: Literal["irregular"] = Field(description="The kind of network.")
    ports: Whole = Field(ge=2, le=16, description="Ports of every router.")
    datelines: tuple[WholePlace, ...] = Field(
        default=(), description="Output ports at which packets go over from channel v to v | 1."
    )
    routing: Literal["table", "source"] = Field(
        default="table",
        description="How packets find their way: by tables, or by the route that each brings.",
    )
    setup: EngineSetUp = Field(
        default="manager",
        description="Who sets groups up: the config chain, managers' packets, or members.",
    )

    @model_validator(mode="after")
    def _datelines_have_channels(self) -> Self:
        check_dateline_channels(self.datelines, self.channels)
        by_default = "setup" not in self.model_fields_set
        narrow = by_default and self.flit_bits < WORD_BITS
        for what, wrong, reason in (
            (f"flit_bits = {self.flit_bits}", narrow, "a flit holds a word of a set-up packet"),
            ("datelines", self.datelines, "set-up packets keep their channel"),
            ('routing = "source"', self.routing == "source", "the tables route set-up packets"),
        ):
            if wrong and self.managed:
                default = ", the default," if by_default else ""
                raise SpecError(
                    f'network: setup = "manager"{default} does not go with {what}: {reason}; '
                    'set setup = "local"'
                )
        if self.setup == "paper":
            for what, wrong, remedy in (
                ('routing = "source"', self.routing == "source", 'set routing = "table"'),
                ("channels = 0", not self.channels, "give it channels"),
                (f"flit_bits = {self.flit_bits}", self.flit_bits < WORD_BITS, "set 32 or more"),
            ):
                if wrong:
                    raise SpecError(
                        f'network: setup = "paper" does not go with {what}: members ask nodes by'
                        f" packets, a word of 32 bits a flit; {remedy}"
                    )
        if self.routing == "source" and not self.channels:
            raise SpecError(
                'network: routing = "source" is for packets, and with channels = 0 there are none; '
                "remove it"
            )
        return self


class IrregularSpec(WrittenOut, IrregularKeys, EngineNetwork):
    """An irregular network, its links, nodes and tables written out."""

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        self._check_written(self.topology, self.datelines)
        if self.tables is not None and self.routing == "source":
            raise SpecError(
                'network: tables do not go with routing = "source", where packets bring their '
                "routes; keep one of them"
            )
        self._check()
        return self

    @cached_property
    def topology(self) -> Irregular:
        """The routers, links and nodes."""
        return Irregular(self.ports, self.switches, self.links, self.nodes)

    @property
    def ports_graph(self) -> Irregular:
        """The same."""
        return self.topology

    @property
    def routed_by_tables(self) -> bool:
        """Whether routers have tables by which packets find their way."""
        return self.channels > 0 and self.routing == "table"

    @cached_property
    def shape(self) -> NetworkShape:
        """Its numbers, as hardware and golden model are built from; routes are not among them."""
        table: dict[str, Any] = {}
        if self.routed_by_tables:
            table = {"routing": "table", "routers": self.switches}
        router = NodeShape(
            links=self.ports,
            own=False,
            datelines=bool(self.datelines),
            **self._router_keys(),
            **table,
        )
        graph = self.topology
        managers = tuple(graph.index(node) for node in self.manager_nodes)
        return NetworkShape(
            router,
            graph.switches,
            graph.links,
            graph.nodes,
            managers,
            datelines=tuple(self.datelines),
            port_registers=self.port_registers,
        )
