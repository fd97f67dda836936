"""Static networks, as in paper Reflex: their keys, and their graph, a mesh or any other."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources.abc import Traversable
from typing import Annotated, Any, ClassVar, Literal, NoReturn, Self, TypeAlias

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from syncfabric.models.errors import SpecError
from syncfabric.models.messages.layout import Layout
from syncfabric.models.messages.static import StaticLayout, observe_layout
from syncfabric.models.networks.families import named
from syncfabric.models.networks.irregular import MOST_SWITCHES, Irregular
from syncfabric.models.networks.irregular_spec import check_topology
from syncfabric.models.networks.kinds import DataBits, NetworkTable
from syncfabric.models.networks.linked_table import LinkedTable, one_form
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.table import Flag, Operation, Text, Whole, WholePlace

Buffer: TypeAlias = Annotated[Whole, Field(ge=1, le=16)]

STATIC_PLANNERS = ("ring", "tree")
"""The planners of static networks, the default first."""


class StaticKeys(NetworkTable):
    """What a network file says of a static network however it names the links."""

    kind: Literal["static"] = Field(description="The kind of network.")
    width: Whole | SkipJsonSchema[None] = Field(
        default=None, ge=1, le=1024, description="Nodes from west to east."
    )
    height: Whole | SkipJsonSchema[None] = Field(
        default=None, ge=1, le=1024, description="Nodes from south to north."
    )
    flit_bits: Whole = Field(default=1, ge=1, le=128, description="Width of a flit.")
    data_bits: DataBits = Field(default=0, json_schema_extra={"maximum": 0})
    switch_buffer: Buffer = Field(default=2, description="Flits a switch holds from each link.")
    core_buffer: Buffer = Field(default=2, description="Flits that wait for a core.")
    injection_buffer: Buffer = Field(default=2, description="Flits that a core has sent.")
    watchdog: Whole = Field(
        default=0,
        ge=0,
        le=65535,
        description="Cycles of waiting after which a node counts its core as late; 0: never.",
    )

    @model_validator(mode="after")
    def _barriers_carry_no_data(self) -> Self:
        if self.data_bits:
            raise SpecError(
                f"network: data_bits = {self.data_bits} is not supported yet; barriers of a static "
                "network carry no data (data_bits = 0): remove it"
            )
        return self


class StaticSpec(StaticKeys):
    """A static network: a mesh of ``width`` by ``height``, or other links, written out."""

    channels: ClassVar[int] = 0
    lanes: ClassVar[int] = 1
    classes: ClassVar[int] = 0
    credited: ClassVar[bool] = True
    wires: ClassVar[int] = 0
    streams: ClassVar[int] = 0
    slots: ClassVar[None] = None
    stream: ClassVar[None] = None
    guarded: ClassVar[bool] = False
    clock_enables: ClassVar[bool] = False
    managed: ClassVar[bool] = False
    watched: ClassVar[bool] = False
    ends_groups: ClassVar[bool] = False
    rings: ClassVar[bool] = False
    setup: ClassVar[str] = "local"
    operations: ClassVar[str] = "none"
    outside: ClassVar[range] = range(0)
    manager_nodes: ClassVar[tuple[WholePlace, ...]] = ()
    port_registers: ClassVar[int] = 1
    """A node has one core port, and takes part in one barrier."""

    ports: Whole | None = Field(default=None, ge=2, le=16)
    switches: Whole | None = Field(default=None, ge=1, le=MOST_SWITCHES)
    links: tuple[tuple[WholePlace, WholePlace], ...] | None = None
    nodes: tuple[WholePlace, ...] | None = None
    interfaces: Flag | None = None
    family: Text | None = None
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _can_be_built(self) -> Self:
        if self.links is None or self.nodes is None or self.ports is None:
            for side in ("width", "height"):
                if getattr(self, side) is None:
                    raise SpecError(f"network: {side} is missing; it must be 1 to 1024")
            return self
        check_topology(self.graph)
        places = self.switch_buffer
        for key in ("core_buffer", "injection_buffer"):
            if not self.graph.own and getattr(self, key) != places:
                raise SpecError(
                    f"network: {key} = {getattr(self, key)} does not go with switch_buffer = "
                    f"{places} where nodes are at ports of switches: all ports of a switch are"
                    f" alike; set {key} = {places}, or interfaces = false if each switch has one"
                    " node"
                )
        return self

    @model_serializer(mode="wrap")
    def _said(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the keys of the other forms to say what the links are, and notes if none."""
        values: dict[str, Any] = whole(self)
        if not self.notes:
            del values["notes"]
        return {key: value for key, value in values.items() if value is not None}

    @cached_property
    def topology(self) -> Mesh | Irregular:
        """The switches and nodes."""
        if self.width is not None and self.height is not None:
            return Mesh(self.width, self.height)
        return Irregular(
            self.ports or 0,
            self.switches or 0,
            self.links or (),
            self.nodes or (),
            own=self.interfaces is False,
            family=self.family or "",
            grid=named(self.family).grid if self.family else None,
        )

    @property
    def graph(self) -> Irregular:
        """Its switches, links and nodes by number."""
        return self.topology.graph

    @cached_property
    def layout(self) -> StaticLayout:
        """Widths and numbers that follow from its graph."""
        graph = self.graph
        sizes = graph.switches, len(graph.nodes), graph.ports
        return StaticLayout(*sizes, own=graph.own, turns_back=graph.turns_back)

    @cached_property
    def link_names(self) -> tuple[str, ...]:
        """Names of the ports that lead out of a switch, by number."""
        if self.graph.columns:
            return "east", "north", "west", "south"
        return tuple(f"port_{port}" for port in self.layout.links)

    @cached_property
    def observe(self) -> Layout:
        """What a node shows to benches: buffers of a switch of its own, its core, its counters."""
        places = {name: self.switch_buffer for name in self.link_names if self.graph.own}
        places |= {"inject": self.injection_buffer} if self.graph.own else {}
        places["core"] = self.core_buffer
        return observe_layout(places)

    @property
    def targets(self) -> int:
        """Targets of the config port: the nodes, and the loader of routes."""
        return self.layout.loader + 1

    @property
    def software_bits(self) -> int:
        """Bits of a flit that software sends by itself."""
        return self.flit_bits

    @property
    def title(self) -> str:
        """What it is, in words."""
        if self.graph.columns:
            return f"{self.width}x{self.height} static network"
        return f"static network, {self.graph}"

    def engines(self, name: str) -> NoReturn:
        """Refuse to be a network of engines, under its name."""
        raise SpecError(
            f"{name} is static, and has neither packets nor engines; take a mesh or an irregular"
            " network"
        )

    def check_packets(self, what: str, remedy: str) -> NoReturn:
        """Refuse ``what`` sends packets, of which there are none."""
        raise SpecError(
            f"{what} does not go with a static network: its links are those of its groups, and "
            f"carry no packets; {remedy}"
        )

    def check_renewal(self, what: str) -> None:
        """Refuse nothing: roles and routes are written again and again."""

    @property
    def planners(self) -> tuple[str, ...]:
        """The planners that groups can name, the default first."""
        return STATIC_PLANNERS

    def operations_of(self, planner: str) -> tuple[Operation, ...]:
        """Return the default alone: barriers carry no data."""
        return ("or",)

    def check_group(self, group: int, op: str, planner: str) -> None:
        """Refuse an operation: barriers carry no data."""
        if op not in self.operations_of(planner):
            raise SpecError(
                f'group {group}: op = "{op}" has nothing to combine; barriers of a static network'
                " carry no data: remove it"
            )

    def check_groups(self, groups: Mapping[int, Sequence[WholePlace]]) -> None:
        """Refuse a node that is a member twice: it has one core port."""
        group_of: dict[WholePlace, int] = {}
        for group, members in groups.items():
            for member in members:
                if (other := group_of.setdefault(member, group)) != group:
                    raise SpecError(
                        f"group {group}: member {member} is in group {other} too; a node of a "
                        "static network takes part in one barrier: take it out of one of them"
                    )


FORMS = {"width": ("width", "height"), **LinkedTable.FORMS}


class StaticTable(LinkedTable, StaticKeys):
    """The table ``[network]`` of a static network as the file has it."""

    FORMS = FORMS
    model_config = one_form(FORMS)

    def resolve(self, folder: Traversable) -> StaticSpec:
        """Write the network out.

        Parameters
        ----------
        folder : Traversable
            Where the file named by ``graph`` is.

        Raises
        ------
        SpecError
            The file cannot be read or does not make sense, or the network cannot be built.
        """
        given = self.model_fields_set & StaticKeys.model_fields.keys()
        keys: dict[str, Any] = {key: getattr(self, key) for key in given}
        if self.width is not None or self.height is not None:
            return StaticSpec(**keys)
        made, notes = self.linked(folder)
        return StaticSpec(
            **keys,
            ports=made.ports,
            switches=made.switches,
            links=made.links,
            nodes=made.nodes,
            interfaces=not made.own,
            family=made.family or None,
            notes=notes,
        )
