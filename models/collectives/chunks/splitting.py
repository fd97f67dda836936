"""Ways between ranks in place of the links of switches, so that as much comes to every rank.

A channel into a switch and one out of it become a way past it, for as much as no cut between the
owners and a rank needs; when all that a switch has is split off, it is gone. What is left are ranks
and ways between them, on which trees can be packed.

Source: L. Zhao et al., ForestColl (2024), section 5.3; J. Bang-Jensen, A. Frank and B. Jackson,
Preserving and increasing local edge-connectivity in mixed graphs, SIAM Journal on Discrete
Mathematics 8, 1995.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from ortools.graph.python.max_flow import SimpleMaxFlow

from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.topology import Topology

Edge = tuple[int, int]
Path = tuple[int, ...]
Ways = dict[Edge, dict[Path, int]]
"""Of each pair of ranks the ways between them, and how many trees may take each."""

UNBOUNDED = 2**40
"""More than all trees together."""
MOST_FLOWS = 300_000
"""Maximum flows that all switches may take."""


def split_off(
    topology: Topology, room: Mapping[Edge, int], owners: Sequence[int], each: int
) -> Ways | None:
    """Return ways past switches that let as many trees through as the links.

    Parameters
    ----------
    topology : Topology
        With switches, or without: then every link is a way.
    room : mapping
        Trees that a channel has room for.
    owners : sequence of int
    each : int
        Trees of each owner, all of which can come to every rank.

    Returns
    -------
    dict, or None
        None: a switch has more in than out, so that something is left of it, or it takes too long.
    """
    pairs = sum(len(topology.successors[w]) ** 2 for w in range(topology.nodes, topology.vertices))
    if pairs * 2 * topology.nodes > MOST_FLOWS:
        return None
    splitting = _Splitting(topology, room, owners, each)
    for switch in range(topology.nodes, topology.vertices):
        if not splitting.remove(switch):
            return None
    return splitting.ways


class _Splitting:
    """The ways so far: at first each channel is one."""

    def __init__(
        self, topology: Topology, room: Mapping[Edge, int], owners: Sequence[int], each: int
    ) -> None:
        self._ranks, self._source = topology.nodes, topology.vertices
        self._owners, self._each = owners, each
        self._room = {pair: count for pair, count in room.items() if count}
        self.ways: Ways = {pair: {pair: count} for pair, count in self._room.items()}

    def remove(self, switch: int) -> bool:
        """Split off all that a switch has; return whether nothing is left."""
        ins = [a for a, b in self._room if b == switch]
        outs = [b for a, b in self._room if a == switch]
        # A way back to where it came from is of no use, and is the last to be made.
        pairs = sorted(((a, b) for b in outs for a in ins), key=lambda pair: pair[0] == pair[1])
        for a, b in pairs:
            tick()
            if most := self._most(a, switch, b):
                self._join(a, switch, b, most)
        return not any(switch in pair for pair in self._room)

    def _join(self, a: int, switch: int, b: int, count: int) -> None:
        into, onward = self._take((a, switch), count), self._take((switch, b), count)
        if a == b:
            return
        self._room[a, b] = self._room.get((a, b), 0) + count
        ways = self.ways.setdefault((a, b), {})
        while into:
            (first, left), (second, right) = into.pop(), onward.pop()
            less = min(left, right)
            way = _straight((*first, *second[1:]))
            ways[way] = ways.get(way, 0) + less
            into += [(first, left - less)] * (left > less)
            onward += [(second, right - less)] * (right > less)

    def _take(self, pair: Edge, count: int) -> list[tuple[Path, int]]:
        self._room[pair] -= count
        if not self._room[pair]:
            del self._room[pair]
        taken, ways = list[tuple[Path, int]](), self.ways[pair]
        while count:
            way, held = ways.popitem()
            less = min(held, count)
            taken.append((way, less))
            count -= less
            if held > less:
                ways[way] = held - less
        if not ways:
            del self.ways[pair]
        return taken

    def _most(self, a: int, switch: int, b: int) -> int:
        """Return how much of (a, switch) and (switch, b) can become a way from a to b.

        It is lost to a cut that has the switch on one side, and both ends on the other: all such
        cuts must let through more than all owners' trees.
        """
        most = min(self._room.get((a, switch), 0), self._room.get((switch, b), 0))
        needed = self._each * len(self._owners)
        ends = {a, b}
        for rank in range(self._ranks):
            for here, there in ((ends, {switch}), ({switch}, ends)):
                if most <= 0:
                    return 0
                if rank not in here:
                    most = min(most, self._flow(here, there, rank) - needed)
        return most

    def _flow(self, here: set[int], there: set[int], rank: int) -> int:
        """Return the least cut with some vertices on the owners' side, some on a rank's."""
        arcs = [(x, y, count) for (x, y), count in self._room.items()]
        arcs += [(self._source, owner, self._each) for owner in self._owners]
        arcs += [(self._source, vertex, UNBOUNDED) for vertex in here]
        arcs += [(vertex, rank, UNBOUNDED) for vertex in there if vertex != rank]
        tails, heads, most = np.array(arcs, dtype=np.int64).T
        solver = SimpleMaxFlow()
        solver.add_arcs_with_capacity(tails.astype(np.int32), heads.astype(np.int32), most)
        solver.solve(self._source, rank)
        found: int = solver.optimal_flow()
        return found


def _straight(way: Path) -> Path:
    """Return a way without its loops."""
    found = list[int]()
    for vertex in way:
        if vertex in found:
            del found[found.index(vertex) :]
        found.append(vertex)
    return tuple(found)
