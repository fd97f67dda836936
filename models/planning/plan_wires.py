"""The plan of a group on barrier wires, on a mesh or an irregular network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from syncfabric.models.networks.mesh import Mesh, Port
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec, RegisterSpec
from syncfabric.models.networks.wires import WIRE_PLANNER
from syncfabric.models.planning.planned_group import PlannedGroup
from syncfabric.models.planning.port_words import WireImage
from syncfabric.models.planning.switch_tree import PROCESS_PORT, UPLINK_PORT, PortRegister, Seat
from syncfabric.models.planning.wires_tree import WireTree
from syncfabric.models.timing.wires import wire_bound

__all__ = ["WireGroupPlan", "WireImage"]

Place: TypeAlias = tuple[int, int]


@dataclass(frozen=True, eq=False)
class WireGroupPlan(PlannedGroup):
    """One group's tree and its slot.

    Parameters
    ----------
    id : int
        Group identifier.
    op : str
        As the network file says.
    members : tuple of Place
        In the order of the network file.
    tree : WireTree or None
        Over nodes' numbers on a mesh, else over switches; None for a group of one member of an
        irregular network, whose one unit is its node interface.
    slot : int
        The same in every unit.
    network : MeshSpec or IrregularSpec
        The network.
    """

    id: int
    op: str
    members: tuple[Place, ...]
    tree: WireTree | None
    slot: int
    network: RegisterSpec

    planner: str = WIRE_PLANNER
    bound_btm: None = None
    formula_ns: None = None

    @property
    def number(self) -> int:
        """The slot's number among the registers of the node port and the config port."""
        return self.network.first_slot + self.slot

    @property
    def root_switch(self) -> int | None:
        """The switch that turns the barrier around; None on a mesh, and for a group of one."""
        return self.tree.root if self.tree and isinstance(self.network, IrregularSpec) else None

    @property
    def root_node(self) -> Place | None:
        """The one member of a group on an irregular network; else None."""
        return None if self.tree else self.members[0]

    @property
    def root(self) -> Place | None:
        """The node whose unit turns the barrier around; None if it is a switch's."""
        if self.tree and isinstance(self.network, MeshSpec):
            return self.network.mesh.node(self.tree.root)
        return self.root_node

    @property
    def height(self) -> int:
        """Links between routers from the root to the farthest member's."""
        return self.tree.depth if self.tree else 0

    @property
    def longest_path(self) -> int:
        """The same: an edge of the tree is a link."""
        return self.height

    @property
    def bound_links(self) -> int:
        """The L of the bound."""
        return self.height + (self.root_switch is not None)

    @property
    def bound(self) -> int:
        """Cycles, see ``wire_bound``; whatever other groups do."""
        return wire_bound(self.bound_links, self.network.link_registers)

    @property
    def bound_least(self) -> int:
        """The same: no tree over links is less high."""
        return self.bound

    @property
    def edges(self) -> list[list[Any]]:
        """Every [child, parent] from the root outwards: nodes of a mesh, or switches."""
        edges = self.tree.edges if self.tree else ()
        if isinstance(self.network, IrregularSpec):
            return [[child, parent] for child, _, parent, _ in edges]
        node = self.network.mesh.node
        return [[list(node(child)), list(node(parent))] for child, _, parent, _ in edges]

    @cached_property
    def places(self) -> dict[Place, int]:
        """Register number at each member."""
        return dict.fromkeys(self.members, self.number)

    @cached_property
    def switch_places(self) -> dict[int, int]:
        """Register number at each switch; none on a mesh."""
        if self.root_switch is None or self.tree is None:
            return {}
        return dict.fromkeys(sorted(self.tree.routers), self.number)

    def registers(self) -> Iterator[PortRegister]:
        """Yield every unit's image: of the members, in their order, then of the others."""
        return (image.register for image in self.images())

    def images(self) -> Iterator[WireImage]:
        """Yield every unit's image and where it goes, in that order."""
        topology = self.network.topology
        if isinstance(topology, Mesh):
            routers = self.tree.routers if self.tree else frozenset()
            members = [topology.index(node) for node in self.members]
            for index in (*members, *sorted(routers - set(members))):
                yield self._image(index, topology.node(index), *self._ports[index])
            return
        alone = self.tree is None
        for node in self.members:
            parent = None if alone else UPLINK_PORT
            yield self._image(topology.index(node), node, parent, [PROCESS_PORT])
        for switch in self.switch_places:
            yield self._image(len(topology.nodes) + switch, switch, *self._ports[switch])

    def _image(self, target: int, seat: Seat, parent: int | None, children: list[int]) -> WireImage:
        ports = tuple(sorted(children))
        return WireImage(
            target, self.number, PortRegister(self.id, seat, parent, ports, op=self.op)
        )

    @cached_property
    def _ports(self) -> dict[int, tuple[int | None, list[int]]]:
        """The port to the parent, and those to children, of each router of the tree."""
        if self.tree is None:
            return {}
        found: dict[int, tuple[int | None, list[int]]] = {self.tree.root: (None, [])}
        for child, port, parent, far in self.tree.edges:
            found[child] = port, []
            found[parent][1].append(far)
        for node in self.members:
            if isinstance(self.network, MeshSpec):
                found[self.network.mesh.index(node)][1].append(Port.LOCAL)
            else:
                found[node[0]][1].append(node[1])
        return found

    def _own_json(self) -> dict[str, Any]:
        """Return the slot, its number at each member, and on an irregular network the switches."""
        switches = [
            {
                "switch": image.register.seat,
                "parent": image.register.parent,
                "children": list(image.register.children),
                "register": image.number,
            }
            for image in self.images()
            if isinstance(image.register.seat, int)
        ]
        return {
            "edges": self.edges,
            "members": [list(node) for node in self.members],
            "registers": [self.number] * len(self.members),
            "switches": switches if isinstance(self.network, IrregularSpec) else None,
            "slot": self.slot,
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any], network: RegisterSpec) -> WireGroupPlan:
        """Read what ``to_json`` made."""
        members = tuple((a, b) for a, b in entry["members"])
        tree: WireTree | None = None
        if isinstance(network, MeshSpec):
            tree = _mesh_tree(network.mesh, entry)
        elif entry["root_switch"] is not None:
            up = {switch["switch"]: switch["parent"] for switch in entry["switches"]}
            ends = ((child, up[child]) for child, _ in entry["edges"])
            edges = ((child, port, network.topology.across(child, port)) for child, port in ends)
            tree = WireTree(
                entry["root_switch"], tuple((c, port, *far) for c, port, far in edges if far)
            )
        return cls(entry["id"], entry["op"], members, tree, entry["slot"], network)


def _mesh_tree(mesh: Mesh, entry: Mapping[str, Any]) -> WireTree:
    edges = []
    for (x, y), (a, b) in entry["edges"]:
        port = next(port for port in Port if mesh.neighbour((x, y), port) == (a, b))
        edges.append((mesh.index((x, y)), int(port), mesh.index((a, b)), int(port.opposite)))
    x, y = entry["root"]
    return WireTree(mesh.index((x, y)), tuple(edges))
