"""Traffic patterns: which node the packets of each node are for.

Source: Dally and Towles, Principles and Practices of Interconnection Networks, 2004, section 3.2.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import did_you_mean
from syncfabric.models.networks.families import named
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh

Nodes: TypeAlias = NDArray[np.int64]

ALL = 1 << 16
"""The share of all packets."""
ANY = -1
"""In place of a goal: a random other node."""
UNIFORM = "uniform"


@dataclass(frozen=True)
class Pattern:
    """Where packets go (docs/microarchitecture.md, Traffic).

    Parameters
    ----------
    name : str
        As the user writes it.
    goals : tuple of int
        For each node the number of another, or `ANY`; a node that is its own goal sends nothing.
    share : int, 1 to `ALL`
        Packets in so many that are for the goal; the others are for random nodes.
    """

    name: str
    goals: tuple[int, ...]
    share: int = ALL

    @property
    def senders(self) -> int:
        """Nodes that send."""
        return sum(goal != node for node, goal in enumerate(self.goals))


def pattern_of(topology: Mesh | Irregular, text: str) -> Pattern:
    """Return a pattern on a network.

    Parameters
    ----------
    topology : Mesh or Irregular
    text : str
        One of `NAMES`, or ``hotspot:SHARE:NODE``, with more nodes behind colons.

    Raises
    ------
    SpecError
        There is no such pattern, the network does not allow it, or no node would send.
    """
    name, _, rest = text.partition(":")
    count, share = len(topology.nodes), ALL
    try:
        if name == "hotspot":
            share, goals = _hotspot(topology, *rest.split(":"))
        elif text in NAMES:
            goals = tuple(map(int, NAMES[text](np.arange(count), _radices(topology.graph))))
        else:
            raise SpecError(f"it is not known; {did_you_mean(text, (*NAMES, 'hotspot'))}")
        pattern = Pattern(text, goals, share)
        if not pattern.senders:
            raise SpecError(f"on the {topology} every node is its own destination")
    except SpecError as error:
        raise SpecError(f"pattern {text}: {error}") from None
    return pattern


def _hotspot(topology: Mesh | Irregular, part: str, *names: str) -> tuple[int, tuple[int, ...]]:
    """Let node i send a share of its packets to the hot node i mod H, or the next if it is that."""
    form = topology.NODE_FORM.strip("[]").replace(" ", "")
    share = round(float(part) * ALL) if re.fullmatch(r"[01]?(\.\d+)?", part) and part else 0
    nodes = [name for name in dict.fromkeys(names) if re.fullmatch(r"\d{1,6},\d{1,6}", name)]
    if not 0 < share <= ALL or not nodes or len(nodes) < len(names):
        raise SpecError(f"write hotspot:SHARE:{form}, the share above 0 and up to 1, a node once")
    hot = []
    for name in nodes:
        first, second = map(int, name.split(","))
        if not topology.contains((first, second)):
            raise SpecError(f"node {name} is {topology.outside((first, second))}")
        hot.append(topology.index((first, second)))
    goals = [hot[node % len(hot)] for node in range(len(topology.nodes))]
    for node in hot:
        if goals[node] == node:
            goals[node] = hot[(node + 1) % len(hot)] if len(hot) > 1 else ANY
    return share, tuple(goals)


def _radices(graph: Irregular) -> tuple[int, ...]:
    """Return the nodes along each dimension; without coordinates there is one."""
    count = len(graph.nodes)
    if graph.columns:
        return graph.columns, count // graph.columns
    grid = named(graph.family).grid if graph.family else None
    switches = [switch for switch, _ in graph.nodes]
    return grid.sides if grid and switches == list(range(graph.switches)) else (count,)


def _bits(nodes: Nodes, done: str) -> int:
    """Return the bits of a node's number, of which something is to be ``done``."""
    if len(nodes) & (len(nodes) - 1):
        raise SpecError(f"a number's bits {done} need a power of two of nodes, not {len(nodes)}")
    return len(nodes).bit_length() - 1


def _complement(nodes: Nodes, _: tuple[int, ...]) -> Nodes:
    return nodes ^ ((1 << _bits(nodes, "inverted")) - 1)


def _reverse(nodes: Nodes, _: tuple[int, ...]) -> Nodes:
    bits = _bits(nodes, "reversed")
    found = 0 * nodes
    for bit in range(bits):
        found = found << 1 | nodes >> bit & 1
    return found


def _shuffle(nodes: Nodes, _: tuple[int, ...]) -> Nodes:
    bits = _bits(nodes, "rotated")
    return nodes << 1 & len(nodes) - 1 | nodes >> max(0, bits - 1)


def _transpose(nodes: Nodes, radices: tuple[int, ...]) -> Nodes:
    side = math.isqrt(len(nodes))
    if side * side != len(nodes) or (len(radices) == 2 and radices[0] != side):
        shape = "x".join(map(str, radices)) if len(radices) == 2 else f"{len(nodes)} nodes"
        raise SpecError(f"it needs a square, as 8x8 or 64 nodes, and this is {shape}")
    return nodes % side * side + nodes // side


def _moved(step: Callable[[int], int]) -> Callable[[Nodes, tuple[int, ...]], Nodes]:
    """Return a pattern that adds to each coordinate, modulo the nodes along that dimension."""

    def goals(nodes: Nodes, radices: tuple[int, ...]) -> Nodes:
        found, weight = 0 * nodes, 1
        for radix in radices:
            found += weight * ((nodes // weight + step(radix)) % radix)
            weight *= radix
        return found

    return goals


NAMES: dict[str, Callable[[Nodes, tuple[int, ...]], Nodes]] = {
    UNIFORM: lambda nodes, _: np.full_like(nodes, ANY),
    "transpose": _transpose,
    "bit-complement": _complement,
    "bit-reverse": _reverse,
    "shuffle": _shuffle,
    "tornado": _moved(lambda radix: -(-radix // 2) - 1),
    "neighbour": _moved(lambda _: 1),
}
"""By name, what makes the goals of all nodes, given the nodes along each dimension."""
