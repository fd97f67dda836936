"""Schedules that need no search, where one is known."""

from collections.abc import Iterator
from random import Random

from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.collective import Collective
from syncfabric.models.collectives.exact.matching import matched
from syncfabric.models.collectives.exact.products import scatter_on_product
from syncfabric.models.collectives.exact.rings import broadcast_on_ring, scatter_on_ring
from syncfabric.models.collectives.paths import Path
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.symmetry import Quotient, translations
from syncfabric.models.collectives.task import Task
from syncfabric.models.collectives.topology import Topology


def scatter_on_cube(task: Task) -> tuple[Step, ...] | None:
    """Return AAS, or a part of it, with wormhole switching on a hypercube, else None.

    nodes / 2 steps, or nodes - 1 with one port; fewer where no message takes a step.
    """
    scatters = not task.collective.broadcast and not task.rules.stores
    if not scatters or not is_cube(task.topology) or task.topology.nodes < 4:
        return None
    last, one = task.topology.nodes - 1, task.rules.ports == 1
    vectors = [(v,) for v in range(1, last + 1)] if one else list(_pairs(last))
    wanted = _by_vector(task.collective)
    steps = []
    for step in vectors:
        tick()
        sent = [
            Transfer((source, source ^ v), _along(source, v))
            for v in step
            for source in wanted.get(v, ())
        ]
        if sent:
            steps.append(tuple(sent))
    return tuple(steps)


def is_cube(topology: Topology) -> bool:
    """Tell whether nodes are joined just where their numbers differ in one bit."""
    nodes = topology.nodes
    bits = nodes.bit_length() - 1
    return (
        topology.switches == 0
        and nodes == 1 << bits
        and len(topology.channels) == nodes * bits
        and all((a ^ b).bit_count() == 1 for a, b in topology.channels)
    )


def _pairs(last: int) -> Iterator[tuple[int, ...]]:
    """Yield each vector with its complement; 0 is nobody's message."""
    yield (last,)
    for vector in range(1, last // 2 + 1):
        yield vector, last ^ vector


def _by_vector(collective: Collective) -> dict[int, list[int]]:
    """Return by vector the sources of its messages."""
    found: dict[int, list[int]] = {}
    for source, target in collective.pairs:
        found.setdefault(source ^ target, []).append(source)
    return found


def _along(source: int, vector: int) -> Path:
    path, here = [source], source
    while vector:
        bit = vector & -vector
        here ^= bit
        vector ^= bit
        path.append(here)
    return tuple(path)


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
    topology, far = task.topology, task.topology.distances[0].tolist()
    left = sorted(range(1, topology.nodes), key=lambda v: (far[v], rng.random()))
    doors = {
        v: [(u, orbit[topology.number[u, v]]) for u in topology.sources[v] if far[u] < far[v]]
        for v in left
    }
    most = task.rules.at_most(len(topology.successors[0]))
    informed, tree = {0}, []
    for _ in range(steps):
        ready = {
            v: doors_of
            for v in left
            if (doors_of := [door for door in doors[v] if door[0] in informed])
        }
        near = {v: [kind for _, kind in doors_of] for v, doors_of in ready.items()}
        heard = {
            v: next(u for u, kind in ready[v] if kind == own)
            for own, v in matched([*ready], near, most).items()
        }
        tree.append([Transfer((0, v), (u, v)) for v, u in heard.items()])
        informed |= heard.keys()
        left = [v for v in left if v not in heard]
    return None if left else tree


def construct(task: Task, steps: int, seed: int = 1) -> tuple[Step, ...] | None:
    """Return a schedule that is known, or None.

    Parameters
    ----------
    task : Task
        Not one that is to be turned round.
    steps : int
        Of a broadcast, at most. A scatter may have more.
    seed : int
    """
    if task.collective.broadcast:
        return broadcast_on_ring(task, steps) or _broadcast_by_symmetry(task, steps, seed)
    return scatter_on_cube(task) or scatter_on_ring(task) or scatter_on_product(task, seed)


def _broadcast_by_symmetry(task: Task, steps: int, seed: int) -> tuple[Step, ...] | None:
    symmetry = next(iter(translations(task.topology)), None)
    if symmetry is None or not symmetry.keeps(task.collective):
        return None
    return broadcast_by_trees(Quotient(task, symmetry), steps, seed)
