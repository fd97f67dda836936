"""The plan of a group on a static network: a ring, or a multicast tree."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from syncfabric.models.networks.dead import NOTHING, Dead
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import GroupSpec, StaticSpec
from syncfabric.models.planning.buffers import tree_flits
from syncfabric.models.planning.multicast_tree import Multicast, least_depth
from syncfabric.models.planning.planned_group import PlannedGroup
from syncfabric.models.planning.ring import Least, Ring
from syncfabric.models.planning.side_by_side import Way, lay_ways
from syncfabric.models.planning.static_routes import (
    Routes,
    ring_routes,
    tree_routes,
    turned_ring,
)
from syncfabric.models.timing.static import ALONE, ring_bound, tree_bound

__all__ = ["StaticGroupPlan", "plan_static"]


@dataclass(frozen=True, eq=False)
class StaticGroupPlan(PlannedGroup):
    """One group's ring or tree.

    Parameters
    ----------
    id : int
        Group identifier.
    planner, op : str
        As the network file says.
    members : tuple of Node
        In the order of the network file.
    way : Ring or Multicast or None
        A ring begins with its root; a group of one member has no way.
    flits : int or None
        Flits of an episode of a tree; None of a ring.
    bound : int
        Cycles from the last arrival to the last release at most.
    bound_least : int
        The bound of a way as short as none can be beaten.
    """

    id: int
    planner: str
    op: str
    members: tuple[Node, ...]
    way: Way | None
    flits: int | None
    bound: int
    bound_least: int

    root_switch: None = None
    root_node: None = None
    bound_btm: None = None

    @property
    def root(self) -> Node:
        """The member that begins."""
        if self.way is None:
            return self.members[0]
        return self.way.root if isinstance(self.way, Multicast) else self.way.switches[0]

    @property
    def ring(self) -> list[Node] | None:
        """The switches that a ring passes, from the root on; None of a tree."""
        if self.planner == "tree":
            return None
        return self.way.switches if isinstance(self.way, Ring) else []

    @property
    def edges(self) -> list[tuple[Node, Node]] | None:
        """Every switch of a tree and the one above it, from the root outwards; None of a ring."""
        if self.planner == "ring":
            return None
        return self.way.edges if isinstance(self.way, Multicast) else []

    @property
    def links(self) -> int:
        """The links of the ring or tree."""
        return len(self.ring or self.edges or ())

    @property
    def height(self) -> int | None:
        """Links from a tree's root to the farthest member's switch; None of a ring."""
        return None if self.planner == "ring" else self.longest_path

    @property
    def longest_path(self) -> int:
        """The links of the ring; those from a tree's root to the farthest member's switch."""
        return self.way.depth if isinstance(self.way, Multicast) else self.links

    @property
    def bound_links(self) -> int:
        """The N or L of the bound."""
        return self.longest_path

    @property
    def places(self) -> dict[Node, int]:
        """The one barrier of each member's node."""
        return dict.fromkeys(self.members, 0)

    def routes(self) -> Routes:
        """Return what each output of its switches selects."""
        if isinstance(self.way, Ring):
            return ring_routes(self.way.switches, self.members)
        if isinstance(self.way, Multicast):
            return tree_routes(self.root, self.way.edges, self.members)
        return {}

    def _own_json(self) -> dict[str, Any]:
        """Return the way: a ring's switches and the least that is known, or a tree's edges."""
        least = self.way.least if isinstance(self.way, Ring) else None
        return {
            "edges": self.edges and [[list(end) for end in edge] for edge in self.edges],
            "members": [list(node) for node in self.members],
            "registers": [0] * len(self.members),
            "ring": self.ring if self.ring is None else [list(node) for node in self.ring],
            "ring_least": least and {"links": least.links, "by": least.by},
            "links": self.links,
            "flits": self.flits,
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any], network: StaticSpec) -> StaticGroupPlan:
        """Read what ``to_json`` made."""
        members = tuple((x, y) for x, y in entry["members"])
        group = GroupSpec(id=entry["id"], members=members, planner=entry["planner"], op=entry["op"])
        way: Way | None = None
        if entry["ring"]:
            least = Least(entry["ring_least"]["links"], entry["ring_least"]["by"])
            way = Ring([(x, y) for x, y in entry["ring"]], least)
        elif entry["edges"]:
            edges = [((a, b), (x, y)) for (a, b), (x, y) in entry["edges"]]
            root_x, root_y = entry["root"]
            way = Multicast((root_x, root_y), edges, entry["longest_path"], least_depth(members))
        return _planned(group, way, network)


def plan_static(
    network: StaticSpec,
    groups: Sequence[GroupSpec],
    dead: Dead = NOTHING,
    beside: Collection[int] = (),
) -> tuple[StaticGroupPlan, ...]:
    """Plan every group's ring or tree over links that live, no two over the same directed one.

    None takes links ``beside`` either, those of groups that stay as they are.

    Raises
    ------
    PlanError
        A group has no ring, or none was found beside the others' ways.
    """
    ways = lay_ways(network.topology, groups, dead, beside)
    return tuple(_planned(group, _turned(ways.get(group.id), group), network) for group in groups)


def _turned(way: Way | None, group: GroupSpec) -> Way | None:
    if isinstance(way, Ring):
        return way._replace(switches=turned_ring(way.switches, group.members))
    return way


def _planned(group: GroupSpec, way: Way | None, network: StaticSpec) -> StaticGroupPlan:
    flits, bound, least = None, ALONE, ALONE
    if isinstance(way, Ring):
        bound = ring_bound(len(way.switches), network)
        least = ring_bound(way.least.links, network)
    elif isinstance(way, Multicast):
        flits = tree_flits(way.depth, network)
        bound = tree_bound(way.depth, flits, network)
        least = tree_bound(way.least, tree_flits(way.least, network), network)
    return StaticGroupPlan(
        id=group.id,
        planner=group.planner,
        op=group.op,
        members=group.members,
        way=way,
        flits=flits,
        bound=bound,
        bound_least=least,
    )
