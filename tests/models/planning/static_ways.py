"""What rings and trees must be, by the mesh alone: nothing here knows of a planner."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence

from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.networks.spec import GroupSpec

Hop = tuple[Node, Node]


def ring_hops(mesh: Mesh, switches: Sequence[Node]) -> list[Hop]:
    """Check that this is a closed trail without U-turns; return its hops."""
    count = len(switches)
    hops = [(switches[i], switches[(i + 1) % count]) for i in range(count)]
    for i, (here, after) in enumerate(hops):
        check_hop(mesh, here, after)
        assert switches[i - 1] != after, f"turns back at {here}"
    assert len(set(hops)) == count, "uses a link twice"
    return hops


def tree_hops(mesh: Mesh, root: Node, edges: Iterable[Hop], members: Collection[Node]) -> list[Hop]:
    """Check that edges (switch, the one above) lead from the root to all members; return hops."""
    hops = [(parent, switch) for switch, parent in edges]
    reached = {root}
    for parent, switch in hops:
        check_hop(mesh, parent, switch)
        assert parent in reached, f"{switch} comes before what leads to it"
        assert switch not in reached, f"{switch} has two inputs"
        reached.add(switch)
    assert set(members) <= reached
    leaves = reached - {parent for parent, _ in hops}
    assert leaves <= set(members), "leads to a switch in vain"
    return hops


def check_hop(mesh: Mesh, here: Node, after: Node) -> None:
    assert mesh.contains(here)
    assert mesh.contains(after)
    assert abs(here[0] - after[0]) + abs(here[1] - after[1]) == 1


def disjoint_groups(mesh: Mesh, rng: random.Random, planners: Sequence[str]) -> list[GroupSpec]:
    """Return one to six groups of random members, none in two."""
    nodes = rng.sample(mesh.nodes, len(mesh.nodes))
    count = rng.randint(1, 6)
    groups = []
    for gid in range(count):
        size = rng.randint(1, max(1, len(nodes) // (count - gid)))
        members, nodes = tuple(nodes[:size]), nodes[size:]
        if members:
            groups.append(GroupSpec(id=gid, members=members, planner=rng.choice(planners)))
    return groups
