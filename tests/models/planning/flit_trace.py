"""Where a root's flit gets to, from what the outputs of switches select: a planner is not asked."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.mesh import Node


class Trace(NamedTuple):
    """What became of one flit.

    ``cores`` has the links that each of its copies took to a core, for every core that got one;
    ``links`` the outputs between switches that a copy left by; ``outputs`` all that it used.
    """

    cores: dict[Node, list[int]]
    links: list[Place]
    outputs: set[Place]


def trace(graph: Irregular, routes: Mapping[Place, int], root: Node) -> Trace:
    """Send a flit from a node's core, and follow every copy of it.

    A copy that comes by a link a second time would never leave the network: that fails. So does
    one that turns back on a mesh, or at the port of a node that is not alone at its switch.
    """
    far = {end: other for a, b in graph.links for end, other in ((a, b), (b, a))}
    at_port = {graph.nodes[number]: graph.member(number) for number in range(len(graph.nodes))}
    (home,) = (at for at, node in at_port.items() if node == root)
    cores: defaultdict[Node, list[int]] = defaultdict(list)
    links: list[Place] = []
    outputs: set[Place] = set()
    ahead = [(home, 0)]
    while ahead:
        (switch, came), count = ahead.pop()
        for port in range(graph.ports):
            output = switch, port
            if routes.get(output) != came:
                continue
            assert port != came or not graph.columns, f"{switch} sends back by {port}"
            outputs.add(output)
            if output in at_port:
                cores[at_port[output]].append(count)
                continue
            assert output in far, f"{output} leads nowhere"
            assert output not in links, f"{output} sends a copy twice"
            links.append(output)
            ahead.append((far[output], count + 1))
    return Trace(dict(cores), links, outputs)


def check_ring(
    graph: Irregular, routes: Mapping[Place, int], members: Sequence[Node], root: Node
) -> Trace:
    """Check that a root's flit gets to each member's core once, to its own last, to no other."""
    found = trace(graph, routes, root)
    assert found.cores.keys() == set(members)
    assert all(len(distances) == 1 for distances in found.cores.values())
    assert found.cores[root] == [len(found.links)], "it does not come back at the end"
    return found


def check_tree(
    graph: Irregular, routes: Mapping[Place, int], members: Sequence[Node], root: Node
) -> Trace:
    """Check that a root's flit gets to every other member's core once, and to no other."""
    found = trace(graph, routes, root)
    assert found.cores.keys() == set(members) - {root}
    assert all(len(distances) == 1 for distances in found.cores.values())
    return found
