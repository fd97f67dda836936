"""The shape of a network file, as tables to read it by and as a JSON Schema for editors."""

from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, WrapValidator
from pydantic.json_schema import SkipJsonSchema

from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.explain import KEYS
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.irregular_table import IrregularTable
from syncfabric.models.networks.kinds import MESSAGE_PLANNERS
from syncfabric.models.networks.members import RandomMembers, name_members
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import AnySpec, GroupSpec, MeshSpec, NetworkSpec, group_subject
from syncfabric.models.networks.static_spec import STATIC_PLANNERS, StaticTable
from syncfabric.models.networks.table import Flag, Name, Operation, Table, Text, Whole, WholePlace

# Left as it is until the network is known: by its kind an error says how a node is written.
Members = Annotated[
    Literal["all"] | RandomMembers | tuple[WholePlace, ...],
    WrapValidator(lambda value, _: value),
]


def _no_default_planner(schema: dict[str, Any]) -> None:
    planner = schema["properties"]["planner"]
    del planner["default"]
    planner["enum"] = list(_planners("mesh") | _planners("static"))


class GroupTable(Table):
    """A table ``[[group]]`` as the file has it."""

    model_config = ConfigDict(json_schema_extra=_no_default_planner)

    id: Whole = Field(ge=0, le=255, description="Group identifier (GID), one of its own.")
    members: Members = Field(description="Who takes part.")
    planner: Text | SkipJsonSchema[None] = Field(
        default=None,
        description="How the barrier tree or ring is made; by default the kind's first.",
    )
    op: Operation = Field(default="or", description="How the members' data are combined.")
    fence: Flag = Field(
        default=False,
        description="Whether a core's arrive waits for its packets; for systems of cores.",
    )
    stream: Flag = Field(
        default=False, description="Whether vectors go along its tree, in a channel of its own."
    )

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return group_subject(data.get("id"))

    def resolve(self, topology: Mesh | Irregular) -> GroupSpec:
        """Name every member.

        Raises
        ------
        SpecError
            The members are not nodes, or more random members are asked for than there are nodes.
        """
        members = name_members(f"group {self.id}: members", self.members, topology)
        return GroupSpec(
            id=self.id,
            members=members,
            planner=self.planner or "",
            op=self.op,
            fence=self.fence,
            stream=self.stream,
        )


# In a file, links can be said in other forms, too.
KEYS |= {"irregular": IrregularTable.model_fields, "static": StaticTable.model_fields}


class NetworkFile(Table):
    """A whole network file."""

    name: Name = Field(description="The network's name; its Verilog module takes it too.")
    network: Annotated[
        MeshSpec | IrregularTable | StaticTable,
        Discriminator("kind"),
    ] = Field(description="The network itself.")
    group: tuple[GroupTable, ...] = Field(default=(), description="The process groups.")

    def resolve(self, folder: Traversable | None = None) -> NetworkSpec:
        """Name every link, node and member, and check the whole.

        Parameters
        ----------
        folder : Traversable, optional
            Where the files are that this one names; by default the current folder.
        """
        folder, table = folder or Path(), self.network
        if not isinstance(table, StaticTable) and table.offload:
            table = table.changed(offload=table.offload.found_in(folder))
        network: AnySpec = table if isinstance(table, MeshSpec) else table.resolve(folder)
        groups = tuple(group.resolve(network.topology) for group in self.group)
        return NetworkSpec(name=self.name, network=network, groups=groups)


def _groups_by_kind() -> list[dict[str, Any]]:
    """Return what the JSON Schema says of groups by the network's kind: planner and operation."""
    return [
        {
            "if": {
                "required": ["network"],
                "properties": {
                    "network": {"required": ["kind"], "properties": {"kind": {"const": kind}}}
                },
            },
            "then": {"properties": {"group": {"items": {"properties": _group_keys(kind)}}}},
        }
        for kind in KEYS
    ]


def _planners(kind: str) -> dict[str, None]:
    """Return the planners of a kind of network, each once and in order."""
    if kind == "static":
        return dict.fromkeys(STATIC_PLANNERS)
    transports = MESSAGE_PLANNERS if kind == "mesh" else ("link",)  # only a mesh routes messages
    names = [name for transport in transports for name in MESSAGE_PLANNERS[transport]]
    return dict.fromkeys((*names, WIRE_PLANNER))


def _group_keys(kind: str) -> dict[str, Any]:
    if kind == "static":  # whose barriers carry no data
        return {"planner": {"enum": list(_planners(kind))}, "op": {"const": "or"}}
    return {"planner": {"enum": list(_planners(kind))}}


def file_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a network file, from the tables that read it."""
    schema = NetworkFile.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Syncfabric network file"
    schema["allOf"] = _groups_by_kind()
    return schema
