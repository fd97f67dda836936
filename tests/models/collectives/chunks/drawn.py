"""Small topologies with links of any kind."""

import random
from fractions import Fraction

from syncfabric.models.collectives.topology import Link, Topology


def drawn(rng: random.Random, nodes: int, *, switches: int = 0, mirrored: bool = False) -> Topology:
    """Draw a connected topology; ``mirrored``: both directions of a link are alike."""
    vertices = nodes + switches
    # Switches first, so that ranks are joined through them.
    order = [*range(nodes, vertices), *range(nodes)]
    pairs = {(order[rng.randrange(i)], order[i]) for i in range(1, vertices)}
    for _ in range(rng.randint(0, 2 * vertices)):
        a, b = rng.sample(range(vertices), 2)
        if (b, a) not in pairs:
            pairs.add((a, b))
    channels, links = [], []
    for a, b in sorted(pairs):
        link = _link(rng)
        channels += [(a, b), (b, a)]
        links += [link, link if mirrored else _link(rng)]
    return Topology("drawn", nodes, switches, tuple(channels), tuple(links))


def _link(rng: random.Random) -> Link:
    alpha, beta = Fraction(rng.randint(0, 3)), Fraction(rng.randint(1, 3), rng.randint(1, 2))
    return Link(alpha, beta, rng.randint(1, 3))


def two_way(nodes: int, *links: tuple[int, int, Link]) -> Topology:
    """Return a topology by its full-duplex links."""
    channels = [pair for a, b, _ in links for pair in ((a, b), (b, a))]
    costs = [link for *_, link in links for _ in range(2)]
    return Topology("hand-made", nodes, 0, tuple(channels), tuple(costs))
