"""Schedules that need no search, where one is known: of broadcasts here, else of scatters."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random

import networkx as nx

from syncfabric.models.collectives.chunks.order import Route, along
from syncfabric.models.collectives.chunks.schedule import Send
from syncfabric.models.collectives.chunks.trees import best_trees
from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.exact.scatters import (
    scatter_on_cube,
    scatter_on_product,
    scatter_on_ring,
)
from syncfabric.models.collectives.paths import Path
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.symmetry import Quotient, translations
from syncfabric.models.collectives.task import Task
from syncfabric.models.collectives.topology import Topology, linked
from syncfabric.models.planning.ring_construct import cycle_through

_DRAWS = 20
"""Of trees under a symmetry."""
MOST_TRIED = 100
"""Nodes up to which a matching is tried more than once."""
TRIES = 30


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


def broadcast_on_ring(task: Task, steps: int) -> tuple[Step, ...] | None:
    """Return AAB with each message round all nodes, or with several ports both ways to half.

    That is one step fewer than nodes, or half of it where no link is taken both ways. The ring
    passes other nodes and switches where it must, but no channel twice. None, too, if that is more
    than ``steps``, if a path is longer than the task allows, or if no ring is found.
    """
    topology, found = task.topology, task.collective
    nodes = topology.nodes
    if not len(found.senders) == len(found.receivers) == nodes:
        return None
    for circuit in _circuits(topology):
        tick()
        paths = _between(topology, circuit)
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


def _between(topology: Topology, circuit: list[int]) -> list[Path]:
    """Cut a circuit into paths, each from a node's first visit to the next one's."""
    seen, paths = {circuit[0]}, [[circuit[0]]]
    for vertex in circuit[1:]:
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


def _circuits(topology: Topology) -> Iterator[list[int]]:
    """Yield circuits from a node through all nodes that take no channel twice.

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
    """Join cycles that meet in single vertices, or links there and back, into a circuit from 0."""
    at: dict[int, list[list[int]]] = {}
    for cycle in cycles:
        for vertex in cycle:
            at.setdefault(vertex, []).append(cycle)
    circuit, taken = list[int](), set[int]()
    stack = [iter([0])]
    while stack:
        vertex = next(stack[-1], -1)
        if vertex < 0:
            stack.pop()
            continue
        circuit.append(vertex)
        for cycle in at[vertex]:
            if id(cycle) not in taken:
                taken.add(id(cycle))
                here = cycle.index(vertex)
                stack.append(iter([*cycle[here + 1 :], *cycle[: here + 1]]))
    return circuit


def _broadcast_by_symmetry(task: Task, steps: int, seed: int) -> tuple[Step, ...] | None:
    """Return AAB by one tree and its images under a symmetry with one orbit of nodes, or None."""
    topology, found = task.topology, task.collective
    symmetry = next(iter(translations(topology)), None)
    if symmetry is None or not symmetry.keeps(found) or topology.switches:
        return None
    quotient = Quotient(task, symmetry)
    whole = topology.nodes == len(found.senders) == len(found.receivers)
    if not whole or len(set(quotient.node_class)) != 1:
        return None
    rng = Random(seed)  # of the order in which nodes alike are taken up
    for _ in range(_DRAWS):
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


def broadcast_by_matching(task: Task, steps: int, seed: int) -> tuple[Step, ...] | None:
    """Return AAB by store and forward with all ports on a direct network; None of other tasks.

    None, too, if all that is found takes longer paths than the task allows.

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
    """Return the hops that a path is longer than a shortest one at most."""
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
