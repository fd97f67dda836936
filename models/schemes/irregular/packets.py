"""Barriers whose members each send the root node a message: multicast and unicast.

Source: paper BTIN, sections 4.3 and 5. The root node is BTIN's, and a multicast goes out along
BTIN's tree: the paper names neither. Set-up after Table 2: the root works everything out; with
multicast it tells a node of every other member switch what to set up there.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.schemes.irregular.group import Group, Ways
from syncfabric.models.schemes.scheme import ALONE, Cost
from syncfabric.models.timing.btin import PacketTiming, multicast_ns, unicast_ns

__all__ = ["multicast", "multicast_cost", "unicast", "unicast_cost"]


def multicast_cost(network: IrregularSpec, members: Sequence[Place], times: PacketTiming) -> Cost:
    """Return what barriers cost that are released by a multicast; see ``multicast``."""
    return multicast(Group(Ways.of(network), members), times)


def unicast_cost(network: IrregularSpec, members: Sequence[Place], times: PacketTiming) -> Cost:
    """Return what barriers cost that are released member by member; see ``unicast``."""
    return unicast(Group(Ways.of(network), members), times)


def multicast(group: Group, times: PacketTiming) -> Cost:
    """Return the cost of messages to the root, and one out that the switches replicate.

    Nodes touched are the member switches. The height is that of the tree by which the multicast
    goes out.
    """
    if len(group) == 1:
        return ALONE
    count, height = len(group.switches), group.tree.height
    return Cost(
        setup_messages=count - 1,
        setup_nodes=count,
        height=height,
        latency_ns=multicast_ns(height, len(group), group.ways.links_a_switch, times),
        traversals=group.inward + len(group.tree) - 1,
    )


def unicast(group: Group, times: PacketTiming) -> Cost:
    """Return the cost of messages to the root, and one from it to each other member.

    The root alone is touched. The height is the n - 1 messages that come in, or go out, in turn.
    """
    if len(group) == 1:
        return ALONE
    links = group.ways.links_a_switch
    return Cost(
        setup_messages=0,
        setup_nodes=1,
        height=len(group) - 1,
        latency_ns=unicast_ns(group.tree.height, len(group), links, times),
        traversals=group.inward + group.outward,
    )
