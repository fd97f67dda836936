"""Networks whose links differ in length as graphs of equal links: longer ones are cut to pieces."""

from __future__ import annotations

from dataclasses import replace
from math import gcd
from typing import NamedTuple

from syncfabric.models.networks.irregular import Irregular, Link

__all__ = ["Stretched", "stretched"]


class Stretched(NamedTuple):
    """A graph in which every way has as many links as it takes, in units.

    Attributes
    ----------
    graph : Irregular
        The network's routers, and after them those between the pieces of a link.
    unit : int
        Cycles of each of its links.
    """

    graph: Irregular
    unit: int


def stretched(network: Irregular, hop: int) -> Stretched:
    """Cut links so that all pieces take the same number of cycles.

    Parameters
    ----------
    network : Irregular
    hop : int, >= 1
        Cycles of a link without extra registers, from router to router.
    """
    unit = gcd(hop, *network.extra)
    if not any(network.extra):
        return Stretched(network, hop)
    links: list[Link] = []
    routers = len(network)
    for (begin, end), more in zip(network.links, network.extra, strict=True):
        for _ in range((hop + more) // unit - 1):
            links.append((begin, (routers, 0)))
            begin = routers, 1
            routers += 1
        links.append((begin, end))
    return Stretched(
        replace(network, switches=routers, links=tuple(links), extra=(), whole=network), unit
    )
