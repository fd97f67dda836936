"""BTIN, multicast and unicast measured on the RTL of a random network.

All members arrive together, as paper BTIN's section 5.1 has it, and buffers hold a flit, as its
section 2.1 has it. There is no start-up: software answers in the next cycle. The tree is planner
``btin``'s on engines; messages have no data. Multicast is GO down the same tree.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.tiles import measure
from syncfabric.sim.reproduce.btin.networks import Drawn, drawn_of
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["SCHEMES", "Measured", "hardware", "rtl_networks", "run"]

SCHEMES = ("btin", "multicast", "unicast")
SEED = 1
"""Of the one network of a kind that is measured, and of its groups."""
LARGEST = 256
"""Nodes of the largest network that is measured."""


class Measured(NamedTuple):
    """A barrier on the RTL.

    Parameters
    ----------
    scheme : str
    members : int
    cycles : int
        From the arrival of all to the last release.
    between : int
        Links between switches that were passed.
    """

    scheme: str
    members: int
    cycles: int
    between: int


def rtl_networks(work: Work) -> list[Drawn]:
    """Return the kinds of network to measure: the one that parameters name, and the paper's own.

    That one only if it is not too large to be measured, and if RTL is asked for at all.
    """
    if not work.rtl:
        return []
    own = drawn_of(work)
    kinds = [drawn_of(work, "rtl_"), *([own] if own.nodes <= LARGEST else [])]
    return list(dict.fromkeys(kinds))


def hardware(work: Work, drawn: Drawn) -> Iterator[Measured]:
    """Yield what each scheme takes on the RTL, for groups of every size."""
    work.tell(f"RTL of {drawn.switches} switches")
    job = (drawn.nodes, drawn.switches, drawn.ports, drawn.connectivity, SEED, drawn.sizes)
    for rows in work.map(run, [job]):
        yield from (Measured(*row) for row in rows)


def run(
    nodes: int, switches: int, ports: int, connectivity: float, seed: int, sizes: list[int]
) -> list[Measured]:
    """Return what each scheme takes, size by size."""
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
    found: list[Measured] = []
    for size in sizes:
        members = tuple(random.Random(seed).sample(topology.nodes, size))
        groups = (GroupSpec(id=1, members=members, planner="btin"),)
        plan = make_plan(NetworkSpec(name="reproduce", network=network, groups=groups))
        scenarios = [Scenario(episodes=1, scheme=name, policy="together") for name in SCHEMES]
        for name, outcome in zip(SCHEMES, measure(plan, scenarios), strict=True):
            assert outcome.scheme is not None
            one = outcome.scheme
            found.append(Measured(name, size, one.cycles[0], one.between[0]))
    return found
