"""What rings and trees must be, by the mesh alone: nothing here knows of a planner."""

import random
from collections.abc import Collection, Iterable, Sequence

from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.networks.spec import GroupSpec

Hop = tuple[Node, Node]
STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))


def leaves(mesh: Mesh, hops: Iterable[Hop]) -> list[Place]:
    """Return the outputs by which hops leave: switch and port."""
    places = []
    for (x, y), (to_x, to_y) in hops:
        places.append((mesh.index((x, y)), STEPS.index((to_x - x, to_y - y))))
    return places


def numbered(mesh: Mesh, hops: Iterable[Hop]) -> list[int]:
    """Return the numbers of the links of hops."""
    return [5 * switch + port for switch, port in leaves(mesh, hops)]


def passed(mesh: Mesh, switches: Iterable[int]) -> list[Node]:
    """Return switches by their places."""
    return [mesh.node(switch) for switch in switches]


def ring_hops(mesh: Mesh, switches: Sequence[Node]) -> list[Hop]:
    """Check that this is a circuit without U-turns; return its hops."""
    count = len(switches)
    hops = [(switches[i], switches[(i + 1) % count]) for i in range(count)]
    for i, (here, after) in enumerate(hops):
        check_hop(mesh, here, after)
        assert switches[i - 1] != after, f"turns back at {here}"
    assert len(set(hops)) == count, "uses a link twice"
    return hops


def edges_of(mesh: Mesh, edges: Iterable[tuple[int, int]]) -> list[Hop]:
    """Return edges between switches by their places."""
    return [(mesh.node(switch), mesh.node(above)) for switch, above in edges]


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
    ends = reached - {parent for parent, _ in hops}
    assert ends <= set(members), "leads to a switch in vain"
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
