"""The shape of a network file, as tables to read it by and as a JSON Schema for editors."""

from __future__ import annotations

import random
from typing import Annotated, Any, Literal

from pydantic import Field, ValidatorFunctionWrapHandler, WrapValidator

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import did_you_mean, said, show
from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.networks.spec import (
    GroupSpec,
    MeshSpec,
    Name,
    NetworkSpec,
    Operation,
    Planner,
    Table,
    Whole,
    group_subject,
)

__all__ = ["GroupTable", "NetworkFile", "RandomMembers", "file_schema"]

FORMS = 'a list of nodes [x, y], "all" or { random = n, seed = s }'


class RandomMembers(Table):
    """``{ random = n, seed = s }``: n nodes drawn with Python's ``random.Random(s)``."""

    random: Whole = Field(ge=1, description="How many nodes.")
    seed: Whole = Field(ge=0, description="Seed of the draw.")


def _members(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Check the form of ``members`` by hand: a union's own errors name every branch of it."""
    if isinstance(value, RandomMembers) or value == "all":
        return value
    if isinstance(value, dict):
        for key in value.keys() - RandomMembers.model_fields.keys():
            raise said(f'members: unknown key "{key}"; {did_you_mean(key, ["random", "seed"])}')
        try:
            return RandomMembers(**value)
        except SpecError as error:
            raise said(f"members: {error}") from None
    if not isinstance(value, list | tuple):
        raise said(f"members must be {FORMS}, not {show(value)}")
    for node in value:
        whole = isinstance(node, list | tuple) and all(type(c) is int for c in node)
        if not whole or len(node) != 2:
            raise said(f"members: {show(node)} is not a node; write [x, y] in whole numbers")
    return tuple((x, y) for x, y in value)


Members = Annotated[
    Literal["all"] | RandomMembers | tuple[tuple[Whole, Whole], ...], WrapValidator(_members)
]


class GroupTable(Table):
    """A table ``[[group]]`` as the file has it."""

    id: Whole = Field(ge=0, le=255, description="Group identifier (GID), one of its own.")
    members: Members = Field(description="Who takes part.")
    planner: Planner = Field(default="btm", description="How the barrier tree is made.")
    op: Operation = Field(default="or", description="How the members' data are combined.")

    @classmethod
    def _subject(cls, data: dict[str, Any]) -> str:
        return group_subject(data.get("id"))

    def resolve(self, mesh: Mesh) -> GroupSpec:
        """Name every member.

        Raises
        ------
        SpecError
            More random members are asked for than the mesh has nodes.
        """
        return GroupSpec(id=self.id, members=self._nodes(mesh), planner=self.planner, op=self.op)

    def _nodes(self, mesh: Mesh) -> tuple[Node, ...]:
        if self.members == "all":
            return tuple(mesh.nodes)
        if isinstance(self.members, RandomMembers):
            count, nodes = self.members.random, mesh.nodes
            if count > len(nodes):
                raise SpecError(
                    f"group {self.id}: members: random = {count} is more than the {mesh} has "
                    f"nodes; it must be 1..{len(nodes)}"
                )
            return tuple(random.Random(self.members.seed).sample(nodes, count))
        assert not isinstance(self.members, str)
        return self.members


class NetworkFile(Table):
    """A whole network file."""

    name: Name = Field(description="The network's name; its Verilog module takes it too.")
    network: MeshSpec = Field(description="The network itself.")
    group: tuple[GroupTable, ...] = Field(default=(), description="The process groups.")

    def resolve(self) -> NetworkSpec:
        """Name every group's members and check the whole."""
        groups = tuple(group.resolve(self.network.mesh) for group in self.group)
        return NetworkSpec(name=self.name, network=self.network, groups=groups)


def file_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a network file, from the tables that read it."""
    schema = NetworkFile.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Syncfabric network file"
    return schema
