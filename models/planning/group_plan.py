"""The plan of one group: its tree, its entries and its bound, and all that as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.mesh import STEP, Node, Port
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.entries import owner_of
from syncfabric.models.planning.graph import LinkGraph
from syncfabric.models.planning.pace import Pace, on_wires
from syncfabric.models.planning.planned_group import FIELDS
from syncfabric.models.planning.port_tree import PortTree
from syncfabric.models.planning.tree import Tree

__all__ = ["GroupPlan", "bound_of"]


def bound_of(shape: PortTree, router: NodeShape) -> int:
    """Return the most cycles from the last ``arrive`` of a group to its last ``released``.

    Of a group of messages.
    """
    pace = Pace.of(router)
    return pace.bound(shape.parent, shape.member_count, pace.edge(shape.hops))


@dataclass(frozen=True, eq=False)
class GroupPlan:
    """A group of which every router with an entry is known.

    Parameters
    ----------
    id : int
        Group identifier.
    op, planner : str
        As the network file says.
    members : tuple of Node
        As the network file names them, in its order.
    graph : LinkGraph
        The network.
    shape : PortTree
        The tree.
    placement : dict of int to int
        The group's entry at each router of the tree.
    bound : int
        Most cycles from the last ``arrive`` to the last ``released``, for the group alone on an
        idle network.
    bound_least : int
        What no tree of these members can go below.
    bound_btm : int or None
        With routed messages, the bound of planner ``btm``.
    slot_register : int or None
        Of a group on barrier wires, which has the same slot everywhere: the slot's register of node
        ports; None: it has entries of engines.
    """

    id: int
    op: str
    planner: str
    members: tuple[Node, ...]
    graph: LinkGraph
    shape: PortTree
    placement: Mapping[int, int]
    bound: int
    bound_least: int
    bound_btm: int | None = None
    slot_register: int | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GroupPlan) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    @property
    def radius(self) -> int:
        """L: links from the root to the farthest member, its own link counted."""
        return self.shape.radius + self.graph.own_links

    @cached_property
    def registers(self) -> tuple[int, ...]:
        """The register of each member's node port: the entry of its router, or the slot's own."""
        if self.slot_register is not None:
            return (self.slot_register,) * len(self.members)
        return tuple(self.placement[router] for router in self.shape.nodes[:, 0].tolist())

    @cached_property
    def relays(self) -> tuple[int, ...]:
        """Routers with an entry and without a member."""
        routers = self.shape.routers[self.shape.member_count == 0]
        return tuple(routers.tolist())

    @property
    def places(self) -> dict[Node, int]:
        """The register of each member's node port."""
        return dict(zip(self.members, self.registers, strict=True))

    @property
    def height(self) -> int:
        """Edges on the longest way down."""
        return self.shape.height

    @property
    def longest_path(self) -> int:
        """Links between routers on the longest way down."""
        return self.shape.radius

    @property
    def bound_links(self) -> int:
        """The L of the bound."""
        return self.radius

    @property
    def root(self) -> Node | None:
        """On a mesh the root's router; else the member at the root's lowest port, if any."""
        if self.graph.columns:
            return self.graph.member(self.shape.root)
        return self.root_node

    @property
    def root_switch(self) -> int | None:
        """The root's router; None on a mesh."""
        return None if self.graph.columns else self.shape.root

    @property
    def root_node(self) -> Node | None:
        """The member at the root's lowest port; None if there is none."""
        nodes = self.shape.nodes[self.shape.nodes[:, 0] == self.shape.root, 1]
        if not len(nodes):
            return None
        node = self.graph.topology.index((self.shape.root, int(nodes.min())))
        return self.graph.member(node)

    def to_json(self) -> dict[str, Any]:
        """Return what ``plan --json`` says of the group; fields that it lacks are null."""
        shape, mesh = self.shape, self.graph.columns > 0
        root = self.graph.shown(shape.root) if mesh else _listed(self.root_node)
        values = {
            "id": self.id,
            "planner": self.planner,
            "op": self.op,
            "root": root,
            "root_switch": None if mesh else shape.root,
            "root_node": None if mesh else root,
            "height": shape.height,
            "longest_path": shape.radius,
            "bound_links": self.radius,
            "bound": self.bound,
            "bound_btm": self.bound_btm,
            "bound_least": self.bound_least,
            "edges": sorted(
                [self.graph.shown(child), self.graph.shown(parent)] for child, parent in shape.edges
            ),
            "members": [list(member) for member in self.members],
            "registers": list(self.registers),
            "relays": [self.graph.shown(router) for router in self.relays],
            "entries": [
                {"router": self.graph.shown(router), "entry": entry}
                for router, entry in self.placement.items()
            ],
        }
        if mesh:
            ports = dict(zip(shape.routers.tolist(), shape.far_port.tolist(), strict=True))
            order = [*shape.nodes[:, 0].tolist(), *self.relays]
            values["ports"] = [int(Port.LOCAL) if ports[r] < 0 else ports[r] for r in order]
        else:
            values["switches"] = [self._switch(i) for i in range(len(shape))]
        return {**dict.fromkeys((*FIELDS, "entries")), **values}

    def _switch(self, position: int) -> dict[str, Any]:
        router, up = int(self.shape.routers[position]), int(self.shape.parent_port[position])
        return {
            "switch": router,
            "parent": None if up < 0 else up,
            "children": list(self.shape.children(position)),
            "register": self.placement[router],
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any], network: MessageSpec) -> GroupPlan:
        """Read what ``to_json`` made, and check it against the network.

        Parameters
        ----------
        entry : mapping
        network : MessageSpec

        Raises
        ------
        SpecError
            It was written by an earlier edition, or is no plan of a group of this network.
        """
        subject = f"plan: group {entry.get('id')}"
        if "entries" not in entry:
            raise SpecError(
                f"{subject}: it has no entries, as plans of earlier editions; plan again"
            )
        try:
            plan = cls._read(entry, LinkGraph.of(network), network.shape)
            written = plan.to_json()
            if (register := max(plan.registers)) >= network.port_registers:
                raise PlanError(
                    f"a member has entry {register}, but nodes have {network.port_registers}"
                    " registers"
                )
        except (PlanError, SpecError, LookupError, TypeError, ValueError) as error:
            raise SpecError(f"{subject}: {error}; plan again") from None
        for name, value in written.items():
            if entry.get(name) != value:
                raise SpecError(
                    f"{subject}: {name} is not what its tree has: {entry.get(name)!r} in place of"
                    f" {value!r}; plan again"
                )
        return plan

    @classmethod
    def _read(cls, entry: Mapping[str, Any], graph: LinkGraph, network: NetworkShape) -> GroupPlan:
        router = network.router
        members = tuple((a, b) for a, b in entry["members"])
        shape = _tree(entry, graph, router, members)
        placement = {graph.router(e["router"]): e["entry"] for e in entry["entries"]}
        if list(placement) != shape.routers.tolist():
            raise PlanError("entries are not at the routers of its tree")
        owner_of(placement.values(), router)
        slots = {number for number in placement.values() if number >= router.layout.entries}
        wired = entry["planner"] == WIRE_PLANNER
        if wired != bool(slots) or (wired and {*placement.values()} != {min(slots)}):
            raise PlanError("a group has one slot, and planner wires, or entries and another")
        bounds = {name: entry[name] for name in ("bound_least", "bound_btm")}
        for name, bound in bounds.items():
            if bound is not None and type(bound) is not int:
                raise PlanError(f"{name} must be cycles, not {bound!r}")
        return cls(
            id=entry["id"],
            op=entry["op"],
            planner=entry["planner"],
            members=members,
            graph=graph,
            shape=shape,
            placement=placement,
            bound=on_wires(router, shape.radius) if wired else bound_of(shape, router),
            slot_register=network.register_of(min(slots)) if wired else None,
            **bounds,
        )


def _tree(
    entry: Mapping[str, Any], graph: LinkGraph, router: NodeShape, members: tuple[Node, ...]
) -> PortTree:
    """Return the tree that a group's JSON describes."""
    if router.transport == "routed" and entry["planner"] != WIRE_PLANNER:
        relays = [graph.member(graph.router(relay)) for relay in entry["relays"]]
        ports = np.array(entry["ports"], dtype=np.int64)
        tree = Tree.from_edges(members, entry["edges"], ports, relays)
        return PortTree.routed(tree, graph.columns)
    places = [graph.place(graph.node(member)) for member in members]
    if not graph.columns:
        ups = {e["switch"]: -1 if e["parent"] is None else e["parent"] for e in entry["switches"]}
        return PortTree.of(graph.topology, ups, places)
    mesh_ports = {graph.router(entry["root"]): -1}
    for (x, y), (px, py) in entry["edges"]:
        side = next((s for s in Port if STEP[s] == (px - x, py - y)), Port.LOCAL)
        mesh_ports[graph.router([x, y])] = int(side)
    return PortTree.of(graph.topology, mesh_ports, places)


def _listed(node: Node | None) -> list[int] | None:
    return None if node is None else list(node)
