"""Flows of many sources at once, as linear programs: of steps, of chunks, in parts or whole.

The dual values of a program are prices: what a channel's capacity is worth.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import coo_array, csr_array, hstack

from syncfabric.models.collectives.clock import seconds_left, tick
from syncfabric.models.collectives.symmetry import translations
from syncfabric.models.collectives.task import Task
from syncfabric.models.collectives.topology import Topology

MOST_WHOLE = 6_000
"""Of the program in whole numbers."""
NODES, GAP = 100, 0.1
"""Branches of its search, and sends by which it may be above the fewest."""
SCALES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 60, 1000, 1_000_000)
"""Greatest lengths to which those of the program are rounded."""


def flows(task: Task) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return what comes from each node to each vertex, and which channels it may take.

    Parameters
    ----------
    task : Task

    Returns
    -------
    wanted : float64, of shape (nodes, vertices)
    usable : bool, of shape (nodes, channels)
        All False of a node that sends nothing.
    """
    topology = task.topology
    wanted = np.zeros((topology.nodes, topology.vertices))
    usable = np.zeros((topology.nodes, len(topology.channels)), bool)
    for (source, target), times in Counter(task.collective.pairs).items():
        wanted[source, target] = times
    tails, heads = topology.ends.T
    for source in task.collective.senders:
        usable[source] = heads != source
        if task.minimal:
            hops = topology.distances[source]
            usable[source] &= hops[tails] + 1 == hops[heads]
    return wanted, usable


def flow_prices(
    topology: Topology, wanted: NDArray[np.float64], usable: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """Return what each channel's capacity, one, is worth where flows take the least time together.

    Parameters
    ----------
    topology : Topology
    wanted : ndarray
        What comes from each rank to each vertex, of shape (ranks, vertices).
    usable : ndarray
        Channels that each rank's flow may take, of shape (ranks, channels).
    """
    program = Program(topology, translated=False, usable=usable)
    solved = program.least(np.ones(program.orbits), program.of_vertices(wanted), "highs")
    return None if solved is None else solved[1]


def whole_flows(
    topology: Topology,
    parts: int,
    capacities: Sequence[int],
    wanted: NDArray[np.float64] | None = None,
    usable: NDArray[np.bool_] | None = None,
    most: int = MOST_WHOLE,
) -> NDArray[np.int64] | None:
    """Return flows of so many whole parts from every rank to every other, with the fewest sends.

    Parameters
    ----------
    topology : Topology
    parts : int
    capacities : sequence of int
        Parts that each channel has room for.
    wanted, usable : ndarray, optional
        As of :func:`flow_prices`; by default a part at every rank, by all channels.
    most : int
        Columns of the program.

    Returns
    -------
    ndarray or None
        Parts of each source on each channel, of shape (ranks, channels). None: there is no room,
        no solution was found with little effort, or it is too large a program.
    """
    tick()
    program = Program(topology, translated=False, usable=usable)
    if program.columns > most and wanted is None:
        program = Program(topology, translated=True)
    if program.columns > most:
        return None
    due = program.wanted if wanted is None else program.of_vertices(wanted)
    capacity = np.zeros(program.orbits)
    capacity[program.orbit] = capacities
    solved = milp(
        np.ones(program.columns),
        constraints=[
            LinearConstraint(program.load(np.ones(program.orbits)), ub=capacity),
            LinearConstraint(program.kept, *[due * parts] * 2),
        ],
        integrality=np.ones(program.columns),
        bounds=Bounds(0, np.inf),
        options={"node_limit": NODES, "mip_rel_gap": GAP, "time_limit": seconds_left()},
    )
    tick()
    return None if solved.x is None else program.spread(solved.x.round()).astype(np.int64)


def fewest(
    load: csr_array,
    each: NDArray[np.float64],
    kept: csr_array,
    wanted: NDArray[np.float64],
    method: str = "highs",
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return what columns are in the fewest steps, and what capacities are worth; None: no time.

    The rows of ``load`` come to ``each`` a step at most, and those of ``kept`` to ``wanted``.
    """
    # Column 0 is the number of steps.
    solved = linprog(
        np.eye(1, load.shape[1] + 1)[0],
        A_ub=hstack([csr_array(-each[:, np.newaxis].astype(float)), load]),
        b_ub=np.zeros(len(each)),
        A_eq=hstack([csr_array((kept.shape[0], 1)), kept]),
        b_eq=wanted,
        method=method,
        options={"time_limit": seconds_left()},
    )
    tick()
    return (solved.x[1:], np.maximum(-solved.ineqlin.marginals, 0)) if solved.success else None


class Program:
    """Flows as columns: of each source that leads an orbit of translations, if there are any.

    Parameters
    ----------
    topology : Topology
        With links.
    translated : bool
        Whether to take translations.
    usable : ndarray, optional
        Channels that each rank's flow may take, without translations.
    """

    def __init__(
        self, topology: Topology, *, translated: bool, usable: NDArray[np.bool_] | None = None
    ) -> None:
        vertices, channels = topology.vertices, len(topology.channels)
        self._images = np.arange(channels, dtype=np.int32)[np.newaxis]
        self.orbit = np.arange(channels, dtype=np.int32)
        self._moved = np.arange(vertices, dtype=np.int32)[np.newaxis]
        for symmetry in translations(topology)[:1] if translated else ():
            kinds = {link: kind for kind, link in enumerate(topology.links)}
            kind = np.array([kinds[link] for link in topology.links])
            if (kind[symmetry.channels] == kind).all():
                self._images, self._moved = symmetry.channels, symmetry.vertices
                self.orbit = symmetry.channel_orbit
        self.orbits = int(self.orbit.max()) + 1
        self._shape = topology.nodes, channels
        leaders = np.unique(self._moved[:, : topology.nodes].min(axis=0))
        self._leaders = leaders
        # A flow does not lead back to its source.
        tails, heads = topology.ends.T
        if usable is None:
            usable = heads[np.newaxis] != leaders[:, np.newaxis]
        self._source, self._channel = np.nonzero(usable)
        self.columns = len(self._source)
        ends = [self._source * vertices + end[self._channel] for end in (heads, tails)]
        self._others = (np.arange(vertices) != leaders[:, np.newaxis]).ravel()
        kept = coo_array(
            (
                np.repeat([1.0, -1.0], self.columns),
                (np.concatenate(ends), np.tile(np.arange(self.columns), 2)),
            ),
            shape=(len(self._others), self.columns),
        )
        self.kept = csr_array(kept.tocsr()[self._others])
        """What a flow leaves at each vertex but its source."""
        ranks = (np.arange(vertices) < topology.nodes) * 1.0
        self.wanted = self.of_vertices(np.tile(ranks, (len(leaders), 1)))
        """A byte at each rank."""

    def of_vertices(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values by leader and vertex as the rows of ``kept``."""
        found: NDArray[np.float64] = values.ravel()[self._others]
        return found

    def load(self, rates: NDArray[np.float64]) -> csr_array:
        """Return what the flows put on each orbit of channels, divided by its rate."""
        of = self.orbit[self._channel]
        shape = self.orbits, self.columns
        return coo_array((1 / rates[of], (of, np.arange(self.columns))), shape=shape).tocsr()

    def least(
        self, rates: NDArray[np.float64], wanted: NDArray[np.float64], method: str
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return flows that take the least time at rates of orbits, and their prices."""
        found = fewest(self.load(rates), np.ones(self.orbits), self.kept, wanted, method)
        return None if found is None else (found[0], found[1][self.orbit])

    def spread(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the flows of all sources on all channels from those of the leaders."""
        of_leader = np.zeros((len(self._leaders), self._shape[1]))
        of_leader[self._source, self._channel] = found
        carried = np.zeros(self._shape)
        for leader, flow in zip(self._leaders, of_leader, strict=True):
            # The image of a flow carries on a channel's image what it carries on the channel.
            carried[self._moved[:, leader][:, np.newaxis], self._images] = flow
        return carried
