"""What one member of a group on an irregular network works out alone.

Source: paper BTIN, section 3.1, Setup_Register, step by step and without the shortcuts of planner
``btin``, whose trees it must make. Departure: a switch register's ports say parent and children,
and every member has a register at its node interface too.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.planning.switch_tree import PROCESS_PORT, UPLINK_PORT, PortRegister

__all__ = ["setup_register"]


def setup_register(
    topology: Irregular,
    members: Collection[Place],
    self: Place,
    gid: int,
    *,
    op: str = "or",
    turnaround: str = "switch",
) -> tuple[PortRegister, ...]:
    """Return the registers that a member has to write.

    That of its own node interface; if it is the representative of its switch (the member at its
    lowest port) then that of the switch, and those of the nonmember switches below it that are
    reached without another member switch between.

    Parameters
    ----------
    topology : Irregular
        The whole network.
    members : collection of Place
        The whole group.
    self : Place
        The member that asks.
    gid : int
        Group identifier.
    op : str
        How data are combined.
    turnaround : str
        ``"switch"`` or ``"node"``: who turns the barrier around.

    Raises
    ------
    PlanError
        ``self`` is no member.
    """
    if self not in members:
        raise PlanError(f"Node {self} must be a member of group {gid} to set up its register")
    if len(members) == 1:
        return (PortRegister(gid, self, None, (PROCESS_PORT,), op),)
    ports: dict[int, list[int]] = {}
    for switch, port in sorted(members):
        ports.setdefault(switch, []).append(port)
    tree = min((_tree(topology, root, ports) for root in sorted(ports)), key=_Tree.rank)
    root_node = (tree.root, ports[tree.root][0]) if turnaround == "node" else None

    def register(switch: int) -> PortRegister:
        children = [*tree.down[switch].values(), *ports.get(switch, [])]
        parent = tree.up.get(switch)
        if root_node and switch == tree.root:
            parent = root_node[1]
            children.remove(parent)
        return PortRegister(gid, switch, parent, tuple(sorted(children)), op)

    if self == root_node:
        own = PortRegister(gid, self, None, (UPLINK_PORT, PROCESS_PORT), op)
    else:
        own = PortRegister(gid, self, UPLINK_PORT, (PROCESS_PORT,), op)
    switch, port = self
    if port != ports[switch][0]:
        return (own,)
    mine = [switch]
    for above in mine:
        mine += [child for child in tree.down[above] if child not in ports]
    return own, *map(register, mine)


@dataclass(frozen=True)
class _Tree:
    """Ports down to each switch's children, and up to its parent."""

    root: int
    levels: int
    down: dict[int, dict[int, int]]
    up: dict[int, int]

    def rank(self) -> tuple[int, int, int, int]:
        """Return what trees are compared by."""
        leaves = sum(not children for children in self.down.values())
        return self.levels, len(self.up), leaves, self.root


def _tree(topology: Irregular, root: int, members: Collection[int]) -> _Tree:
    """Establish the BFS tree around a root, and remove nonmember leaves until there are none."""
    down: dict[int, dict[int, int]] = {root: {}}
    up: dict[int, int] = {}
    levels = [[root]]
    while levels[-1]:
        levels.append([])
        for switch in sorted(levels[-2]):
            for port in range(topology.ports):
                end = topology.across(switch, port)
                if end is not None and end[0] not in down:
                    down[switch][end[0]], down[end[0]] = port, {}
                    up[end[0]] = end[1]
                    levels[-1].append(end[0])
    for level in levels[:0:-1]:
        for switch in [s for s in level if not down[s] and s not in members]:
            above = topology.across(switch, up.pop(switch))
            assert above is not None
            del down[above[0]][switch], down[switch]
    height = max(i for i, level in enumerate(levels) if any(s in down for s in level))
    return _Tree(root, height, down, up)
