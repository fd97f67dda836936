"""How fast a broadcast can spread at best."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from syncfabric.models.collectives.task import Task

__all__ = ["copies", "growth", "needed"]


def needed(task: Task, origin: int) -> int:
    """Return the nodes that are to be informed of what an origin sends, itself included."""
    return len({origin, *task.collective.receivers})


def growth(task: Task, origin: int, hops: Sequence[int]) -> tuple[int, ...]:
    """Return how many nodes can be informed at most after 0, 1, … steps.

    The nodes that can send the most are taken to be informed first, wherever they are. With
    store and forward on direct networks nobody is informed who is further off than the steps.

    Parameters
    ----------
    task : Task
        A broadcast.
    origin : int
        One of its senders.
    hops : sequence of int
        The distance to each node.
    """
    nodes = range(task.topology.nodes)
    own = copies(task, origin)
    others = sorted((copies(task, v) for v in nodes if v != origin), reverse=True)
    sent = [0, *accumulate(others)]
    far = sorted(hops)
    informed = [1]
    while informed[-1] < needed(task, origin):
        now = informed[-1]
        after = min(len(nodes), now + own + sent[now - 1])
        if task.hop_by_hop:
            after = min(after, bisect_right(far, len(informed)))
        informed.append(after)
    return tuple(informed)


def copies(task: Task, node: int) -> int:
    """Return how many copies of one message a node can send in a step."""
    topology, rules = task.topology, task.rules
    out = len(topology.successors[node])
    if not rules.single_use:
        return rules.at_most(out)
    if topology.routers[node]:
        return topology.nodes if task.shares and rules.stores else out
    if rules.stores:
        return topology.nodes
    # Its router copies; none goes back to it.
    return len(topology.successors[topology.successors[node][0]]) - 1
