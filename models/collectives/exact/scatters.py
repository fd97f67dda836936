"""All-to-all scatters that are known: on rings, on hypercubes, and on products of graphs.

On products they go dimension by dimension, at the bound where the factors are.
Let all pairs of nodes of a graph, each node with itself among them, be parted into permutations:
in each of them every node sends once and receives once. Let the paths of each permutation be parted
into a few classes, in none of which two paths share a channel. Then a product of two such graphs
has the same. Permutations s and t make one of the product, whose messages go along a path of s in
the first graph, and then along one of t in the second. Of classes A of s and B of t, all messages
fit into one step: a row is taken only by the path of B that begins there, a column only by the path
of A that ends there. As the classes of a permutation have no ends in common, A and B, A' and B',
and so on, fit into it together. So as many classes do as the greater of the two numbers, and as
many steps as nodes times classes.

On a line of k nodes, k a multiple of 4, there are k / 4 classes, which makes k^3 / 4 steps on a
square mesh (D. Scott, Efficient all-to-all communication patterns in hypercube and mesh topologies,
6th Distributed Memory Computing Conference, 1991); on a ring of k, a multiple of 8, k / 8.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from ortools.sat.python import cp_model

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.clock import seconds_left, tick
from syncfabric.models.collectives.collective import Collective, collective
from syncfabric.models.collectives.exact.model import solved
from syncfabric.models.collectives.paths import Path, paths
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.symmetry import Symmetry, translations
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.models.collectives.topology import Channel, Topology

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
    ring = {(i, (i + step) % nodes) for i in range(nodes) for step in (1, -1)}
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

    Paths up and down are mirror images. Messages of P / 2 hops go up and down by turns of two.
    """
    for step in _tiled(nodes, nodes // 2, 0):
        yield step + _mirrored(step)
    across = [*_whole(nodes, nodes // 2, 0)]
    for up, down in zip(across[::2], across[1::2], strict=True):
        yield up + _mirrored(down)


def _chorded(nodes: int) -> Iterator[list[Arc]]:
    """Yield the steps of a ring with chords: of P / 4 hops at most, and then a chord or none.

    While messages with a chord go up, others go down, and conversely, so no chord is taken
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
    """Return whether nodes are joined just where their numbers differ in one bit."""
    nodes = topology.nodes
    bits = nodes.bit_length() - 1
    return (
        topology.switches == 0
        and nodes == 1 << bits
        and len(topology.channels) == nodes * bits
        and all((a ^ b).bit_count() == 1 for a, b in topology.channels)
    )


def _pairs(last: int) -> Iterator[tuple[int, ...]]:
    """Yield each vector with its complement; 0 is no message."""
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


Permutation = list[list[Path]]
"""Its classes, each with paths; a node that sends to itself has a path of one."""

_LARGEST = 40
"""Nodes of a factor."""
_PORTION = 4000
"""Truth values that are chosen at a time, if they are more than those of one permutation."""
_TRIES, _EASY = 3, 24
"""How often each symmetry is tried, with each number of classes; larger factors, once in all."""
_MORE = 2
"""Classes more than a factor needs by its bounds."""
_EFFORT = 5.0
"""Of the solver on a portion, in its own seconds."""


def scatter_on_product(task: Task, seed: int) -> tuple[Step, ...] | None:
    """Return AAS with wormhole switching on a product of graphs, else None.

    No node sends or receives twice in a step, so one port does.

    Parameters
    ----------
    task : Task
    seed : int
    """
    topology = task.topology
    if (
        task.collective.kind != "AAS"
        or task.rules.stores
        or topology.switches
        or topology.nodes < 4
    ):
        return None
    parts = factors(topology)
    kinds = {part.channels: part for part in parts}
    if len(parts) < 2 or max(part.nodes for part in parts) > _LARGEST:
        return None
    least = max(-(-_bound(part) // part.nodes) for part in kinds.values())
    for classes in range(least, least + _MORE):
        found = {key: _permutations(part, classes, seed) for key, part in kinds.items()}
        if all(found.values()):
            whole: list[Permutation] = [[[(0,)]]]
            nodes, numbers = 1, [*range(topology.nodes)]
            for part in parts:
                whole = _times(whole, found[part.channels] or [], nodes, numbers)
                nodes *= part.nodes
            return tuple(_steps(whole))
    return None


def factors(topology: Topology) -> list[Topology]:
    """Return the graphs whose product a network is by its nodes' numbers; itself if it is none.

    Node x + a (y + b z) is node x of the first graph, which has a nodes, node y of the second, and
    so on.
    """
    found, rest = list[Topology](), topology
    while True:
        size = next(a for a in range(2, rest.nodes + 1) if rest.nodes % a == 0 and _splits(rest, a))
        inner = tuple((a, b) for a, b in rest.channels if a < size and b < size)
        outer = tuple((a // size, b // size) for a, b in rest.channels if a % size == b % size == 0)
        found.append(Topology(topology.name, size, 0, inner))
        if not outer:
            return found
        rest = Topology(topology.name, rest.nodes // size, 0, outer)


def _splits(topology: Topology, size: int) -> bool:
    """Return whether blocks of so many nodes are alike, and joined node by node, all alike."""
    inner, outer = (defaultdict[int, set[Channel]](set) for _ in range(2))
    for a, b in topology.channels:
        if a // size == b // size:
            inner[a // size].add((a % size, b % size))
        elif a % size == b % size:
            outer[a % size].add((a // size, b // size))
        else:
            return False
    blocks = topology.nodes // size
    alike = all(len({*map(frozenset, kind.values())}) == 1 for kind in (inner, outer) if kind)
    return alike and len(inner) == blocks and len(outer) == (size if blocks > 1 else 0)


def _bound(topology: Topology) -> int:
    return lower_bounds(Task(topology, collective("AAS", topology), Rules()))[0].value


def _times(
    first: list[Permutation], second: list[Permutation], nodes: int, number: Sequence[int]
) -> list[Permutation]:
    """Return the permutations of a product, whose first factor has so many nodes.

    ``number`` has the numbers of nodes, which all paths share.
    """
    return [
        [_product(s, t, shift, nodes, number) for shift in range(max(len(s), len(t)))]
        for s in first
        for t in second
    ]


def _product(
    s: Permutation, t: Permutation, shift: int, nodes: int, number: Sequence[int]
) -> list[Path]:
    """Return the class that meets class i of one with class i + shift of the other."""
    tick()
    size = max(len(s), len(t))
    pairs = ((one, (i + shift) % size) for i, one in enumerate(s))
    return [
        (*(number[x + nodes * q[0]] for x in p), *(number[p[-1] + nodes * y] for y in q[1:]))
        for one, j in pairs
        if j < len(t)
        for q in t[j]
        for p in one
    ]


def _steps(whole: list[Permutation]) -> Iterator[Step]:
    for permutation in whole:
        for paths_of in permutation:
            tick()
            yield tuple(Transfer((p[0], p[-1]), p) for p in paths_of if len(p) > 1)


def _permutations(topology: Topology, classes: int, seed: int) -> list[Permutation] | None:
    """Part all pairs into permutations with so many classes each, or return None.

    With a symmetry only some permutations are chosen, and the others are their images.
    """
    half = [group for group in translations(topology) if group.size < topology.nodes]
    easy = topology.nodes <= _EASY
    groups: list[Symmetry | None] = [*half[:1], None]
    for symmetry in groups if easy else groups[:1]:
        for attempt in range(_TRIES if easy else 1):
            tick()
            found = _Parting(topology, classes, symmetry, seed + attempt).run()
            if found is not None:
                return found
    return None


class _Parting:
    """The pairs that are left, and the permutations that are chosen."""

    def __init__(
        self, topology: Topology, classes: int, symmetry: Symmetry | None, seed: int
    ) -> None:
        self.topology, self.classes, self.seed = topology, classes, seed
        nodes = range(topology.nodes)
        rows = [list(nodes)] if symmetry is None else symmetry.vertices.tolist()
        self.rows = rows
        self.many = topology.nodes // len(rows)
        self.orbit: dict[tuple[int, int], tuple[int, int]] = {}
        for pair in ((a, b) for a in nodes for b in nodes):
            if pair not in self.orbit:
                self.orbit |= {(row[pair[0]], row[pair[1]]): pair for row in rows}
        self.paths = {
            (a, b): [*islice(paths(topology, a, b), 2)] if a != b else [(a,)] for a, b in self.orbit
        }
        self.channel = [
            min(topology.number[row[a], row[b]] for row in rows) for a, b in topology.channels
        ]

    def run(self) -> list[Permutation] | None:
        """Choose all, some at a time."""
        left = {*self.orbit.values()}
        size = sum(self.classes * len(some) for some in self.paths.values())
        chosen: list[Permutation] = []
        while len(chosen) < self.many:
            portion = min(max(1, _PORTION // size), self.many - len(chosen))
            some = self.choose(left, portion, self.many - len(chosen))
            if some is None:
                return None
            left -= {self.orbit[p[0], p[-1]] for s in some for one in s for p in one}
            chosen += some
        return [
            [[tuple(row[v] for v in p) for p in one] for one in s]
            for row in self.rows
            for s in chosen
        ]

    def choose(
        self, left: set[tuple[int, int]], portion: int, rest: int
    ) -> list[Permutation] | None:
        """Choose permutations from the orbits of pairs that are left, for ``rest`` of them."""
        topology, sat = self.topology, cp_model.CpModel()
        live = [pair for pair in self.paths if self.orbit[pair] in left]
        load: dict[int, float] = defaultdict(float)
        once, most, users = (defaultdict[Any, list[Any]](list) for _ in range(3))
        chosen: list[tuple[Any, int, int, Path]] = []
        for a, b in live:
            for path in self.paths[a, b]:
                channels = topology.along(path)
                for channel in channels:
                    load[self.channel[channel]] += 1 / len(self.paths[a, b]) / len(self.rows)
                for s in range(portion):
                    for one in range(self.classes if channels else 1):
                        variable = sat.new_bool_var("")
                        chosen.append((variable, s, one, path))
                        once["from", s, a].append(variable)
                        once["to", s, b].append(variable)
                        most["pair", *self.orbit[a, b]].append(variable)
                        for channel in channels:
                            most["channel", s, one, channel].append(variable)
                            users[self.channel[channel]].append(variable)
        for (kind, *_), variables in most.items():
            if kind == "pair" and portion == rest:
                sat.add_exactly_one(variables)
            else:
                sat.add_at_most_one(variables)
        # What is left for later is no more than its share.
        for channel, many in load.items():
            sat.add(sum(users[channel]) >= int(many * portion / rest + 1e-6))
        for variables in once.values():
            sat.add_exactly_one(variables)
        value = solved(sat, self.seed, seconds_left, _EFFORT)
        if value is None:
            return None
        found: list[Permutation] = [[[] for _ in range(self.classes)] for _ in range(portion)]
        for variable, s, one, path in chosen:
            if value(variable):
                found[s][one].append(path)
        return found
