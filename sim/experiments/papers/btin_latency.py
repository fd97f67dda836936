"""Latencies of paper BTIN's schemes: by its formulas, and measured on the RTL.

On the RTL all members arrive together, as section 5.1 has it, and buffers hold a flit, as section
2.1 has it. There is no start-up: software answers in the next cycle. The tree is planner ``btin``'s
on engines; messages have no data. Multicast is GO down the same tree.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.timing.btin import PacketTiming, formula_ns, multicast_ns, unicast_ns
from syncfabric.sim.experiments.frame import Work
from syncfabric.sim.experiments.papers.btin_networks import Drawn, Survey, drawn_of, survey
from syncfabric.sim.experiments.papers.rtl import Took, on_rtl

__all__ = [
    "NAMES",
    "SCHEMES",
    "Latencies",
    "add_ratios",
    "hardware",
    "latencies",
    "members_of",
    "published",
    "rtl_networks",
    "run",
    "times_of",
]

NAMES = {"btin": "BTIN", "multicast": "multicast", "unicast": "unicast"}
"""Of the schemes in labels."""
OURS = ("rtl_", "t_in", "t_out")
"""How the names of parameters begin that the paper does not have."""


@dataclass(frozen=True, eq=False)
class Latencies:
    """What the schemes take.

    Parameters
    ----------
    survey : Survey
        Heights.
    times : PacketTiming
    links : float
        The c of ``multicast_ns``.
    """

    survey: Survey
    times: PacketTiming
    links: float

    def us(self, scheme: str, size: int) -> NDArray[np.float64]:
        """Return a scheme's microseconds, network by network.

        Parameters
        ----------
        scheme : str
            Of ``NAMES``.
        size : int
            Members.
        """
        place = self.survey.sizes.index(size)
        heights = self.survey.of("height")[:, place].astype(int).tolist()
        return np.array([self._ns(scheme, size, height) / 1000 for height in heights])

    def mean(self, scheme: str, size: int) -> float:
        """Return a scheme's mean microseconds."""
        return float(self.us(scheme, size).mean())

    def ratio(self, scheme: str, size: int) -> float:
        """Return a scheme's mean over BTIN's."""
        return self.mean(scheme, size) / self.mean("btin", size)

    def _ns(self, scheme: str, size: int, height: int) -> float:
        if scheme == "multicast":
            return multicast_ns(height, size, self.links, self.times)
        if scheme == "unicast":
            return unicast_ns(height, size, self.links, self.times)
        return formula_ns(height, self.times)


def latencies(work: Work, drawn: Drawn) -> Latencies:
    """Return the latencies on the networks of a kind, for groups of all sizes."""
    sizes = sorted({*drawn.sizes, members_of(work, drawn.nodes)})
    return Latencies(survey(work, drawn, sizes), times_of(work), drawn.links_a_switch)


def times_of(work: Work, **changed: float) -> PacketTiming:
    """Return the times that the parameters name, some of them changed."""
    names = [field.name for field in fields(PacketTiming)]
    return PacketTiming(**{name: float(work.values[name]) for name in names} | changed)


def members_of(work: Work, nodes: int) -> int:
    """Return the size of the groups that claims are about, on a network of so many nodes."""
    return min(int(work.values["members"]), nodes)


def published(work: Work, value: float) -> float | None:
    """Return a value of the paper; None where parameters are not those that it has it for.

    What is not the paper's to begin with, as how messages follow each other, may be changed.
    """
    parameters = [p for p in work.experiment.parameters if not p.name.startswith(OURS)]
    return value if all(work.values[p.name] == p.value for p in parameters) else None


def add_ratios(
    work: Work, label: str, ratios: Mapping[int, float], size: int, paper: float | None
) -> None:
    """Add a curve of multicast over BTIN by members, and the paper's point if it has one."""
    work.curve(f"multicast over BTIN, {label}, ours", ratios.items())
    if paper is not None:
        work.point(f"multicast over BTIN, {label}, paper", size, paper)


SCHEMES = ("btin", "multicast", "unicast")
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


def hardware(work: Work, drawn: Drawn) -> dict[tuple[str, int], Took]:
    """Return what each scheme takes on the RTL by its name and the members, size by size."""
    work.tell(f"RTL of {drawn.switches} switches")
    (rows,) = work.map(run, [(*astuple(drawn), SEED, drawn.sizes)])
    return {(scheme, members): Took(*took) for scheme, members, *took in rows}


def run(
    nodes: int, switches: int, ports: int, connectivity: float, seed: int, sizes: list[int]
) -> list[tuple[str, int, int, int]]:
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
        each = on_rtl(network, members, "btin", [(name, ("together", 0)) for name in SCHEMES])
        found += [(name, size, *took) for name, took in zip(SCHEMES, each, strict=True)]
    return found
