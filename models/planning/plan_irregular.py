"""The plan of a group on an irregular network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from syncfabric.models.networks.dead import NOTHING, Dead, linked
from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec
from syncfabric.models.planning import btin, updown
from syncfabric.models.planning.bounds import bound_links, irregular_bound_cycles
from syncfabric.models.planning.commands import check_command
from syncfabric.models.planning.planned_group import PlannedGroup
from syncfabric.models.planning.representatives import check_representatives
from syncfabric.models.planning.slots import Slots
from syncfabric.models.planning.switch_graph import SwitchGraph
from syncfabric.models.planning.switch_tree import (
    PROCESS_PORT,
    UPLINK_PORT,
    PortRegister,
    SwitchTree,
)
from syncfabric.models.planning.tree import Ints
from syncfabric.models.timing import btin as btin_timing

__all__ = ["IrregularGroupPlan", "plan_irregular"]


@dataclass(frozen=True, eq=False)
class IrregularGroupPlan(PlannedGroup):
    """One group's tree and where its registers are.

    A group of one member has one register, at its node interface, and none at a switch.

    Parameters
    ----------
    id : int
        Group identifier.
    planner, op, turnaround : str
        As the network file says.
    tree : SwitchTree
        The barrier tree's switches.
    nodes : array of int64, shape (n, 2)
        The members, in the order of the network file, as rows of switch and port.
    slots : array of int64, shape (n,)
        Register number at each member's node interface.
    switch_slots : array of int64, shape (t,)
        Register number at each of the tree's switches, likewise; empty for a group of one.
    bound : int or None
        Cycles, see ``irregular_bound_cycles``.
    """

    id: int
    planner: str
    op: str
    turnaround: str
    tree: SwitchTree
    nodes: Ints
    slots: Ints
    switch_slots: Ints
    bound: int | None

    bound_btm: None = None
    bound_least: None = None

    @cached_property
    def members(self) -> tuple[Place, ...]:
        """All members, in the order of the network file."""
        return tuple((switch, port) for switch, port in self.nodes.tolist())

    @property
    def root_switch(self) -> int:
        """The root of the tree of switches."""
        return self.tree.root

    @cached_property
    def root_node(self) -> Place | None:
        """The member at the root switch's lowest port; None if the switch has no member."""
        ports = self.nodes[self.nodes[:, 0] == self.root_switch, 1]
        return (self.root_switch, int(ports.min())) if len(ports) else None

    @property
    def root(self) -> Place | None:
        """The root node."""
        return self.root_node

    @property
    def height(self) -> int:
        """Edges on the longest way down from the root switch."""
        return self.tree.height

    @property
    def longest_path(self) -> int:
        """The greatest number of links between switches from the root to a member's switch."""
        return self.tree.height

    @property
    def bound_links(self) -> int:
        """The L of the bound."""
        return bound_links(self.tree)

    @property
    def formula_ns(self) -> float:
        """The paper's latency in nanoseconds, at its own times."""
        return btin_timing.formula_ns(self.height)

    @property
    def edges(self) -> list[list[int]]:
        """Every [child switch, parent switch], in order of the children."""
        return self.tree.edges

    @cached_property
    def places(self) -> dict[Place, int]:
        """Register number at each member's node interface."""
        return dict(zip(self.members, self.slots.tolist(), strict=True))

    @cached_property
    def switch_places(self) -> dict[int, int]:
        """Register number at each switch."""
        switches = self.tree.switches.tolist() if len(self.nodes) > 1 else []
        return dict(zip(switches, self.switch_slots.tolist(), strict=True))

    def registers(self) -> Iterator[PortRegister]:
        """Yield every register image: of the members, in their order, then of the switches."""
        return chain(self._node_registers(), self._switch_registers())

    def _node_registers(self) -> Iterator[PortRegister]:
        turning = self.root_node if self.turnaround == "node" else None
        alone = len(self.nodes) == 1
        for node in self.members:
            parent = None if alone or node == turning else UPLINK_PORT
            up = (UPLINK_PORT,) if node == turning and not alone else ()
            yield PortRegister(self.id, node, parent, (*up, PROCESS_PORT), self.op)

    def _switch_registers(self) -> Iterator[PortRegister]:
        if len(self.nodes) == 1:
            return
        tree = self.tree
        masks, parents = tree.child_masks(self.nodes), tree.up_port.copy()
        if self.turnaround == "node" and self.root_node is not None:
            parents[tree.root_position] = self.root_node[1]
            masks[tree.root_position] &= ~(1 << self.root_node[1])
        for switch, mask, parent in zip(
            tree.switches.tolist(), masks.tolist(), parents.tolist(), strict=True
        ):
            children = tuple(port for port in range(mask.bit_length()) if mask >> port & 1)
            yield PortRegister(self.id, switch, None if parent < 0 else parent, children, self.op)

    def _own_json(self) -> dict[str, Any]:
        """Return members' registers at their node interfaces, and the switches' images.

        These have the port to the parent (null at the root), those to the children, and the
        register's number.
        """
        return {
            "edges": self.edges,
            "members": self.nodes.tolist(),
            "registers": list(self.places.values()),
            "switches": [
                {
                    "switch": register.seat,
                    "parent": register.parent,
                    "children": list(register.children),
                    "register": place,
                }
                for register, place in zip(
                    self._switch_registers(), self.switch_places.values(), strict=True
                )
            ],
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any], network: IrregularSpec) -> IrregularGroupPlan:
        """Read what ``to_json`` made."""
        up_ports = {switch["switch"]: switch["parent"] for switch in entry["switches"]}
        return cls(
            id=entry["id"],
            planner=entry["planner"],
            op=entry["op"],
            turnaround=network.turnaround,
            tree=SwitchTree.by_ports(network.topology, entry["root_switch"], up_ports),
            nodes=np.array(entry["members"], dtype=np.int64),
            slots=np.array(entry["registers"], dtype=np.int64),
            switch_slots=np.array(
                [switch["register"] for switch in entry["switches"]], dtype=np.int64
            ),
            bound=entry["bound"],
        )


def plan_irregular(
    network: IrregularSpec, groups: Sequence[GroupSpec], dead: Dead = NOTHING
) -> tuple[IrregularGroupPlan, ...]:
    """Plan the groups of an irregular network around what is dead, see ``plan.make_plan``."""
    topology = network.topology
    interfaces = Slots(len(network.nodes), network)
    slots = [
        interfaces.take(group.id, np.array([topology.index(node) for node in group.members]))
        for group in groups
    ]
    interfaces.check(lambda index: f"node {topology.node(index)}")
    graph = SwitchGraph.of(linked(topology, dead) if dead else topology)
    registers = Slots(network.switches, network)
    plans = []
    for group, numbers in zip(groups, slots, strict=True):
        nodes = np.array(group.members, dtype=np.int64)
        members = np.unique(nodes[:, 0])
        if group.planner == "updown":
            tree = updown.build_tree(graph, members, member_root=network.turnaround == "node")
        else:
            tree = btin.build_tree(graph, members)
        taken = tree.switches if len(nodes) > 1 else tree.switches[:0]
        check_command(network, group.id, len(taken))
        switch_numbers = registers.take(group.id, taken)
        plans.append(
            IrregularGroupPlan(
                id=group.id,
                planner=group.planner,
                op=group.op,
                turnaround=network.turnaround,
                tree=tree,
                nodes=nodes,
                slots=numbers,
                switch_slots=switch_numbers,
                bound=irregular_bound_cycles(tree, nodes, network),
            )
        )
    registers.check(lambda switch: f"switch {switch}")
    if network.setup == "paper":
        for plan in plans:
            check_representatives(topology, plan)
    return tuple(plans)
