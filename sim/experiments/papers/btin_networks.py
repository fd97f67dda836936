"""Random networks as paper BTIN simulates them: what groups on them come to, and take on the RTL.

Source: paper BTIN, section 5.1. Member nodes are drawn as ``{ random = n, seed = s }`` in a network
file, s the network's own seed: so every network and group can be looked at with other commands.

On the RTL all members arrive together, as section 5.1 has it, and buffers hold a flit, as section
2.1 has it. There is no start-up: software answers in the next cycle. The tree is planner ``btin``'s
on engines; messages have no data. Multicast is GO down the same tree.
"""

import random
from dataclasses import astuple, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.random_network import RandomNetwork, draw_network, link_count
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.schemes.irregular import Group, Routes, along, by_packets
from syncfabric.models.timing.btin import Method, PacketTiming, packets_ns
from syncfabric.sim.experiments.alone import alone
from syncfabric.sim.experiments.frame import Parameter, Work, times_parameters

NODES = Parameter("nodes", 256, 2, 4096, "nodes of the network")
SWITCHES = Parameter("switches", 75, 2, 1024, "its switches")
PORTS = Parameter("ports", 8, 3, 16, "ports of every switch")
CONNECTIVITY = Parameter("connectivity", 0.75, 0.0, 1.0, "ports that are connected, of all")
MEMBERS = Parameter("members", 256, 2, 4096, "members of the groups that claims are about")
NETWORK = (NODES, SWITCHES, PORTS, CONNECTIVITY, MEMBERS)
TIMES = times_parameters(PacketTiming())
FITTED = "Multicast: by a formula that was fitted to the paper's numbers."

NAMES: dict[Method, str] = {"btin": "BTIN", "multicast": "multicast", "unicast": "unicast"}
"""Of the schemes in labels."""
EACH = 10
"""Networks of a job."""


@dataclass(frozen=True)
class Drawn:
    """A kind of random network."""

    nodes: int
    switches: int
    ports: int
    """The p, q and k."""
    connectivity: float
    """The f: of all ports those that are connected."""

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

    @property
    def percent(self) -> str:
        """The connectivity in per cent."""
        return f"{100 * self.connectivity:g} %"

    def draw(self, seed: int) -> Irregular:
        """Draw the network of a seed."""
        return draw_network(self._table(seed), self.ports)[0]

    def check(self) -> None:
        """Refuse a kind of network that cannot be drawn, or that the formulas are not for.

        Raises
        ------
        SpecError
            There are too many nodes for the switches' ports, or f leaves no port for links.
        """
        self.draw(0)
        if self.links_a_switch <= 0:
            least = self.nodes / self.switches / self.ports
            raise SpecError(
                f"network: connectivity = {self.connectivity:g} leaves no port for links, since "
                f"{self.nodes} nodes on {self.switches} switches of {self.ports} ports take "
                f"{least:.3g}; set it above"
            )

    def _table(self, seed: int) -> RandomNetwork:
        return RandomNetwork(
            switches=self.switches, nodes=self.nodes, connectivity=self.connectivity, seed=seed
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
    nodes, switches = work.whole(f"{which}nodes"), work.whole(f"{which}switches")
    drawn = Drawn(nodes, switches, work.whole("ports"), float(work.values[connectivity]))
    drawn.check()
    return drawn


def members_of(work: Work, drawn: Drawn) -> int:
    """Return the size of the groups that claims are about."""
    return min(work.whole("members"), drawn.nodes)


class Found(NamedTuple):
    """What one group comes to."""

    height: int
    updown_height: int
    """Of BTIN, and of the tree of up/down routing."""
    btin: int
    multicast: int
    unicast: int
    """Links between switches that a barrier passes."""
    direct: int
    """Those from all members to the root by shortest paths."""
    asked: int
    held: int
    bare: int
    """Messages that set BTIN up, switches with a register, and those of them that have no node."""
    set_up: int
    """Messages that set multicast up."""


@dataclass(frozen=True, eq=False)
class Survey:
    """What groups of some sizes come to on all networks of a kind, and what barriers take there."""

    drawn: Drawn
    """The kind."""
    sizes: tuple[int, ...]
    """Members."""
    values: NDArray[np.float64]
    """Of shape (networks, sizes, fields of Found)."""
    times: PacketTiming
    links: float
    """The c of ``packets_ns``."""

    def of(self, field: str, size: int) -> NDArray[np.float64]:
        """Return a field of ``Found`` for groups of a size, shape (networks)."""
        place = self.sizes.index(size), Found._fields.index(field)
        column: NDArray[np.float64] = self.values[:, place[0], place[1]]
        return column

    def mean(self, field: str, size: int) -> float:
        """Return its mean over the networks."""
        return float(self.of(field, size).mean())

    def us(self, scheme: Method, size: int) -> NDArray[np.float64]:
        """Return a scheme's microseconds for groups of a size, shape (networks)."""
        heights = self.of("height", size).astype(int).tolist()
        took = (packets_ns(scheme, height, size, self.links, self.times) for height in heights)
        return np.array([ns / 1000 for ns in took])

    def mean_us(self, scheme: Method, size: int) -> float:
        """Return its mean over the networks."""
        return float(self.us(scheme, size).mean())

    def ratio(self, scheme: Method, size: int) -> float:
        """Return a scheme's mean over BTIN's."""
        return self.mean_us(scheme, size) / self.mean_us("btin", size)


def survey(work: Work, drawn: Drawn, sizes: list[int] | None = None) -> Survey:
    """Draw as many networks as there are runs, and a group of each size on each.

    Parameters
    ----------
    work : Work
        Whose seeds are the networks', and whose parameters are the times.
    drawn : Drawn
        The kind of network.
    sizes : list of int, optional
        Members; by default all of ``Drawn.sizes``, and those that claims are about.
    """
    chosen = sizes or sorted({*drawn.sizes, members_of(work, drawn)})
    seeds = list(work.seeds)
    jobs = [(*astuple(drawn), seeds[i : i + EACH], chosen) for i in range(0, len(seeds), EACH)]
    found = [values for part in work.map(look, jobs) for values in part]
    values, times = np.array(found, dtype=np.float64), work.times(PacketTiming)
    return Survey(drawn, tuple(chosen), values, times, drawn.links_a_switch)


def look(
    nodes: int, switches: int, ports: int, connectivity: float, seeds: list[int], sizes: list[int]
) -> list[list[list[int]]]:
    """Return the fields of ``Found``, network by network, size by size."""
    drawn = Drawn(nodes, switches, ports, connectivity)
    networks = ((seed, Routes(drawn.draw(seed))) for seed in seeds)
    return [[list(_of_group(routes, seed, size)) for size in sizes] for seed, routes in networks]


def _of_group(routes: Routes, seed: int, size: int) -> Found:
    group = Group(routes, random.Random(seed).sample(routes.topology.nodes, size))
    times = PacketTiming()  # of no effect on what is kept
    tree, multicast = along(group.tree, group, times), by_packets("multicast", group, times)
    return Found(
        height=tree.height,
        updown_height=group.updown_tree.height,
        btin=tree.traversals,
        multicast=multicast.traversals,
        unicast=by_packets("unicast", group, times).traversals,
        direct=group.direct,
        asked=tree.setup_messages,
        held=len(group.tree),
        bare=int((~np.isin(group.tree.routers, routes.topology.nodes_array[:, 0])).sum()),
        set_up=multicast.setup_messages,
    )


SEED = 1
"""Of the one network of a kind that is measured, and of its groups."""
LARGEST = 256
"""Nodes of the largest network that is measured."""


def rtl_networks(work: Work) -> list[Drawn]:
    """Return the kinds of network to measure: the one that parameters name, and the paper's own.

    That one only if it is not too large to be measured, and if RTL is asked for at all.
    """
    if not work.rtl:
        return []
    own = drawn_of(work)
    kinds = [drawn_of(work, "rtl_"), *([own] if own.nodes <= LARGEST else [])]
    return list(dict.fromkeys(kinds))


def hardware(work: Work, drawn: Drawn) -> dict[tuple[Method, int], tuple[int, int]]:
    """Return cycles and links on the RTL, by scheme and members, size by size."""
    work.report(f"RTL of {drawn.switches} switches")
    (rows,) = work.map(run, [(*astuple(drawn), SEED, drawn.sizes)])
    return {(scheme, members): (cycles, links) for scheme, members, cycles, links in rows}


def run(
    nodes: int, switches: int, ports: int, connectivity: float, seed: int, sizes: list[int]
) -> list[tuple[Method, int, int, int]]:
    """Return scheme, members, cycles and links between switches, size by size."""
    topology = Drawn(nodes, switches, ports, connectivity).draw(seed)
    network = IrregularSpec(
        kind="irregular",
        ports=ports,
        switches=switches,
        links=topology.links,
        nodes=topology.nodes,
        transport="link",
        data_bits=0,
        setup="manager",
        buffer_flits=1,
    )
    found = []
    for size in sizes:
        members = random.Random(seed).sample(topology.nodes, size)
        _, each = alone(network, members, "btin", [(name, ("together", 0)) for name in NAMES])
        rows = zip(NAMES, each, strict=True)
        found += [(name, size, took.worst, took.between) for name, took in rows]
    return found
