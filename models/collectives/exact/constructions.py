"""Schedules that need no search, where one is known."""

from collections.abc import Iterator
from itertools import pairwise
from random import Random

import networkx as nx

from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.collective import Collective
from syncfabric.models.collectives.exact.matching import matched
from syncfabric.models.collectives.exact.products import scatter_on_product
from syncfabric.models.collectives.paths import Path
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.symmetry import Quotient, translations
from syncfabric.models.collectives.task import Task
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.planning.ring_construct import cycle_through

Arc = tuple[int, int, int]
"""Where a message begins, its hops round the ring, below 0 backwards, and 1 if a chord follows."""


def scatter_on_ring(task: Task) -> tuple[Step, ...] | None:
    """Return AAS, or a part of it, with wormhole switching on a ring of P = 4 n nodes, else None.

    P^2 / 8 steps, or P^2 / 16 where opposite nodes are joined by chords, at the bound of the ring's
    channels; fewer where no message takes a step.
    """
    nodes, rules = task.topology.nodes, task.rules
    if task.collective.broadcast or rules.stores or nodes % 4 or task.topology.switches:
        return None
    half = nodes // 2
    ring = {(i, (i + way) % nodes) for i in range(nodes) for way in (1, -1)}
    chords = {(i, (i + half) % nodes) for i in range(nodes)}
    if rules.ports == 1 or {*task.topology.channels} not in (ring, ring | chords):
        return None
    joined = len(task.topology.channels) > len(ring)
    wanted, steps = set(task.collective.pairs), []
    round_ = (*range(nodes),) * 2
    for arcs in _chorded(nodes) if joined else _round(nodes):
        tick()
        paths = [_path(*arc, round_) for arc in arcs]
        sent = [Transfer((p[0], p[-1]), p) for p in paths if (p[0], p[-1]) in wanted]
        if sent:
            steps.append(tuple(sent))
    return tuple(steps)


def _path(begin: int, far: int, chord: int, round_: tuple[int, ...]) -> Path:
    """Return an arc and its chord, from the nodes two times round: all paths share the numbers."""
    nodes = len(round_) // 2
    first = begin % nodes + (nodes if far < 0 else 0)
    path = round_[first : first + far + 1] if far >= 0 else round_[first : first + far - 1 : -1]
    return path + (round_[path[-1] + nodes // 2],) * chord


def _tiled(nodes: int, size: int, chord: int) -> Iterator[list[Arc]]:
    """Yield steps that take every channel upwards: of each length below ``size`` all arcs.

    Arcs of d and ``size`` - d hops alternate, so that the ring is full; ``size`` steps for the two.
    """
    for d in range(1, (size + 1) // 2):
        for i in range(size):
            starts = range(i, i + nodes, size)
            yield [a for s in starts for a in ((s, d, chord), (s + d, size - d, chord))]
    if size % 2 == 0:
        yield from _whole(nodes, size // 2, chord)


def _whole(nodes: int, size: int, chord: int) -> Iterator[list[Arc]]:
    """Yield steps that take every channel upwards: all arcs of one length, which parts the ring."""
    for i in range(size):
        yield [(at, size, chord) for at in range(i, i + nodes, size)]


def _mirrored(arcs: list[Arc]) -> list[Arc]:
    return [(-begin, -far, chord) for begin, far, chord in arcs]


def _round(nodes: int) -> Iterator[list[Arc]]:
    """Yield the steps of a ring.

    Ways up and down are mirror images. Messages of P / 2 hops go up and down by turns of two.
    """
    for step in _tiled(nodes, nodes // 2, 0):
        yield step + _mirrored(step)
    across = [*_whole(nodes, nodes // 2, 0)]
    for up, down in zip(across[::2], across[1::2], strict=True):
        yield up + _mirrored(down)


def _chorded(nodes: int) -> Iterator[list[Arc]]:
    """Yield the steps of a ring with chords: of P / 4 hops at most, and then a chord or none.

    While messages with a chord go up, others go down, and the other way round, so no chord is taken
    twice. Opposite nodes are served along with messages that take none.
    """
    direct = [*_tiled(nodes, nodes // 4, 0), *_whole(nodes, nodes // 4, 0)]
    chorded = [*_tiled(nodes, nodes // 4, 1)]
    for one, other in zip(direct, chorded, strict=False):
        yield one + _mirrored(other)
        yield other + _mirrored(one)
    opposite = [(node, 0, 1) for node in range(nodes)]
    for step in direct[len(chorded) :]:
        yield step + _mirrored(step) + opposite
        opposite = []


def broadcast_on_ring(task: Task, steps: int) -> tuple[Step, ...] | None:
    """Return AAB with each message round all nodes, or with several ports both ways round to half.

    That is one step fewer than nodes, or half of it where no link is taken both ways. The ring
    passes other nodes and switches where it must, but no channel twice. None, too, if that is more
    than ``steps``, if a way is longer than the task allows, or if no ring is found.
    """
    topology, found = task.topology, task.collective
    nodes = topology.nodes
    if not len(found.senders) == len(found.receivers) == nodes:
        return None
    for walk in _walks(topology):
        tick()
        paths = _between(topology, walk)
        taken = {hop for path in paths for hop in pairwise(path)}
        both = task.rules.ports != 1 and taken.isdisjoint((b, a) for a, b in taken)
        last = nodes // 2 if both else nodes - 1
        if last > steps or (task.hop_by_hop and task.extra < last - 1):
            continue
        far = [len(path) - 1 - int(topology.distances[path[0], path[-1]]) for path in paths]
        inner = min((v for path in paths for v in path[1:-1]), default=nodes)
        if max(far) > task.extra or (task.rules.stores and inner < nodes):
            continue
        made = []
        for step in range(last):
            tick()
            sent = [Transfer((paths[i - step][0], path[-1]), path) for i, path in enumerate(paths)]
            if both and step < nodes - 1 - last:
                sent += [
                    Transfer((paths[i - nodes + 1 + step][0], path[0]), path[::-1])
                    for i, path in enumerate(paths)
                ]
            made.append(tuple(sent))
        return tuple(made)
    return None


def _between(topology: Topology, walk: list[int]) -> list[Path]:
    """Cut a closed walk into paths, each from a node's first visit to the next one's."""
    seen, paths = {walk[0]}, [[walk[0]]]
    for vertex in walk[1:]:
        path = paths[-1]
        if vertex in path:
            # It has gone there and back for nothing.
            del path[path.index(vertex) + 1 :]
            continue
        path.append(vertex)
        if vertex < topology.nodes and vertex not in seen:
            seen.add(vertex)
            paths.append([vertex])
    return [tuple(path) for path in paths]


def _walks(topology: Topology) -> Iterator[list[int]]:
    """Yield closed walks from a node through all nodes that take no channel twice.

    First a Hamiltonian cycle in each part that no vertex alone holds together, then a tree of
    shortest paths from each switch, there and back.
    """
    links = {(a, b) for a, b in topology.channels if a < b and (b, a) in topology.number}
    graph: nx.Graph[int] = nx.Graph(sorted(links))
    if len(graph) < topology.vertices or not nx.is_connected(graph):
        return
    cycles = list[list[int]]()
    blocks: Iterator[set[int]] = iter(nx.biconnected_components(graph))  # type: ignore[arg-type]
    for block in blocks:
        near = {v: sorted(block & {*graph[v]}) for v in sorted(block)}
        cycle = sorted(block) if len(block) == 2 else cycle_through(near)
        tick()
        if cycle is None:
            break
        cycles.append(cycle)
    else:
        yield _tour(cycles)
    for switch in range(topology.nodes, topology.vertices):
        yield _tour([list(link) for link in nx.bfs_tree(graph, switch).edges])


def _tour(cycles: list[list[int]]) -> list[int]:
    """Join cycles that meet in single vertices, or links there and back, into one walk from 0."""
    at: dict[int, list[list[int]]] = {}
    for cycle in cycles:
        for vertex in cycle:
            at.setdefault(vertex, []).append(cycle)
    walk, taken = list[int](), set[int]()
    stack = [iter([0])]
    while stack:
        vertex = next(stack[-1], -1)
        if vertex < 0:
            stack.pop()
            continue
        walk.append(vertex)
        for cycle in at[vertex]:
            if id(cycle) not in taken:
                taken.add(id(cycle))
                here = cycle.index(vertex)
                stack.append(iter([*cycle[here + 1 :], *cycle[: here + 1]]))
    return walk


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
