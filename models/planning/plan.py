"""A network's whole barrier plan: every group's tree, its registers, and its predicted latency."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning import btm, shortest
from syncfabric.models.planning.bounds import bound_cycles
from syncfabric.models.planning.tree import Ints, Register, Tree

__all__ = ["BarrierPlan", "GroupPlan", "Register", "Tree", "bound_cycles", "make_plan"]

SPILLED = -1


@dataclass(frozen=True, eq=False)
class GroupPlan:
    """One group's tree and where its registers are.

    Parameters
    ----------
    id : int
        Group identifier.
    planner, op, route : str
        As the network file says (``route`` is its ``reduction_route``).
    tree : Tree
        The barrier tree.
    slots : array of int64, shape (n,)
        Register number at each member, -1 where the group is spilled.
    bound : int or None
        Cycles, see ``bound_cycles``; None if the group is spilled at any member.
    bound_btm : int or None
        The bound that planner ``btm`` gives.
    bound_least : int or None
        A bound that no tree of these members can go below.
    """

    id: int
    planner: str
    op: str
    route: str
    tree: Tree
    slots: Ints
    bound: int | None
    bound_btm: int | None
    bound_least: int | None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GroupPlan) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

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

    @cached_property
    def places(self) -> dict[Node, int | None]:
        """Register number at each member; None where the group is spilled."""
        numbers = (None if slot == SPILLED else slot for slot in self.slots.tolist())
        return dict(zip(self.members, numbers, strict=True))

    def register(self, node: Node) -> Register:
        """Return a member's register image."""
        return self.tree.register(node, self.id, self.op, self.route)

    def registers(self) -> Iterator[Register]:
        """Yield every member's register image, in the order of the members."""
        return (self.register(node) for node in self.members)

    def to_json(self) -> dict[str, Any]:
        """Return what ``plan --json`` says of the group.

        ``ports`` and ``registers`` follow ``members``: the port by which the parent sends (4 at
        the root), and the register number (null where spilled).
        """
        return {
            "id": self.id,
            "planner": self.planner,
            "op": self.op,
            "root": list(self.root),
            "height": self.height,
            "longest_path": self.longest_path,
            "bound": self.bound,
            "bound_btm": self.bound_btm,
            "bound_least": self.bound_least,
            "edges": self.tree.edges,
            "members": [list(node) for node in self.members],
            "ports": self.tree.port.tolist(),
            "registers": list(self.places.values()),
        }


@dataclass(frozen=True)
class BarrierPlan:
    """A network and the plan of each of its groups."""

    spec: NetworkSpec
    groups: tuple[GroupPlan, ...]

    def group(self, group_id: int) -> GroupPlan:
        """Return the plan of one group.

        Raises
        ------
        PlanError
            The network has no such group.
        """
        for group in self.groups:
            if group.id == group_id:
                return group
        known = ", ".join(str(group.id) for group in self.groups) or "none"
        raise PlanError(f"Network {self.spec.name} has no group {group_id}; its groups: {known}")

    def to_json(self) -> dict[str, Any]:
        """Return the plan as ``plan --json`` prints it; ``from_json`` reads it again."""
        return {
            "network": self.spec.name,
            "settings": self.spec.network.model_dump(mode="json"),
            "groups": [group.to_json() for group in self.groups],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BarrierPlan:
        """Read what ``to_json`` made."""
        network = MeshSpec(**data["settings"])
        specs, groups = [], []
        for entry in data["groups"]:
            members = tuple((x, y) for x, y in entry["members"])
            specs.append(
                GroupSpec(id=entry["id"], members=members, planner=entry["planner"], op=entry["op"])
            )
            slots = [SPILLED if slot is None else slot for slot in entry["registers"]]
            groups.append(
                GroupPlan(
                    id=entry["id"],
                    planner=entry["planner"],
                    op=entry["op"],
                    route=network.reduction_route,
                    tree=Tree.from_edges(members, entry["edges"], np.array(entry["ports"])),
                    slots=np.array(slots),
                    bound=entry["bound"],
                    bound_btm=entry["bound_btm"],
                    bound_least=entry["bound_least"],
                )
            )
        spec = NetworkSpec(name=data["network"], network=network, groups=tuple(specs))
        return cls(spec, tuple(groups))


def make_plan(spec: NetworkSpec) -> BarrierPlan:
    """Plan every group's tree and place it in the nodes' registers.

    At each node the groups take registers 0, 1, … in the order of the file; with ``spill`` those
    beyond ``barrier_registers`` live in the node's backing memory.

    Raises
    ------
    PlanError
        A node has more groups than registers, and ``spill`` is off.
    """
    network = spec.network
    _check_registers(spec)
    used = np.zeros((network.height, network.width), dtype=np.int64)
    groups = []
    for group in spec.groups:
        first = btm.build_tree(group.members)
        bound_btm = bound_cycles(first, network)
        tree, bound = first, bound_btm
        if group.planner == "shortest":
            found = shortest.improve(first, network.barrier_pipeline)
            if (better := bound_cycles(found, network)) <= bound_btm:
                tree, bound = found, better
        slots = used[tree.y, tree.x]
        used[tree.y, tree.x] += 1
        slots[slots >= network.barrier_registers] = SPILLED
        spilled = bool((slots == SPILLED).any())
        least = 2 * shortest.least_cost(tree.x, tree.y, network.barrier_pipeline) + 2
        groups.append(
            GroupPlan(
                id=group.id,
                planner=group.planner,
                op=group.op,
                route=network.reduction_route,
                tree=tree,
                slots=slots,
                bound=None if spilled else bound,
                bound_btm=None if spilled else bound_btm,
                bound_least=None if spilled else least,
            )
        )
    return BarrierPlan(spec, tuple(groups))


def _check_registers(spec: NetworkSpec) -> None:
    """Refuse a node with more groups than registers when there is no spilling."""
    registers = spec.network.barrier_registers
    if spec.network.spill or len(spec.groups) <= registers:
        return
    held: dict[Node, list[int]] = {}
    for group in spec.groups:
        for node in group.members:
            held.setdefault(node, []).append(group.id)
    node, ids = max(held.items(), key=lambda item: len(item[1]))
    if len(ids) > registers:
        more = f"barrier_registers = {len(ids)} or " if len(ids) <= 64 else ""
        raise PlanError(
            f"node {node}: groups {', '.join(map(str, ids))} need {len(ids)} registers, but "
            f"barrier_registers = {registers}; set {more}spill = true in [network]"
        )
