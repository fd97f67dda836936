"""The plan of a group on a mesh."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from syncfabric.models.networks.dead import NOTHING, Dead
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import GroupSpec, MeshSpec
from syncfabric.models.planning import btm, cs, detour, shortest
from syncfabric.models.planning.bounds import bound_cycles, there_and_back
from syncfabric.models.planning.commands import check_command
from syncfabric.models.planning.planned_group import PlannedGroup
from syncfabric.models.planning.slots import Slots
from syncfabric.models.planning.tree import Ints, Register, Tree
from syncfabric.models.timing import btm as btm_timing

__all__ = ["GroupPlan", "plan_mesh"]


@dataclass(frozen=True, eq=False)
class GroupPlan(PlannedGroup):
    """One group's tree and where its registers are.

    Parameters
    ----------
    id : int
        Group identifier.
    planner, op : str
        As the network file says.
    tree : Tree
        The barrier tree.
    slots : array of int64, shape (n,)
        Register number at each node of the tree.
    bound : int or None
        Cycles, see ``bound_cycles``.
    bound_btm : int or None
        The bound that planner ``btm`` gives; None if its tree comes upon what is dead.
    bound_least : int or None
        A bound that no tree of these members can go below.
    """

    id: int
    planner: str
    op: str
    tree: Tree
    slots: Ints
    bound: int | None
    bound_btm: int | None
    bound_least: int | None

    root_switch: None = None
    root_node: None = None

    @property
    def members(self) -> tuple[Node, ...]:
        """All members, in the order of the network file."""
        return self.tree.members

    @property
    def root(self) -> Node:
        """The root node."""
        return self.tree.root

    @property
    def height(self) -> int:
        """Edges on the longest way down."""
        return self.tree.height

    @property
    def longest_path(self) -> int:
        """Hops on the longest way down."""
        return self.tree.longest_path

    @property
    def bound_links(self) -> int:
        """The L of the bound."""
        return self.longest_path

    @property
    def formula_ns(self) -> float:
        """The paper's latency in nanoseconds, at its own times."""
        return btm_timing.formula_ns(self.tree)

    @cached_property
    def places(self) -> dict[Node, int]:
        """Register number at each member."""
        return {node: self.node_places[node] for node in self.members}

    @cached_property
    def node_places(self) -> dict[Node, int]:
        """Register number at each member and then at each relay, likewise."""
        return dict(zip(self.tree.nodes, self.slots.tolist(), strict=True))

    def register(self, node: Node) -> Register:
        """Return the register image of a member or relay."""
        return self.tree.register(node, self.id, self.op)

    def registers(self) -> Iterator[Register]:
        """Yield every member's register image, in the order of the members, then the relays'."""
        return (self.register(node) for node in self.tree.nodes)

    def _own_json(self) -> dict[str, Any]:
        """Return nodes' ports and registers, in the order of ``members`` and then ``relays``.

        The port is that by which the parent sends (4 at the root).
        """
        return {
            "edges": self.tree.edges,
            "members": [list(node) for node in self.members],
            "ports": self.tree.port.tolist(),
            "registers": list(self.node_places.values()),
            "relays": [list(node) for node in self.tree.nodes[len(self.members) :]],
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any], network: MeshSpec) -> GroupPlan:
        """Read what ``to_json`` made."""
        members = [(x, y) for x, y in entry["members"]]
        relays = [(x, y) for x, y in entry["relays"]]
        return cls(
            id=entry["id"],
            planner=entry["planner"],
            op=entry["op"],
            tree=Tree.from_edges(members, entry["edges"], np.array(entry["ports"]), relays),
            slots=np.array(entry["registers"]),
            bound=entry["bound"],
            bound_btm=entry["bound_btm"],
            bound_least=entry["bound_least"],
        )


def plan_mesh(
    network: MeshSpec, groups: Sequence[GroupSpec], dead: Dead = NOTHING
) -> tuple[GroupPlan, ...]:
    """Plan the groups of a mesh around what is dead, see ``plan.make_plan``."""
    registers = Slots(len(network.mesh.nodes), network)
    plans = []
    for group in groups:
        first = btm.build_tree(group.members)
        # Where relays are is known without a search, and whether there is room for all.
        nodes = cs.build_tree(group.members) if group.planner == "cs" else first
        if detour.crosses(nodes, network, dead):
            nodes = _around(network, group, first, dead)
        check_command(network, group.id, len(nodes))
        numbers = registers.take(group.id, nodes.y * network.width + nodes.x)
        plans.append((group, first, nodes, numbers))
    registers.check(lambda index: f"node {network.mesh.node(index)}")
    return tuple(_plan(network, *plan, dead) for plan in plans)


def _around(network: MeshSpec, group: GroupSpec, first: Tree, dead: Dead) -> Tree:
    """Return a tree around what is dead, where the planner's own comes upon it."""
    if group.planner == "shortest":
        found = shortest.improve(first, network.node_cycles)
        if not detour.crosses(found, network, dead):
            return found
    return detour.build_tree(network, group.members, dead)


def _plan(
    network: MeshSpec, group: GroupSpec, first: Tree, nodes: Tree, slots: Ints, dead: Dead
) -> GroupPlan:
    """Plan a group of which ``btm``'s tree, and the nodes with a register, are known."""
    bound_btm = None if detour.crosses(first, network, dead) else bound_cycles(first, network)
    tree, bound = nodes, bound_cycles(nodes, network)
    if group.planner == "shortest" and bound_btm is not None:
        found = shortest.improve(first, network.node_cycles)
        better = bound_cycles(found, network)
        if better <= bound_btm and not detour.crosses(found, network, dead):
            tree, bound = found, better
    least = there_and_back(shortest.least_cost(first.x, first.y, network.node_cycles))
    return GroupPlan(
        id=group.id,
        planner=group.planner,
        op=group.op,
        tree=tree,
        slots=slots,
        bound=bound,
        bound_btm=bound_btm,
        bound_least=least,
    )
