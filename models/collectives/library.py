"""Topologies by name: a family, then its size, as in ``torus-4x4``."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from syncfabric.models.collectives import grids, indirect, known_graphs, octagons
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import did_you_mean

__all__ = ["FAMILIES", "Family", "named"]

MOST = 4096
"""Nodes of a topology by name; an option mistyped must not fill the memory."""


@dataclass(frozen=True)
class Family:
    """Topologies that differ in size.

    Parameters
    ----------
    example : str
        The name of one of them.
    text : str
        What they are.
    make : callable
        From the name and the numbers of the size to the topology.
    size : str
        What the numbers must be, as a user reads it; empty if the name has none.
    allowed : callable
        Whether it can be made of these numbers.
    nodes : callable
        How many nodes it then has.
    """

    example: str
    text: str
    make: Callable[..., Topology]
    size: str = ""
    allowed: Callable[..., bool] = lambda: True
    nodes: Callable[..., int] = lambda *numbers: prod(numbers)


def _sides(*numbers: int) -> bool:
    return prod(numbers) > 1 and min(numbers) > 0


def _power(*numbers: int) -> bool:
    return len(numbers) == 1 and numbers[0] > 1 and numbers[0].bit_count() == 1


def _one(least: int, step: int = 1, first: int = 0) -> Callable[..., bool]:
    """Return whether the size is one number, at least so great, ``first`` above a multiple."""
    return lambda *n: len(n) == 1 and n[0] >= least and (n[0] - first) % step == 0


FAMILIES = {
    "ring": Family("ring-8", "a ring", grids.ring, "3 nodes or more", _one(3)),
    "mesh": Family(
        "mesh-4x4", "a mesh of any dimensions", grids.mesh, "a side a dimension, as 4x4", _sides
    ),
    "torus": Family(
        "torus-4x4", "a mesh with wrap-around", grids.torus, "a side a dimension, as 4x4", _sides
    ),
    "hypercube": Family(
        "hypercube-16", "a hypercube", grids.hypercube, "a power of two, 2 or more", _power
    ),
    "k-ring": Family(
        "k-ring-16",
        "a folded hypercube",
        grids.folded_hypercube,
        "a power of two, 4 or more",
        lambda *n: _power(*n) and n[0] > 2,
    ),
    "coated-mesh": Family(
        "coated-mesh-4x4",
        "a mesh of switches, processors around its rim",
        indirect.coated_mesh,
        "two sides of 2 or more, as 4x4",
        lambda *n: len(n) == 2 and min(n) > 1,
        lambda *n: 2 * sum(n),
    ),
    "octagon": Family(
        "octagon-8",
        "a ring whose opposite nodes are joined; or Octagons in several dimensions, octagon-8x8",
        lambda name, *n: (octagons.octagon if len(n) == 1 else octagons.octagon_space)(name, *n),
        "a multiple of 4, 8 or more, or 8 a dimension, as 8x8",
        lambda *n: _one(8, 4)(*n) or set(n) == {8},
    ),
    "octagon-bridged": Family(
        "octagon-bridged-15",
        "Octagons in a row that share bridge nodes",
        octagons.bridged_octagons,
        "1 more than a multiple of 7, 15 or more",
        _one(15, 7, 1),
    ),
    "fat-octagon": Family(
        "fat-octagon-16",
        "an Octagon of routers, several processors each",
        octagons.fat_octagon,
        "a multiple of 8",
        _one(8, 8),
    ),
    "twisted-ladder": Family(
        "twisted-ladder-16",
        "a Möbius ladder",
        known_graphs.twisted_ladder,
        "an even number, 6 or more",
        _one(6, 2),
    ),
    "amp": Family(
        "amp-32",
        "degree 4 and least distances among rings with chords",
        known_graphs.minimum_path,
        "5 nodes or more",
        _one(5),
    ),
    "moore-petersen": Family(
        "moore-petersen", "the Moore graph of degree 3", known_graphs.petersen, nodes=lambda: 10
    ),
    "moore-hoffman-singleton": Family(
        "moore-hoffman-singleton",
        "the Moore graph of degree 7",
        known_graphs.hoffman_singleton,
        nodes=lambda: 50,
    ),
    "star": Family(
        "star-8", "node 0 joined with all others", known_graphs.star, "2 nodes or more", _one(2)
    ),
    "fat-tree": Family(
        "fat-tree-2x4",
        "a k-ary n-tree, k to the n processors",
        indirect.fat_tree,
        "arity and levels, as 2x4, both 2 or more",
        lambda *n: len(n) == 2 and min(n) > 1,
        lambda *n: n[0] ** min(n[1], MOST),
    ),
}


def named(name: str) -> Topology:
    """Return a topology by its name.

    Raises
    ------
    SpecError
        There is no such family, or it has not this size.
    """
    if name in FAMILIES and not FAMILIES[name].size:
        return FAMILIES[name].make(name)
    match = re.fullmatch(r"(.+?)-(\d{1,9}(?:x\d{1,9})*)", name)
    family = FAMILIES.get(match[1] if match else name)
    if family is None:
        raise SpecError(
            f'topology: "{name}" is neither a file nor a name; '
            + did_you_mean(match[1] if match else name, FAMILIES)
        )
    if not family.size:
        raise SpecError(f'topology: "{match[1] if match else name}" has one size; leave it out')
    numbers = tuple(map(int, match[2].split("x"))) if match else ()
    if not numbers or not family.allowed(*numbers):
        raise SpecError(
            f'topology: size of "{name}" must be {family.size}; for example {family.example}'
        )
    if family.nodes(*numbers) > MOST:
        raise SpecError(f'topology: "{name}" has more than {MOST:,} nodes')
    return family.make(name, *numbers)
