"""UDN/STN: messages over the dynamic network to the root, and a release over the static one.

Source: paper Reflex, section V.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.networks.mesh import Node, hops
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.schemes.scheme import ALONE, Cost
from syncfabric.models.schemes.static.ways import planned
from syncfabric.models.timing.barriers import udn_stn_ns
from syncfabric.models.timing.loggp import LogGP

__all__ = ["udn_stn_cost"]


def udn_stn_cost(network: StaticSpec, members: Sequence[Node], times: LogGP) -> Cost:
    """Return what UDN/STN barriers cost.

    The paper names no root: here it is that of planner ``tree``, whose tree the release goes down.
    Messages go to it by shortest ways, as UDN's X-Y routes are.

    Parameters
    ----------
    network : StaticSpec
    members : sequence of Node
    times : LogGP

    Returns
    -------
    Cost
        Set-up is that of the tree; UDN needs none. The latency is (P - 1) g + 2 D h + 4 o, D the
        tree's height. In a barrier every other member's message passes its hops to the root, and
        the release each link of the tree once.
    """
    if len(members) == 1:
        return ALONE
    group = planned(network, members, "tree")
    assert group.edges is not None
    switches = {group.root, *(switch for switch, _ in group.edges)}
    depth = group.longest_path
    return Cost(
        setup_messages=len(switches - set(members)),
        setup_nodes=len(switches),
        height=depth,
        latency_ns=udn_stn_ns(len(members), depth, times),
        traversals=sum(hops(member, group.root) for member in members) + group.links,
    )
