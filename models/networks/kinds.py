"""The kinds of networks and their tables of keys: all networks of engines, and meshes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.engine import entries_of
from syncfabric.models.layout.network import MOST_REGISTERS, NetworkShape, NetworkWords
from syncfabric.models.layout.offload import Offload
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.slots import MOST_SLOTS, WIRE_OPERATIONS, WIRE_PLANNER, SlotLayout
from syncfabric.models.layout.streams import Channels, Join, Operations, StreamLayout, Width
from syncfabric.models.networks.explain import choice, show
from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.table import Flag, Operation, Table, Whole, WholePlace
from syncfabric.models.plugins import plugins

DataBits: TypeAlias = Annotated[
    Whole, Field(ge=0, le=32, description="What a barrier combines and hands back.")
]
EngineSetUp: TypeAlias = Literal["local", "manager", "paper"]

MESSAGE_PLANNERS = {
    "link": ("shortest", "btin", "updown"),
    "routed": ("btm", "shortest", "cs"),
}
"""The planners of networks of engines by their transport, the default first."""

BITWISE_OPERATIONS: tuple[Operation, ...] = ("or", "and", "xor")
SERIAL_OPERATIONS: tuple[Operation, ...] = ("max", "min", "sum")
"""Operations that a barrier unit works out one arrival a cycle (``operations = "all"``)."""


class NetworkTable(Table):
    """A table ``[network]``."""

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return "network: "


class EngineNetwork(NetworkTable):
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
    streams: Channels = Field(
        default=0, description="Stream channels of a link, for the first slots; 0: no streams."
    )
    stream_bits: Width = Field(default=32, description="Bits of a word of a stream.")
    stream_operations: tuple[Operations, ...] = Field(
        default=("add",), min_length=1, description="Which operators of streams are built."
    )
    stream_join: Join = Field(
        default="tree", description="An operator for each pair of ports, or one for all."
    )
    stream_links: Literal["own", "shared"] = Field(
        default="own", description="Links of streams: their own, or those of packets."
    )
    offload: Offload | SkipJsonSchema[None] = Field(
        default=None, description="A designer's own operator of streams."
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
    operations: Literal["bitwise", "all"] = Field(
        default="bitwise", description='Which operations are built; "all" adds max, min and sum.'
    )
    engine_stages: Whole = Field(
        default=0, ge=0, le=4, description="Cycles that an engine takes; 0: as few as it can."
    )
    flit_bits: Whole = Field(
        default=32, ge=16, le=128, description="Width of a flit, head and tail apart."
    )
    buffer_flits: Whole = Field(
        default=4, ge=1, le=40, description="Flits an ordinary channel can hold."
    )
    channels: Whole = Field(
        default=1, ge=0, le=4, description="Virtual channels for ordinary packets."
    )
    output_register: Flag = Field(
        default=False, description="Whether a register stands before each link of packets."
    )
    link_registers: Whole = Field(
        default=0, ge=0, le=15, description="Registers on each link between routers."
    )
    check_bits: Whole = Field(
        default=0, ge=0, le=8, description="Check bits of every flit on a link; 0: none."
    )
    key_bits: Whole = Field(
        default=0,
        ge=0,
        le=16,
        description="Bits of a group's key, which each message of it must have; 0: none.",
    )
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
    clock_enables: Flag = Field(
        default=False, description="Whether the clocks of routers stand while these idle."
    )
    setup: EngineSetUp = Field(
        default="local", description="Who sets groups up: the config chain, or managers' packets."
    )
    managers: tuple[WholePlace, ...] = Field(
        default=(),
        max_length=4,
        description="Nodes that set groups up; the first node by default.",
    )

    @property
    def planners(self) -> tuple[str, ...]:
        """The planners that groups can name, the default first.

        With ``wires``, the default is to go on wires if there is room, else as messages by the
        transport's own default; naming one of the transport's planners keeps a group off the wires.
        """
        on_wires = (WIRE_PLANNER,) if self.wires else ()
        others = plugins("syncfabric.planners", Callable) if self.transport == "link" else ()
        return (*on_wires, *MESSAGE_PLANNERS[self.transport], *others)

    @property
    def managed(self) -> bool:
        """Whether managers set groups up and end them by packets."""
        return self.setup == "manager"


class EngineSpec(EngineNetwork, ABC):
    """A network of the engine whose nodes and links are known."""

    ends_groups: ClassVar[bool] = True
    """Whether groups end: an arrive can be the last, and registers are broken."""
    rings: ClassVar[bool] = False
    """Whether packets could wait in a cycle, so that it is to be shown that they cannot."""
    software_bits: ClassVar[int] = 0
    """Bits of a flit that software sends by itself; 0: it sends none."""

    @property
    @abstractmethod
    def topology(self) -> Mesh | Irregular:
        """The nodes, and what is between them."""

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
        keys = NodeShape.model_fields.keys() & EngineNetwork.model_fields.keys()
        return {
            **{name: getattr(self, name) for name in keys},
            "operations": self.operations if self.data_bits else "none",
            "managers": len(self.manager_nodes),
        }

    def _shape_of(self, router: NodeShape, datelines: tuple[WholePlace, ...] = ()) -> NetworkShape:
        graph = self.topology.graph
        managers = tuple(self.topology.index(node) for node in self.manager_nodes)
        return NetworkShape(
            router,
            graph.switches,
            graph.links,
            graph.nodes,
            managers,
            datelines=datelines,
            port_registers=self.port_registers,
            extra=graph.extra,
        )

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
    def slots(self) -> SlotLayout | None:
        """Words of barrier wires; None without."""
        return self.shape.router.slots

    @property
    def stream(self) -> StreamLayout | None:
        """Words of streams; None without."""
        return self.shape.router.stream

    @property
    def guarded(self) -> bool:
        """Whether links have a guard at each end."""
        return self.check_bits > 0

    @property
    def watched(self) -> bool:
        """Whether entries have a watchdog."""
        return self.watchdog > 0

    @property
    def lanes(self) -> int:
        """Ordinary channels of flits on a link."""
        return self.channels

    @property
    def classes(self) -> int:
        """Classes of barrier messages."""
        return self.shape.classes

    @property
    def credited(self) -> bool:
        """Whether barrier messages have credits: a slot of one message a class."""
        return self.shape.router.layout.routed

    @property
    def targets(self) -> int:
        """Targets of the config port."""
        return self.shape.targets

    @property
    def outside(self) -> range:
        """Routers that are targets of the config port by themselves, outside nodes."""
        return range(self.shape.routers if self.shape.interfaces else 0)

    @property
    def title(self) -> str:
        """What it is, in words."""
        return str(self.topology)

    def engines(self, name: str) -> Self:
        """Return the network of engines that it is; ``name`` is for one that is none."""
        return self

    def operations_of(self, planner: str) -> tuple[Operation, ...]:
        """Return the operations that groups of a planner can have."""
        serial = self.operations == "all" and planner != WIRE_PLANNER
        return BITWISE_OPERATIONS + SERIAL_OPERATIONS * serial

    def check_packets(self, what: str, remedy: str) -> None:
        """Refuse ``what`` sends packets on a network that carries none, or does not lead them."""
        if not self.channels:
            raise SpecError(
                f"{what} does not go with channels = 0: a network without them carries no packets; "
                f"{remedy}, or set channels in [network]"
            )
        if self.shape.router.routing == "source":
            raise SpecError(
                f'{what} does not go with routing = "source": the traffic\'s packets bring no '
                f"routes; {remedy}, or leave routing out"
            )

    def check_renewal(self, what: str) -> None:
        """Refuse ``what`` sets groups up again on a network where that is done once."""
        if self.setup == "paper":
            raise SpecError(
                f'{what} tears groups down and sets them up anew, and with setup = "paper" members '
                'set them up once, by packets; set setup = "manager" or "local" in [network]'
            )

    def check_group(self, group: int, op: str, planner: str) -> None:
        """Refuse an operation that is not built, or not on wires."""
        if planner == WIRE_PLANNER and op not in WIRE_OPERATIONS:
            other = next(name for name in self.planners if name != WIRE_PLANNER)
            raise SpecError(
                f'group {group}: op = "{op}" cannot be combined on wires, only '
                f'{choice(WIRE_OPERATIONS)}; set operations = "all", and planner = "{other}" or'
                " none"
            )
        if op in SERIAL_OPERATIONS and self.operations != "all":
            raise SpecError(
                f'group {group}: op = "{op}" is not built with operations = '
                f'"{self.operations}"; set operations = "all" in [network]'
            )

    def check_groups(self, groups: Mapping[int, Sequence[WholePlace]]) -> None:
        """Refuse nothing: planning shows whether groups have room beside each other."""

    @property
    def link_channels(self) -> int:
        """Channels of a link: those of packets, and that of set-up packets."""
        return self.shape.router.link_channels


class MeshNodeShape(NodeShape):
    """What a node of a mesh is built for."""

    links: Whole = Field(default=4, ge=4, le=4, description="link ports")
    own: Literal[True] = Field(default=True, description="the process of the router takes part")
    routing: Literal["dimension", "table", "source"] = Field(
        default="dimension", description="how packets find their outputs"
    )
    width: Whole = Field(default=8, ge=1, le=1024, description="columns of the mesh")
    height: Whole = Field(default=8, ge=1, le=1024, description="rows of the mesh")

    @cached_property
    def grid(self) -> Grid | None:
        """Columns and rows: four ports, however few there are."""
        by_sides = self.routing == "dimension"
        return Grid((self.width, self.height), pairs=True) if by_sides else None


class MeshSpec(EngineSpec):
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

    @cached_property
    def shape(self) -> NetworkShape:
        """Its numbers, as hardware and golden model are built from."""
        return self._shape_of(
            MeshNodeShape(width=self.width, height=self.height, **self._router_keys())
        )
