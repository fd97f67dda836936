"""TILE64 in LogGP as the parameters have it, its barriers, and those measured on our RTL."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import (
    AnySpec,
    MeshSpec,
    StaticSpec,
)
from syncfabric.models.planning.buffers import tree_flits
from syncfabric.models.timing.barriers import reflex_ns, reflex_tree_ns, udn_stn_ns, wires_ns
from syncfabric.models.timing.loggp import LogGP, MemoryLogGP
from syncfabric.models.timing.memory_barriers import (
    centralized_ns,
    memory_dissemination_ns,
    tile_spin_ns,
    tile_sync_ns,
)
from syncfabric.sim.experiments.frame import Work
from syncfabric.sim.experiments.papers.rtl import Wish, on_rtl

__all__ = [
    "ALL",
    "BARRIERS",
    "BY_MEMORY",
    "BY_NETWORK",
    "REFLEX",
    "SIDES",
    "TREE",
    "WIRES",
    "WIRES_1",
    "Barrier",
    "Time",
    "Wish",
    "at_sizes",
    "barriers",
    "buffered",
    "cycle_ns",
    "cycles",
    "diameter",
    "memory",
    "network",
    "ours",
    "radius",
    "run",
    "sizes",
    "slashed",
]


def at_sizes(holds: Mapping[int, bool]) -> str:
    """Return ``yes`` or ``no`` if it is the same at all sizes, else those at which it holds."""
    if len(set(holds.values())) == 1:
        return "yes" if all(holds.values()) else "no"
    return f"at {', '.join(f'{size:,}' for size, held in holds.items() if held)} only"


def slashed(values: Iterable[int]) -> str:
    """Return numbers with slashes between them."""
    return " / ".join(f"{value:,}" for value in values)


Values = Mapping[str, int | float]
"""Of the parameters."""

Time = Callable[[int], float]
"""What a barrier takes, in ns, by the number of cores."""

BY_MEMORY = ("Tile Sync", "centralized", "dissemination", "Tile Spin")
"""Slowest first, as the paper's text has them."""
REFLEX = "Reflex"
BY_NETWORK = ("UDN/STN", REFLEX)
TREE, WIRES, WIRES_1 = "Reflex, tree (ours)", "wires (ours)", "wires (ours), 1 register"
"""The last has a register on every link, so that the clock can be faster."""


def cycle_ns(values: Values) -> float:
    """Return a cycle of the clock."""
    return 1_000 / values["clock"]


def network(values: Values) -> LogGP:
    """Return the times of the user networks."""
    return LogGP(**{key: values[key] * cycle_ns(values) for key in ("L", "o", "g", "G", "h")})


def memory(values: Values) -> MemoryLogGP:
    """Return the times of the shared memory; a hop is that of the networks."""
    cycle = cycle_ns(values)
    own = {key: values[f"memory_{key}"] * cycle for key in ("L", "o", "g")}
    return MemoryLogGP(**own, h=values["h"] * cycle)


def buffered(values: Values, width: int, height: int) -> StaticSpec:
    """Return a static network with the parameters' buffers."""
    places = int(values["buffers"])
    keys = dict.fromkeys(("switch_buffer", "core_buffer", "injection_buffer"), places)
    return StaticSpec(kind="static", width=width, height=height, **keys)


def squarest(cores: int) -> Mesh:
    """Return the squarest mesh that has room for the cores."""
    width = math.isqrt(cores - 1) + 1
    return Mesh(width, math.ceil(cores / width))


def diameter(cores: int) -> int:
    """Return the diameter of that mesh."""
    return squarest(cores).diameter


def radius(cores: int) -> int:
    """Return the links from the middle of that mesh to its farthest corner."""
    mesh = squarest(cores)
    return mesh.width // 2 + mesh.height // 2


def sizes(most: int) -> tuple[int, ...]:
    """Return 2, 4, 8, … cores, and the most."""
    doubled = {1 << power for power in range(1, most.bit_length())}
    return tuple(sorted({*doubled, most}))


def barriers(values: Values) -> dict[str, Time]:
    """Return the barriers of Fig. 6, slowest first as the paper's text has them.

    The cores are on the squarest mesh, and all ways as long as its diameter. Of Tile Sync and Tile
    Spin the paper does not tell the algorithm: their models are made to stand in its order.
    """
    stn, shared = network(values), memory(values)
    wake = 1_000 * values["wake"]
    return {
        "Tile Sync": lambda cores: tile_sync_ns(cores, diameter(cores), shared, wake_ns=wake),
        "centralized": lambda cores: centralized_ns(cores, diameter(cores), shared),
        "dissemination": lambda cores: memory_dissemination_ns(cores, diameter(cores), shared),
        "Tile Spin": lambda cores: tile_spin_ns(cores, diameter(cores), shared),
        "UDN/STN": lambda cores: udn_stn_ns(cores, diameter(cores), stn),
        REFLEX: lambda cores: reflex_ns(cores, stn),
    }


def ours(values: Values) -> dict[str, Time]:
    """Return what the paper's figures do not have."""
    stn = network(values)
    return {
        TREE: partial(_tree_ns, values, stn),
        WIRES: lambda cores: wires_ns(radius(cores), 0, stn),
        WIRES_1: lambda cores: wires_ns(radius(cores), 1, stn),
    }


def _tree_ns(values: Values, stn: LogGP, cores: int) -> float:
    links, mesh = radius(cores), squarest(cores)
    flits = tree_flits(links, buffered(values, mesh.width, mesh.height))
    return reflex_tree_ns(links, flits, stn, streams=values["buffers"] > 1)


SIDES = (2, 4, 6, 8)


@dataclass(frozen=True)
class Barrier:
    """A barrier of all cores of a square.

    Parameters
    ----------
    kind : str
        Of the network.
    planner : str
        Of the group of all.
    scheme : str
        As in ``Scenario``: by packets over a mesh. Empty: by the network's own hardware.
    keys : dict
        Of the network.
    """

    kind: str
    planner: str
    scheme: str = ""
    keys: dict[str, object] = field(default_factory=dict)

    def network(self, side: int) -> AnySpec:
        """Return the network of a side."""
        keys = {"kind": self.kind, "width": side, "height": side, **self.keys}
        spec = StaticSpec if self.kind == "static" else MeshSpec
        network: AnySpec = spec.model_validate(keys)
        return network

    def cycles(self, side: int, wishes: Iterable[Wish]) -> list[int]:
        """Measure it on a square of a side; see ``on_rtl``."""
        asked = [(self.scheme, wish) for wish in wishes]
        return [one.cycles for one in on_rtl(self.network(side), None, self.planner, asked)]


def _by_packets(scheme: str) -> Barrier:
    return Barrier("mesh", "shortest", scheme)


BARRIERS = {
    REFLEX: Barrier("static", "ring"),
    TREE: Barrier("static", "tree"),
    WIRES: Barrier("mesh", "wires", "", {"wires": 1}),
    WIRES_1: Barrier("mesh", "wires", "", {"wires": 1, "link_registers": 1}),
    "engines": Barrier("mesh", "shortest"),
    "engines, routed BTM": Barrier("mesh", "btm", "", {"transport": "routed"}),
    "UDN/STN": _by_packets("udn/stn"),
    "dissemination by messages": _by_packets("dissemination"),
    "unicast": _by_packets("unicast"),
}
"""What is measured, by the names that models have."""
ALL = tuple(BARRIERS)


def run(name: str, side: int, wishes: Sequence[Wish]) -> list[int]:
    """Return the cycles of a barrier by its name; see ``Barrier.cycles``."""
    return BARRIERS[name].cycles(side, wishes)


def cycles(
    work: Work, names: Sequence[str], wishes: Sequence[Wish], sides: Sequence[int] = SIDES
) -> dict[str, list[list[int]]]:
    """Measure barriers by name, at every side with every wish; all as jobs of the work."""
    work.tell("barriers on the RTL")
    jobs = [(name, side, wishes) for name in names for side in sides]
    found = iter(work.map(run, jobs))
    return {name: [next(found) for _ in sides] for name in names}
