"""Reflex on a ring, and on our tree: what the plan's own way costs.

Source: paper Reflex, sections III and IV. Members' cores set the routes of their own switches; each
switch of the way without a member is asked by a message to set its own. Nodes touched are the
switches of the way, each once. Every flit that passes a link between switches is a traversal, for a
flit is what other schemes' messages are.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import GroupSpec, StaticSpec
from syncfabric.models.planning.plan_static import StaticGroupPlan, plan_static
from syncfabric.models.schemes.scheme import ALONE, Cost
from syncfabric.models.timing.barriers import reflex_ns, reflex_tree_ns
from syncfabric.models.timing.loggp import LogGP

__all__ = ["planned", "ring_cost", "tree_cost"]


def ring_cost(network: StaticSpec, members: Sequence[Node], times: LogGP) -> Cost:
    """Return what barriers of Reflex cost on the ring that planner ``ring`` finds.

    Parameters
    ----------
    network : StaticSpec
    members : sequence of Node
    times : LogGP

    Returns
    -------
    Cost
        With the asking messages goes Init, one of B flits from the root. There is no tree: the
        height is the links of the ring, N, all of which the notify passes in turn. The latency is
        2 (2 o + L) + 2 N h. In a barrier B + 2 flits go round, N links each: notify, release and
        the next fillers.

    Raises
    ------
    PlanError
        There is no ring, as on a mesh of one row.
    """
    if len(members) == 1:
        return ALONE
    group = planned(network, members, "ring")
    assert group.ring is not None
    links, switches = group.links, set(group.ring)
    return Cost(
        setup_messages=len(switches - set(members)) + 1,
        setup_nodes=len(switches),
        height=links,
        latency_ns=reflex_ns(links, times),
        traversals=links * (network.core_buffer + 2),
    )


def tree_cost(network: StaticSpec, members: Sequence[Node], times: LogGP) -> Cost:
    """Return what barriers cost on the tree that planner ``tree`` finds.

    Parameters
    ----------
    network : StaticSpec
    members : sequence of Node
    times : LogGP

    Returns
    -------
    Cost
        There is no Init. The latency is 2 o + L + D h + (F - 1) 4 G, see ``reflex_tree_ns``. In a
        barrier F flits pass every link of the tree.
    """
    if len(members) == 1:
        return ALONE
    group = planned(network, members, "tree")
    assert group.edges is not None
    assert group.flits is not None
    switches = {group.root, *(switch for switch, _ in group.edges)}
    depth = group.longest_path
    streams = min(network.switch_buffer, network.core_buffer, network.injection_buffer) > 1
    return Cost(
        setup_messages=len(switches - set(members)),
        setup_nodes=len(switches),
        height=depth,
        latency_ns=reflex_tree_ns(depth, group.flits, times, streams=streams),
        traversals=group.links * group.flits,
    )


def planned(network: StaticSpec, members: Sequence[Node], planner: str) -> StaticGroupPlan:
    """Return the plan of a group that is alone on its network, two members or more."""
    group = GroupSpec(id=0, members=tuple(members), planner=planner)
    return plan_static(network, (group,))[0]
