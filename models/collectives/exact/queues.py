"""Scatters by store and forward: messages queue for each channel, the farthest to go first.

Paths are chosen first, so that no channel is on more of them than the bound says. On a line that
order alone takes as few steps as there can be (F. Leighton, Introduction to Parallel Algorithms and
Architectures, 1992, section 1.7). Elsewhere a message goes first that has to pass more of those
channels that carry most, as these must never be idle.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import inf
from random import Random

from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.exact.packing import loaded_evenly
from syncfabric.models.collectives.paths import Path
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.task import Task

_TRIES = 4
"""With each choice of paths."""


def scatter_by_queues(task: Task, steps: int, seed: int) -> Iterator[tuple[Step, ...]]:
    """Yield schedules of a scatter by store and forward on a direct network, shorter and shorter.

    Parameters
    ----------
    task : Task
        Not one that is to be turned round. Of others, and of those that are too large, none.
    steps : int
        The lower bound, at which it ends.
    seed : int
    """
    if task.collective.broadcast or not task.hop_by_hop:
        return
    best = inf
    for paths in loaded_evenly(task, steps):
        for attempt in range(_TRIES):
            rank = (_by_load, _by_hops)[attempt % 2]
            found = _queued(task, paths, rank(paths, Random(seed + attempt)))
            if len(found) < best:
                yield found
                best = len(found)
            if best <= steps:
                return


Rank = Callable[[int, int], tuple[float, float]]
"""Of a message and the hops that it has made; who has the greatest goes first."""


def _by_hops(paths: list[Path], rng: Random) -> Rank:
    """Rank by the hops that are to come."""
    draw = [rng.random() for _ in paths]
    return lambda message, hop: (len(paths[message]) - hop, draw[message])


def _by_load(paths: list[Path], rng: Random) -> Rank:
    """Rank by what the channels behind the next one have to carry in all."""
    load: dict[tuple[int, int], int] = defaultdict(int)
    for path in paths:
        for channel in pairwise(path):
            load[channel] += 1
    most = max(load.values())
    worth = [[(load[c] / most) ** 4 for c in pairwise(path)] for path in paths]
    draw = [rng.random() for _ in paths]
    return lambda message, hop: (sum(worth[message][hop + 1 :]), draw[message])


def _queued(task: Task, paths: list[Path], rank: Rank) -> tuple[Step, ...]:
    """Send each message along its path, a channel at a time what ranks first there."""
    ports = inf if task.rules.ports == "all" else task.rules.ports
    queues: dict[tuple[int, int], list[tuple[float, float, int, int]]] = defaultdict(list)

    def wait(message: int, hop: int) -> None:
        path = paths[message]
        if hop < len(path) - 1:
            queues[path[hop], path[hop + 1]].append((*rank(message, hop), message, hop))

    for message in range(len(paths)):
        wait(message, 0)
    made: list[Step] = []
    while waiting := [channel for channel, queue in queues.items() if queue]:
        tick()
        sent: dict[int, int] = defaultdict(int)
        come: dict[int, int] = defaultdict(int)
        moved: list[tuple[int, int]] = []
        if ports < inf:
            waiting.sort(key=lambda channel: max(queues[channel]), reverse=True)
        for tail, head in waiting:
            if sent[tail] < ports and come[head] < ports:
                sent[tail] += 1
                come[head] += 1
                first = max(queues[tail, head])
                queues[tail, head].remove(first)
                moved.append(first[2:])
        made.append(
            tuple(
                Transfer((paths[m][0], paths[m][-1]), paths[m][hop : hop + 2]) for m, hop in moved
            )
        )
        for message, hop in moved:
            wait(message, hop + 1)
    return tuple(made)
