"""The plan of one group on any network: its tree or ring, its entries and bounds; and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.mesh import STEP, Node, Port
from syncfabric.models.networks.spec import AnySpec, MessageSpec, StaticSpec
from syncfabric.models.planning.btm import Tree
from syncfabric.models.planning.entries import owner_of
from syncfabric.models.planning.free_links import Routes
from syncfabric.models.planning.multicast_tree import Multicast, least_depth, tree_flits
from syncfabric.models.planning.pace import Pace, on_wires, stream_bound
from syncfabric.models.planning.port_tree import PortTree
from syncfabric.models.planning.ring import Least, Ring
from syncfabric.models.timing.static import ALONE, ring_bound, tree_bound

Route: TypeAlias = Ring | Multicast
"""What joins a group's members on a static network."""

FIELDS = (
    *("id", "planner", "op", "root", "root_switch", "root_node", "height", "longest_path"),
    *("bound_links", "bound", "bound_btm", "bound_least", "edges", "members", "ports"),
    *("registers", "relays", "switches", "ring", "ring_least", "links", "flits"),
)
"""What ``plan --json`` says of every group, in this order."""
ATTRIBUTES = FIELDS[: FIELDS.index("edges")]
"""Those that are attributes of a plan."""
ROOTS = ("root", "root_node")
"""Those that are places."""


@dataclass(frozen=True, eq=False)
class GroupPlan:
    """A group of which all is known that software sets up; two are equal if their JSON is.

    Parameters
    ----------
    id : int
        Group identifier.
    op, planner : str
        As the network file says.
    members : tuple of Node
        As the network file names them, in its order.
    shape : PortTree, Ring or Multicast
        How they are joined: on a network of engines by a tree of routers, on a static network by
        a ring, from its root on, or a multicast tree; of a single member it has no link.
    bound : int
        Most cycles from the last ``arrive`` to the last ``released``, for the group alone on an
        idle network.
    bound_least : int
        What no tree or ring of these members can go below.
    bound_btm : int or None
        With routed messages, the bound of planner ``btm``.
    placement : dict of int to int
        The group's entry at each router of the tree; empty on a static network.
    slot_register : int or None
        Of a group on barrier wires, which has the same slot everywhere: the slot's register of node
        ports; None: it has entries of engines.
    flits : int or None
        On a static network, flits of an episode of a tree.
    stream_bound : int or None
        Of a group with a stream: cycles from the first beat of the last member to the first one of
        the result, for the group alone and any taker; None: it has none.
    """

    id: int
    op: str
    planner: str
    members: tuple[Node, ...]
    shape: PortTree | Route
    bound: int
    bound_least: int
    bound_btm: int | None = None
    placement: Mapping[int, int] = field(default_factory=dict)
    slot_register: int | None = None
    flits: int | None = None
    stream_bound: int | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GroupPlan) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    @property
    def static(self) -> bool:
        """Whether it is a group of a static network."""
        return not isinstance(self.shape, PortTree)

    @property
    def tree(self) -> PortTree:
        """The tree of a group on a network of engines."""
        assert isinstance(self.shape, PortTree)
        return self.shape

    @property
    def route(self) -> Route:
        """The ring or tree of a group on a static network."""
        assert not isinstance(self.shape, PortTree)
        return self.shape

    @property
    def graph(self) -> Irregular:
        """The network's routers, or switches."""
        return self.shape.graph

    @cached_property
    def registers(self) -> tuple[int, ...]:
        """The register of each member's node port: its router's entry, the slot's own, or 0."""
        if self.slot_register is not None or not self.placement:
            return (self.slot_register or 0,) * len(self.members)
        return tuple(self.placement[router] for router in self.tree.nodes[:, 0].tolist())

    @property
    def places(self) -> dict[Node, int]:
        """The register of each member's node port."""
        return dict(zip(self.members, self.registers, strict=True))

    @cached_property
    def relays(self) -> tuple[int, ...]:
        """Routers with an entry and without a member."""
        return tuple(self.tree.routers[self.tree.member_count == 0].tolist())

    @property
    def root(self) -> Node | None:
        """The root's router or switch on a mesh; else the member at the root's lowest port."""
        if self.static:
            return self.route.root
        return self.graph.member(self.tree.root) if self.graph.columns else self.tree.root_node

    @property
    def root_switch(self) -> int | None:
        """The root's router; None on a mesh."""
        return None if self.static or self.graph.columns else self.tree.root

    @property
    def root_node(self) -> Node | None:
        """The member at the lowest port of a tree's root's router; None without any."""
        return None if self.static else self.tree.root_node

    @property
    def height(self) -> int | None:
        """Edges on a tree's longest path down; None of a ring."""
        return self.shape.height

    @property
    def longest_path(self) -> int:
        """Links between routers on the longest path down, or of the ring."""
        return self.shape.radius

    @property
    def bound_links(self) -> int:
        """The L or N of the bound: a member's own link is counted where it has one."""
        return self.shape.radius + (0 if self.static else self.graph.own_links)

    @property
    def ring(self) -> list[int] | None:
        """The switches that a ring passes, from the root's on; None of a tree."""
        return self.route.ring

    @property
    def edges(self) -> list[tuple[int, int]] | None:
        """Every switch of a multicast tree and the one above it, outwards; None of a ring."""
        return self.route.edges

    @property
    def links(self) -> int:
        """The links of a ring or multicast tree."""
        return self.route.length

    def routes(self) -> Routes:
        """Return what each output of a static network's switches selects."""
        return self.route.routes(self.members)

    def to_json(self) -> dict[str, Any]:
        """Return what ``plan --json`` says of the group (docs/planning.md); null: it lacks that."""
        values = {name: getattr(self, name) for name in ATTRIBUTES}
        values |= {name: list(place) for name in ROOTS if (place := values[name]) is not None}
        values["members"] = [list(member) for member in self.members]
        values["registers"] = list(self.registers)
        own = self._route_json(self.route) if self.static else self._tree_json()
        if self.stream_bound is not None:
            values["stream_bound"] = self.stream_bound
        return {**dict.fromkeys(FIELDS), **values, **own}

    def _tree_json(self) -> dict[str, Any]:
        tree, graph = self.tree, self.graph
        shown = {router: graph.shown(router) for router in tree.routers.tolist()}
        values: dict[str, Any] = {
            "edges": sorted([shown[child], shown[parent]] for child, parent in tree.edges),
            "relays": [shown[router] for router in self.relays],
            "entries": [{"router": shown[r], "entry": e} for r, e in self.placement.items()],
        }
        if graph.columns:
            ports = dict(zip(tree.routers.tolist(), tree.far_port.tolist(), strict=True))
            order = [*tree.nodes[:, 0].tolist(), *self.relays]
            values["root_node"] = None
            values["ports"] = [int(Port.LOCAL) if ports[r] < 0 else ports[r] for r in order]
        else:
            values["switches"] = [
                {
                    "switch": router,
                    "parent": None if up < 0 else up,
                    "children": list(tree.children(position)),
                    "register": self.placement[router],
                }
                for position, (router, up) in enumerate(
                    zip(tree.routers.tolist(), tree.parent_port.tolist(), strict=True)
                )
            ]
        return values

    def _route_json(self, route: Route) -> dict[str, Any]:
        shown = self.graph.shown
        return {
            "edges": route.edges and [[shown(end) for end in edge] for edge in route.edges],
            "ring": route.ring if route.ring is None else [shown(switch) for switch in route.ring],
            "ring_least": route.least._asdict() if isinstance(route, Ring) and self.links else None,
            "links": route.length,
            "flits": self.flits,
            "ports": None if self.graph.columns else [port for _, port in route.outputs],
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any], network: AnySpec) -> GroupPlan:
        """Read what ``to_json`` made, and check that of a network of engines against it.

        Parameters
        ----------
        entry : mapping
        network : AnySpec

        Raises
        ------
        SpecError
            It was written by an earlier edition, or is no plan of a group of this network.
        """
        if isinstance(network, StaticSpec):
            return _read_route(entry, network)
        subject = f"plan: group {entry.get('id')}"
        if "entries" not in entry:
            raise SpecError(
                f"{subject}: it has no entries, as plans of earlier editions; plan again"
            )
        try:
            plan = _read_tree(entry, network)
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


def laid(
    gid: int, planner: str, op: str, members: tuple[Node, ...], route: Route, network: StaticSpec
) -> GroupPlan:
    """Return the plan of a group on a static network from its ring or tree."""
    flits, bound, least = None, ALONE, ALONE
    if isinstance(route, Ring) and len(members) > 1:
        bound, least = (ring_bound(n, network) for n in (route.length, route.least.links))
    elif isinstance(route, Multicast) and len(members) > 1:
        flits = tree_flits(route.height, network)
        at = Counter(network.graph.port_of(member)[0] for member in members)
        beside = at[network.graph.port_of(route.root)[0]] > 1
        bound = tree_bound(route.height, flits, network, beside=beside)
        others = tree_flits(route.least, network)
        least = tree_bound(route.least, others, network, beside=min(at.values()) > 1)
    return GroupPlan(gid, op, planner, members, route, bound, least, flits=flits)


def _read_route(entry: Mapping[str, Any], network: StaticSpec) -> GroupPlan:
    graph, members = network.graph, tuple((a, b) for a, b in entry["members"])
    x, y = entry["root"]
    route: Route
    if entry["ring"] is None:
        ends = [(graph.switch(above), graph.switch(down)) for down, above in entry["edges"]]
        least = least_depth(graph, members)
        route = Multicast(graph, (x, y), _outputs(entry, graph, ends), entry["longest_path"], least)
    else:
        ring = [graph.switch(shown) for shown in entry["ring"]]
        known = Least(**entry["ring_least"]) if ring else Least(0, "sides")
        ends = [*zip(ring, [*ring[1:], *ring[:1]], strict=True)]
        route = Ring(graph, (x, y), _outputs(entry, graph, ends), known)
    return laid(entry["id"], entry["planner"], entry["op"], members, route, network)


def _outputs(
    entry: Mapping[str, Any], graph: Irregular, ends: Sequence[tuple[int, int]]
) -> list[Place]:
    """Return the outputs that lead from the first to the second switch of each pair."""
    here, there = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    ports = graph.ports_between(here, there)[0].tolist() if graph.columns else entry["ports"]
    found = list(zip(here.tolist(), ports, strict=True))
    if any(
        (graph.across(*output) or (-1,))[0] != to
        for output, (_, to) in zip(found, ends, strict=True)
    ):
        raise SpecError(f"plan: group {entry['id']}: its route leaves the links; plan again")
    return found


def _read_tree(entry: Mapping[str, Any], network: MessageSpec) -> GroupPlan:
    graph, router = network.topology.graph, network.shape.router
    members = tuple((a, b) for a, b in entry["members"])
    tree = _tree(entry, graph, router, members)
    placement = {graph.switch(e["router"]): e["entry"] for e in entry["entries"]}
    if list(placement) != tree.routers.tolist():
        raise PlanError("entries are not at the routers of its tree")
    owner_of(placement.values(), router)
    slots = {number for number in placement.values() if number >= router.layout.entries}
    wired = entry["planner"] == WIRE_PLANNER
    if wired != bool(slots) or (wired and {*placement.values()} != {min(slots)}):
        raise PlanError("a group has one slot, and planner wires, or entries and another")
    streams = "stream_bound" in entry
    if streams and min(slots, default=0) >= router.layout.entries + router.streams:
        raise PlanError("its slot has no stream")
    bounds = {name: entry[name] for name in ("bound_least", "bound_btm")}
    for name, bound in bounds.items():
        if bound is not None and (type(bound) is not int or bound < 0):
            raise PlanError(f"{name} must be cycles, not {bound!r}")
    return GroupPlan(
        id=entry["id"],
        op=entry["op"],
        planner=entry["planner"],
        members=members,
        shape=tree,
        bound=on_wires(router, tree) if wired else Pace.of(router).bound(tree),
        placement=placement,
        slot_register=network.shape.register_of(min(slots)) if wired else None,
        stream_bound=stream_bound(router, tree) if streams else None,
        **bounds,
    )


def _tree(
    entry: Mapping[str, Any], graph: Irregular, router: NodeShape, members: tuple[Node, ...]
) -> PortTree:
    """Return the tree that a group's JSON describes."""
    if router.transport == "routed" and entry["planner"] != WIRE_PLANNER:
        ports = np.array(entry["ports"], dtype=np.int64) if graph.columns else None
        grid, routers = graph.grid, [graph.number(member) for member in members]
        assert grid
        relays = [graph.switch(relay) for relay in entry["relays"]]
        ends = [[grid.place(graph.switch(end)) for end in edge] for edge in entry["edges"]]
        own, passed = ([grid.place(router) for router in some] for some in (routers, relays))
        return PortTree.routed(Tree.from_edges(own, ends, ports, passed, grid), graph)
    places = [graph.node(graph.number(member)) for member in members]
    if graph.columns:
        ports_up = {graph.switch(entry["root"]): -1}
        for (x, y), (px, py) in entry["edges"]:
            side = next((s for s in Port if STEP[s] == (px - x, py - y)), Port.LOCAL)
            ports_up[graph.switch([x, y])] = int(side)
    else:
        ups = {e["switch"]: e["parent"] for e in entry["switches"]}
        ports_up = {switch: -1 if up is None else up for switch, up in ups.items()}
    return PortTree.of(graph, ports_up, places)
