"""All-reduce on the RTL: by switches that combine, and by software over the same links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from syncfabric.models.collectives.chunks.links import linked
from syncfabric.models.collectives.chunks.search import Found, search
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.topology import Topology
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section
from syncfabric.sim.replay.chunks import replay_chunks
from syncfabric.sim.replay.in_network import plan_in_network, play

PLACES: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("mesh-4x4", (256, 1024, 4096, 16384)),
    ("torus-4x4", (256, 1024, 4096, 16384)),
    ("fat-tree-4x2", (256, 1024, 4096, 16384)),
    ("mesh-8x8", (1024,)),
    ("torus-8x8", (1024,)),
    ("fat-tree-8x2", (1024,)),
)
"""Topologies, and the bytes of a vector."""
HOP = Fraction(4)
"""Cycles of a packet in which no data are on a link, for the search: a head and two hops."""
CYCLES_PER_BYTE = Fraction(1, 4)
CHUNKS = (1, 2, 4)
TIME_LIMIT = 600.0
"""Seconds of a search."""
PLAYED = 3
"""Schedules of the search that are played, the fastest of which counts."""
LEAST = 3
"""Times, at 1 KiB, that software with as many ports takes."""


def _software(name: str, size: int, ports: int | None) -> tuple[int, str]:
    """Return the cycles of the best schedule of software, and its method."""
    topology = linked(named(name), HOP, CYCLES_PER_BYTE)
    best: tuple[int, str] | None = None
    for found in _found(topology, size):
        played = replay_chunks(found.schedule, ports=ports)
        assert played.ok
        assert played.cycles is not None
        taken = played.cycles, f"{found.method} {found.parts}"
        best = taken if best is None else min(best, taken)
    assert best is not None
    return best


def _found(topology: Topology, size: int) -> Sequence[Found]:
    return search(topology, "allreduce", size, CHUNKS, time_limit=TIME_LIMIT).found[:PLAYED]


@section
def in_network() -> Iterator[Claim]:
    """All-reduce in the network beside schedules of software over the same links (cycles).

    Software has as many ports a node as there are trees, and in brackets one for each link; it
    answers in the cycle after a packet has come, and combines in no time.
    """
    for name, sizes in PLACES:
        for size in sizes:
            made = plan_in_network(named(name), size)
            played = play(made)
            trees = len(made.words)
            alike, method = _software(name, size, trees)
            most, other = _software(name, size, None)
            cycles = played.cycles or 0
            ratio = alike / cycles if cycles else 0.0
            measured = f"{cycles:,}, {trees} tree{'s' * (trees > 1)}; {alike:,} by {method}"
            measured += f": {ratio:.1f} ({most:,} by {other}: {most / max(1, cycles):.1f})"
            wanted = f"at least {LEAST} times" if size == 1024 else "right"
            met = played.right and (size != 1024 or ratio >= LEAST)
            yield figure(f"{name}, {size:,} bytes", measured, wanted, met)
