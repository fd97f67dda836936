"""The methods of schedules in chunks: each returns the sends of a schedule, or None: no fit.

A reduction is a broadcast in reverse, on the topology whose channels are reversed; what is combined
and spread is both, one after the other.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import ceil
from random import Random

from syncfabric.models.collectives.chunks.order import Route, along, legs_of, shared_out
from syncfabric.models.collectives.chunks.order import greedy as matched
from syncfabric.models.collectives.chunks.routing import routes_of
from syncfabric.models.collectives.chunks.routing import shortest as by_shortest
from syncfabric.models.collectives.chunks.schedule import ChunkTask, Exchange, Send, turned
from syncfabric.models.collectives.chunks.slots import in_slots
from syncfabric.models.collectives.chunks.spanning import packed
from syncfabric.models.collectives.chunks.trees import Tree, best_trees
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.exact.first_fit import first_fit
from syncfabric.models.collectives.task import Task
from syncfabric.models.collectives.topology import Topology

Made = list[Send] | None
Leg = Callable[[Topology, bool], Made]
"""Takes the topology to spread on, and whether that is in reversed time: to combine."""


def _legs(task: ChunkTask, leg: Leg) -> Made:
    """Return a schedule by its legs: of allreduce two, of others one."""
    topology, exchange = task.topology, task.exchange
    if not exchange.combines:
        return leg(topology, False)
    back = leg(topology.reversed(), True)
    if back is None or not exchange.spreads:
        return None if back is None else turned(back)
    links = dict(zip(topology.channels, topology.links, strict=True))
    alike = all(links.get((b, a)) == link for (a, b), link in links.items())
    forth = back if alike else leg(topology, False)
    return None if forth is None else [*turned(back), *forth]


def shortest(task: ChunkTask) -> Made:
    """Return sends along shortest paths; it fits always, and is quick."""
    exchange = task.exchange
    return _legs(
        task,
        lambda on, combine: by_shortest(
            on, exchange.ends(combine=combine), exchange.parts, exchange.piece
        ),
    )


def greedy(task: ChunkTask) -> Made:
    """Return sends that are matched as channels become free."""
    exchange, seed = task.exchange, task.seed + task.restart
    return _legs(
        task,
        lambda on, combine: matched(
            on, exchange.ends(combine=combine), exchange.parts, exchange.piece, seed
        ),
    )


def exact(task: ChunkTask) -> Made:
    """Return sends in the fewest equal slots."""
    exchange, link = task.exchange, task.topology.links[0]
    legs = 1 + (exchange.combines and exchange.spreads)
    slot = (link.alpha + link.beta * exchange.piece) * legs
    most = None if task.below is None else ceil(task.below / slot) - 1
    return _legs(task, lambda on, combine: in_slots(on, exchange, combine, most, task.seed))


def trees(task: ChunkTask) -> Made:
    """Return sends along trees that load each channel as little as can be."""
    return _legs(task, lambda on, _: _grown(task, on, _best_trees))


def ring(task: ChunkTask) -> Made:
    """Return sends round the ranks by number."""
    return _legs(task, lambda on, _: _grown(task, on, _ring))


def spanning(task: ChunkTask) -> Made:
    """Return the sends of allreduce up and down spanning trees."""
    exchange = task.exchange
    found = packed(task.topology).trees if exchange.combines and exchange.spreads else ()
    if not found:
        return None
    routes = [Route(edges[0][0], edges) for edges, _ in found]
    taken = [routes[n] for n in shared_out([rate for _, rate in found], exchange.items)]
    return along(task.topology, taken, exchange.piece, parts=exchange.items, both=True)


def paths(task: ChunkTask) -> Made:
    """Return the sends of a personal exchange along the paths of a flow."""
    exchange, topology = task.exchange, task.topology
    if not exchange.personal:
        return None
    routes = _routes_of(topology, exchange, task.seed, task.restart > 0)
    lots = Random(task.seed + task.restart) if task.restart > 1 else None
    if routes is None:
        return None
    return along(topology, routes, exchange.piece, parts=exchange.parts, both=False, rng=lots)


def steps(task: ChunkTask) -> Made:
    """Return an alltoall past switches step by step, each message where it fits first."""
    topology, exchange = task.topology, task.exchange
    if exchange.kind != "alltoall" or not topology.switches:
        return None
    wanted = Task(topology, collective(exchange.kind, topology))
    sends = [
        (source * exchange.ranks + target, path)
        for step in first_fit(wanted, seed=task.seed + task.restart) or ()
        for (source, target), path in step
    ]
    if any(min(path[1:-1], default=0) < topology.nodes for _, path in sends):
        return None
    items = ((share * exchange.parts, path) for share, path in sends)
    parts = range(exchange.parts)
    return [Send(first + part, path, False) for first, path in items for part in parts]


@lru_cache(8)
def _routes_of(
    topology: Topology, exchange: Exchange, seed: int, whole: bool
) -> list[Route] | None:
    return routes_of(topology, exchange, seed, whole=whole)


_best_trees = lru_cache(4)(best_trees)  # they are the same for any number of parts


def _grown(
    task: ChunkTask,
    topology: Topology,
    grow: Callable[[Topology, tuple[int, ...]], list[Tree] | None],
) -> Made:
    """Return sends along trees, which an owner's parts take by their weights."""
    exchange = task.exchange
    grown = None if exchange.personal else grow(topology, exchange.owners)
    if grown is None:
        return None
    owned: dict[int, list[Tree]] = {owner: [] for owner in exchange.owners}
    for tree in grown:
        owned[tree.owner].append(tree)
    found = list[Route]()
    for owner, own in owned.items():
        routes = [Route(owner, tree.edges) for tree in own]
        found += [routes[n] for n in shared_out([tree.weight for tree in own], exchange.parts)]
    return along(topology, found, exchange.piece, parts=exchange.parts, both=False)


def _ring(topology: Topology, owners: Sequence[int]) -> list[Tree] | None:
    """Return paths round the ranks by number; None if two have no path past switches alone."""
    ranks, paths = topology.nodes, {(path[0], path[-1]): path for path in legs_of(topology)}
    for step in (1, -1):
        ring = [paths.get((rank, (rank + step) % ranks)) for rank in range(ranks)]
        found = [path for path in ring if path]
        if len(found) == ranks:
            return [
                Tree(o, tuple(found[(o + step * n) % ranks] for n in range(ranks - 1)), 1)
                for o in owners
            ]
    return None
