"""The kinds of network, and the rules that each must keep."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from syncfabric.models.errors import SpecError
from syncfabric.models.messages import IrregularLayout, MeshLayout, StaticLayout
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.set_up import SetUp, check_set_up
from syncfabric.models.networks.table import (
    BarrierRegisters,
    BufferFlits,
    Channels,
    CheckBits,
    DataBits,
    FlitBits,
    LinkRegisters,
    Managers,
    Operations,
    Parity,
    Setup,
    Sync,
    Table,
    Watchdog,
    Whole,
    WholePlace,
    WiresKey,
)
from syncfabric.models.networks.wires import Wires, check_wires
from syncfabric.models.networks.written import WrittenOut, check_dateline_channels

__all__ = ["IrregularKeys", "IrregularSpec", "MeshSpec", "StaticSpec"]

Side: TypeAlias = Annotated[Whole, Field(ge=1, le=1024)]
Buffer: TypeAlias = Annotated[Whole, Field(ge=1, le=16)]


def _defaults(table: Table) -> dict[str, Any]:
    return {key: field.default for key, field in type(table).model_fields.items()}


class MeshSpec(SetUp, Wires, Table):
    """The table ``[network]`` of a mesh."""

    kind: Literal["mesh"] = Field(description="The kind of network.")
    width: Whole = Field(ge=1, le=1024, description="Nodes from west to east.")
    height: Whole = Field(ge=1, le=1024, description="Nodes from south to north.")
    flit_bits: FlitBits = 32
    data_bits: DataBits = 4
    buffer_flits: BufferFlits = 8
    channels: Channels = 1
    barrier_registers: BarrierRegisters = 4
    barrier_pipeline: Whole = Field(
        default=1, ge=0, le=1, description="Extra cycles at a tree node."
    )
    sync_links: Literal["shared", "own"] = Field(
        default="shared",
        description="Whether barrier messages share the packets' links; own without packets.",
    )
    operations: Operations = "bitwise"
    setup: Setup = "local"
    managers: Managers = ()
    sync: Sync = "messages"
    link_registers: LinkRegisters = 0
    wires: WiresKey = "separate"
    parity: Parity = False
    check_bits: CheckBits = 0
    watchdog: Watchdog = 0

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return "network: "

    @model_validator(mode="before")
    @classmethod
    def _messages_alone_have_own_links(cls, data: Any) -> Any:
        alone = isinstance(data, dict) and data.get("channels") == 0
        if alone and data.get("sync", "messages") == "messages":
            return {"sync_links": "own", **data}
        return data

    @model_validator(mode="after")
    def _messages_fit_a_flit(self) -> Self:
        check_wires(self, _defaults(self))
        packets = self.channels > 0
        if self.has_messages and not packets and self.sync_links == "shared":
            raise SpecError(
                'network: sync_links = "shared" is for messages on the links of packets, and with '
                "channels = 0 there are none; remove it"
            )
        self.layout.check(sync=self.has_messages and packets, packets=packets)
        check_set_up(self)
        return self

    @cached_property
    def mesh(self) -> Mesh:
        """The mesh itself."""
        return Mesh(self.width, self.height)

    @property
    def topology(self) -> Mesh:
        """The mesh, by the name that all kinds of network share."""
        return self.mesh

    @property
    def takes_one(self) -> bool:
        """Whether a node combines one arrival a cycle."""
        return self.operations == "all"

    @property
    def node_cycles(self) -> int:
        """Cycles that a tree node takes beyond those of the hop to it, up and again down."""
        return self.barrier_pipeline

    @property
    def layout(self) -> MeshLayout:
        """Where every bit of a message and of a register is."""
        return MeshLayout(
            width=self.width,
            height=self.height,
            flit_bits=self.flit_bits,
            data_bits=self.data_bits,
            cut=self.check_bits > 0,
        )


class IrregularKeys(Table):
    """What a network file says of an irregular network however it names the links."""

    kind: Literal["irregular"] = Field(description="The kind of network.")
    ports: Whole = Field(ge=2, le=16, description="Ports of every switch.")
    datelines: tuple[WholePlace, ...] = Field(
        default=(), description="Output ports at which packets go over from channel v to v | 1."
    )
    flit_bits: FlitBits = 32
    data_bits: DataBits = 6
    buffer_flits: BufferFlits = 1
    channels: Channels = 1
    barrier_registers: BarrierRegisters = 4
    cycles_per_hop: Whole = Field(default=2, ge=1, le=2, description="Cycles a hop.")
    turnaround: Literal["switch", "node"] = Field(
        default="switch", description="Who turns a barrier around: the root switch or root node."
    )
    operations: Operations = "bitwise"
    setup: Setup = "manager"
    managers: Managers = ()
    sync: Sync = "messages"
    link_registers: LinkRegisters = 0
    wires: WiresKey = "separate"
    parity: Parity = False
    check_bits: CheckBits = 0
    watchdog: Watchdog = 0

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return "network: "

    @model_validator(mode="after")
    def _datelines_have_channels(self) -> Self:
        check_dateline_channels(self.datelines, self.channels)
        return self


class IrregularSpec(WrittenOut, SetUp, Wires, IrregularKeys):
    """An irregular network, its links, nodes and tables written out."""

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        self._check_written(self.topology, self.datelines)
        check_wires(self, _defaults(self))
        self.layout.check(sync=self.has_messages, packets=self.channels > 0)
        check_set_up(self, self.datelines)
        return self

    @cached_property
    def topology(self) -> Irregular:
        """The switches, links and nodes."""
        return Irregular(self.ports, self.switches, self.links, self.nodes)

    @property
    def buffered(self) -> bool:
        """Whether synchronization messages wait in slots, and need credits (else never)."""
        return self.operations == "all"

    @property
    def layout(self) -> IrregularLayout:
        """Where every bit of a message and of a register is."""
        return IrregularLayout(
            ports=self.ports,
            switches=self.switches,
            nodes=len(self.nodes),
            flit_bits=self.flit_bits,
            data_bits=self.data_bits,
            cut=self.check_bits > 0,
        )


class StaticSpec(Table):
    """The table ``[network]`` of a static network: fixed routes, as in paper Reflex."""

    kind: Literal["static"] = Field(description="The kind of network.")
    width: Side = Field(description="Nodes from west to east.")
    height: Side = Field(description="Nodes from south to north.")
    flit_bits: Whole = Field(default=1, ge=1, le=128, description="Width of a flit.")
    data_bits: DataBits = Field(default=0, json_schema_extra={"maximum": 0})
    switch_buffer: Buffer = Field(default=2, description="Flits a switch holds from each link.")
    core_buffer: Buffer = Field(default=2, description="Flits that wait for a core.")
    injection_buffer: Buffer = Field(default=2, description="Flits that a core has sent.")
    watchdog: Whole = Field(
        default=0, ge=0, le=65535, description="Cycles after which who waits is told; 0: never."
    )

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return "network: "

    @model_validator(mode="after")
    def _barriers_carry_no_data(self) -> Self:
        if self.data_bits:
            raise SpecError(
                f"network: data_bits = {self.data_bits} is not supported yet; barriers of a static "
                "network carry no data (data_bits = 0): remove it"
            )
        return self

    @cached_property
    def topology(self) -> Mesh:
        """The mesh of its switches, each with a node."""
        return Mesh(self.width, self.height)

    @property
    def layout(self) -> StaticLayout:
        """Widths that follow from its size."""
        return StaticLayout(self.width, self.height)

    @property
    def barrier_registers(self) -> int:
        """Barriers that a node takes part in: it has one core port."""
        return 1

    @property
    def port_registers(self) -> int:
        """The same: what a node's port has bits for."""
        return 1

    @property
    def managed(self) -> bool:
        """Whether managers set up its groups through the network."""
        return False
