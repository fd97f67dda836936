"""A schedule at once, with more steps than need be: each message where it fits first.

It is what a search may fall back on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from random import Random

from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.paths import Path
from syncfabric.models.collectives.schedule import Step, Task, Transfer
from syncfabric.models.collectives.ways import Quotient, Way, Ways

__all__ = ["first_fit"]

_PATHS = 8
"""Paths of a pair that are tried."""


def first_fit(task: Task, seed: int = 1, *, hasty: bool = False) -> tuple[Step, ...] | None:
    """Return a schedule, or None where a message found no way.

    Parameters
    ----------
    task : Task
        Not one that is to be turned round.
    seed : int
        Of the order of messages that go as far as each other.
    hasty : bool
        Sooner done, in more steps: broadcasts go from neighbour to neighbour, and of the paths of
        a scatter's message only one is tried.
    """
    return _Fit(task, seed, hasty).run()


class _Fit:
    """What is taken so far: of each channel and port the steps, as bits of a whole number."""

    def __init__(self, task: Task, seed: int, hasty: bool) -> None:
        self.task, self.rng = task, Random(seed)
        many = len(task.collective.senders) > 1
        self.paths = 1 if hasty else _PATHS
        near = task.collective.broadcast and (many or hasty)
        self.ways = Ways(Quotient(task), self.paths, near=near)
        ports = task.rules.ports
        self.most = len(task.topology.channels) if ports == "all" else ports
        self.channels: dict[int, int] = defaultdict(int)
        self.ports: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0] * self.most)
        self.limited = ports != "all"
        self.steps: dict[int, list[Transfer]] = defaultdict(list)

    def run(self) -> tuple[Step, ...] | None:
        """Return the steps."""
        done = self.flood() if self.task.collective.broadcast else self.scatter()
        if not done:
            return None
        return tuple(tuple(self.steps[step]) for step in range(max(self.steps, default=-1) + 1))

    def free(self, way: Way, first: int) -> int:
        """Return the first step from a given one in which nothing of a way is taken."""
        taken = (1 << first) - 1
        for channel in way.classes:
            taken |= self.channels[channel]
        if self.limited:
            for port in (("out", way.source), ("in", way.target)):
                full = self.ports[port]
                taken |= full[-1]
        return (~taken & (taken + 1)).bit_length() - 1

    def take(self, way: Way, step: int, message: tuple[int, int]) -> None:
        """Put a transfer into a step."""
        self.steps[step].append(Transfer(message, way.path))
        bit = 1 << step
        for channel in way.classes:
            self.channels[channel] |= bit
        if self.limited:
            for port in (("out", way.source), ("in", way.target)):
                # Bit t of number i: more than i of the ports are taken in step t.
                used = self.ports[port]
                place = next(i for i, steps in enumerate(used) if not steps & bit)
                used[place] |= bit

    def scatter(self) -> bool:
        """Send every message, the farthest first; False if one finds no way."""
        pairs = list(self.task.collective.pairs)
        far = {
            source: self.task.topology.hops(source) for source in {source for source, _ in pairs}
        }
        self.rng.shuffle(pairs)
        pairs.sort(key=lambda pair: -far[pair[0]][pair[1]])
        for source, target in pairs:
            tick()
            route = self.route(source, target)
            if route is None:
                return False
            first = 0
            for way in route:
                step = self.free(way, first)
                self.take(way, step, (source, target))
                first = step + 1
        return True

    def route(self, source: int, target: int) -> Iterable[Way] | None:
        """Return the transfers of a message: one with wormhole switching, else from node on."""
        if self.task.hop_by_hop:
            path = self.shortest(source, target)
            return [self.ways.between(a, b)[0] for a, b in pairwise(path)]
        if self.task.rules.stores:
            # A message may have to stop on its way: that is left to others.
            ways = self.ways.between(source, target)
        else:
            some = {self.shortest(source, target): None for _ in range(self.paths)}
            ways = [Way(path, tuple(self.task.topology.along(path))) for path in some]
        return [min(ways, key=lambda way: self.free(way, 0))] if ways else None

    def shortest(self, source: int, target: int) -> Path:
        """Return one of the shortest paths."""
        path, near = [source], self.task.topology.successors
        to_go = self.task.topology.to_go(target)
        while (here := path[-1]) != target:
            path.append(self.rng.choice([v for v in near[here] if to_go[v] < to_go[here]]))
        return tuple(path)

    def flood(self) -> bool:
        """Pass every message on step by step; False if one goes no further."""
        task, nodes = self.task, range(self.task.topology.nodes)
        far = {origin: task.topology.hops(origin) for origin in task.collective.senders}
        informed = {origin: {origin: 0} for origin in task.collective.senders}
        left = {o: set(task.collective.receivers) - {o} for o in informed}
        step = 0
        while any(left.values()):
            wanted = [(o, v) for o in left for v in nodes if left[o] and v not in informed[o]]
            self.rng.shuffle(wanted)
            # Receivers first, and of these who is nearest.
            wanted.sort(key=lambda pair: (pair[1] not in left[pair[0]], far[pair[0]][pair[1]]))
            fresh = []
            for origin, node in wanted:
                way = self.heard(origin, node, informed[origin], far[origin], step)
                if way is not None:
                    self.take(way, step, (origin, node))
                    fresh.append((origin, node, way.source))
            if not fresh:
                return False
            for origin, node, sender in fresh:
                informed[origin][node] = informed[origin][sender] + 1
                left[origin].discard(node)
            step += 1
        return True

    def heard(
        self, origin: int, node: int, informed: dict[int, int], far: dict[int, int], step: int
    ) -> Way | None:
        """Return a way that is free in a step, from a node that has the message.

        ``informed`` has the nodes that have it, and after how many transfers; ``far`` the hops from
        the origin.
        """
        task = self.task
        near = set(informed)
        if self.ways.near and task.topology.switches == 0:
            near &= set(task.topology.sources[node])
        for sender in sorted(near, key=lambda v: task.topology.to_go(node)[v]):
            if task.hop_by_hop and informed[sender] >= far[node] + task.extra:
                continue
            for way in self.ways.between(sender, node):
                if self.free(way, step) == step:
                    return way
        return None
