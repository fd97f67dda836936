"""Who is missing at a barrier that does not end, from what the entries of its tree still await.

Source: docs/microarchitecture-engine.md, E3, E6 and E7.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from syncfabric.models.errors import PlanError
from syncfabric.models.layout.engine import Code
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.networks.mesh import Node
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.set_up import Epochs, Write, commit_write

Read: TypeAlias = Callable[[Write], int | None]
"""Makes a write over the config chain, and returns its answer; None if none comes."""


@dataclass(frozen=True)
class Missing:
    """What is to blame for a barrier that does not end; all in ascending order.

    Parameters
    ----------
    members : tuple of Node
        Members that have not arrived; or, with node interfaces, whose arrival was lost on their
        own link. If a release was lost there, they are among these, for they do not arrive again.
    lost : tuple of (child, parent)
        Routers, neighbours in the tree: a message between them was lost.
    silent : tuple of int
        Routers that do not answer, or hold the group no more.
    """

    members: tuple[Node, ...] = ()
    lost: tuple[tuple[int, int], ...] = ()
    silent: tuple[int, ...] = ()


def missing(group: GroupPlan, network: NetworkShape, epochs: Epochs, read: Read) -> Missing:
    """Return who is missing at a group's barrier, once nothing of the group moves any more.

    Only routers on the path to what is missing are read. It is to be asked before the group is
    killed, by software or its watchdog: entries that are not alive have forgotten it.

    Parameters
    ----------
    group : GroupPlan
    network : NetworkShape
    epochs : Epochs
        Those of the group's set-up.
    read : callable
        Reads a status over the config chain.

    Raises
    ------
    PlanError
        Status words do not say what is awaited.
    """
    if group.slot_register is not None:
        raise PlanError(f"group {group.id}: slots of barrier wires do not say who is awaited")
    if not network.router.read_back:
        raise PlanError(f"group {group.id}: status words lack who is awaited; set read_back = true")
    tree, status = group.tree, network.router.layout.status
    routers, masks = tree.routers.tolist(), tree.child_mask.tolist()
    below: dict[tuple[int, int], int] = {}
    for position, (parent, port) in enumerate(zip(tree.parent, tree.far_port, strict=True)):
        below[int(parent), int(port)] = position
    known: dict[int, int | None] = {}

    def awaited(place: int) -> int | None:
        """Return the children that a router awaits: 0 if all have come; None if it is silent."""
        if place not in known:
            router = routers[place]
            entry = group.placement[router]
            word = read(commit_write(Code.READ, network, router, entry, epochs[router, entry]))
            fields = status.unpack(word or 0)
            alive = fields["alive"] and fields["epoch"] == epochs[router, entry]
            known[place] = fields["missing"] & masks[place] if alive else None
        return known[place]

    ports: list[tuple[int, int]] = []
    lost: list[tuple[int, int]] = []
    silent: list[int] = []
    asked = [tree.position[tree.root]]
    while asked:
        place = asked.pop()
        waits = awaited(place)
        if waits is None:
            silent.append(routers[place])
            waits = sum(1 << port for parent, port in below if parent == place)
        for port in (p for p in range(waits.bit_length()) if waits >> p & 1):
            child = below.get((place, port))
            if child is None:
                ports.append((routers[place], port))
            elif awaited(child) == 0 and known[place] is not None:
                lost.append((routers[child], routers[place]))
            else:
                asked.append(child)
    home = {(int(r), int(p)): m for (r, p), m in zip(tree.nodes, group.members, strict=True)}
    members = tuple(home[place] for place in sorted(ports))
    return Missing(members, tuple(sorted(lost)), tuple(sorted(silent)))
