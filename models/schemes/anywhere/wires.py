"""Barrier wires, on a mesh or an irregular network: what the planner's tree costs."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.wires_graph import IrregularGraph, MeshGraph, WireGraph
from syncfabric.models.planning.wires_tree import lay_tree
from syncfabric.models.schemes.anywhere.distances import Node
from syncfabric.models.schemes.scheme import ALONE, Cost
from syncfabric.models.timing.barriers import wires_ns
from syncfabric.models.timing.loggp import LogGP

__all__ = ["wires_cost"]


def wires_cost(network: MessageSpec, members: Sequence[Node], times: LogGP) -> Cost:
    """Return what barriers on wires cost, as if the network had them for this group alone.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        ``link_registers`` is its own.
    members : sequence of Node
    times : LogGP

    Returns
    -------
    Cost
        A member's node writes its own unit or, on an irregular network, that of its switch; each
        router of the tree without a member is asked by a message. Nodes touched are all units with
        a slot of the group: routers of the tree and, on an irregular network, the members' node
        interfaces. The latency is 2 D (1 + registers) h + 2 o, D the links from the root to the
        farthest member, a node's own link counted: it is a wire as well. A level up and a pulse
        down pass each link between routers once.
    """
    if len(members) == 1:
        return ALONE
    topology = network.topology
    graph: WireGraph
    if isinstance(topology, Mesh):
        graph, own = MeshGraph(topology), 0
        at = sorted(map(topology.index, members))
    else:
        graph, own = IrregularGraph(topology), 1
        at = sorted({switch for switch, _ in members})
    tree = lay_tree(graph, graph.centre(at), at, [0] * len(graph.ends))
    assert tree is not None  # nothing is taken
    return Cost(
        setup_messages=len(tree.routers) - len(at),
        setup_nodes=len(tree.routers) + own * len(members),
        height=tree.depth,
        latency_ns=wires_ns(tree.depth + own, network.link_registers, times),
        traversals=2 * len(tree.edges),
    )
