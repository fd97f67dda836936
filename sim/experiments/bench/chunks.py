"""Schedules in chunks: throughput of trees and times of searches, beside their bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, pairwise

from syncfabric.models.collectives.chunks.bounds import time_of_a_byte
from syncfabric.models.collectives.chunks.links import bandwidths, linked
from syncfabric.models.collectives.chunks.schedule import Chunked
from syncfabric.models.collectives.chunks.search import search
from syncfabric.models.collectives.chunks.trees import best_trees
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.topology import Topology
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section

FORESTCOLL = {
    "hypercube-8": Fraction(7, 3),
    "octagon-8": Fraction(7, 3),
    "torus-4x4": Fraction(15, 4),
    "mesh-4x4": Fraction(15, 2),
    "hypercube-32": Fraction(31, 5),
    "hypercube-64": Fraction(21, 2),
    "torus-16x16": Fraction(255, 4),
}
"""Time of a byte of allgather with unit links, by ForestColl's program; of the last two it has the
bound alone."""
SIZE = 2**26
SEARCHES: tuple[tuple[str, Chunked, tuple[int, ...], float], ...] = (
    ("torus-8x8", "allreduce", (1, 2, 4, 8, 16), 1.02),
    ("dgx-1", "allreduce", (6, 12, 24, 48), 1.02),
    ("dgx-1-pair", "allreduce", (1, 2, 4, 6, 8), 1.02),
    ("dgx-a100-pair", "allgather", (4, 13, 26), 1.15),
    ("mesh-8x8", "allreduce", (16, 32, 48), 1.1),
    ("hypercube-64", "allgather", (1, 6, 12, 24), 1.02),
    ("mesh-8x8", "allgather", (1, 2, 4, 8), 1.02),
    ("torus-16x16", "allgather", (1, 4), 1.02),
    ("fat-tree-4x3", "allreduce", (1,), 1.02),
    ("ring-8", "alltoall", (1,), 1.02),
    ("torus-4x4", "alltoall", (1,), 1.02),
    ("hypercube-8", "alltoall", (1,), 1.02),
    ("dgx-1", "alltoall", (3,), 1.02),
    ("dgx-a100-pair", "alltoall", (1,), 1.02),
    ("fat-tree-2x4", "alltoall", (1,), 1.02),
    ("dgx-a100-pair", "gather", (4,), 1.05),
)
"""Topology, collective, numbers of chunks, and the time in bounds to reach."""


def _units(name: str) -> Topology:
    return linked(named(name), Fraction(0), Fraction(1))


@section
def throughputs() -> Iterator[Claim]:
    """Allgather in chunks: time of a byte, unit links, trees beside ForestColl's bounds."""
    for name, theirs in FORESTCOLL.items():
        topology = _units(name)
        ranks = range(topology.nodes)
        least, _ = time_of_a_byte(topology, ranks)
        load, each = Counter[tuple[int, int]](), 0
        for tree in best_trees(topology, ranks) or ():
            for channel in chain.from_iterable(map(pairwise, tree.edges)):
                load[channel] += tree.weight
            each += tree.weight if tree.owner == 0 else 0
        rates = dict(zip(topology.channels, bandwidths(topology), strict=True))
        ours = max(Fraction(n, each) / rates[channel] for channel, n in load.items())
        words = f"{float(ours):g}, {each} trees a rank; bound {float(least):g}"
        wanted = f"{float(theirs):g} (ForestColl)"
        yield figure(f"{name}, {topology.nodes} ranks", words, wanted, ours == least == theirs)


@section
def times() -> Iterator[Claim]:
    """Schedules in chunks: 64 MiB, alpha 1,000 ns and beta 1 ns a byte, or the machine's links."""
    for name, kind, chunks, wanted in SEARCHES:
        topology = linked(named(name), Fraction(1000), Fraction(1))
        best = (found := search(topology, kind, SIZE, chunks)).best
        ratio = float(best.time / found.bound)
        words = f"{ratio:.3f} of the bound: {best.method}, {best.parts} chunks"
        yield figure(f"{kind}, {name}", words, f"at most {wanted:g}", ratio <= wanted)
