"""Barrier wires, on a mesh or an irregular network: what the planner's tree costs."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.networks.spec import GroupSpec, MessageSpec
from syncfabric.models.planning.links.graph import LinkGraph
from syncfabric.models.planning.links.slots import least_tree
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
    graph = LinkGraph.of(network)
    tree = least_tree(graph, GroupSpec(id=0, members=tuple(members)))
    assert tree is not None  # nothing is taken
    own, routers, edges = graph.own_links, len(tree), len(tree.edges)
    return Cost(
        setup_messages=routers - int((tree.member_count > 0).sum()),
        setup_nodes=routers + own * len(members),
        height=tree.radius,
        latency_ns=wires_ns(tree.radius + own, network.link_registers, times),
        traversals=2 * edges,
    )
