"""The table of topologies x planes x routings x options, what it refuses, and what is compared."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations, product
from typing import Any, NamedTuple

from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import IrregularSpec, NetworkSpec
from syncfabric.models.planning.updown import updown_tables

MESH = "kind = 'mesh'\nwidth = {}\nheight = {}\n"
GRID = 'kind = "irregular"\ntopology = "{}"\n'
CLUSTER = """
kind = 'irregular'
random = {{ switches = {}, nodes = {}, connectivity = 0.8, seed = 3 }}
"""
PACKAGE = """
kind = 'irregular'
chiplets = [{{ name = 'a', topology = 'mesh-{}x2' }}, {{ name = 'b', topology = 'ring-{}' }}]
bridges = [
    {{ between = ['a', 'b'], switches = [[1, 0]], registers = 7 }},
    {{ between = ['b', 'a'], switches = [[2, 0]], registers = 2 }},
]
"""
LINKS = "kind = 'irregular'\ninterfaces = false\nlinks = {}\nnodes = {}\n"
GROUPS = """
[[group]]
id = 1
members = "all"
op = "xor"
{}
[[group]]
id = 2
members = {{ random = {}, seed = 5 }}
op = "and"
[[group]]
id = 3
members = {{ random = 1, seed = 2 }}
"""


def network(
    kind: str, *size: Any, members: int = 3, first: str | None = "", **keys: Any
) -> NetworkSpec:
    """Return a network with these keys and three groups, or none; ``first`` are keys of group 1."""
    keys = {"ports": 5} | keys if kind == CLUSTER else keys
    lines = [f'name = "tried"\n[network]\n{kind.format(*size)}']
    lines += [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    return loads("\n".join(lines) + ("" if first is None else GROUPS.format(first, members)))


class Topology(NamedTuple):
    """A network's kind, what is filled in there, keys of its own, and whether it has a grid."""

    kind: str
    size: tuple[Any, ...]
    keys: Mapping[str, Any] = {}
    grid: bool = False


EIGHT = {"ports": 8}
"""Of eight switches with a table each: they have one tile."""
LADDER = [[[n, 0], [(n + 1) % 8, 1]] for n in range(8)], [[n, 7] for n in range(8)]
FAMILIES = (
    *("octagon-8", "k-ring-8", "twisted-ladder-8", "amp-8", "star-8", "complete-8"),
    "dragonfly-1x1x7",
)
GRIDS = ("ring-8", "torus-4x2", "torus-3x3", "mesh-2x4", "hypercube-8")
TOPOLOGIES = {
    "mesh": Topology(MESH, (3, 2)),
    **{name: Topology(GRID, (name,), EIGHT) for name in FAMILIES},
    "links": Topology(LINKS, LADDER, EIGHT),
    "fat-octagon-16": Topology(GRID, ("fat-octagon-16",), EIGHT),
    "fat-tree-4x2": Topology(GRID, ("fat-tree-4x2",), EIGHT),
    "chiplets": Topology(PACKAGE, (2, 3)),
    "random": Topology(CLUSTER, (4, 6)),
    "moore-petersen": Topology(GRID, ("moore-petersen",)),
    "octagon-bridged-15": Topology(GRID, ("octagon-bridged-15",)),
    "coated-mesh-3x2": Topology(GRID, ("coated-mesh-3x2",), grid=True),
    **{name: Topology(GRID, (name,), grid=True) for name in GRIDS},
}


class Plane(NamedTuple):
    """The case at hand: keys of the network, and of group 1, which is planned on it."""

    keys: Mapping[str, Any]
    group: str | None


PLANES = {
    "packets": Plane({}, None),
    "link": Plane({}, 'planner = "shortest"'),
    "routed": Plane({"transport": "routed"}, 'planner = "btm"'),
    "wires": Plane({"wires": 1}, 'planner = "wires"'),
    "streams": Plane({"wires": 1, "streams": 1}, 'planner = "wires"\nstream = true'),
}
ROUTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    **{name: {"routing": name} for name in ("dimension", "adaptive", "source")},
    "table": {"routing": "table", "ports": 8},
    "own tables": {"routing": "table"},
}
OPTIONS: dict[str, dict[str, Any]] = {
    "local": {"setup": "local", "buffer_flits": 1},
    "managed": {"setup": "manager"},
    "no data": {"data_bits": 0, "output_register": True},
    "wide": {"data_bits": 32, "operations": "all"},
    "shared": {"message_links": "shared", "setup": "local", "flit_bits": 16, "data_bits": 32},
    "stages": {"engine_stages": 4, "link_registers": 3},
    "longest": {"link_registers": 15, "buffer_flits": 40},
    "guarded": {"check_bits": 5, "link_registers": 2},
    "watched": {"watchdog": 300, "check_bits": 3, "setup": "manager", "groups": 8},
    "no packets": {"channels": 0, "ports": 8},
    "many": {"groups": 32, "port_registers": 5, "counters": False, "read_back": False},
}
MANAGED = ("managed", "watched")
"""Those with managers."""


class Cell(NamedTuple):
    """A combination: names of the table."""

    topology: str
    plane: str
    routing: str = "default"
    option: str = "local"

    def spec(self, **more: Any) -> NetworkSpec:
        """Return its network, with more keys; raises as reading one does."""
        kind, plane = TOPOLOGIES[self.topology], PLANES[self.plane]
        keys = {"setup": "local", **kind.keys, **plane.keys, **ROUTINGS[self.routing]}
        keys |= OPTIONS[self.option] | more
        if self.topology == "mesh" and self.routing == "own tables":
            keys["tables"] = "tables.csv"
        made = network(kind.kind, *kind.size, first=plane.group, **keys)
        if self.routing != "own tables":
            return made
        network_of = made.network
        assert isinstance(network_of, IrregularSpec)
        values = network_of.model_dump() | {"tables": updown_tables(network_of.topology).tolist()}
        return made.model_copy(update={"network": IrregularSpec(**values)})


ANY, NONE = (), ("no packets",)
PLAIN = tuple(name for name, kind in TOPOLOGIES.items() if not kind.grid and name != "mesh")
REFUSED: list[tuple[Sequence[str], Sequence[str], Sequence[str], Sequence[str], str]] = [
    (("mesh",), ANY, tuple(ROUTINGS)[1:], ANY, "belongs to irregular networks; remove it"),
    (PLAIN, ANY, ("dimension", "adaptive"), ANY, "is for routers with coordinates, those of"),
    (("mesh",), ANY, ANY, NONE, 'key "ports" belongs to irregular networks'),
    (ANY, ANY, ("source",), NONE, 'routing = "source" is for packets, and with channels = 0'),
    (ANY, ("routed",), ANY, NONE, "transport"),
    (ANY, ANY, ("adaptive",), NONE, "channels must be at least"),
    (ANY, ANY, ("source",), MANAGED, 'does not go with routing = "source"'),
    (("chiplets",), ("routed",), ANY, ANY, "transport"),
    (PLAIN, ("routed",), ANY, ANY, "needs a mesh or torus with channels and routing 'dimension'"),
    (ANY, ("routed",), ("table", "own tables", "source"), ANY, "needs a mesh or torus with chan"),
    (("coated-mesh-3x2",), ("routed",), ANY, ANY, "needs nodes in the routers; take interfaces"),
]
"""Names of each axis, all where there are none, and part of the refusal; the first that fits."""


def refusal(cell: Cell) -> str | None:
    """Return part of the refusal of a combination; None: it is valid."""
    for *axes, words in REFUSED:
        if all(not names or name in names for names, name in zip(axes, cell, strict=True)):
            return words
    return None


def pairs(cell: Cell) -> set[tuple[str, str]]:
    """Return each two names of a combination."""
    return {*combinations(cell, 2)}


@cache
def cells() -> tuple[Cell, ...]:
    """Return all valid combinations, each with the option that makes the most new pairs of names.

    A default that is named makes the same network, and is left out.
    """
    seen: set[tuple[str, str]] = set()
    found: list[Cell] = []
    used = Counter[str]()
    for place in product(TOPOLOGIES, PLANES, ROUTINGS):
        options = [cell for option in OPTIONS if not refusal(cell := Cell(*place, option))]
        if not options:
            continue
        if place[2] == "own tables" and place[1] not in ("packets", "link"):  # packets alone
            continue
        if place[2] == ("dimension" if TOPOLOGIES[place[0]].grid else "table"):  # the default
            continue
        found.append(max(options, key=lambda cell: (len(pairs(cell) - seen), -used[cell.option])))
        used[found[-1].option] += 1
        seen |= pairs(found[-1])
    return tuple(found)


@cache
def few() -> tuple[Cell, ...]:
    """Return combinations with all pairs of names that any has, but an option and topology."""

    def pairs_of(cell: Cell) -> set[tuple[str, str]]:
        return pairs(cell) - {(cell.topology, cell.option)}

    left = set().union(*map(pairs_of, cells()))
    chosen = list[Cell]()
    while left:
        chosen.append(max(cells(), key=lambda cell: len(pairs_of(cell) & left)))
        left -= pairs_of(chosen[-1])
    return tuple(chosen)


SMALL: dict[str, Any] = {"groups": 4, "data_bits": 1}
"""Keys of small routers, for what is compared."""
CHECKED = {"check_bits": 8, "watchdog": 64}
"""And of those of messages alone, which are soaked and struck, too."""


def compared_spec(cell: Cell) -> NetworkSpec:
    """Return the network of a combination as it is compared."""
    ports = {"ports": 8} if cell.topology != "mesh" and cell.plane != "routed" else {}
    more = CHECKED if cell.plane == "link" and cell.option in NONE else {}
    return cell.spec(**SMALL, **ports, **more)


def tile(cell: Cell) -> tuple[Any, ...]:
    """Return what decides which hardware is compiled for a combination."""
    shape = compared_spec(cell).message_network.shape
    size = (shape.routers, shape.nodes) if shape.router.channels else ()
    return shape.router, shape.interfaces, shape.stage, *size


def names_of(cell: Cell) -> tuple[str, ...]:
    """Return what a combination is an example of: a family, a plane, and a routing of packets."""
    shape = compared_spec(cell).message_network.shape
    routing: str = shape.router.routing if shape.router.channels else "no packets"
    routing = "datelines" if shape.datelines and routing == "dimension" else routing
    return cell.topology.rstrip("x0123456789").rstrip("-"), cell.plane, routing


@cache
def compared(strength: int) -> tuple[Cell, ...]:
    """Return combinations in which are all names, or all pairs of names, with few tiles.

    At each step the tile, and of it the combination, with the most new ones.
    """
    places = {cell[:3] for cell in cells()}
    new: dict[tuple[Any, ...], dict[Cell, set[tuple[str, ...]]]] = {}
    for cell in sorted(Cell(*place, option) for place in places for option in ("local", *NONE)):
        if not refusal(cell) and cell[1::2] != ("packets", *NONE):
            new.setdefault(tile(cell), {})[cell] = {*combinations(names_of(cell), strength)}
    left = {each for found in new.values() for names in found.values() for each in names}
    chosen: list[Cell] = []
    while left:
        found = max(new.values(), key=lambda found: len(set().union(*found.values()) & left))
        while cell := max(found, key=lambda cell: len(found[cell] & left)):
            if not found[cell] & left:
                break
            chosen.append(cell)
            left -= found[cell]
    return tuple(chosen)
