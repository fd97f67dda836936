"""Registers of node ports, and their processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from syncfabric.models.verify.entry import BROKEN, GO, LAST, PLAIN, Message
from syncfabric.models.verify.explorer import Violation
from syncfabric.models.verify.scenario import ATTEMPTS

if TYPE_CHECKING:
    from syncfabric.models.verify.setup import SetUp

__all__ = ["IDLE", "Node", "arrive", "may_arrive", "take"]


class Node(NamedTuple):
    """Register of a node port, and the barrier of its process's last arrival."""

    ready: int = 0
    arrived: int = 0
    epoch: int = 0
    instance: int = -1
    episode: int = 0


IDLE = Node()


def may_arrive(world: SetUp, node: Node) -> bool:
    """Return whether a process may arrive."""
    if node.ready:
        return not node.arrived and node.episode < world.scenario.group(node.instance).barriers
    # A hasty process arrives for the first group of its entry before it is ready.
    return not world.scenario.rules.ready and node == IDLE


def arrive(world: SetUp, i: int, x: int) -> Message | None:
    """Let a process arrive; return its message, None if the register is not ready."""
    k = i * world.scenario.entries + x
    node = world.nodes[k]
    if not node.ready:
        world.nodes[k] = node._replace(arrived=1)
        return None
    group, episode = world.scenario.group(node.instance), node.episode + 1
    world.nodes[k] = node._replace(arrived=1, episode=episode)
    kind = LAST if group.says_last(i, episode) else PLAIN
    return Message(node.epoch, kind, group.arrival(i, episode), node.instance)


def take(world: SetUp, i: int, x: int, message: Message) -> None:
    """Take a message of the router, and check that the process may be released by it."""
    k, group = i * world.scenario.entries + x, world.scenario.group(message.instance)
    bit = 1 << message.instance // ATTEMPTS
    node, ended = world.nodes[k], Node(0, 0, message.epoch, message.instance, 0)
    if message.kind == GO:
        if world.joined[i] & bit:
            raise Violation("a group is started a second time")
        world.joined[i] |= bit
        if node.ready:
            raise Violation("a process sees GO twice")
        world.nodes[k] = Node(1, node.arrived, message.epoch, message.instance, 0)
        return
    if message.kind == BROKEN:
        if node.instance == message.instance and not node.ready:
            raise Violation("a process is released after its group has ended")
        world.nodes[k] = ended
        return
    if not node.arrived or node.instance != message.instance:
        raise Violation("a process is released that has not arrived")
    if message.data != group.arrivals(node.episode):
        raise Violation("a process is released early, or with wrong data")
    if (message.kind == LAST) != (node.episode == group.barriers):
        raise Violation("a group ends though a member did not say LAST")
    if message.kind == LAST:
        world.finished[i] |= bit
        world.nodes[k] = ended
    else:
        world.nodes[k] = node._replace(arrived=0)
