"""Broadcasts of all, channel by channel, in the fewest steps that trees or a matching give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from syncfabric.models.collectives.chunks.links import linked
from syncfabric.models.collectives.chunks.order import Route, along, greedy
from syncfabric.models.collectives.chunks.schedule import Send
from syncfabric.models.collectives.chunks.trees import best_trees
from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.task import Task

__all__ = ["broadcast_by_matching"]

MOST_TRIED = 100
"""Nodes up to which the greedy matching is tried more than once."""
TRIES = 8


def broadcast_by_matching(task: Task, _: int, seed: int) -> tuple[Step, ...] | None:
    """Return AAB by store and forward with all ports on a direct network; None of other tasks.

    None, too, if all that is found takes longer ways than the task allows.

    It is a schedule in chunks of one part, whose sends all take a step: along trees that load each
    channel as little as can be, or by a greedy matching; of several the one of fewest steps.
    """
    nodes, found = range(task.topology.nodes), task.collective
    everyone = len(found.senders) == len(found.receivers) == len(nodes)
    if not (found.broadcast and everyone and task.hop_by_hop and task.rules.ports == "all"):
        return None
    short = (sends for sends in _orders(task, seed) if _detour(task, sends) <= task.extra)
    return min((_steps(nodes, sends) for sends in short), key=len, default=None)


def _detour(task: Task, sends: Iterable[Send]) -> int:
    """Return the hops that a way is longer than a shortest one at most."""
    hops = {(node, node): 0 for node in range(task.topology.nodes)}
    for item, (here, there), _ in sends:
        hops[item, there] = hops[item, here] + 1
    far: list[list[int]] = task.topology.distances.tolist()
    return max(taken - far[a][b] for (a, b), taken in hops.items())


def _orders(task: Task, seed: int) -> Iterator[list[Send]]:
    plain = replace(task.topology, links=())
    topology, nothing = linked(plain, Fraction(1), Fraction(1)), Fraction(0)
    nodes = range(topology.nodes)
    if trees := best_trees(topology, nodes, tick):
        first = {tree.owner: tree for tree in reversed(trees)}
        routes = [Route(node, first[node].edges) for node in nodes]
        yield along(topology, routes, nothing, parts=1, both=False, tick=tick)
    for nth in range(TRIES if len(nodes) <= MOST_TRIED else 1):
        yield greedy(topology, nodes, 1, nothing, seed + nth, tick)


def _steps(nodes: range, sends: Iterable[Send]) -> tuple[Step, ...]:
    """Return sends as steps: each after its item has come, and after those before it there."""
    comes = {(node, node): 0 for node in nodes}
    free: dict[tuple[int, ...], int] = {}
    steps: list[list[Transfer]] = []
    for item, path, _ in sends:
        step = max(comes[item, path[0]], free.get(path, 0))
        comes[item, path[-1]] = free[path] = step + 1
        steps += [[] for _ in range(step + 1 - len(steps))]
        steps[step].append(Transfer((item, path[-1]), path))
    return tuple(map(tuple, steps))
