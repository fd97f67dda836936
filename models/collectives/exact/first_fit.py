"""A schedule at once, with more steps than need be: each message where it fits first.

It is what a search may fall back on.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import islice, pairwise
from random import Random

from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.paths import Path, paths
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.task import Task
from syncfabric.models.collectives.topology import Channel

_PATHS = 8
"""Paths of a pair that are tried."""


def first_fit(
    task: Task, _: int = 0, seed: int = 1, *, eager: bool = False
) -> tuple[Step, ...] | None:
    """Return a schedule of as many steps as come out, or None where a message found no path.

    Parameters
    ----------
    task : Task
        Not one that is to be turned round.
    seed : int
        Of the order of messages that go as far as each other.
    eager : bool
        Sooner done, in more steps: broadcasts go from neighbour to neighbour, and of the paths of
        a scatter's message only one is tried.
    """
    return _Fit(task, seed, eager).run()


class _Fit:
    """What is taken so far: of each channel and port the steps, as bits of a whole number."""

    def __init__(self, task: Task, seed: int, eager: bool) -> None:
        self.task, self.rng = task, Random(seed)
        many = len(task.collective.senders) > 1
        self.paths = 1 if eager else _PATHS
        # Broadcasts of many are as short from neighbour to neighbour.
        self.near = task.rules.stores or (task.collective.broadcast and (many or eager))
        self.direct = self.near and task.topology.switches == 0
        self.known: dict[tuple[int, int], list[Path]] = {}
        ports = task.rules.ports
        self.most = len(task.topology.channels) if ports == "all" else ports
        self.channels: dict[Channel, int] = defaultdict(int)
        self.ports: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0] * self.most)
        self.limited = ports != "all"
        self.steps: dict[int, list[Transfer]] = defaultdict(list)

    def run(self) -> tuple[Step, ...] | None:
        """Return the steps."""
        done = self.flood() if self.task.collective.broadcast else self.scatter()
        if not done:
            return None
        return tuple(tuple(self.steps[step]) for step in range(max(self.steps, default=-1) + 1))

    def free(self, path: Path, first: int) -> int:
        """Return the first step from a given one in which nothing of a path is taken."""
        taken = (1 << first) - 1
        for channel in pairwise(path):
            taken |= self.channels[channel]
        if self.limited:
            for port in (("out", path[0]), ("in", path[-1])):
                taken |= self.ports[port][-1]
        return (~taken & (taken + 1)).bit_length() - 1

    def take(self, path: Path, step: int, message: tuple[int, int]) -> None:
        """Put a transfer into a step."""
        self.steps[step].append(Transfer(message, path))
        bit = 1 << step
        for channel in pairwise(path):
            self.channels[channel] |= bit
        if self.limited:
            for port in (("out", path[0]), ("in", path[-1])):
                # Bit t of number i: more than i of the ports are taken in step t.
                used = self.ports[port]
                place = next(i for i, steps in enumerate(used) if not steps & bit)
                used[place] |= bit

    def scatter(self) -> bool:
        """Send every message, the farthest first; False if one finds no path."""
        pairs = list(self.task.collective.pairs)
        self.rng.shuffle(pairs)
        pairs.sort(key=lambda pair: -self.task.topology.to_go(pair[1])[pair[0]])
        for source, target in pairs:
            tick()
            route = self.route(source, target)
            if route is None:
                return False
            first = 0
            for path in route:
                step = self.free(path, first)
                self.take(path, step, (source, target))
                first = step + 1
        return True

    def route(self, source: int, target: int) -> Iterable[Path] | None:
        """Return the transfers of a message: one with wormhole switching, else from node on."""
        if self.task.hop_by_hop:
            return pairwise(self.shortest(source, target))
        # A stored message may have to stop on its path: that is left to others.
        some = self.between(source, target)
        return [min(some, key=lambda path: self.free(path, 0))] if some else None

    def between(self, source: int, target: int) -> list[Path]:
        """Return some paths of one transfer."""
        topology = self.task.topology
        if self.direct:
            return [(source, target)]
        if (source, target) not in self.known:
            some = [*dict.fromkeys(self.shortest(source, target) for _ in range(self.paths))]
            if self.near and not (some := self.past(some)):
                all_of_them = paths(topology, source, target, self.task.extra)
                some = self.past(islice(all_of_them, self.paths))
            self.known[source, target] = some
        return self.known[source, target]

    def past(self, some: Iterable[Path]) -> list[Path]:
        """Return the paths that pass switches only."""
        nodes = self.task.topology.nodes
        return [path for path in some if min(path[1:-1], default=nodes) >= nodes]

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
        far = {o: task.topology.distances[o].tolist() for o in task.collective.senders}
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
                path = self.heard(origin, node, informed[origin], far[origin], step)
                if path is not None:
                    self.take(path, step, (origin, node))
                    fresh.append((origin, node, path[0]))
            if not fresh:
                return False
            for origin, node, sender in fresh:
                informed[origin][node] = informed[origin][sender] + 1
                left[origin].discard(node)
            step += 1
        return True

    def heard(
        self, origin: int, node: int, informed: dict[int, int], far: list[int], step: int
    ) -> Path | None:
        """Return a path that is free in a step, from a node that has the message.

        ``informed`` has the nodes that have it, and after how many transfers; ``far`` the hops from
        the origin.
        """
        task = self.task
        near = set(informed)
        if self.direct:
            near &= set(task.topology.sources[node])
        for sender in sorted(near, key=lambda v: task.topology.to_go(node)[v]):
            if task.hop_by_hop and informed[sender] >= far[node] + task.extra:
                continue
            for path in self.between(sender, node):
                tick()
                if self.free(path, step) == step:
                    return path
        return None
