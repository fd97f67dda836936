"""Named topologies with switches: the coated mesh and the fat tree."""

from __future__ import annotations

from itertools import product

from syncfabric.models.collectives.grids import grid_links
from syncfabric.models.collectives.topology import Channel, Topology, both_ways

__all__ = ["coated_mesh", "fat_tree"]


def coated_mesh(name: str, width: int, height: int) -> Topology:
    """Return a mesh of switches with a coat of processors: one at each side of the rim.

    A corner switch has two, another one of the rim one, one inside none. They are numbered
    clockwise from the corner of switch 0, along y = 0 first; switches by x + y · width.
    """
    south = [(x, 0) for x in range(width)]
    east = [(width - 1, y) for y in range(height)]
    north = [(x, height - 1) for x in reversed(range(width))]
    west = [(0, y) for y in reversed(range(height))]
    rim = [*south, *east, *north, *west]
    local = [(p, len(rim) + x + y * width) for p, (x, y) in enumerate(rim)]
    switches = [(len(rim) + a, len(rim) + b) for a, b in grid_links((width, height))]
    return Topology(name, len(rim), width * height, both_ways([*local, *switches]))


def fat_tree(name: str, arity: int, levels: int) -> Topology:
    """Return the k-ary n-tree: k to the n processors, and n levels of switches with 2·k ports.

    A switch is its level, 0 at the top, and n - 1 digits. Two of levels l and l + 1 are joined if
    all their digits but digit l are the same; a processor with the switch of the last level that
    has its first n - 1 digits.

    Source: Petrini and Vanneschi, k-ary n-trees, IPPS 1997.
    """
    nodes, row = arity**levels, arity ** (levels - 1)
    links: list[Channel] = [(p, nodes + (levels - 1) * row + p // arity) for p in range(nodes)]
    digits = list(product(range(arity), repeat=levels - 1))
    number = {word: i for i, word in enumerate(digits)}
    for level in range(levels - 1):
        for word in digits:
            for digit in range(arity):
                below = (*word[:level], digit, *word[level + 1 :])
                upper = nodes + level * row + number[word]
                links.append((upper, nodes + (level + 1) * row + number[below]))
    return Topology(name, nodes, levels * row, both_ways(links))
