"""All-to-all broadcast by one tree that all nodes use, moved by a symmetry.

Each node of the tree has a step and a channel on which it hears. If in no step two of these
channels are of one orbit, the images of the tree never meet: the tree is time-arc-disjoint (paper
EVO, section 2). Nodes are taken up step by step, the nearest first, as many as there are orbits of
channels; a matching says who hears on which.
"""

from __future__ import annotations

from random import Random

from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.exact.quotient import Quotient
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.task import Task

__all__ = ["broadcast_by_trees"]

_TRIES = 20


def broadcast_by_trees(quotient: Quotient, steps: int, seed: int) -> tuple[Step, ...] | None:
    """Return AAB in so many steps, or None if no such tree was found.

    Parameters
    ----------
    quotient : Quotient
        Of AAB on a network without switches, under a symmetry with one orbit of nodes.
    steps : int
    seed : int
        Of the order in which nodes alike are taken up.
    """
    task = quotient.task
    nodes = task.topology.nodes
    if (
        not task.collective.broadcast
        or task.topology.switches
        or len(set(quotient.node_class)) != 1
        or not nodes == len(task.collective.senders) == len(task.collective.receivers)
    ):
        return None
    rng = Random(seed)
    for _ in range(_TRIES):
        tick()
        tree = _tree(task, quotient.channel_class, steps, rng)
        if tree is not None:
            return quotient.whole(tree)
    return None


def _tree(task: Task, orbit: list[int], steps: int, rng: Random) -> list[list[Transfer]] | None:
    topology, far = task.topology, task.hops(0)
    left = sorted(range(1, topology.nodes), key=lambda v: (far[v], rng.random()))
    doors = {
        v: [(u, orbit[topology.number[u, v]]) for u in topology.sources[v] if far[u] < far[v]]
        for v in left
    }
    most = task.rules.at_most(len(topology.successors[0]))
    informed, tree = {0}, []
    for _ in range(steps):
        ready = [
            (v, doors_of)
            for v in left
            if (doors_of := [door for door in doors[v] if door[0] in informed])
        ]
        heard = _match(ready, most)
        tree.append([Transfer((0, v), (u, v)) for v, u in heard.items()])
        informed |= heard.keys()
        left = [v for v in left if v not in heard]
    return None if left else tree


def _match(ready: list[tuple[int, list[tuple[int, int]]]], most: int) -> dict[int, int]:
    """Give nodes a sender each, on orbits of their own, those that come first if they can.

    Returns
    -------
    dict
        From node to sender.
    """
    owner: dict[int, int] = {}
    sender: dict[int, int] = {}
    doors = dict(ready)

    def place(node: int, seen: set[int]) -> bool:
        for near, orbit in doors[node]:
            if orbit not in seen:
                seen.add(orbit)
                if orbit not in owner or place(owner[orbit], seen):
                    owner[orbit], sender[node] = node, near
                    return True
        return False

    for node, _ in ready:
        if len(sender) == most:
            break
        place(node, set())
    return sender
