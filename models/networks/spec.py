"""What a network is: its kind's own keys, its groups, and every rule that these must keep."""

from collections import Counter
from functools import cached_property
from typing import Annotated, Any, Self, TypeAlias

from pydantic import Discriminator, Field, ValidationInfo, field_validator, model_validator

from syncfabric.models.errors import SpecError, about
from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.explain import KEYS, choice, show
from syncfabric.models.networks.irregular_spec import IrregularSpec
from syncfabric.models.networks.kinds import (
    MESSAGE_PLANNERS,
    SERIAL_OPERATIONS,
    MeshSpec,
)
from syncfabric.models.networks.members import check_members
from syncfabric.models.networks.static_spec import STATIC_PLANNERS, StaticSpec
from syncfabric.models.networks.table import Flag, Name, Operation, Table, Whole, WholePlace

__all__ = [
    "KEYWORDS",
    "AnySpec",
    "GroupSpec",
    "IrregularSpec",
    "MeshSpec",
    "MessageSpec",
    "NetworkSpec",
    "StaticSpec",
    "group_subject",
]

MessageSpec: TypeAlias = MeshSpec | IrregularSpec
"""A network whose barriers are messages, beside ordinary packets: a mesh, or an irregular one."""

AnySpec: TypeAlias = MessageSpec | StaticSpec
"""A network of any kind."""

KEYS |= {
    "mesh": MeshSpec.model_fields,
    "irregular": IrregularSpec.model_fields,
    "static": StaticSpec.model_fields,
}

# IEEE 1800-2017, annex B.
_WORDS = """
    accept_on alias always always_comb always_ff always_latch and assert assign assume automatic
    before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle
    checker class clocking cmos config const constraint context continue cover covergroup
    coverpoint cross deassign default defparam design disable dist do edge else end endcase
    endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface
    endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable
    endtask enum event eventually expect export extends extern final first_match for force foreach
    forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins
    illegal_bins implements implies import incdir include initial inout input inside instance int
    integer interconnect interface intersect join join_any join_none large let liblist library
    local localparam logic longint macromodule matches medium modport module nand negedge nettype
    new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed
    parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown
    pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real
    realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1
    s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal
    showcancelled signed small soft solve specify specparam static string strong strong0 strong1
    struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout
    time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type
    typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual
    void wait wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor
"""
KEYWORDS = frozenset(_WORDS.split())
"""Names that a Verilog module cannot have: the words of Verilog and SystemVerilog."""


class GroupSpec(Table):
    """One process group: its members as nodes, in the order of the file.

    An empty ``planner`` stands for the network's default; NetworkSpec puts it in.
    """

    id: Whole = Field(ge=0, le=255)
    members: tuple[WholePlace, ...]
    planner: str = ""
    op: Operation = "or"
    fence: Flag = False
    stream: Flag = False

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
    """A network and its groups, every rule checked; ``source`` is its file, if it has one."""

    name: Name
    network: Annotated[
        MeshSpec | IrregularSpec | StaticSpec,
        Discriminator("kind"),
    ]
    groups: tuple[GroupSpec, ...] = ()
    source: str = Field(default="", exclude=True, repr=False)

    def __eq__(self, other: object) -> bool:
        """Compare what networks are, wherever they were read from."""
        return isinstance(other, NetworkSpec) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    @property
    def _parts(self) -> tuple[object, ...]:
        return self.name, self.network, self.groups

    @property
    def message_network(self) -> MessageSpec:
        """The network, where its barriers are messages.

        Raises
        ------
        SpecError
            It is static: no packet has a route there, so there is nothing of what was asked for.
        """
        with about(self.source):
            return self.network.engines(self.name)

    def without_fences(self) -> Self:
        """Return the network itself, where no group has a fence.

        Raises
        ------
        SpecError
            One has: only the node interfaces of cores acknowledge packets.
        """
        for group in self.groups:
            if group.fence:
                raise SpecError(
                    f"group {group.id}: fence = true is for systems of cores (syncfabric cores): "
                    "without them nothing acknowledges packets, and no arrive can wait for it; "
                    "remove it"
                )
        return self

    def of_several(self, what: str) -> Self:
        """Return the network with its groups of two members and more alone.

        Raises
        ------
        SpecError
            There is none to do what is asked, in words.
        """
        groups = tuple(group for group in self.groups if len(group.members) > 1)
        if not groups:
            raise SpecError(
                f"{self.name} has nothing to {what}: no group of two members or more; add a "
                "[[group]] to the network file"
            )
        return self.model_copy(update={"groups": groups})

    @cached_property
    def module(self) -> str:
        """The name of the Verilog module: the network's own, fit for Verilog."""
        return self.name.replace("-", "_")

    @field_validator("name")
    @classmethod
    def _names_a_module(cls, name: str) -> str:
        if (module := name.replace("-", "_")) in KEYWORDS:
            raise SpecError(f'name = "{name}": {module} is a keyword of Verilog; choose another')
        return name

    @field_validator("groups")
    @classmethod
    def _planners_are_of_the_kind(
        cls, groups: tuple[GroupSpec, ...], info: ValidationInfo
    ) -> tuple[GroupSpec, ...]:
        network = info.data.get("network")
        if network is None:
            return groups
        return tuple(_with_planner(group, network.planners) for group in groups)

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
            check_members(group.id, group.members, self.network.topology)
            self.network.check_group(group.id, group.op, group.planner)
            _check_stream(group, self.network)
        self.network.check_groups({group.id: group.members for group in self.groups})
        return self


def _check_stream(group: GroupSpec, network: AnySpec) -> None:
    if not group.stream:
        return
    if not network.streams:
        raise SpecError(
            f"group {group.id}: stream = true needs stream channels; set streams and wires in"
            " [network] of a mesh or an irregular network, or remove it"
        )
    if group.planner != WIRE_PLANNER:
        raise SpecError(
            f"group {group.id}: stream = true goes with planner = {show(WIRE_PLANNER)}, not"
            f" {show(group.planner)}: a stream has the tree of a slot; remove the planner"
        )


def _with_planner(group: GroupSpec, planners: tuple[str, ...]) -> GroupSpec:
    if not group.planner:
        others = [name for name in planners if name != WIRE_PLANNER]
        default = others[0] if group.op in SERIAL_OPERATIONS else planners[0]
        return group.model_copy(update={"planner": default})
    if group.planner not in planners:
        if group.planner == WIRE_PLANNER and planners != STATIC_PLANNERS:
            raise SpecError(
                f"group {group.id}: planner {show(group.planner)} needs slots of barrier wires; "
                f"set wires to 1 or more in [network], or planner = {choice(planners)}"
            )
        own = tuple(name for name in planners if name != WIRE_PLANNER)
        if own == ("btm",) and group.planner in MESSAGE_PLANNERS["routed"]:
            raise SpecError(
                f"group {group.id}: planner {show(group.planner)} with routed messages is for kind"
                ' = "mesh", of two dimensions; set planner = "btm", or transport = "link"'
            )
        for transport, named in MESSAGE_PLANNERS.items():
            if own in MESSAGE_PLANNERS.values() and group.planner in named:
                raise SpecError(
                    f"group {group.id}: planner {show(group.planner)} is for transport = "
                    f'"{transport}"; set it in [network], or planner = {choice(planners)}'
                )
        raise SpecError(
            f"group {group.id}: planner must be {choice(planners)}, not {show(group.planner)}"
        )
    return group


def group_subject(group_id: object) -> str:
    """Return ``group 3: `` for a usable id, else ``group: ``."""
    usable = isinstance(group_id, int) and not isinstance(group_id, bool)
    return f"group {group_id}: " if usable else "group: "
