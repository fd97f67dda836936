"""Automorphisms of a topology that leave no vertex in its place: shifts, rotations, xor.

Only one message of each orbit is scheduled. Its images never meet if in no step two channels of an
orbit are taken, and if the nodes of an orbit together do not send more than one node may.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.collective import Collective
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.task import Task
from syncfabric.models.collectives.topology import Topology

Generator = tuple[tuple[int, ...], int]
"""The image of each vertex, and after how many times all are back."""


@dataclass(frozen=True)
class Symmetry:
    """An abelian group of automorphisms; all but the identity move every vertex.

    Element 0 is the identity. Of generators of orders d0, d1, … element a + d0 · (b + d1 · …)
    applies the first a times, the second b times, and so on.

    Parameters
    ----------
    topology : Topology
    generators : tuple of (images, order)
        At least one; they commute.
    """

    topology: Topology
    generators: tuple[Generator, ...]

    @property
    def size(self) -> int:
        """Elements of the group."""
        size = 1
        for _, order in self.generators:
            size *= order
        return size

    @cached_property
    def vertices(self) -> NDArray[np.int32]:
        """The image of each vertex under each element, of shape (size, vertices)."""
        rows = np.arange(self.topology.vertices, dtype=np.int32)[np.newaxis]
        for images, order in self.generators:
            image = np.array(images, dtype=np.int32)
            powers = [rows]
            for _ in range(order - 1):
                powers.append(image[powers[-1]])
            rows = np.concatenate(powers)
        return rows

    @cached_property
    def channels(self) -> NDArray[np.int32]:
        """The image of each channel under each element, of shape (size, channels)."""
        topology = self.topology
        number = np.full((topology.vertices, topology.vertices), -1, dtype=np.int32)
        number[topology.ends[:, 0], topology.ends[:, 1]] = np.arange(len(topology.channels))
        images = self.vertices[:, topology.ends]
        found: NDArray[np.int32] = number[images[..., 0], images[..., 1]]
        return found

    @cached_property
    def node_orbits(self) -> tuple[tuple[int, ...], ...]:
        """The nodes by orbits, each led by its lowest, in the order of the elements."""
        seen, found = set[int](), []
        for node in range(self.topology.nodes):
            if node not in seen:
                found.append(tuple(self.vertices[:, node].tolist()))
                seen.update(found[-1])
        return tuple(found)

    @cached_property
    def channel_orbit(self) -> NDArray[np.int32]:
        """The orbit of each channel, by a number from 0, of shape (channels)."""
        least = self.channels.min(axis=0)
        found: NDArray[np.int32] = np.unique(least, return_inverse=True)[1].astype(np.int32)
        return found

    def keeps(self, collective: Collective) -> bool:
        """Return whether what must be served stays the same."""
        if collective.kind != "permutation":
            sets = (set(collective.senders), set(collective.receivers))
            return all({g[v] for v in s} == s for s in sets for g, _ in self.generators)
        pairs = set(collective.pairs)
        return all({(g[a], g[b]) for a, b in pairs} == pairs for g, _ in self.generators)


class Quotient:
    """Orbits of nodes, channels and messages.

    Parameters
    ----------
    task : Task
    symmetry : Symmetry, optional
        It keeps the task's collective. Without it every orbit has one element.
    """

    def __init__(self, task: Task, symmetry: Symmetry | None = None) -> None:
        topology = task.topology
        self.task, self.symmetry = task, symmetry
        self.node_class = list(range(topology.nodes))
        self.channel_class = list(range(len(topology.channels)))
        if symmetry is not None:
            for orbit in symmetry.node_orbits:
                for node in orbit:
                    self.node_class[node] = orbit[0]
            self.channel_class = symmetry.channel_orbit.tolist()

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield one pair of each orbit: that whose source is the lowest of its orbit."""
        for source, target in self.task.collective.pairs:
            if self.node_class[source] == source:
                yield source, target

    def origins(self) -> list[int]:
        """Return one sender of each orbit."""
        senders = self.task.collective.senders
        return [s for s in senders if self.node_class[s] == s]

    def whole(self, steps: Iterable[Iterable[Transfer]]) -> tuple[Step, ...]:
        """Return steps with all images of the transfers in them."""
        if self.symmetry is None:
            return tuple(tuple(step) for step in steps)
        images = self.symmetry.vertices

        def orbit(transfer: Transfer) -> Iterator[Transfer]:
            origin, target, *path = images[:, [*transfer.message, *transfer.path]].T.tolist()
            return map(Transfer, zip(origin, target, strict=True), zip(*path, strict=True))

        return tuple(tuple(chain.from_iterable(map(orbit, step))) for step in steps)


def translations(topology: Topology) -> tuple[Symmetry, ...]:
    """Return groups of automorphisms that leave no vertex in its place, the largest first.

    Looked for are rotations of a digit of the nodes' numbers, whatever the base: xor on
    hypercubes, shifts of rings and tori, rotations of the Octagon. Where there are none, a quarter
    or a half turn of a mesh. Each is tested on every channel. The others are subgroups of the
    first, each of the one before it.

    Returns
    -------
    tuple of Symmetry
        Empty if none is found.
    """
    digits = _digits(topology)
    generators = [(digits[key], key[1]) for key in _widest(list(digits))]
    if not generators:
        generators = next(([turn] for turn in _turns(topology)), [])
    found = []
    while generators:
        symmetry = Symmetry(topology, tuple(generators))
        if symmetry.size <= topology.nodes and _free(symmetry):
            found.append(symmetry)
        images, order = generators.pop()
        factor = next(q for q in range(2, order + 1) if order % q == 0)
        if order > factor:
            generators.append((_power(images, factor), order // factor))
    return tuple(found)


def _digits(topology: Topology) -> dict[tuple[int, int], tuple[int, ...]]:
    """Return by (stride, base) the rotations of a digit that are automorphisms."""
    nodes, found = topology.nodes, {}
    for stride in (s for s in range(1, nodes) if nodes % s == 0):
        for base in (b for b in range(2, nodes // stride + 1) if nodes // stride % b == 0):
            moved = [
                x + stride if x // stride % base < base - 1 else x - stride * (base - 1)
                for x in range(nodes)
            ]
            images = _automorphism(topology, moved)
            if images is not None and _free(Symmetry(topology, ((images, base),))):
                found[stride, base] = images
    return found


def _widest(digits: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return digits that do not overlap, with the greatest product of their bases."""
    best: list[tuple[int, list[tuple[int, int]]]] = []
    for stride, base in sorted(digits):
        before = [
            (size, chain) for size, chain in best if stride % (chain[-1][0] * chain[-1][1]) == 0
        ]
        size, chain = max(before, key=lambda entry: entry[0], default=(1, []))
        best.append((size * base, [*chain, (stride, base)]))
    return max(best, key=lambda entry: entry[0], default=(1, []))[1]


def _turns(topology: Topology) -> Iterator[Generator]:
    """Yield a quarter and a half turn of the nodes, if they are free automorphisms."""
    nodes, side = topology.nodes, isqrt(topology.nodes)
    if nodes % 2:
        return
    quarter = [x % side * side + side - 1 - x // side for x in range(nodes)]
    half = [nodes - 1 - x for x in range(nodes)]
    for moved, order in ((quarter, 4), (half, 2)):
        if order == 2 or side * side == nodes:
            images = _automorphism(topology, moved)
            if images is not None:
                yield images, order


def _automorphism(topology: Topology, moved: list[int]) -> tuple[int, ...] | None:
    """Return a permutation of the nodes with the switches' images, or None if it is none.

    A switch goes where its neighbours go; where that leaves a choice, the answer is None.
    """
    images: list[int] = [*moved, *[-1] * topology.switches]
    near = topology.successors
    left = set(range(topology.nodes, topology.vertices))
    while left:
        begun = len(left)
        for switch in sorted(left):
            towards = [set(near[images[v]]) for v in near[switch] if images[v] >= 0]
            where = set.intersection(*towards) if towards else set[int]()
            where = {v for v in where if v >= topology.nodes} - set(images)
            if len(where) == 1:
                images[switch] = where.pop()
                left.discard(switch)
        if len(left) == begun:
            return None
    kept = all((images[a], images[b]) in topology.number for a, b in topology.channels)
    return tuple(images) if kept else None


def _free(symmetry: Symmetry) -> bool:
    """Return whether no element but the identity leaves a vertex in its place."""
    rows = symmetry.vertices
    return not bool((rows[1:] == rows[0]).any())


def _power(images: tuple[int, ...], times: int) -> tuple[int, ...]:
    found = images
    for _ in range(times - 1):
        found = tuple(images[v] for v in found)
    return found
