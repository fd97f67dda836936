"""Random networks as paper BTIN simulates them, and what groups on them come to.

Source: paper BTIN, section 5.1. Member nodes are drawn as ``{ random = n, seed = s }`` in a network
file, s the network's own seed: so every network and group can be looked at with other commands.
"""

from __future__ import annotations

import random
from dataclasses import astuple, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.random_network import RandomNetwork, draw_network, link_count
from syncfabric.models.schemes.irregular import Group, Ways, along, by_multicast, by_unicast
from syncfabric.models.timing.btin import PacketTiming
from syncfabric.sim.experiments.frame import Work

__all__ = ["Drawn", "Found", "Survey", "check", "drawn_of", "look", "survey"]

EACH = 10
"""Networks of a job."""


@dataclass(frozen=True)
class Drawn:
    """A kind of random network.

    Parameters
    ----------
    nodes, switches, ports : int
        The p, q and k.
    connectivity : float
        The f: of all ports those that are connected.
    """

    nodes: int
    switches: int
    ports: int
    connectivity: float

    @property
    def links_a_switch(self) -> float:
        """The c that f asks for, links of a switch to others on average: f k - p / q."""
        return self.connectivity * self.ports - self.nodes / self.switches

    @property
    def links_asked(self) -> int:
        """Links that f asks for."""
        return link_count(self._table(0), self.ports)

    @property
    def links(self) -> int:
        """Links that the networks have: as many as f asks for, but no fewer than a tree."""
        return max(self.links_asked, self.switches - 1)

    @property
    def own_links_a_switch(self) -> float:
        """The c of the networks themselves."""
        return 2 * self.links / self.switches

    @property
    def sizes(self) -> list[int]:
        """Sizes of groups: the powers of 2, and all nodes."""
        powers = [1 << bit for bit in range(1, self.nodes.bit_length())]
        return sorted({*powers, self.nodes} - {1})

    @property
    def size(self) -> str:
        """Nodes and switches, as the labels of the paper's figures have them."""
        return f"{self.nodes}, {self.switches}"

    def draw(self, seed: int) -> Irregular:
        """Draw the network of a seed."""
        return draw_network(self._table(seed), self.ports)[0]

    def _table(self, seed: int) -> RandomNetwork:
        return RandomNetwork(
            switches=self.switches, nodes=self.nodes, connectivity=self.connectivity, seed=seed
        )


class Found(NamedTuple):
    """What one group comes to.

    Parameters
    ----------
    height, updown_height : int
        Of BTIN, and of the tree of up/down routing.
    btin, updown, multicast, unicast : int
        Links between switches that a barrier passes.
    direct : int
        Those from all members to the root by shortest ways.
    asked, held, bare : int
        Messages that set BTIN up, switches with a register, and those of them that have no node.
    told : int
        Messages that set multicast up.
    """

    height: int
    updown_height: int
    btin: int
    updown: int
    multicast: int
    unicast: int
    direct: int
    asked: int
    held: int
    bare: int
    told: int


@dataclass(frozen=True, eq=False)
class Survey:
    """What groups of some sizes come to on all networks of a kind.

    Parameters
    ----------
    drawn : Drawn
        The kind.
    sizes : tuple of int
        Members.
    values : array of float64, shape (networks, sizes, fields of Found)
    """

    drawn: Drawn
    sizes: tuple[int, ...]
    values: NDArray[np.float64]

    def of(self, field: str) -> NDArray[np.float64]:
        """Return a field of ``Found``, shape (networks, sizes)."""
        column: NDArray[np.float64] = self.values[:, :, Found._fields.index(field)]
        return column

    def mean(self, field: str, size: int) -> float:
        """Return its mean over the networks for groups of a size."""
        return float(self.of(field)[:, self.sizes.index(size)].mean())


def survey(work: Work, drawn: Drawn, sizes: list[int] | None = None) -> Survey:
    """Draw as many networks as there are runs, and a group of each size on each.

    Parameters
    ----------
    work : Work
        Whose seeds are the networks'.
    drawn : Drawn
        The kind of network.
    sizes : list of int, optional
        Members; all of ``Drawn.sizes`` by default.
    """
    chosen = drawn.sizes if sizes is None else sizes
    seeds = list(work.seeds)
    jobs = [(*astuple(drawn), seeds[i : i + EACH], chosen) for i in range(0, len(seeds), EACH)]
    found = [values for part in work.map(look, jobs) for values in part]
    return Survey(drawn, tuple(chosen), np.array(found, dtype=np.float64))


def look(
    nodes: int, switches: int, ports: int, connectivity: float, seeds: list[int], sizes: list[int]
) -> list[list[list[int]]]:
    """Return the fields of ``Found``, network by network, size by size."""
    drawn = Drawn(nodes, switches, ports, connectivity)
    return [_of_network(drawn.draw(seed), seed, sizes) for seed in seeds]


def _of_network(network: Irregular, seed: int, sizes: list[int]) -> list[list[int]]:
    ways = Ways(network)
    return [list(_of_group(ways, seed, size)) for size in sizes]


def _of_group(ways: Ways, seed: int, size: int) -> Found:
    group = Group(ways, random.Random(seed).sample(ways.topology.nodes, size))
    times = PacketTiming()  # of no effect on what is kept
    tree, other = along(group.tree, group, times), along(group.updown_tree, group, times)
    gathered = by_multicast(group, times)
    with_nodes = ways.topology.nodes_array[:, 0]
    return Found(
        height=tree.height,
        updown_height=other.height,
        btin=tree.traversals,
        updown=other.traversals,
        multicast=gathered.traversals,
        unicast=by_unicast(group, times).traversals,
        direct=group.direct,
        asked=tree.setup_messages,
        held=len(group.tree),
        bare=int((~np.isin(group.tree.routers, with_nodes)).sum()),
        told=gathered.setup_messages,
    )


def check(drawn: Drawn) -> None:
    """Refuse a kind of network that cannot be drawn, or that the formulas are not for.

    Raises
    ------
    SpecError
        There are too many nodes for the switches' ports, or f leaves no port for links.
    """
    drawn.draw(0)
    if drawn.links_a_switch <= 0:
        least = drawn.nodes / drawn.switches / drawn.ports
        raise SpecError(
            f"network: connectivity = {drawn.connectivity:g} leaves no port for links, since "
            f"{drawn.nodes} nodes on {drawn.switches} switches of {drawn.ports} ports take "
            f"{least:.3g}; set it above"
        )


def drawn_of(work: Work, which: str = "", connectivity: str = "connectivity") -> Drawn:
    """Return the kind of network that the parameters name, checked.

    Parameters
    ----------
    work : Work
        Whose parameters.
    which : str
        What the names of those for nodes and switches begin with.
    connectivity : str
        The name of that for the connectivity.
    """
    values = work.values
    nodes, switches = int(values[f"{which}nodes"]), int(values[f"{which}switches"])
    drawn = Drawn(nodes, switches, int(values["ports"]), float(values[connectivity]))
    check(drawn)
    return drawn
