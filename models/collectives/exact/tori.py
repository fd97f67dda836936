"""All-to-all scatter on tori with equal sides, at the bound, with few messages packed of all.

Let the sides be n, and q be n / 2, or n if it is odd. The class of a node is the sum of its
coordinates modulo q. Two nodes of a class on one row are q or more apart, so what all nodes of a
class send in one direction, axis by axis, shares no channel. A channel has a direction, and
the class of its tail. So nothing meets in a step if no class and direction is taken twice.

Each vector v stands for the messages from x to x + v. It gets a place: a class u, an order of the
dimensions, and one of the bins. A bin makes q steps: in step c the nodes of class u + c send. The
vector -v goes into the same bin, turned round, from class -u: so half of the vectors, and half of
the directions, are packed by CP-SAT. Where n is even, vectors are packed in portions, each vector
with its complement n / 2 - v, for the two have the hops of a whole bin. What is its own opposite,
having coordinates 0 and n / 2 only, is packed apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from random import Random
from typing import Any

from ortools.sat.python import cp_model

from syncfabric.models.collectives.clock import seconds_left
from syncfabric.models.collectives.exact.model import solved
from syncfabric.models.collectives.paths import Path
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.symmetry import translations
from syncfabric.models.collectives.task import Task

Vector = tuple[int, ...]
Clock = Callable[[], float]
"""Seconds that are left; none if the search is to stop."""

_LARGEST = 300
"""Nodes up to which it is tried."""
_PORTION = 2500
"""Truth values of a portion."""
_EFFORT = 30.0
"""Of the solver on a portion, in its own seconds."""


@dataclass(frozen=True)
class _Place:
    """Where a vector goes: the hops in their order, as (axis, sign); a class; a bin."""

    hops: tuple[tuple[int, int], ...]
    start: int
    bin: int


@dataclass(frozen=True)
class Torus:
    """The sides of a torus, and where its nodes are."""

    side: int
    node: dict[Vector, int]
    """From coordinates to node."""

    @property
    def dimensions(self) -> int:
        """How many there are."""
        return len(next(iter(self.node)))

    @property
    def classes(self) -> int:
        """How many classes of nodes there are: q."""
        return self.side // 2 if self.side % 2 == 0 else self.side

    @classmethod
    def of(cls, task: Task) -> Torus | None:
        """Return what a task's topology is, or None if it is no torus with equal sides."""
        topology = task.topology
        symmetry = next(iter(translations(topology)), None)
        if symmetry is None or symmetry.size != topology.nodes or topology.switches:
            return None
        orders = {order for _, order in symmetry.generators}
        side, count = min(orders), len(symmetry.generators)
        if len(orders) > 1 or side < 3 or count < 2 or len(topology.successors[0]) != 2 * count:
            return None
        near = {images[0] for images, _ in symmetry.generators}
        near |= {images.index(0) for images, _ in symmetry.generators}
        if set(topology.successors[0]) != near:
            return None
        # Element a + side · (b + …) of the group takes node 0 to coordinates (a, b, …).
        places = product(range(side), repeat=count)
        nodes = symmetry.vertices[:, 0].tolist()
        return cls(side, {place[::-1]: node for place, node in zip(places, nodes, strict=True)})


def scatter_on_torus(task: Task, seed: int, left: Clock) -> tuple[Step, ...] | None:
    """Return AAS with wormhole switching in as few steps as the distances allow, or None.

    Parameters
    ----------
    task : Task
    seed : int
    left : callable
        Seconds that are left.
    """
    torus = None
    fits = task.topology.nodes <= _LARGEST and not task.rules.stores
    if fits and task.collective.kind == "AAS":
        torus = Torus.of(task)
    if torus is None or task.rules.at_most(2 * torus.dimensions) < 2 * torus.dimensions:
        return None
    return _Packing(torus, seed, left).run()


def pack(task: Task, _: int, seed: int) -> tuple[Step, ...] | None:
    """Return what ``scatter_on_torus`` does in the time that there is, or None."""
    return scatter_on_torus(task, seed, seconds_left)


class _Packing:
    """All vectors, and the bins that are packed so far."""

    def __init__(self, torus: Torus, seed: int, left: Clock) -> None:
        self.torus, self.left = torus, left
        self.rng, self.seed = Random(seed), seed
        self.steps: list[list[Transfer]] = []

    def run(self) -> tuple[Step, ...] | None:
        """Pack everything, or give up."""
        vectors, own = self.vectors()
        portions = self.portions(vectors)
        done: list[dict[Vector, _Place]] = []
        while portions:
            if self.left() <= 0:
                return None
            portion = portions.pop()
            packed = self.pack(portion, mirror=True)
            if packed is not None:
                done.append(packed)
            elif done:
                # Mixed with what was packed last it may do.
                mixed = [*portion, *done.pop()]
                portions += self.portions(mixed)
            else:
                return None
        if own:
            packed = self.pack(own, mirror=False)
            if packed is None:
                return None
            self.unpack(packed, mirror=False)
        for packed in done:
            self.unpack(packed, mirror=True)
        return tuple(tuple(step) for step in self.steps if step)

    def vectors(self) -> tuple[list[Vector], list[Vector]]:
        """Return one vector of each two that are opposite, and those that are their own."""
        side, some, own = self.torus.side, [], []
        for vector in self.torus.node:
            opposite = tuple(-x % side for x in vector)
            if opposite == vector:
                own.append(vector)
            elif vector < opposite:
                some.append(vector)
        return some, [vector for vector in own if any(vector)]

    def portions(self, vectors: Sequence[Vector]) -> list[list[Vector]]:
        """Part vectors into portions that fill their bins, if they are too many for one."""
        pairs, single = [], list[Vector]()
        rest = set(vectors)
        for vector in sorted(vectors):
            if vector in rest:
                rest.discard(vector)
                other = self.complement(vector)
                if other in rest:
                    rest.discard(other)
                    pairs.append([vector, other])
                else:
                    single.append(vector)
        pairs += [single[i : i + 2] for i in range(0, len(single), 2)]
        choices = 2 * len(list(permutations(range(self.torus.dimensions)))) * self.torus.classes
        most = max(2, int((_PORTION / choices) ** 0.5))
        if self.torus.side % 2 or len(pairs) <= most:
            return [list(vectors)]
        self.rng.shuffle(pairs)
        count = -(-len(pairs) // most)
        return [[v for pair in pairs[i::count] for v in pair] for i in range(count)]

    def complement(self, vector: Vector) -> Vector:
        """Return what fills a bin with a vector: of two opposite ones that which is kept."""
        side, half = self.torus.side, self.torus.side // 2
        turned = [(half - x if x <= half else -(half - (side - x))) % side for x in vector]
        found = tuple(turned)
        return min(found, tuple(-x % side for x in found))

    def hops(self, vector: Vector) -> list[tuple[tuple[int, int], ...]]:
        """Return the shortest paths that take one dimension after the other."""
        side = self.torus.side
        offsets = [
            [d for d in (x, x - side) if abs(d) == min(x, side - x)] if x else [0] for x in vector
        ]
        found = []
        for far in product(*offsets):
            for order in permutations([axis for axis, d in enumerate(far) if d]):
                hops = [
                    (axis, 1 if far[axis] > 0 else -1)
                    for axis in order
                    for _ in range(abs(far[axis]))
                ]
                found.append(tuple(hops))
        return found

    def pack(self, vectors: list[Vector], mirror: bool) -> dict[Vector, _Place] | None:
        """Find a place for each vector in as few bins as the hops allow, or None.

        With ``mirror`` the opposite vectors are packed with them, and a channel stands for the one
        opposite to it too.
        """
        count = self.torus.classes
        routes = {vector: self.hops(vector) for vector in vectors}
        capacity = count * self.torus.dimensions * (1 if mirror else 2)
        bins = -(-sum(len(paths[0]) for paths in routes.values()) // capacity)
        sat = cp_model.CpModel()
        taken: dict[tuple[int, int, int, int], list[Any]] = defaultdict(list)
        places: list[tuple[Any, Vector, _Place]] = []
        for vector, paths in routes.items():
            choices = []
            for hops, start in product(paths, range(count)):
                channels = self.channels(hops, start, mirror)
                for number in range(bins if len(set(channels)) == len(channels) else 0):
                    variable = sat.new_bool_var("")
                    choices.append(variable)
                    places.append((variable, vector, _Place(hops, start, number)))
                    for channel in channels:
                        taken[number, *channel].append(variable)
            sat.add_exactly_one(choices)
        for users in taken.values():
            sat.add_at_most_one(users)
        value = solved(sat, self.seed, self.left, _EFFORT)
        if value is None:
            return None
        return {vector: place for variable, vector, place in places if value(variable)}

    def channels(
        self, hops: Sequence[tuple[int, int]], start: int, mirror: bool
    ) -> list[tuple[int, int, int]]:
        """Return axis, sign and class of the tail of each channel that is taken."""
        here, found = start, []
        for axis, sign in hops:
            turn = sign if mirror else 1
            found.append((axis, sign * turn, here * turn % self.torus.classes))
            here += sign
        return found

    def unpack(self, packed: dict[Vector, _Place], mirror: bool) -> None:
        """Add the steps of bins: every message of every vector, and of its opposite."""
        count, first = self.torus.classes, len(self.steps)
        bins = 1 + max(place.bin for place in packed.values())
        self.steps += [[] for _ in range(bins * count)]
        by_class: dict[int, list[Vector]] = defaultdict(list)
        for point in self.torus.node:
            by_class[sum(point) % count].append(point)
        for place in packed.values():
            for turn in (1, -1) if mirror else (1,):
                hops = [(axis, sign * turn) for axis, sign in place.hops]
                for shift in range(count):
                    step = self.steps[first + place.bin * count + shift]
                    for point in by_class[(place.start * turn + shift) % count]:
                        path = self.path_of(point, hops)
                        step.append(Transfer((path[0], path[-1]), path))

    def path_of(self, point: Vector, hops: Sequence[tuple[int, int]]) -> Path:
        """Return the nodes passed from a point on."""
        here, path = list(point), [self.torus.node[point]]
        for axis, sign in hops:
            here[axis] = (here[axis] + sign) % self.torus.side
            path.append(self.torus.node[tuple(here)])
        return tuple(path)
