"""Irregular networks for the benches of whole networks, fixed ones and random ones."""

import random
from typing import Any

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.spec import IrregularSpec
from tests.models.planning.irregular import draw_network
from tests.sim.drive.networks import irregular, random_keys

SMALL = Irregular(
    ports=4,
    switches=3,
    links=(((0, 0), (1, 0)), ((0, 2), (1, 3)), ((1, 1), (2, 3))),
    nodes=((0, 1), (0, 3), (2, 0), (2, 1)),
)
"""Two parallel links, and a switch without nodes between the others."""


def star(arms: int, nodes: int, **keys: Any) -> IrregularSpec:
    """Return a switch in the middle of others, with nodes at each of them."""
    links = tuple(((0, arm), (arm + 1, nodes)) for arm in range(arms))
    places = tuple((arm + 1, port) for arm in range(arms) for port in range(nodes))
    return irregular(Irregular(max(arms, nodes + 1, 2), arms + 1, links, places), **keys)


def ring(switches: int, nodes: int, **keys: Any) -> IrregularSpec:
    """Return a ring on which packets take the shorter path, over datelines between last and first.

    Port 0 leads to the next switch, port 1 to the one before.
    """
    links = tuple(((s, 0), ((s + 1) % switches, 1)) for s in range(switches))
    places: tuple[Place, ...] = tuple((s, 2 + p) for s in range(switches) for p in range(nodes))
    tables = tuple(
        tuple(-1 if to == s else int((to - s) % switches > switches // 2) for to in range(switches))
        for s in range(switches)
    )
    return irregular(
        Irregular(nodes + 2, switches, links, places),
        tables=tables,
        datelines=((switches - 1, 0), (0, 1)),
        **{"channels": 2, **keys},
    )


def drawn(
    seed: int, switches: int, extra: int, nodes: int, ports: int, **keys: Any
) -> IrregularSpec:
    """Return a tree of switches with more links, parallel ones too; see ``draw_network``."""
    topology = draw_network(random.Random(seed), switches, extra, nodes, ports)
    return irregular(topology, **keys)


def random_cluster(rng: random.Random, most: int, ports: int = 8) -> IrregularSpec:
    """Draw a network of at most ``most`` switches of ``ports`` ports, with options of all kinds."""
    while True:
        switches, ports = rng.randint(3, most), rng.randint(4, ports)
        extra, nodes = rng.choice((0, 1, switches)), rng.randint(2, 2 * switches)
        topology = draw_network(rng, switches, extra, nodes, ports)
        try:
            return irregular(topology, **random_keys(rng))
        except SpecError:  # keys that do not go together: draw again
            continue
