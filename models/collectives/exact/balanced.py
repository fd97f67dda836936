"""Scatters along paths chosen first, so that no channel is on more of them than the bound says.

With wormhole switching each step is a packing that leaves enough behind. With r steps to go, a
channel that r messages still need must carry one in this step. A linear program in whole numbers
packs messages into the step so that all of these do, and of the others those which have the most to
go.

By store and forward messages queue for each channel, the farthest to go first. On a line that order
alone takes as few steps as there can be (F. Leighton, Introduction to Parallel Algorithms and
Architectures, 1992, section 1.7). Elsewhere a message goes first that has to pass more of those
channels that carry most, as these must never be idle.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from math import inf
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from syncfabric.models.collectives.chunks.routing import apart, into_of
from syncfabric.models.collectives.clock import seconds_left, tick
from syncfabric.models.collectives.flows import flows, whole_flows
from syncfabric.models.collectives.paths import Path
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.task import Task

_FLOWS = 60_000
"""Flows (senders times channels) up to which paths are chosen."""
_PACKED, _QUEUED = 5, 4
"""How often messages are packed, and queued, with each choice of paths."""
_GAP = 0.05
"""Between a step's packing and the best one, at most."""
_NODES = 30
"""Of the tree in which a packing is looked for."""
_SOME = 20
"""Messages that a packing may take beside those of the linear program in parts."""
_POWER = 3
"""Of a channel's share of what is left, as the worth of using it."""


def scatter_by_packing(task: Task, steps: int, seed: int) -> Iterator[tuple[Step, ...]]:
    """Yield schedules of a scatter with wormhole switching, shorter and shorter ones.

    Parameters
    ----------
    task : Task
        Not one that is to be turned round. Of others than scatters with wormhole switching, and of
        those that are too large, there is none.
    steps : int
        The lower bound, at which it ends.
    seed : int
    """

    def packed(paths: list[Path], attempt: int, best: float) -> tuple[Step, ...] | None:
        return _Packing(task, paths, steps, seed + attempt).run(best)

    if not task.collective.broadcast and not task.rules.stores:
        yield from _shorter(task, steps, _PACKED, packed)


def scatter_by_queues(task: Task, steps: int, seed: int) -> Iterator[tuple[Step, ...]]:
    """Yield schedules of a scatter by store and forward on a direct network, shorter and shorter.

    Parameters
    ----------
    task, steps, seed
        As of :func:`scatter_by_packing`, but for the switching.
    """

    def queued(paths: list[Path], attempt: int, _: float) -> tuple[Step, ...]:
        rank = (_by_load, _by_hops)[attempt % 2]
        return _queued(task, paths, rank(paths, Random(seed + attempt)))

    if not task.collective.broadcast and task.hop_by_hop:
        yield from _shorter(task, steps, _QUEUED, queued)


def _shorter(
    task: Task,
    steps: int,
    tries: int,
    make: Callable[[list[Path], int, float], tuple[Step, ...] | None],
) -> Iterator[tuple[Step, ...]]:
    """Yield what is shorter than all before, made of each choice of paths in so many tries."""
    best = inf
    for paths in _loaded_evenly(task, steps):
        for attempt in range(tries):
            found = make(paths, attempt, best)
            if found is not None and len(found) < best:
                yield found
                best = len(found)
            if best <= steps:
                return


def _loaded_evenly(task: Task, steps: int) -> Iterator[list[Path]]:
    """Yield choices of a path for each message with no channel on more than ``steps`` of them.

    None where there are too many messages and channels.
    """
    sources = {source for source, _ in task.collective.pairs}
    if len(sources) * len(task.topology.channels) <= _FLOWS:
        for choose in (_straight, balanced):
            tick()
            paths = choose(task, steps)
            if paths is not None:
                yield paths


def _straight(task: Task, most: int) -> list[Path] | None:
    """Return paths as ``balanced`` does, that go on to the node of the nearest number.

    On meshes and tori that is dimension by dimension.
    """
    topology, load = task.topology, Counter[int]()
    found = []
    for source, target in task.collective.pairs:
        path, to_go = [source], topology.to_go(target)
        while (here := path[-1]) != target:
            nearer = (v for v in topology.successors[here] if to_go[v] < to_go[here])
            path.append(min(nearer, key=lambda v: abs(v - here)))
        load.update(topology.along(path))
        found.append(tuple(path))
    return found if max(load.values()) <= most else None


def balanced(task: Task, most: int) -> list[Path] | None:
    """Return a shortest path for each message, so that no channel is on more than ``most``.

    None if no such paths are found, or there are none.
    """
    topology = task.topology
    wanted, paths = flows(replace(task, extra=0))
    capacity = [most] * len(topology.channels)
    found = whole_flows(topology, 1, capacity, wanted, paths, _FLOWS)
    if found is None:
        return None
    left, into = found.astype(float), into_of(topology)
    return [apart(into, left[s], s, t, 1)[0][0] for s, t in task.collective.pairs]


class _Packing:
    """What is left of the messages."""

    def __init__(self, task: Task, paths: list[Path], steps: int, seed: int) -> None:
        self.paths, self.steps = paths, steps
        self.rng = np.random.default_rng(seed)
        topology, ports = task.topology, task.rules.ports
        size = len(topology.channels)
        rows = [topology.along(path) for path in paths]
        self.capacity = np.ones(size)
        if ports != "all":
            # A node's ports are as channels that carry several.
            for row, path in zip(rows, paths, strict=True):
                row += [size + path[0], size + topology.nodes + path[-1]]
            most = np.full(2 * topology.nodes, float(ports))
            self.capacity = np.concatenate([self.capacity, most])
        column = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        flat = np.concatenate([np.array(row) for row in rows])
        shape = (len(self.capacity), len(rows))
        self.uses = coo_array((np.ones(len(flat)), (flat, column)), shape=shape).tocsc()

    def run(self, best: float) -> tuple[Step, ...] | None:
        """Pack all, with a step more wherever so many cannot be kept; None if it is not fewer."""
        left, made = np.arange(len(self.paths)), list[Step]()
        while len(left):
            uses = self.uses[:, left]
            now = self.pack(uses, uses.sum(axis=1), self.steps - len(made))
            if now is None:
                self.steps += 1
                if self.steps >= best:
                    return None
                continue
            made.append(
                tuple(Transfer((p[0], p[-1]), p) for p in map(self.paths.__getitem__, left[now]))
            )
            left = left[~now]
        return tuple(made)

    def pack(self, uses: Any, load: NDArray[np.float64], rest: int) -> NDArray[np.bool_] | None:
        """Choose the messages of a step, after which ``rest`` - 1 do for what is left, or None."""
        if rest < 1 or (load > rest * self.capacity).any():
            return None
        worth = uses.T @ (load / (rest * self.capacity)) ** _POWER
        worth = worth + 1e-6 * self.rng.random(len(worth))
        least = load - (rest - 1) * self.capacity
        # What is chosen in parts, and some more, mostly do.
        some = self.solve(uses, worth, least, whole=False)
        if some is None:
            return None
        some |= self.rng.random(len(some)) < _SOME / len(some)
        chosen = self.solve(uses[:, some], worth[some], least)
        if chosen is None:
            return self.solve(uses, worth, least)
        some[some] = chosen
        return some

    def solve(
        self,
        uses: Any,
        worth: NDArray[np.float64],
        least: NDArray[np.float64],
        *,
        whole: bool = True,
    ) -> NDArray[np.bool_] | None:
        """Choose the messages worth most, as a whole or in parts; None if none do."""
        result = milp(
            -worth,
            constraints=LinearConstraint(uses, least, self.capacity),
            integrality=np.full(len(worth), int(whole)),
            bounds=Bounds(0, 1),
            options={"time_limit": seconds_left(), "mip_rel_gap": _GAP, "node_limit": _NODES},
        )
        tick()
        return None if result.x is None else result.x > (0.5 if whole else 1e-6)


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
