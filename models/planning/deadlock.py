"""Deadlock freedom, checked: the graph of channels that can wait for each other has no cycle.

A channel is one virtual channel of one link. There is an edge from a channel to every channel that
a message which holds the first may wait for. No cycle means no deadlock (Dally and Seitz, IEEE
Trans. Computers 36(5), 1987; paper BTM, section 3.2; paper BTIN, section 4.2). Which edges there
are: ``deadlock_mesh`` and ``deadlock_irregular``.

What arrives waits for nothing: a sink takes packets, and an engine has room for every message of
its groups that can be under way, so that merging and replication add no edges. Barrier wires are no
channels: no two groups share one.
"""

from __future__ import annotations

from typing import Any, TypeVar

import networkx as nx

from syncfabric.models.errors import DeadlockError, about
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.deadlock_irregular import SwitchChannel, irregular_graph
from syncfabric.models.planning.deadlock_mesh import Channel, mesh_graph
from syncfabric.models.planning.plan import BarrierPlan

__all__ = ["Channel", "SwitchChannel", "channel_graph", "check", "find_cycle"]

AnyChannel = TypeVar("AnyChannel", Channel, SwitchChannel)


def check(plan: BarrierPlan, *, shared_sync_channel: bool = False) -> None:
    """Refuse a plan whose channels can wait for each other in a cycle.

    Raises
    ------
    DeadlockError
        The cycle, channel by channel.
    SpecError
        A network file's routing tables lead some packet astray.
    """
    with about(plan.spec.source):
        cycle = find_cycle(channel_graph(plan, shared_sync_channel=shared_sync_channel))
        if cycle:
            steps = "\n".join(f"  {channel}" for channel in [*cycle, cycle[0]])
            raise DeadlockError(
                f"Network {plan.spec.name} can deadlock: {len(cycle)} channels wait for each other "
                f"in a cycle:\n{steps}"
            )


def find_cycle(graph: nx.DiGraph[AnyChannel]) -> list[AnyChannel]:
    """Return the channels of a short cycle, each waiting for the next; empty if there is none."""
    knots = (part for part in nx.strongly_connected_components(graph) if len(part) > 1)
    knot = min(knots, key=lambda part: (len(part), min(part)), default=None)
    if knot is None:
        return [channel for channel in graph if graph.has_edge(channel, channel)][:1]
    inside = graph.subgraph(knot)
    start = min(knot)
    return min(
        (nx.shortest_path(inside, after, start) for after in inside[start]),
        key=lambda way: (len(way), way),
    )


def channel_graph(plan: BarrierPlan, *, shared_sync_channel: bool = False) -> nx.DiGraph[Any]:
    """Build the channel-dependence graph of a planned network.

    Parameters
    ----------
    plan : BarrierPlan
        The network.
    shared_sync_channel : bool
        Both classes of a mesh's routed messages in one channel (which must not be built).

    Returns
    -------
    networkx.DiGraph
        An edge from each ``Channel`` or ``SwitchChannel`` to those that it may wait for.
    """
    network = plan.spec.message_network
    if isinstance(network, MeshSpec):
        return mesh_graph(network, shared_sync_channel=shared_sync_channel)
    return irregular_graph(network)
