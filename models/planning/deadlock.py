"""Deadlock freedom, checked: the graph of channels that can wait for each other has no cycle.

A channel is one virtual channel of one link. There is an edge from a channel to every channel that
a message which holds the first may wait for. No cycle means no deadlock (Dally and Seitz, IEEE
Trans. Computers 36(5), 1987; paper BTM, section 3.2; paper BTIN, section 4.2). Which edges there
are: ``deadlock_mesh`` and ``deadlock_irregular``.

What arrives waits for nothing: a sink takes packets, and a barrier register
takes every message at once, or from its slot after a time that depends on nothing but the register
file. With ``absorbing=False`` it would wait in its input buffer for
what the register will send instead, and merging and replication become edges: from each child's
last channel to the first one to the parent, from the parent's last channel to the first ones to all
children, and across the root. Barrier wires are no channels: no two
groups share one.
"""

from __future__ import annotations

from typing import Any, TypeVar

import networkx as nx

from syncfabric.models.errors import DeadlockError, about
from syncfabric.models.networks.spec import EngineIrregularSpec, EngineMeshSpec, MeshSpec
from syncfabric.models.planning.deadlock_irregular import SwitchChannel, irregular_graph
from syncfabric.models.planning.deadlock_mesh import Channel, mesh_graph
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan, IrregularGroupPlan

__all__ = ["Channel", "SwitchChannel", "channel_graph", "check", "find_cycle"]

AnyChannel = TypeVar("AnyChannel", Channel, SwitchChannel)


def check(plan: BarrierPlan, *, shared_sync_channel: bool = False, absorbing: bool = True) -> None:
    """Refuse a plan whose channels can wait for each other in a cycle.

    Raises
    ------
    DeadlockError
        The cycle, channel by channel.
    SpecError
        A network file's routing tables lead some packet astray.
    """
    with about(plan.spec.source):
        graph = channel_graph(plan, shared_sync_channel=shared_sync_channel, absorbing=absorbing)
        cycle = find_cycle(graph)
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


def channel_graph(
    plan: BarrierPlan,
    *,
    shared_sync_channel: bool = False,
    absorbing: bool = True,
    any_group: bool = True,
) -> nx.DiGraph[Any]:
    """Build the channel-dependence graph of a planned network.

    Parameters
    ----------
    plan : BarrierPlan
        The network and its register images.
    shared_sync_channel : bool
        Both classes of a mesh's synchronization messages in one channel (which must not be built).
    absorbing : bool
        Whether registers take messages at once; if not, merging and replication become edges.
    any_group : bool
        On a mesh, whether messages between any two nodes count, or the plan's own only.

    Returns
    -------
    networkx.DiGraph
        An edge from each ``Channel`` or ``SwitchChannel`` to those that it may wait for.
    """
    network = plan.spec.message_network
    if isinstance(network, EngineMeshSpec):
        routed = any_group and network.transport == "routed"
        return mesh_graph(
            network,
            (),
            shared_sync_channel=shared_sync_channel,
            absorbing=absorbing,
            any_group=routed,
        )
    if isinstance(network, EngineIrregularSpec):
        return irregular_graph(network, (), absorbing=absorbing)
    if isinstance(network, MeshSpec):
        return mesh_graph(
            network,
            [group for group in plan.groups if isinstance(group, GroupPlan)],
            shared_sync_channel=shared_sync_channel,
            absorbing=absorbing,
            any_group=any_group,
        )
    groups = [group for group in plan.groups if isinstance(group, IrregularGroupPlan)]
    return irregular_graph(network, groups, absorbing=absorbing)
