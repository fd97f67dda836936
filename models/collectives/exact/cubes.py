"""All-to-all scatter on hypercubes without search.

The message from s to s xor v goes along the bits of v, the lowest first. Messages with the same v
share no channel, whatever v. Nor do v and its complement, for they use different dimensions. So v
and its complement make a step; with one port v alone does.
"""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.collective import Collective
from syncfabric.models.collectives.paths import Path
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.task import Task
from syncfabric.models.collectives.topology import Topology

__all__ = ["is_cube", "scatter_on_cube"]


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
