"""Broadcasts of all, channel by channel, in the fewest steps that trees or a matching give."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

from syncfabric.models.collectives.chunks.order import Route, along
from syncfabric.models.collectives.chunks.schedule import Send
from syncfabric.models.collectives.chunks.trees import best_trees
from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.task import Task
from syncfabric.models.collectives.topology import linked

MOST_TRIED = 100
"""Nodes up to which a matching is tried more than once."""
TRIES = 30


def broadcast_by_matching(task: Task, steps: int, seed: int) -> tuple[Step, ...] | None:
    """Return AAB by store and forward with all ports on a direct network; None of other tasks.

    None, too, if all that is found takes longer ways than the task allows.

    In each step every node receives by as many channels as it can, first what few nodes have. If
    that never takes as few as ``steps``, a schedule in chunks of one part, whose sends all take a
    step, along trees that load each channel as little as can be. Of several the one of fewest.
    """
    nodes, found = range(task.topology.nodes), task.collective
    everyone = len(found.senders) == len(found.receivers) == len(nodes)
    if not (found.broadcast and everyone and task.hop_by_hop and task.rules.ports == "all"):
        return None
    best: tuple[Step, ...] | None = None
    for made in _all(task, seed):
        if made is not None and (best is None or len(made) < len(best)):
            best = made
        if best is not None and len(best) <= steps:
            break
    return best


def _all(task: Task, seed: int) -> Iterator[tuple[Step, ...] | None]:
    rng, nodes = Random(seed), range(task.topology.nodes)
    for _ in range(TRIES if len(nodes) <= MOST_TRIED else 1):
        yield _rarest(task, rng)
    plain = replace(task.topology, links=())
    topology, nothing = linked(plain, Fraction(1), Fraction(1)), Fraction(0)
    if trees := best_trees(topology, nodes):
        first = {tree.owner: tree for tree in reversed(trees)}
        routes = [Route(node, first[node].edges) for node in nodes]
        sends = along(topology, routes, nothing, parts=1, both=False)
        if _detour(task, sends) <= task.extra:
            yield _steps(nodes, sends)


def _rarest(task: Task, rng: Random) -> tuple[Step, ...] | None:
    """Let every node receive what few nodes have; None where no one can go on.

    Nodes that have least choose first. Channels are matched with messages along augmenting paths.
    """
    topology, nodes = task.topology, range(task.topology.nodes)
    far: list[list[int]] = topology.distances.tolist()
    hops = [{node: 0} for node in nodes]
    copies = [1] * len(nodes)
    made: list[Step] = []
    while any(len(has) < len(nodes) for has in hops):
        now: list[Transfer] = []
        for node in sorted(nodes, key=lambda v: (len(hops[v]), rng.random())):
            tick()
            near: dict[int, list[int]] = {}
            for other in topology.sources[node]:
                for item, taken in hops[other].items():
                    if item not in hops[node] and taken < far[item][node] + task.extra:
                        near.setdefault(item, []).append(other)
            order = sorted(near, key=lambda item: (copies[item], rng.random()))
            for other, item in matched(order, near, len(topology.sources[node])).items():
                now.append(Transfer((item, node), (other, node)))
                copies[item] += 1
        if not now:
            return None
        # No one receives in this step what comes in it.
        come = [(node, item, hops[path[0]][item] + 1) for (item, node), path in now]
        for node, item, hop in come:
            hops[node][item] = hop
        made.append(tuple(now))
    return tuple(made)


def matched(order: Sequence[int], near: Mapping[int, Sequence[int]], most: int) -> dict[int, int]:
    """Give up to ``most`` senders an item each, those that come first if they can.

    Parameters
    ----------
    order : sequence of int
        Items.
    near : mapping
        The senders that each item can have.
    most : int

    Returns
    -------
    dict
        From sender to item.
    """
    owner: dict[int, int] = {}

    def place(item: int, seen: set[int]) -> bool:
        for other in near[item]:
            if other not in seen:
                seen.add(other)
                if other not in owner or place(owner[other], seen):
                    owner[other] = item
                    return True
        return False

    for item in order:
        if len(owner) == most:
            break
        place(item, set())
    return owner


def _detour(task: Task, sends: Iterable[Send]) -> int:
    """Return the hops that a way is longer than a shortest one at most."""
    hops = {(node, node): 0 for node in range(task.topology.nodes)}
    for item, (here, there), _ in sends:
        hops[item, there] = hops[item, here] + 1
    far: list[list[int]] = task.topology.distances.tolist()
    return max(taken - far[a][b] for (a, b), taken in hops.items())


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
