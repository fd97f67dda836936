"""Who belongs to a group: the three forms to say it, and what is no node of the network."""

import random
from typing import Any, TypeAlias

from pydantic import Field

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import did_you_mean, show
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.networks.table import Table, Whole

Topology: TypeAlias = Mesh | Irregular


class RandomMembers(Table):
    """``{ random = n, seed = s }``: n nodes drawn with Python's ``random.Random(s)``."""

    random: Whole = Field(ge=1, description="How many nodes.")
    seed: Whole = Field(ge=0, description="Seed of the draw.")


def name_members(subject: str, value: Any, topology: Topology) -> tuple[Node, ...]:
    """Return the nodes that the value of ``members`` stands for.

    Parameters
    ----------
    subject : str
        What an error is about (``"group 3: members"``).
    value : object
        As the file has it: ``"all"``, a table with ``random`` and ``seed``, or a list of nodes.
    topology : Mesh or Irregular
        Whose nodes.

    Raises
    ------
    SpecError
        The value has none of these forms, or more nodes are drawn than there are.
    """
    if value == "all":
        return tuple(topology.nodes)
    if isinstance(value, dict):
        return _drawn(subject, value, topology)
    form = topology.NODE_FORM
    if not isinstance(value, list | tuple):
        raise SpecError(
            f'{subject} must be a list of nodes {form}, "all" or {{ random = n, seed = s }}, '
            f"not {show(value)}"
        )
    for node in value:
        whole = isinstance(node, list | tuple) and all(type(c) is int for c in node)
        if not whole or len(node) != 2:
            raise SpecError(f"{subject}: {show(node)} is not a node; write {form} in whole numbers")
    return tuple((x, y) for x, y in value)


def _drawn(subject: str, table: dict[str, Any], topology: Topology) -> tuple[Node, ...]:
    for key in table.keys() - RandomMembers.model_fields.keys():
        raise SpecError(f'{subject}: unknown key "{key}"; {did_you_mean(key, ["random", "seed"])}')
    try:
        draw = RandomMembers(**table)
    except SpecError as error:
        raise SpecError(f"{subject}: {error}") from None
    if draw.random > len(topology.nodes):
        raise SpecError(
            f"{subject}: random = {draw.random} is more than the {topology} has nodes; "
            f"it must be 1..{len(topology.nodes)}"
        )
    return tuple(random.Random(draw.seed).sample(topology.nodes, draw.random))


def check_members(group_id: int, members: tuple[Node, ...], topology: Topology) -> None:
    """Refuse a member that is not a node of the network.

    Raises
    ------
    SpecError
        The first such member, and what is allowed.
    """
    for member in members:
        if not topology.contains(member):
            raise SpecError(f"group {group_id}: member {member} is {topology.outside(member)}")
