"""Topologies by name: a family, then its size, as in ``torus-4x4``."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from math import isqrt, prod

from syncfabric.models.errors import SpecError, UnknownNameError
from syncfabric.models.networks.explain import did_you_mean
from syncfabric.models.networks.family import Family, Graph, NamedTopology, Point, checked_part
from syncfabric.models.networks.grid import Grid
from syncfabric.models.plugins import plugins

Link = tuple[int, int]

MOST = 4096
"""Nodes of a topology by name; an option mistyped must not fill the memory."""


def _ring(numbers: Sequence[int]) -> list[Link]:
    """Return the links of a ring of these vertices."""
    return [(a, numbers[(i + 1) % len(numbers)]) for i, a in enumerate(numbers)]


def _places(sides: Sequence[int]) -> dict[tuple[int, ...], int]:
    """Return the numbers of the coordinates; the first counts fastest."""
    places = product(*(range(side) for side in reversed(sides)))
    return {place[::-1]: number for number, place in enumerate(places)}


def _mesh(*sides: int) -> Graph:
    """Return a mesh; node x + y · width of a mesh in two dimensions."""
    places = _places(sides)
    links = [
        (number, places[further])
        for place, number in places.items()
        for i in range(len(sides))
        if (further := (*place[:i], place[i] + 1, *place[i + 1 :])) in places
    ]
    return len(places), 0, links


def _torus(*sides: int) -> Graph:
    """Return a mesh whose rows and columns are rings; a side of 2 has one link, not two."""
    places = _places(sides)
    links = [
        (places[place], places[(*place[:i], (place[i] + 1) % side, *place[i + 1 :])])
        for i, side in enumerate(sides)
        for place in places
        if side > 2 or place[i] + 1 < side
    ]
    return len(places), 0, links


def _cube(nodes: int, folded: bool = False) -> Graph:
    """Return nodes joined where their numbers differ in one bit, folded ones also in all bits.

    The paper calls a folded one K-ring. Source: El-Amawy and Latifi, IEEE Trans. Parallel and
    Distributed Systems 2(1), 1991.
    """
    _, _, links = _mesh(*[2] * (nodes.bit_length() - 1))
    return nodes, 0, [*links, *((a, nodes - 1 - a) for a in range(nodes // 2) if folded)]


def _coated(width: int, height: int) -> Graph:
    """Return a mesh of switches with a coat of processors: one at each side of the edge.

    A corner switch has two, another one of the edge one, one inside none. They are numbered
    clockwise from the corner of switch 0, along y = 0 first; switches by x + y · width.
    """
    edge = [(x, 0) for x in range(width)] + [(width - 1, y) for y in range(height)]
    edge += [(x, height - 1) for x in reversed(range(width))]
    edge += [(0, y) for y in reversed(range(height))]
    many, (switches, _, links) = len(edge), _mesh(width, height)
    local = [(p, many + x + y * width) for p, (x, y) in enumerate(edge)]
    return many, switches, [*local, *((many + a, many + b) for a, b in links)]


def _around_mesh(width: int, height: int) -> Iterator[Point]:
    """Yield the places of the coat, and of the mesh inside."""
    wide, high = range(width), range(height)
    yield from ((x, -0.8) for x in wide)
    yield from ((width - 0.2, y) for y in high)
    yield from ((x, height - 0.2) for x in reversed(wide))
    yield from ((-0.8, y) for y in reversed(high))
    yield from ((x, y) for y, x in product(high, wide))


def _octagon(numbers: Sequence[int]) -> list[Link]:
    """Return the ring through these vertices, and the links between opposite ones.

    With eight it is the Octagon. Source: Karim, Nguyen and Dey, An Interconnect Architecture for
    Networking Systems on Chips, IEEE Micro 22(5), 2002. With others it is the Möbius ladder, whose
    ends are joined crosswise. Source: Guy and Harary, On the Möbius ladders, Canadian Mathematical
    Bulletin 10(4), 1967.
    """
    half = len(numbers) // 2
    return [*_ring(numbers), *zip(numbers[:half], numbers[half:], strict=True)]


def _octagons(*sides: int) -> Graph:
    """Return an Octagon, or several dimensions, in which corresponding nodes form Octagons."""
    if len(sides) == 1:
        return sides[0], 0, _octagon(range(sides[0]))
    links: list[Link] = []
    for axis in range(len(sides)):
        lines = product(*(range(1 if i == axis else 8) for i in range(len(sides))))
        for base in [sum(x * 8**i for i, x in enumerate(place)) for place in lines]:
            links += [(base + a * 8**axis, base + b * 8**axis) for a, b in _octagon(range(8))]
    return prod(sides), 0, links


def _bridged(nodes: int) -> Graph:
    """Return Octagons in a row that share a bridge node: 15 nodes for two, 22 for three.

    The node opposite the first one of an Octagon is the first one of the next.
    """
    links: list[Link] = []
    first = 0
    for fresh in range(1, nodes, 7):
        around = [first, *range(fresh, fresh + 7)]
        links += _octagon(around)
        first = around[4]
    return nodes, 0, links


def _fat_octagon(nodes: int) -> Graph:
    """Return an Octagon of 8 routers with as many processors each.

    With two a router, processors 2·r and 2·r + 1 are behind router r, vertex 16 + r.
    """
    local = [(p, nodes + p // (nodes // 8)) for p in range(nodes)]
    return nodes, 8, [*local, *_octagon(range(nodes, nodes + 8))]


def _minimum_path(nodes: int) -> Graph:
    """Return the ring with chords of least diameter and mean distance for degree 4.

    AMP stands for a minimum path. The edges of the AMP machines, which a search found, are not in
    the papers at hand. This is the graph that is proved to have the shortest paths among rings
    with chords: node i joined with i ± b and i ± (b - 1), b the square root of half the nodes,
    rounded up.

    Source: Beivide, Herrada, Balcázar and Arruabarrena, Optimal Distance Networks of Low Degree
    for Parallel Computers, IEEE Trans. Computers 40(10), 1991.
    """
    b = isqrt((nodes + 1) // 2 - 1) + 1
    return nodes, 0, [(i, (i + step) % nodes) for step in (b - 1, b) for i in range(nodes)]


def _petersen() -> Graph:
    """Return the Moore graph of degree 3 and diameter 2: a pentagon around a pentagram.

    Source: Hoffman and Singleton, On Moore graphs with diameters 2 and 3, IBM Journal of Research
    and Development 4(5), 1960; drawn as by Petersen, 1898.
    """
    inner = [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
    return 10, 0, [*_ring(range(5)), *inner, *((i, 5 + i) for i in range(5))]


def _hoffman_singleton() -> Graph:
    """Return the Moore graph of degree 7 and diameter 2: five pentagons and five pentagrams.

    Vertex j of pentagon h is joined with vertex h·i + j, modulo 5, of pentagram i. Pentagon h has
    the nodes from 5·h on, pentagram i those from 25 + 5·i on.

    Source: Hoffman and Singleton, as above; these edges are Robertson's, 1969.
    """
    fives = list(product(range(5), repeat=2))
    pentagons = [(5 * h + j, 5 * h + (j + 1) % 5) for h, j in fives]
    pentagrams = [(25 + 5 * i + j, 25 + 5 * i + (j + 2) % 5) for i, j in fives]
    across = [(5 * h + j, 25 + 5 * i + (h * i + j) % 5) for h in range(5) for i, j in fives]
    return 50, 0, [*pentagons, *pentagrams, *across]


def _fat_tree(arity: int, levels: int) -> Graph:
    """Return the k-ary n-tree: k to the n processors, and n levels of switches with 2·k ports.

    A switch is its level, 0 at the top, and n - 1 digits. Two of levels l and l + 1 are joined if
    all their digits but digit l are the same; a processor with the switch of the last level that
    has its first n - 1 digits.

    Source: Petrini and Vanneschi, k-ary n-trees, IPPS 1997.
    """
    nodes, row = arity**levels, arity ** (levels - 1)
    links = [(p, nodes + (levels - 1) * row + p // arity) for p in range(nodes)]
    number = {word: i for i, word in enumerate(product(range(arity), repeat=levels - 1))}
    for level in range(levels - 1):
        upper = nodes + level * row
        for word, place in number.items():
            below = [number[*word[:level], d, *word[level + 1 :]] for d in range(arity)]
            links += [(upper + place, upper + row + other) for other in below]
    return nodes, levels * row, links


def _dragonfly(nodes: int, routers: int, links: int) -> Graph:
    """Return groups of routers, joined each with each; and the groups, too, by a link a pair.

    A router has some nodes, and some links to other groups: as many groups as these can reach. Of
    group i, link k of all its routers in order leads to group k, or k + 1 from group i on.

    Source: Kim, Dally, Scott and Abts, Technology-Driven, Highly-Scalable Dragonfly Topology,
    ISCA 2008; its p, a and h.
    """
    groups = routers * links + 1
    many = groups * routers * nodes
    local = [(p, many + p // nodes) for p in range(many)]
    firsts = range(many, many + groups * routers, routers)
    inside = [(g + a, g + b) for g in firsts for a, b in combinations(range(routers), 2)]
    across = [
        (firsts[i] + (j - 1) // links, firsts[j] + i // links)
        for i, j in combinations(range(groups), 2)
    ]
    return many, groups * routers, [*local, *inside, *across]


def _lines(*sides: int) -> Grid:
    """Return the coordinates of a mesh; a side of 1 is no dimension."""
    return Grid(tuple(side for side in sides if side > 1))


def _rings(*sides: int) -> Grid:
    """Return the coordinates of a torus."""
    return replace(_lines(*sides), wraps=True)


def _levels(arity: int, levels: int) -> Iterator[Point]:
    """Yield the places of a fat tree: processors at the bottom, and a row a level."""
    row = arity ** (levels - 1)
    yield from ((p / arity, 0.0) for p in range(row * arity))
    for level in range(levels):
        yield from ((place + 0.5 - 0.5 / arity, 1.5 * (levels - level)) for place in range(row))


def _sides(*numbers: int) -> bool:
    return prod(numbers) > 1 and min(numbers) > 0


def _two(*numbers: int) -> bool:
    return len(numbers) == 2 and min(numbers) > 1


def _power(least: int) -> Callable[..., bool]:
    """Return whether the size is one power of two, at least so great."""
    return lambda *n: len(n) == 1 and n[0] >= least and n[0].bit_count() == 1


def _one(least: int, step: int = 1, first: int = 0) -> Callable[..., bool]:
    """Return whether the size is one number, at least so great, ``first`` above a multiple."""
    return lambda *n: len(n) == 1 and n[0] >= least and (n[0] - first) % step == 0


_SIDES = "a side a dimension, as 4x4"

_FAMILIES = (
    Family(
        "ring-8",
        "a ring",
        lambda n: (n, 0, _ring(range(n))),
        "3 nodes or more",
        _one(3),
        grid=_rings,
    ),
    Family("mesh-4x4", "a mesh of any dimensions", _mesh, _SIDES, _sides, grid=_lines),
    Family("torus-4x4", "a mesh with wrap-around", _torus, _SIDES, _sides, grid=_rings),
    Family(
        "hypercube-16",
        "a hypercube",
        _cube,
        "a power of two, 2 or more",
        _power(2),
        grid=lambda n: Grid((2,) * (n.bit_length() - 1)),
    ),
    Family(
        "k-ring-16",
        "a folded hypercube",
        lambda n: _cube(n, folded=True),
        "a power of two, 4 or more",
        _power(4),
    ),
    Family(
        "coated-mesh-4x4",
        "a mesh of switches, processors around its rim",
        _coated,
        "two sides of 2 or more, as 4x4",
        _two,
        lambda *n: 2 * sum(n),
        _lines,
        _around_mesh,
    ),
    Family(
        "octagon-8",
        "a ring whose opposite nodes are joined; or Octagons in several dimensions, octagon-8x8",
        _octagons,
        "a multiple of 4, 8 or more, or 8 a dimension, as 8x8",
        lambda *n: _one(8, 4)(*n) or set(n) == {8},
    ),
    Family(
        "octagon-bridged-15",
        "Octagons in a row that share bridge nodes",
        _bridged,
        "1 more than a multiple of 7, 15 or more",
        _one(15, 7, 1),
    ),
    Family(
        "fat-octagon-16",
        "an Octagon of routers, several processors each",
        _fat_octagon,
        "a multiple of 8",
        _one(8, 8),
    ),
    Family(
        "twisted-ladder-16",
        "a Möbius ladder",
        lambda n: (n, 0, _octagon(range(n))),
        "an even number, 6 or more",
        _one(6, 2),
    ),
    Family(
        "amp-32",
        "degree 4 and least distances among rings with chords",
        _minimum_path,
        "5 nodes or more",
        _one(5),
    ),
    Family("moore-petersen", "the Moore graph of degree 3", _petersen),
    Family("moore-hoffman-singleton", "the Moore graph of degree 7", _hoffman_singleton),
    Family(
        "star-8",
        "node 0 joined with all others",
        lambda n: (n, 0, [(0, leaf) for leaf in range(1, n)]),
        "2 nodes or more",
        _one(2),
    ),
    Family(
        "complete-8",
        "each node joined with each other",
        lambda n: (n, 0, combinations(range(n), 2)),
        "2 to 256 nodes",
        lambda *n: len(n) == 1 and 2 <= n[0] <= 256,
    ),
    Family(
        "dragonfly-2x4x2",
        "complete groups of routers, joined each with each",
        _dragonfly,
        "nodes a router, routers a group, links of a router to other groups, as 2x4x2",
        lambda *n: len(n) == 3 and min(n) > 0,
        lambda p, a, h: p * a * (a * h + 1),
    ),
    Family(
        "fat-tree-2x4",
        "a k-ary n-tree, k to the n processors",
        _fat_tree,
        "arity and levels, as 2x4, both 2 or more",
        _two,
        lambda *n: n[0] ** min(n[1], MOST),
        places=_levels,
    ),
)

FAMILIES = {re.sub(r"-[\dx]+$", "", family.example): family for family in _FAMILIES}
"""Those of this package, by the name without a size."""


def families() -> dict[str, Family]:
    """Return all families by their names, those of other packages too."""
    return FAMILIES | plugins("syncfabric.topologies", Family, checked_part)


def named(name: str) -> NamedTopology:
    """Return a topology by its name.

    Raises
    ------
    SpecError
        There is no such family, or it has not this size.
    """
    match = re.fullmatch(r"(.+?)-(\d{1,9}(?:x\d{1,9})*)", name)
    word = match[1] if match else name
    family = FAMILIES.get(word) or families().get(word)
    if family is None:
        raise UnknownNameError(f'topology: "{name}" is unknown; ' + did_you_mean(word, families()))
    numbers = tuple(map(int, match[2].split("x"))) if match else ()
    if not family.size:
        if numbers:
            raise SpecError(f'topology: "{word}" has one size; leave it out')
        return family.make(name)
    if not numbers or not family.allowed(*numbers):
        raise SpecError(
            f'topology: size of "{name}" must be {family.size}; for example {family.example}'
        )
    if family.nodes(*numbers) > MOST:
        raise SpecError(f'topology: "{name}" has more than {MOST:,} nodes')
    return family.make(name, *numbers)
