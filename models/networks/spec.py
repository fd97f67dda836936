"""What a network is: its mesh, its process groups, and every rule they must keep."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Annotated, Any, Literal, Self, TypeAlias

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from syncfabric.models.errors import SpecError
from syncfabric.models.messages import IrregularLayout, MeshLayout
from syncfabric.models.networks.explain import explain
from syncfabric.models.networks.irregular import Irregular, Link, Place
from syncfabric.models.networks.mesh import Mesh, Node

__all__ = ["SERIAL_OPERATIONS", "GroupSpec", "IrregularSpec", "MeshSpec", "NetworkSpec", "Table"]

Whole: TypeAlias = Annotated[int, Field(strict=True)]
Flag: TypeAlias = Annotated[bool, Field(strict=True)]
Name: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
Planner: TypeAlias = Literal["btm", "shortest"]
Operation: TypeAlias = Literal["or", "and", "xor", "max", "min", "sum"]

SERIAL_OPERATIONS = frozenset({"max", "min", "sum"})
"""Operations that a barrier unit works out one arrival a cycle (``operations = "all"``)."""


class Table(BaseModel):
    """Frozen, with known keys only; a wrong value raises SpecError with one line."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __init__(self, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise explain(error, type(self), self._subject(data)) from None

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        """Return the first words of an error."""
        return ""


class MeshSpec(Table):
    """The table ``[network]`` of a mesh."""

    kind: Literal["mesh"] = Field(description="The kind of network.")
    width: Whole = Field(ge=1, le=1024, description="Nodes from west to east.")
    height: Whole = Field(ge=1, le=1024, description="Nodes from south to north.")
    flit_bits: Whole = Field(
        default=32, ge=16, le=128, description="Width of a flit, head and tail apart."
    )
    data_bits: Whole = Field(
        default=4, ge=0, le=32, description="What a barrier combines and hands back."
    )
    buffer_flits: Whole = Field(
        default=8, ge=1, le=16, description="Flits an ordinary channel can hold."
    )
    channels: Whole = Field(
        default=1, ge=1, le=4, description="Virtual channels for ordinary packets."
    )
    barrier_registers: Whole = Field(
        default=4, ge=1, le=64, description="Barrier registers a node."
    )
    spill: Flag = Field(
        default=False, description="Whether groups beyond the registers go to memory."
    )
    barrier_pipeline: Whole = Field(
        default=1, ge=0, le=1, description="Extra cycles at a tree node."
    )
    reduction_route: Literal["reverse", "paper"] = Field(
        default="reverse",
        description="How a reduction travels: back over the distribution's links, or not.",
    )
    sync_links: Literal["shared", "own"] = Field(
        default="shared", description="Whether barrier messages share the packets' links."
    )
    operations: Literal["bitwise", "all"] = Field(
        default="bitwise", description='Which operations are built; "all" adds max, min and sum.'
    )
    setup: Literal["local"] = Field(
        default="local", description="Who writes the barrier registers."
    )

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return "network: "

    @model_validator(mode="after")
    def _messages_fit_a_flit(self) -> Self:
        self.layout.check()
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
    def layout(self) -> MeshLayout:
        """Where every bit of a message and of a register is."""
        return MeshLayout(
            width=self.width,
            height=self.height,
            flit_bits=self.flit_bits,
            data_bits=self.data_bits,
        )


class IrregularSpec(Table):
    """The table ``[network]`` of an irregular network, its links and nodes written out."""

    kind: Literal["irregular"] = Field(description="The kind of network.")
    ports: Whole = Field(ge=2, le=16, description="Ports of every switch.")
    switches: Whole = Field(ge=1, description="How many switches there are.")
    links: tuple[Link, ...] = Field(description="Pairs of [switch, port] that a link joins.")
    nodes: tuple[Place, ...] = Field(description="Where the nodes sit, as [switch, port].")
    tables: tuple[tuple[int, ...], ...] | None = Field(
        default=None, description="Output port by switch and destination switch; own: -1."
    )
    datelines: tuple[Place, ...] = Field(
        default=(), description="Output ports at which packets go over to the next channel."
    )
    flit_bits: Whole = Field(
        default=32, ge=16, le=128, description="Width of a flit, head and tail apart."
    )
    data_bits: Whole = Field(
        default=6, ge=0, le=32, description="What a barrier combines and hands back."
    )
    buffer_flits: Whole = Field(
        default=1, ge=1, le=16, description="Flits an ordinary channel can hold."
    )
    channels: Whole = Field(
        default=1, ge=1, le=4, description="Virtual channels for ordinary packets."
    )
    barrier_registers: Whole = Field(
        default=4, ge=1, le=64, description="Barrier registers of a switch, and of a node."
    )
    spill: Flag = Field(
        default=False, description="Whether groups beyond the registers go to memory."
    )
    cycles_per_hop: Whole = Field(default=2, ge=1, le=2, description="Cycles a hop.")
    turnaround: Literal["switch", "node"] = Field(
        default="switch", description="Who turns a barrier around: the root switch or root node."
    )
    operations: Literal["bitwise", "all"] = Field(
        default="bitwise", description='Which operations are built; "all" adds max, min and sum.'
    )
    setup: Literal["local"] = Field(
        default="local", description="Who writes the barrier registers."
    )

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return "network: "

    @cached_property
    def topology(self) -> Irregular:
        """The switches, links and nodes."""
        return Irregular(self.ports, self.switches, self.links, self.nodes)

    @property
    def buffered(self) -> bool:
        """Whether synchronization messages wait in slots, and need credits (else never)."""
        return self.spill or self.operations == "all"

    @property
    def layout(self) -> IrregularLayout:
        """Where every bit of a message and of a register is."""
        return IrregularLayout(
            ports=self.ports,
            switches=self.switches,
            nodes=len(self.nodes),
            flit_bits=self.flit_bits,
            data_bits=self.data_bits,
        )


class GroupSpec(Table):
    """One process group: its members as nodes, in the order of the file."""

    id: Whole = Field(ge=0, le=255)
    members: tuple[tuple[Whole, Whole], ...]
    planner: Planner = "btm"
    op: Operation = "or"

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return group_subject(data.get("id"))

    @model_validator(mode="after")
    def _members_are_a_set(self) -> Self:
        if not self.members:
            raise SpecError(
                f"group {self.id}: members is empty; "
                'name at least one node, "all" or { random = n, seed = s }'
            )
        if len(set(self.members)) < len(self.members):
            twice = Counter(self.members).most_common(1)[0][0]
            raise SpecError(f"group {self.id}: member {twice} is listed twice; list it once")
        return self


class NetworkSpec(Table):
    """A network and its groups, every rule checked."""

    name: Name
    network: MeshSpec
    groups: tuple[GroupSpec, ...] = ()

    @cached_property
    def module(self) -> str:
        """The name of the Verilog module: the network's own, fit for Verilog."""
        return self.name.replace("-", "_")

    @model_validator(mode="after")
    def _groups_fit_the_network(self) -> Self:
        ids: set[int] = set()
        for group in self.groups:
            if group.id in ids:
                raise SpecError(
                    f"group {group.id}: id {group.id} is used twice; "
                    "give every group an id of its own, 0 to 255"
                )
            ids.add(group.id)
            check_members(group.id, group.members, self.network.mesh)
            if group.op in SERIAL_OPERATIONS and self.network.operations != "all":
                raise SpecError(
                    f'group {group.id}: op = "{group.op}" is not built with operations = '
                    f'"{self.network.operations}"; set operations = "all" in [network]'
                )
        return self


def group_subject(group_id: object) -> str:
    """Return ``group 3: `` for a usable id, else ``group: ``."""
    usable = isinstance(group_id, int) and not isinstance(group_id, bool)
    return f"group {group_id}: " if usable else "group: "


def check_members(group_id: int, members: tuple[Node, ...], mesh: Mesh) -> None:
    """Refuse a member that is not on the mesh."""
    places = np.array(members, dtype=object if _huge(members) else np.int64)
    outside = ((places < 0) | (places >= (mesh.width, mesh.height))).any(axis=1)
    if not outside.any():
        return
    x, y = members[int(outside.argmax())]
    axis, last = ("x", mesh.width - 1) if not 0 <= x < mesh.width else ("y", mesh.height - 1)
    allowed = f"0..{last}" if last else "0"
    raise SpecError(
        f"group {group_id}: member ({x}, {y}) is outside the {mesh}; {axis} must be {allowed}"
    )


def _huge(members: tuple[Node, ...]) -> bool:
    return any(not -(2**62) < c < 2**62 for node in members for c in node)
