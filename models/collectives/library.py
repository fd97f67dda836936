"""Topologies to schedule on, by name."""

from fractions import Fraction

from syncfabric.models.collectives.topology import Link, Topology, full_duplex
from syncfabric.models.networks.families import named as family_named

MACHINES = {
    "dgx-1": "a machine of eight processors, its links single and double",
    "dgx-1-pair": "two of them, and one link between",
    "dgx-a100": "a machine of eight processors at one switch",
    "dgx-a100-pair": "two of them, and a switch for all processors between",
}
"""Machines whose links are not alike: topologies for schedules alone."""
_CUBE_MESH = (
    *((0, 1, 1), (0, 2, 1), (0, 3, 2), (0, 4, 2), (1, 2, 2), (1, 3, 1), (1, 5, 2), (2, 3, 2)),
    *((2, 6, 1), (3, 7, 1), (4, 5, 1), (4, 6, 1), (4, 7, 2), (5, 6, 2), (5, 7, 1), (6, 7, 2)),
)
"""The links between the eight processors of an NVIDIA DGX-1 (V100), and how many each: six a
processor, of 25 GB/s in each direction."""
_NVLINK = Link(Fraction(700), Fraction(1, 25))
_NIC = Link(Fraction(1700), Fraction(12, 150))
"""Between two boxes: a twelfth of a processor's bandwidth. Latencies are assumed."""

_NVSWITCH = Link(Fraction(350), Fraction(1, 300))
"""A processor of an NVIDIA DGX A100 and the switches in its box, taken as one."""
_HDR = Link(Fraction(850), Fraction(1, 25))
"""Its own network card, of 200 Gbit/s."""


def named(name: str) -> Topology:
    """Return a topology by its name, as ``torus-4x4`` or ``dgx-1``.

    Raises
    ------
    SpecError
        There is no such family, or it has not this size.
    """
    if name in MACHINES:
        boxes = 1 + name.endswith("-pair")
        return _switched(name, boxes) if "a100" in name else _boxes(name, boxes)
    found = family_named(name)
    return Topology(name, found.nodes, found.switches, full_duplex(found.links))


def _switched(name: str, boxes: int) -> Topology:
    """Return boxes whose processors are at a switch each, and at one between the boxes."""
    ranks = range(8 * boxes)
    links = [((rank, 8 * boxes + rank // 8), _NVSWITCH) for rank in ranks]
    links += [((rank, 9 * boxes), _HDR) for rank in ranks if boxes > 1]
    channels = full_duplex(pair for pair, _ in links)
    costs = tuple(link for _, link in links for _ in "ab")
    return Topology(name, 8 * boxes, boxes + (boxes > 1), channels, costs)


def _boxes(name: str, boxes: int) -> Topology:
    """Return boxes whose first processors a link joins."""
    links = [
        ((8 * box + a, 8 * box + b), _NVLINK._replace(lanes=lanes))
        for box in range(boxes)
        for a, b, lanes in _CUBE_MESH
    ]
    links += [((8 * box, 8 * box + 8), _NIC) for box in range(boxes - 1)]
    channels = full_duplex(pair for pair, _ in links)
    return Topology(name, 8 * boxes, 0, channels, tuple(link for _, link in links for _ in "ab"))
